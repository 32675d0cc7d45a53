// kernel 0: r_128_2_256, launch ((1,), None)
void r_128_2_256(void **bufs, const long *vars, long begin, long end) {
  float *restrict data0 = bufs[0];
  const float *restrict data1 = bufs[1];
  float acc3;
  float acc2[16];
  float acc1[16];
  float acc0[64];
  for (long i0 = 0; i0 < 128; i0++) {
    acc3 = 0.0f;
    #pragma omp simd
    for (long v13 = 0; v13 < 16; v13++) {
      acc1[v13] = 0.0f;
    }
    #pragma GCC unroll 4
    for (long u8 = 0; u8 < 4; u8++) {
      long alu0 = u8 * 16;
      #pragma omp simd
      for (long v9 = 0; v9 < 16; v9++) {
        acc0[alu0 + v9] = 0.0f;
      }
    }
    long alu1 = i0 * 512;
    for (long r4 = 0; r4 < 8; r4++) {
      long alu2 = alu1 + r4 * 64;
      #pragma GCC unroll 4
      for (long u10 = 0; u10 < 4; u10++) {
        long alu3 = u10 * 16;
        long alu4 = alu2 + alu3;
        #pragma omp simd
        for (long v11 = 0; v11 < 16; v11++) {
          long idx0 = alu3 + v11;
          acc0[idx0] = acc0[idx0] + data1[alu4 + v11];
        }
      }
    }
    #pragma GCC unroll 4
    for (long u12 = 0; u12 < 4; u12++) {
      long alu5 = u12 * 16;
      #pragma omp simd
      for (long v14 = 0; v14 < 16; v14++) {
        acc1[v14] = acc1[v14] + acc0[alu5 + v14];
      }
    }
    #pragma omp simd
    for (long v15 = 0; v15 < 16; v15++) {
      acc2[v15] = acc1[v15];
    }
    for (long r16 = 0; r16 < 16; r16++) {
      acc3 = acc3 + acc2[r16];
    }
    data0[i0] = acc3;
  }
}

// kernel 1: r_128, launch ((1,), None)
void r_128(void **bufs, const long *vars, long begin, long end) {
  float *restrict data0 = bufs[0];
  const float *restrict data1 = bufs[1];
  float acc0;
  acc0 = 0.0f;
  for (long r0 = 0; r0 < 128; r0++) {
    acc0 = acc0 + data1[r0];
  }
  data0[0] = acc0;
}
