// kernel 0: e_16_16, launch ((1,), None)
void e_16_16(void **bufs, const long *vars, long begin, long end) {
  float *restrict data0 = bufs[0];
  const float *restrict data1 = bufs[1];
  for (long i0 = 0; i0 < 16; i0++) {
    long alu0 = i0 * 16;
    #pragma omp simd
    for (long v1 = 0; v1 < 16; v1++) {
      long idx0 = alu0 + v1;
      data0[idx0] = i0 < v1 ? 0.0f : data1[idx0];
    }
  }
}
