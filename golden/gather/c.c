// kernel 0: e_4_8, launch ((1,), None)
void e_4_8(void **bufs, const long *vars, long begin, long end) {
  float *restrict data0 = bufs[0];
  const int *restrict data1 = bufs[1];
  const float *restrict data2 = bufs[2];
  for (long i0 = 0; i0 < 4; i0++) {
    long alu0 = i0 * 8;
    for (long i1 = 0; i1 < 8; i1++) {
      long idx0 = alu0 + i1;
      int val0 = data1[idx0];
      long cast0 = (long)(val0 < 0 ? val0 + 10 : val0);
      data0[idx0] = (0 <= cast0) & (cast0 < 10) ? data2[cast0 * 8 + i1] : 0.0f;
    }
  }
}
