// kernel 0: e_8_8, launch ((1,), None)
void e_8_8(void **bufs, const long *vars, long begin, long end) {
  float *restrict data0 = bufs[0];
  const float *restrict data1 = bufs[1];
  const float *restrict data2 = bufs[2];
  const float *restrict data3 = bufs[3];
  for (long i0 = 0; i0 < 8; i0++) {
    long alu0 = i0 * 8;
    unsigned char alu1 = i0 < 7;
    unsigned char alu2 = (4 <= i0) & alu1;
    unsigned char alu3 = 7 <= i0;
    unsigned char alu4 = i0 < 4;
    #pragma omp simd
    for (long v1 = 0; v1 < 8; v1++) {
      long idx0 = alu0 + v1;
      float alu5 = alu1 ? (alu2 ? data2[idx0 - 32] : 0.0f) : (alu3 ? data3[idx0 - 56] : 0.0f);
      data0[idx0] = alu4 ? data1[idx0] : alu5;
    }
  }
}
