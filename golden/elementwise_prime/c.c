// kernel 0: e_7_13, launch ((1,), None)
void e_7_13(void **bufs, const long *vars, long begin, long end) {
  float *restrict data0 = bufs[0];
  const float *restrict data1 = bufs[1];
  const float *restrict data2 = bufs[2];
  #pragma omp simd
  for (long v2 = 0; v2 < 91; v2++) {
    data0[v2] = data1[v2] * 2.0f + data2[v2];
  }
}
