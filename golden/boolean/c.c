// kernel 0: e_8_16, launch ((1,), None)
void e_8_16(void **bufs, const long *vars, long begin, long end) {
  unsigned char *restrict data0 = bufs[0];
  const float *restrict data1 = bufs[1];
  const float *restrict data2 = bufs[2];
  #pragma omp simd
  for (long v2 = 0; v2 < 128; v2++) {
    float val0 = data1[v2];
    float val1 = data2[v2];
    data0[v2] = ((val0 < val1) & (val0 != 0.0f)) | (1.0f <= val1);
  }
}
