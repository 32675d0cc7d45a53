// kernel 0: e_32_64, launch ((1,), None)
void e_32_64(void **bufs, const long *vars, long begin, long end) {
  float *restrict data0 = bufs[0];
  const float *restrict data1 = bufs[1];
  const float *restrict data2 = bufs[2];
  const float *restrict data3 = bufs[3];
  for (long i0 = 0; i0 < 32; i0++) {
    long alu0 = i0 * 64;
    float val0 = data1[i0];
    #pragma omp simd
    for (long v1 = 0; v1 < 64; v1++) {
      data0[alu0 + v1] = val0 + data2[v1] * data3[v1];
    }
  }
}
