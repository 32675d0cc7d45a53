// kernel 0: r_64_512, launch ((1,), None)
void r_64_512(void **bufs, const long *vars, long begin, long end) {
  float *restrict data0 = bufs[0];
  const float *restrict data1 = bufs[1];
  float acc0[64];
  #pragma omp simd
  for (long v4 = 0; v4 < 64; v4++) {
    acc0[v4] = 0.0f;
  }
  for (long r2 = 0; r2 < 128; r2++) {
    long alu0 = r2 * 256;
    #pragma omp simd
    for (long v5 = 0; v5 < 64; v5++) {
      long idx0 = alu0 + v5;
      acc0[v5] = acc0[v5] + (data1[idx0] + data1[idx0 + 64] + data1[idx0 + 128] + data1[idx0 + 192]);
    }
  }
  #pragma omp simd
  for (long v0 = 0; v0 < 64; v0++) {
    data0[v0] = acc0[v0];
  }
}
