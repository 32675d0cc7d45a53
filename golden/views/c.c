// kernel 0: e_12_10, launch ((1,), None)
void e_12_10(void **bufs, const long *vars, long begin, long end) {
  float *restrict data0 = bufs[0];
  const float *restrict data1 = bufs[1];
  for (long i0 = 0; i0 < 12; i0++) {
    long alu0 = i0 * 10;
    #pragma omp simd
    for (long v1 = 0; v1 < 10; v1++) {
      long idx0 = alu0 + v1;
      data0[idx0] = data1[v1 * 12 + i0] + data1[idx0];
    }
  }
}

// kernel 1: e_6_10, launch ((1,), None)
void e_6_10(void **bufs, const long *vars, long begin, long end) {
  float *restrict data0 = bufs[0];
  const float *restrict data1 = bufs[1];
  #pragma omp simd
  for (long v2 = 0; v2 < 60; v2++) {
    data0[v2] = data1[v2 + 30];
  }
}
