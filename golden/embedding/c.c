// kernel 0: e_5_6_16, launch ((1,), None)
void e_5_6_16(void **bufs, const long *vars, long begin, long end) {
  float *restrict data0 = bufs[0];
  const int *restrict data1 = bufs[1];
  const float *restrict data2 = bufs[2];
  for (long i0 = 0; i0 < 5; i0++) {
    long alu0 = i0 * 96;
    long alu1 = i0 * 6;
    for (long i1 = 0; i1 < 6; i1++) {
      long alu2 = alu0 + i1 * 16;
      int val0 = data1[alu1 + i1];
      int alu3 = val0 < 0 ? val0 + 50 : val0;
      long cast0 = (long)alu3;
      unsigned char alu4 = (0 <= alu3) & (cast0 < 50);
      long alu5 = cast0 * 16;
      #pragma omp simd
      for (long v2 = 0; v2 < 16; v2++) {
        data0[alu2 + v2] = alu4 ? (alu4 ? data2[alu5 + v2] : 0.0f) + 0.0f : 0.0f;
      }
    }
  }
}
