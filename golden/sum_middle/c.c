// kernel 0: r_8_16_30, launch ((1,), None)
void r_8_16_30(void **bufs, const long *vars, long begin, long end) {
  float *restrict data0 = bufs[0];
  const float *restrict data1 = bufs[1];
  float acc0[16];
  for (long i0 = 0; i0 < 8; i0++) {
    long alu0 = i0 * 16;
    #pragma omp simd
    for (long v3 = 0; v3 < 16; v3++) {
      acc0[v3] = -__builtin_inff();
    }
    long alu1 = i0 * 480;
    for (long r2 = 0; r2 < 30; r2++) {
      long alu2 = alu1 + r2 * 16;
      #pragma omp simd
      for (long v4 = 0; v4 < 16; v4++) {
        float val0 = acc0[v4];
        float val1 = data1[alu2 + v4];
        acc0[v4] = val1 != val1 || val1 > val0 ? val1 : val0;
      }
    }
    #pragma omp simd
    for (long v1 = 0; v1 < 16; v1++) {
      data0[alu0 + v1] = acc0[v1];
    }
  }
}
