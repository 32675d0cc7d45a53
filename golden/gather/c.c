// kernel 0: r_4_8_10, launch ((1,), None)
void r_4_8_10(void **bufs, const long *vars, long begin, long end) {
  float *restrict data0 = bufs[0];
  const int *restrict data1 = bufs[1];
  const float *restrict data2 = bufs[2];
  for (long i0 = 0; i0 < 4; i0++) {
    long alu0 = i0 * 8;
    for (long i1 = 0; i1 < 8; i1++) {
      long idx0 = alu0 + i1;
      long cast0 = (long)data1[idx0];
      long alu1 = cast0 < 0 ? cast0 + 10 : cast0;
      float alu2 = (alu1 == 0 ? data2[i1] : 0.0f) + (alu1 == 1 ? data2[i1 + 8] : 0.0f) + (alu1 == 2 ? data2[i1 + 16] : 0.0f);
      float alu3 = alu2 + (alu1 == 3 ? data2[i1 + 24] : 0.0f) + (alu1 == 4 ? data2[i1 + 32] : 0.0f);
      float alu4 = alu3 + (alu1 == 5 ? data2[i1 + 40] : 0.0f) + (alu1 == 6 ? data2[i1 + 48] : 0.0f);
      float alu5 = alu4 + (alu1 == 7 ? data2[i1 + 56] : 0.0f) + (alu1 == 8 ? data2[i1 + 64] : 0.0f);
      data0[idx0] = alu5 + (alu1 == 9 ? data2[i1 + 72] : 0.0f);
    }
  }
}
