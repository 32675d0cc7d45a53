// kernel 0: r_4_2_50_2_50_50, launch ((1,), None)
void r_4_2_50_2_50_50(void **bufs, const long *vars, long begin, long end) {
  float *restrict data0 = bufs[0];
  const float *restrict data1 = bufs[1];
  float acc2;
  float acc1[16] __attribute__((aligned(64)));
  float acc0[16] __attribute__((aligned(64)));
  float acc3[50] __attribute__((aligned(64)));
  for (long i0 = 0; i0 < 4; i0++) {
    long alu0 = i0 * 100;
    float val0 = data1[alu0 + 48];
    float val1 = data1[alu0 + 49];
    for (long i1 = 0; i1 < 2; i1++) {
      long alu1 = alu0 + i1 * 50;
      acc2 = 0.0f;
      #pragma omp simd
      for (long v11 = 0; v11 < 16; v11++) {
        acc0[v11] = 0.0f;
      }
      unsigned char alu2 = i1 < 1;
      #pragma GCC unroll 3
      for (long u10 = 0; u10 < 3; u10++) {
        long alu3 = alu0 + u10 * 16;
        #pragma omp simd
        for (long v12 = 0; v12 < 16; v12++) {
          acc0[v12] = acc0[v12] + ((alu2 ? 0.0f : data1[alu3 + v12]) + 0.0f);
        }
      }
      #pragma omp simd
      for (long v13 = 0; v13 < 16; v13++) {
        acc1[v13] = acc0[v13];
      }
      for (long r14 = 0; r14 < 16; r14++) {
        acc2 = acc2 + acc1[r14];
      }
      float alu4 = acc2 + ((alu2 ? 0.0f : val0) + (alu2 ? 0.0f : val1) + 0.0f + 0.0f);
      #pragma omp simd
      for (long v15 = 0; v15 < 50; v15++) {
        acc3[v15] = 0.0f;
      }
      for (long r3 = 0; r3 < 50; r3++) {
        float val2 = data1[alu1 + r3];
        #pragma omp simd
        for (long v16 = 0; v16 < 50; v16++) {
          acc3[v16] = acc3[v16] + (v16 < r3 ? 0.0f : val2);
        }
      }
      #pragma omp simd
      for (long v2 = 0; v2 < 50; v2++) {
        data0[alu1 + v2] = alu4 + acc3[v2];
      }
    }
  }
}
