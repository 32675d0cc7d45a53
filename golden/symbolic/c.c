// kernel 0: r_32_rows, launch ((1,), None)
void r_32_rows(void **bufs, const long *vars, long begin, long end) {
  float *restrict data0 = bufs[0];
  const float *restrict data1 = bufs[1];
  const long rows_ = vars[0];
  float acc0[32];
  #pragma omp simd
  for (long v2 = 0; v2 < 32; v2++) {
    acc0[v2] = 0.0f;
  }
  for (long r1 = 0; r1 < rows_; r1++) {
    long alu0 = r1 * 32;
    #pragma omp simd
    for (long v3 = 0; v3 < 32; v3++) {
      acc0[v3] = acc0[v3] + data1[alu0 + v3];
    }
  }
  #pragma omp simd
  for (long v0 = 0; v0 < 32; v0++) {
    data0[v0] = acc0[v0];
  }
}
