// kernel 0: r_16_10, launch ((1,), None)
void r_16_10(void **bufs, const long *vars, long begin, long end) {
  float *restrict data0 = bufs[0];
  const float *restrict data1 = bufs[1];
  for (long i0 = 0; i0 < 16; i0++) {
    long idx0 = i0 * 10;
    float val0 = data1[idx0];
    float val1 = data1[idx0 + 1];
    float alu0 = val1 != val1 || val1 > val0 ? val1 : val0;
    float val2 = data1[idx0 + 2];
    float alu1 = val2 != val2 || val2 > alu0 ? val2 : alu0;
    float val3 = data1[idx0 + 3];
    float alu2 = val3 != val3 || val3 > alu1 ? val3 : alu1;
    float val4 = data1[idx0 + 4];
    float alu3 = val4 != val4 || val4 > alu2 ? val4 : alu2;
    float val5 = data1[idx0 + 5];
    float alu4 = val5 != val5 || val5 > alu3 ? val5 : alu3;
    float val6 = data1[idx0 + 6];
    float alu5 = val6 != val6 || val6 > alu4 ? val6 : alu4;
    float val7 = data1[idx0 + 7];
    float alu6 = val7 != val7 || val7 > alu5 ? val7 : alu5;
    float val8 = data1[idx0 + 8];
    float alu7 = val8 != val8 || val8 > alu6 ? val8 : alu6;
    float val9 = data1[idx0 + 9];
    data0[i0] = val9 != val9 || val9 > alu7 ? val9 : alu7;
  }
}

// kernel 1: r_16_10, launch ((1,), None)
void r_16_10(void **bufs, const long *vars, long begin, long end) {
  long *restrict data0 = bufs[0];
  const float *restrict data1 = bufs[1];
  const float *restrict data2 = bufs[2];
  for (long i0 = 0; i0 < 16; i0++) {
    long idx0 = i0 * 10;
    float val0 = data1[idx0];
    float val1 = data2[i0];
    long alu0 = (val0 == val1) | (val0 != val0) ? 0L : 9223372036854775807L;
    float val2 = data1[idx0 + 1];
    long alu1 = (val2 == val1) | (val2 != val2) ? 1L : 9223372036854775807L;
    long alu2 = alu0 < alu1 ? alu0 : alu1;
    float val3 = data1[idx0 + 2];
    long alu3 = (val3 == val1) | (val3 != val3) ? 2L : 9223372036854775807L;
    long alu4 = alu2 < alu3 ? alu2 : alu3;
    float val4 = data1[idx0 + 3];
    long alu5 = (val4 == val1) | (val4 != val4) ? 3L : 9223372036854775807L;
    long alu6 = alu4 < alu5 ? alu4 : alu5;
    float val5 = data1[idx0 + 4];
    long alu7 = (val5 == val1) | (val5 != val5) ? 4L : 9223372036854775807L;
    long alu8 = alu6 < alu7 ? alu6 : alu7;
    float val6 = data1[idx0 + 5];
    long alu9 = (val6 == val1) | (val6 != val6) ? 5L : 9223372036854775807L;
    long alu10 = alu8 < alu9 ? alu8 : alu9;
    float val7 = data1[idx0 + 6];
    long alu11 = (val7 == val1) | (val7 != val7) ? 6L : 9223372036854775807L;
    long alu12 = alu10 < alu11 ? alu10 : alu11;
    float val8 = data1[idx0 + 7];
    long alu13 = (val8 == val1) | (val8 != val8) ? 7L : 9223372036854775807L;
    long alu14 = alu12 < alu13 ? alu12 : alu13;
    float val9 = data1[idx0 + 8];
    long alu15 = (val9 == val1) | (val9 != val9) ? 8L : 9223372036854775807L;
    long alu16 = alu14 < alu15 ? alu14 : alu15;
    float val10 = data1[idx0 + 9];
    long alu17 = (val10 == val1) | (val10 != val10) ? 9L : 9223372036854775807L;
    data0[i0] = alu16 < alu17 ? alu16 : alu17;
  }
}
