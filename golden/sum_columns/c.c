// kernel 0: r_64_512, launch ((1,), None)
void r_64_512(void **bufs, const long *vars, long begin, long end) {
  float *restrict data0 = bufs[0];
  const float *restrict data1 = bufs[1];
  float acc0[64];
  #pragma omp simd
  for (long v2 = 0; v2 < 64; v2++) {
    acc0[v2] = 0.0f;
  }
  for (long r1 = 0; r1 < 512; r1++) {
    long alu0 = r1 * 64;
    #pragma omp simd
    for (long v3 = 0; v3 < 64; v3++) {
      acc0[v3] = acc0[v3] + data1[alu0 + v3];
    }
  }
  #pragma omp simd
  for (long v0 = 0; v0 < 64; v0++) {
    data0[v0] = acc0[v0];
  }
}
