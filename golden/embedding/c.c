// kernel 0: r_5_6_16_50, launch ((1,), None)
void r_5_6_16_50(void **bufs, const long *vars, long begin, long end) {
  float *restrict data0 = bufs[0];
  const int *restrict data1 = bufs[1];
  const float *restrict data2 = bufs[2];
  float acc0[160];
  for (long i5 = 0; i5 < 3; i5++) {
    long alu0 = i5 * 160;
    #pragma GCC unroll 10
    for (long u7 = 0; u7 < 10; u7++) {
      long alu1 = u7 * 16;
      #pragma omp simd
      for (long v8 = 0; v8 < 16; v8++) {
        acc0[alu1 + v8] = 0.0f;
      }
    }
    long alu2 = i5 * 10;
    for (long r3 = 0; r3 < 50; r3++) {
      long alu3 = r3 * 16;
      #pragma GCC unroll 10
      for (long u9 = 0; u9 < 10; u9++) {
        long alu4 = u9 * 16;
        long cast0 = (long)data1[alu2 + u9];
        unsigned char alu5 = (cast0 < 0 ? cast0 + 50 : cast0) == r3;
        #pragma omp simd
        for (long v10 = 0; v10 < 16; v10++) {
          long idx0 = alu4 + v10;
          acc0[idx0] = acc0[idx0] + (alu5 ? data2[alu3 + v10] : 0.0f);
        }
      }
    }
    #pragma GCC unroll 10
    for (long u6 = 0; u6 < 10; u6++) {
      long alu6 = u6 * 16;
      long alu7 = alu0 + alu6;
      #pragma omp simd
      for (long v2 = 0; v2 < 16; v2++) {
        data0[alu7 + v2] = acc0[alu6 + v2];
      }
    }
  }
}
