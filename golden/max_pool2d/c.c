// kernel 0: r_2_4_4_4_2_2, launch ((1,), None)
void r_2_4_4_4_2_2(void **bufs, const long *vars, long begin, long end) {
  float *restrict data0 = bufs[0];
  const float *restrict data1 = bufs[1];
  for (long i7 = 0; i7 < 32; i7++) {
    long alu0 = i7 * 4;
    long alu1 = i7 * 16;
    for (long i3 = 0; i3 < 4; i3++) {
      long idx0 = alu1 + i3 * 2;
      float val0 = data1[idx0];
      float val1 = data1[idx0 + 1];
      float alu2 = val1 > val0 ? val1 : val1 != val1 ? val1 : val0;
      float val2 = data1[idx0 + 8];
      float alu3 = val2 > alu2 ? val2 : val2 != val2 ? val2 : alu2;
      float val3 = data1[idx0 + 9];
      data0[alu0 + i3] = val3 > alu3 ? val3 : val3 != val3 ? val3 : alu3;
    }
  }
}
