// kernel 0: e_4, launch ((1,), None)
void e_4(void **bufs, const long *vars, long begin, long end) {
  float *restrict data0 = bufs[0];
  const float *restrict data1 = bufs[1];
  #pragma omp simd
  for (long v0 = 0; v0 < 4; v0++) {
    data0[v0] = data1[v0] + 0.0f;
  }
}
