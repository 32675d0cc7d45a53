// kernel 0: e_8_12, launch ((1,), None)
void e_8_12(void **bufs, const long *vars, long begin, long end) {
  float *restrict data0 = bufs[0];
  const float *restrict data1 = bufs[1];
  for (long i0 = 0; i0 < 8; i0++) {
    long alu0 = i0 * 12;
    long alu1 = i0 * 10;
    unsigned char alu2 = (1 <= i0) & (i0 < 7);
    #pragma omp simd
    for (long v1 = 0; v1 < 12; v1++) {
      data0[alu0 + v1] = (alu2 & (2 <= v1) ? data1[v1 + alu1 - 12] : 0.0f) * 2.0f;
    }
  }
}
