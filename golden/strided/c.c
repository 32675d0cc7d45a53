// kernel 0: e_18_6, launch ((1,), None)
void e_18_6(void **bufs, const long *vars, long begin, long end) {
  float *restrict data0 = bufs[0];
  const float *restrict data1 = bufs[1];
  for (long i0 = 0; i0 < 18; i0++) {
    long alu0 = i0 * 6;
    #pragma omp simd
    for (long v1 = 0; v1 < 6; v1++) {
      data0[alu0 + v1] = data1[v1 * 72 - i0 + 21] + 1.0f;
    }
  }
}
