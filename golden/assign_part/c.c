// kernel 0: e_10_10, launch ((1,), None)
void e_10_10(void **bufs, const long *vars, long begin, long end) {
  float *restrict data0 = bufs[0];
  const float *restrict data1 = bufs[1];
  for (long i0 = 0; i0 < 10; i0++) {
    long alu0 = i0 * 10;
    unsigned char alu1 = (2 <= i0) & (i0 < 5);
    long alu2 = i0 * 5;
    #pragma omp simd
    for (long v1 = 0; v1 < 10; v1++) {
      long idx0 = alu0 + v1;
      unsigned char alu3 = v1 < 9;
      long alu4 = v1 & 1;
      unsigned char alu5 = alu4 < 1;
      float alu6 = alu1 & (alu3 & alu5) ? (alu1 & (alu5 & alu3) ? data1[alu4 + (v1 >> 1) + alu2 - 10] : 0.0f) : data0[idx0];
      data0[idx0] = alu6;
    }
  }
}
