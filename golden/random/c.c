// kernel 0: e_64, launch ((1,), None)
void e_64(void **bufs, const long *vars, long begin, long end) {
  float *restrict data0 = bufs[0];
  const unsigned int *restrict data1 = bufs[1];
  unsigned int val0 = data1[0];
  unsigned int val1 = data1[1];
  unsigned int alu0 = data1[2] + val1;
  unsigned int alu1 = (alu0 << 13) | (alu0 >> 19);
  unsigned int alu2 = val0 ^ val1 ^ 466688986;
  #pragma omp simd
  for (long v0 = 0; v0 < 64; v0++) {
    unsigned int alu3 = (unsigned int)v0 + val0 + alu0;
    unsigned int alu4 = alu1 ^ alu3;
    unsigned int alu5 = alu3 + alu4;
    unsigned int alu6 = ((alu4 << 15) | (alu4 >> 17)) ^ alu5;
    unsigned int alu7 = alu5 + alu6;
    unsigned int alu8 = ((alu6 << 26) | (alu6 >> 6)) ^ alu7;
    unsigned int alu9 = alu7 + alu8;
    unsigned int alu10 = (((alu8 << 6) | (alu8 >> 26)) ^ alu9) + alu2;
    unsigned int alu11 = alu9 + val1 + alu10;
    unsigned int alu12 = alu10 + 1;
    unsigned int alu13 = ((alu12 << 17) | (alu12 >> 15)) ^ (alu11 + 1);
    unsigned int alu14 = alu11 + alu13;
    unsigned int alu15 = ((alu13 << 29) | (alu13 >> 3)) ^ (alu14 + 1);
    unsigned int alu16 = alu14 + alu15;
    unsigned int alu17 = ((alu15 << 16) | (alu15 >> 16)) ^ (alu16 + 1);
    unsigned int alu18 = alu16 + alu17;
    unsigned int alu19 = (((alu17 << 24) | (alu17 >> 8)) ^ (alu18 + 1)) + val0;
    unsigned int alu20 = alu18 + alu2 + alu19;
    unsigned int alu21 = alu19 + 2;
    unsigned int alu22 = ((alu21 << 13) | (alu21 >> 19)) ^ (alu20 + 3);
    unsigned int alu23 = alu20 + alu22;
    unsigned int alu24 = ((alu22 << 15) | (alu22 >> 17)) ^ (alu23 + 3);
    unsigned int alu25 = alu23 + alu24;
    unsigned int alu26 = ((alu24 << 26) | (alu24 >> 6)) ^ (alu25 + 3);
    unsigned int alu27 = alu25 + alu26;
    unsigned int alu28 = (((alu26 << 6) | (alu26 >> 26)) ^ (alu27 + 3)) + val1;
    unsigned int alu29 = alu27 + val0 + alu28;
    unsigned int alu30 = alu28 + 3;
    unsigned int alu31 = ((alu30 << 17) | (alu30 >> 15)) ^ (alu29 + 6);
    unsigned int alu32 = alu29 + alu31;
    unsigned int alu33 = ((alu31 << 29) | (alu31 >> 3)) ^ (alu32 + 6);
    unsigned int alu34 = alu32 + alu33;
    unsigned int alu35 = ((alu33 << 16) | (alu33 >> 16)) ^ (alu34 + 6);
    unsigned int alu36 = alu34 + alu35;
    unsigned int alu37 = (((alu35 << 24) | (alu35 >> 8)) ^ (alu36 + 6)) + alu2;
    unsigned int alu38 = alu36 + val1 + alu37;
    unsigned int alu39 = alu37 + 4;
    unsigned int alu40 = ((alu39 << 13) | (alu39 >> 19)) ^ (alu38 + 10);
    unsigned int alu41 = alu38 + alu40;
    unsigned int alu42 = ((alu40 << 15) | (alu40 >> 17)) ^ (alu41 + 10);
    unsigned int alu43 = alu41 + alu42;
    unsigned int alu44 = (alu43 + (((alu42 << 26) | (alu42 >> 6)) ^ (alu43 + 10)) + alu2 + 10) >> 8;
    data0[v0] = (float)alu44 * 5.9604645e-08f;
  }
}
