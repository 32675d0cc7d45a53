// kernel 0: r_64_512, launch ((1,), None)
void r_64_512(void **bufs, const long *vars, long begin, long end) {
  float *restrict data0 = bufs[0];
  const float *restrict data1 = bufs[1];
  float acc3;
  float acc2[16];
  float acc1[16];
  float acc0[64];
  for (long i0 = 0; i0 < 64; i0++) {
    acc3 = 0.0f;
    #pragma omp simd
    for (long v11 = 0; v11 < 16; v11++) {
      acc1[v11] = 0.0f;
    }
    #pragma GCC unroll 4
    for (long u6 = 0; u6 < 4; u6++) {
      long alu0 = u6 * 16;
      #pragma omp simd
      for (long v7 = 0; v7 < 16; v7++) {
        acc0[alu0 + v7] = 0.0f;
      }
    }
    long alu1 = i0 * 512;
    for (long r2 = 0; r2 < 8; r2++) {
      long alu2 = alu1 + r2 * 64;
      #pragma GCC unroll 4
      for (long u8 = 0; u8 < 4; u8++) {
        long alu3 = u8 * 16;
        long alu4 = alu2 + alu3;
        #pragma omp simd
        for (long v9 = 0; v9 < 16; v9++) {
          long idx0 = alu3 + v9;
          acc0[idx0] = acc0[idx0] + data1[alu4 + v9];
        }
      }
    }
    #pragma GCC unroll 4
    for (long u10 = 0; u10 < 4; u10++) {
      long alu5 = u10 * 16;
      #pragma omp simd
      for (long v12 = 0; v12 < 16; v12++) {
        acc1[v12] = acc1[v12] + acc0[alu5 + v12];
      }
    }
    #pragma omp simd
    for (long v13 = 0; v13 < 16; v13++) {
      acc2[v13] = acc1[v13];
    }
    for (long r14 = 0; r14 < 16; r14++) {
      acc3 = acc3 + acc2[r14];
    }
    data0[i0] = acc3;
  }
}
