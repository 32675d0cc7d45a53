// kernel 0: r_4_100_100, launch ((4,), (1,))
void r_4_100_100(void **bufs, const long *vars, long begin, long end) {
  float *restrict data0 = bufs[0];
  const float *restrict data1 = bufs[1];
  float acc0[100];
  for (long t0 = begin; t0 < end; t0++) {
    long alu0 = t0 * 100;
    #pragma omp simd
    for (long v3 = 0; v3 < 100; v3++) {
      acc0[v3] = 0.0f;
    }
    for (long r2 = 0; r2 < 100; r2++) {
      float val0 = data1[alu0 + r2];
      #pragma omp simd
      for (long v4 = 0; v4 < 100; v4++) {
        acc0[v4] = acc0[v4] + (v4 < r2 ? 0.0f : val0);
      }
    }
    #pragma omp simd
    for (long v1 = 0; v1 < 100; v1++) {
      data0[alu0 + v1] = acc0[v1];
    }
  }
}
