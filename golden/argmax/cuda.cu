// kernel 0: r_16_10_10, launch ((1, 1, 1), (16, 1, 1))
extern "C" __global__ void __launch_bounds__(16)
r_16_10_10(long *__restrict__ data0, const float *__restrict__ data1) {
  int lidx0 = threadIdx.x;
  int idx0 = lidx0 * 10;
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
  float alu8 = val9 != val9 || val9 > alu7 ? val9 : alu7;
  long alu9 = (val0 == alu8) | (val0 != val0) ? 0L : 9223372036854775807L;
  long alu10 = (val1 == alu8) | (val1 != val1) ? 1L : 9223372036854775807L;
  long alu11 = alu9 < alu10 ? alu9 : alu10;
  long alu12 = (val2 == alu8) | (val2 != val2) ? 2L : 9223372036854775807L;
  long alu13 = alu11 < alu12 ? alu11 : alu12;
  long alu14 = (val3 == alu8) | (val3 != val3) ? 3L : 9223372036854775807L;
  long alu15 = alu13 < alu14 ? alu13 : alu14;
  long alu16 = (val4 == alu8) | (val4 != val4) ? 4L : 9223372036854775807L;
  long alu17 = alu15 < alu16 ? alu15 : alu16;
  long alu18 = (val5 == alu8) | (val5 != val5) ? 5L : 9223372036854775807L;
  long alu19 = alu17 < alu18 ? alu17 : alu18;
  long alu20 = (val6 == alu8) | (val6 != val6) ? 6L : 9223372036854775807L;
  long alu21 = alu19 < alu20 ? alu19 : alu20;
  long alu22 = (val7 == alu8) | (val7 != val7) ? 7L : 9223372036854775807L;
  long alu23 = alu21 < alu22 ? alu21 : alu22;
  long alu24 = (val8 == alu8) | (val8 != val8) ? 8L : 9223372036854775807L;
  long alu25 = alu23 < alu24 ? alu23 : alu24;
  long alu26 = (val9 == alu8) | (val9 != val9) ? 9L : 9223372036854775807L;
  data0[lidx0] = alu25 < alu26 ? alu25 : alu26;
}
