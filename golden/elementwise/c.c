// kernel 0: e_64_48, launch ((1,), None)
void e_64_48(void **bufs, const long *vars, long begin, long end) {
  float *restrict data0 = bufs[0];
  const float *restrict data1 = bufs[1];
  const float *restrict data2 = bufs[2];
  #pragma omp simd
  for (long v2 = 0; v2 < 3072; v2++) {
    float val0 = data1[v2];
    float alu0 = val0 * data2[v2] + 1.0f;
    data0[v2] = (alu0 <= 0.0f ? 0.0f : alu0) - __builtin_sqrtf(val0);
  }
}
