// kernel 0: e_10_10, launch ((1,), None)
void e_10_10(void **bufs, const long *vars, long begin, long end) {
  float *restrict data0 = bufs[0];
  #pragma omp simd
  for (long v2 = 0; v2 < 100; v2++) {
    data0[v2] = data0[v2] + 1.0f;
  }
}
