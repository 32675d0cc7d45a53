// kernel 0: e_128, launch ((1,), None)
void e_128(void **bufs, const long *vars, long begin, long end) {
  int *restrict data0 = bufs[0];
  const int *restrict data1 = bufs[1];
  const int *restrict data2 = bufs[2];
  #pragma omp simd
  for (long v0 = 0; v0 < 128; v0++) {
    int val0 = data2[v0];
    unsigned char alu0 = val0 == 0;
    int val1 = data1[v0];
    unsigned char alu1 = val1 < 0;
    unsigned char alu2 = val0 < 0;
    unsigned int cast0 = (unsigned int)val1;
    unsigned int alu3 = alu1 ? 0 - cast0 : cast0;
    unsigned int cast1 = (unsigned int)val0;
    unsigned int alu4 = alu2 ? 0 - cast1 : cast1;
    unsigned int alu5 = alu4 > 1 ? alu4 : 1;
    unsigned int alu6 = alu3 / alu5;
    unsigned int alu7 = alu3 % alu5;
    int alu8 = alu0 ? val1 : (int)(alu1 ? 0 - alu7 : alu7);
    unsigned char alu9 = (alu8 != 0) & ((alu8 ^ val0) < 0);
    int alu10 = (alu0 ? 0 : (int)(alu1 != alu2 ? 0 - alu6 : alu6)) - (int)(alu9 & (val0 != 0));
    data0[v0] = (alu10 + (alu8 + (alu9 ? val0 : 0))) * 3 - (val1 >> 2);
  }
}
