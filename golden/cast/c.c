// kernel 0: e_100, launch ((1,), None)
void e_100(void **bufs, const long *vars, long begin, long end) {
  float *restrict data0 = bufs[0];
  const float *restrict data1 = bufs[1];
  #pragma omp simd
  for (long v0 = 0; v0 < 100; v0++) {
    float val0 = data1[v0];
    int cast0 = val0 >= -2147483648.0f ? val0 < 2147483648.0f ? (int)val0 : 2147483647 : val0 < 0 ? (-2147483647 - 1) : 0;
    data0[v0] = (float)((unsigned char)cast0);
  }
}
