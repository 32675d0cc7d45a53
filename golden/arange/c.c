// kernel 0: e_100, launch ((1,), None)
void e_100(void **bufs, const long *vars, long begin, long end) {
  float *restrict data0 = bufs[0];
  #pragma omp simd
  for (long v0 = 0; v0 < 100; v0++) {
    data0[v0] = (float)v0 * 0.5f;
  }
}
