// kernel 0: r_8_10_10, launch ((1,), None)
#ifdef __FP_FAST_FMAF
#define mulacc_f32(a, b, c) __builtin_fmaf(a, b, c)
#else
#define mulacc_f32(a, b, c) ((a) * (b) + (c))
#endif
static inline int f32_as_i32(float x) {
  int bits;
  __builtin_memcpy(&bits, &x, sizeof bits);
  return bits;
}
static inline float i32_as_f32(int x) {
  float bits;
  __builtin_memcpy(&bits, &x, sizeof bits);
  return bits;
}

void r_8_10_10(void **bufs, const long *vars, long begin, long end) {
  float *restrict data0 = bufs[0];
  const int *restrict data1 = bufs[1];
  const float *restrict data2 = bufs[2];
  for (long i0 = 0; i0 < 8; i0++) {
    int val0 = data1[i0];
    long cast0 = (long)val0;
    unsigned char alu0 = (0 <= val0) & (cast0 < 10);
    long idx0 = i0 * 10;
    float val1 = data2[idx0];
    float val2 = data2[idx0 + 1];
    float alu1 = val2 != val2 || val2 > val1 ? val2 : val1;
    float val3 = data2[idx0 + 2];
    float alu2 = val3 != val3 || val3 > alu1 ? val3 : alu1;
    float val4 = data2[idx0 + 3];
    float alu3 = val4 != val4 || val4 > alu2 ? val4 : alu2;
    float val5 = data2[idx0 + 4];
    float alu4 = val5 != val5 || val5 > alu3 ? val5 : alu3;
    float val6 = data2[idx0 + 5];
    float alu5 = val6 != val6 || val6 > alu4 ? val6 : alu4;
    float val7 = data2[idx0 + 6];
    float alu6 = val7 != val7 || val7 > alu5 ? val7 : alu5;
    float val8 = data2[idx0 + 7];
    float alu7 = val8 != val8 || val8 > alu6 ? val8 : alu6;
    float val9 = data2[idx0 + 8];
    float alu8 = val9 != val9 || val9 > alu7 ? val9 : alu7;
    float val10 = data2[idx0 + 9];
    float alu9 = val10 != val10 || val10 > alu8 ? val10 : alu8;
    float alu10 = val1 - alu9;
    float alu11 = 89.0f < alu10 ? 89.0f : alu10;
    float alu12 = alu11 < -104.0f ? -104.0f : alu11;
    int alu13 = f32_as_i32(mulacc_f32(alu12, 1.442695f, 12582912.0f)) - 1262485504;
    float cast1 = (float)alu13;
    float alu14 = mulacc_f32(cast1, 0.00021219444f, mulacc_f32(cast1, -0.6933594f, alu12));
    float alu15 = mulacc_f32(alu14, mulacc_f32(alu14, 0.0013821024f, 0.00836867f), 0.041668262f);
    float alu16 = mulacc_f32(alu14 * alu14, mulacc_f32(alu14, mulacc_f32(alu14, alu15, 0.16666521f), 0.49999994f), alu14);
    int alu17 = alu13 >> 1;
    float alu18 = (1.0f + alu16) * i32_as_f32((alu17 + 127) << 23) * i32_as_f32((alu13 - alu17 + 127) << 23);
    float alu19 = val2 - alu9;
    float alu20 = 89.0f < alu19 ? 89.0f : alu19;
    float alu21 = alu20 < -104.0f ? -104.0f : alu20;
    int alu22 = f32_as_i32(mulacc_f32(alu21, 1.442695f, 12582912.0f)) - 1262485504;
    float cast2 = (float)alu22;
    float alu23 = mulacc_f32(cast2, 0.00021219444f, mulacc_f32(cast2, -0.6933594f, alu21));
    float alu24 = mulacc_f32(alu23, mulacc_f32(alu23, 0.0013821024f, 0.00836867f), 0.041668262f);
    float alu25 = mulacc_f32(alu23 * alu23, mulacc_f32(alu23, mulacc_f32(alu23, alu24, 0.16666521f), 0.49999994f), alu23);
    int alu26 = alu22 >> 1;
    float alu27 = (1.0f + alu25) * i32_as_f32((alu26 + 127) << 23) * i32_as_f32((alu22 - alu26 + 127) << 23);
    float alu28 = val3 - alu9;
    float alu29 = 89.0f < alu28 ? 89.0f : alu28;
    float alu30 = alu29 < -104.0f ? -104.0f : alu29;
    int alu31 = f32_as_i32(mulacc_f32(alu30, 1.442695f, 12582912.0f)) - 1262485504;
    float cast3 = (float)alu31;
    float alu32 = mulacc_f32(cast3, 0.00021219444f, mulacc_f32(cast3, -0.6933594f, alu30));
    float alu33 = mulacc_f32(alu32, mulacc_f32(alu32, 0.0013821024f, 0.00836867f), 0.041668262f);
    float alu34 = mulacc_f32(alu32 * alu32, mulacc_f32(alu32, mulacc_f32(alu32, alu33, 0.16666521f), 0.49999994f), alu32);
    int alu35 = alu31 >> 1;
    float alu36 = (1.0f + alu34) * i32_as_f32((alu35 + 127) << 23) * i32_as_f32((alu31 - alu35 + 127) << 23);
    float alu37 = val4 - alu9;
    float alu38 = 89.0f < alu37 ? 89.0f : alu37;
    float alu39 = alu38 < -104.0f ? -104.0f : alu38;
    int alu40 = f32_as_i32(mulacc_f32(alu39, 1.442695f, 12582912.0f)) - 1262485504;
    float cast4 = (float)alu40;
    float alu41 = mulacc_f32(cast4, 0.00021219444f, mulacc_f32(cast4, -0.6933594f, alu39));
    float alu42 = mulacc_f32(alu41, mulacc_f32(alu41, 0.0013821024f, 0.00836867f), 0.041668262f);
    float alu43 = mulacc_f32(alu41 * alu41, mulacc_f32(alu41, mulacc_f32(alu41, alu42, 0.16666521f), 0.49999994f), alu41);
    int alu44 = alu40 >> 1;
    float alu45 = (1.0f + alu43) * i32_as_f32((alu44 + 127) << 23) * i32_as_f32((alu40 - alu44 + 127) << 23);
    float alu46 = val5 - alu9;
    float alu47 = 89.0f < alu46 ? 89.0f : alu46;
    float alu48 = alu47 < -104.0f ? -104.0f : alu47;
    int alu49 = f32_as_i32(mulacc_f32(alu48, 1.442695f, 12582912.0f)) - 1262485504;
    float cast5 = (float)alu49;
    float alu50 = mulacc_f32(cast5, 0.00021219444f, mulacc_f32(cast5, -0.6933594f, alu48));
    float alu51 = mulacc_f32(alu50, mulacc_f32(alu50, 0.0013821024f, 0.00836867f), 0.041668262f);
    float alu52 = mulacc_f32(alu50 * alu50, mulacc_f32(alu50, mulacc_f32(alu50, alu51, 0.16666521f), 0.49999994f), alu50);
    int alu53 = alu49 >> 1;
    float alu54 = (1.0f + alu52) * i32_as_f32((alu53 + 127) << 23) * i32_as_f32((alu49 - alu53 + 127) << 23);
    float alu55 = val6 - alu9;
    float alu56 = 89.0f < alu55 ? 89.0f : alu55;
    float alu57 = alu56 < -104.0f ? -104.0f : alu56;
    int alu58 = f32_as_i32(mulacc_f32(alu57, 1.442695f, 12582912.0f)) - 1262485504;
    float cast6 = (float)alu58;
    float alu59 = mulacc_f32(cast6, 0.00021219444f, mulacc_f32(cast6, -0.6933594f, alu57));
    float alu60 = mulacc_f32(alu59, mulacc_f32(alu59, 0.0013821024f, 0.00836867f), 0.041668262f);
    float alu61 = mulacc_f32(alu59 * alu59, mulacc_f32(alu59, mulacc_f32(alu59, alu60, 0.16666521f), 0.49999994f), alu59);
    int alu62 = alu58 >> 1;
    float alu63 = (1.0f + alu61) * i32_as_f32((alu62 + 127) << 23) * i32_as_f32((alu58 - alu62 + 127) << 23);
    float alu64 = val7 - alu9;
    float alu65 = 89.0f < alu64 ? 89.0f : alu64;
    float alu66 = alu65 < -104.0f ? -104.0f : alu65;
    int alu67 = f32_as_i32(mulacc_f32(alu66, 1.442695f, 12582912.0f)) - 1262485504;
    float cast7 = (float)alu67;
    float alu68 = mulacc_f32(cast7, 0.00021219444f, mulacc_f32(cast7, -0.6933594f, alu66));
    float alu69 = mulacc_f32(alu68, mulacc_f32(alu68, 0.0013821024f, 0.00836867f), 0.041668262f);
    float alu70 = mulacc_f32(alu68 * alu68, mulacc_f32(alu68, mulacc_f32(alu68, alu69, 0.16666521f), 0.49999994f), alu68);
    int alu71 = alu67 >> 1;
    float alu72 = (1.0f + alu70) * i32_as_f32((alu71 + 127) << 23) * i32_as_f32((alu67 - alu71 + 127) << 23);
    float alu73 = val8 - alu9;
    float alu74 = 89.0f < alu73 ? 89.0f : alu73;
    float alu75 = alu74 < -104.0f ? -104.0f : alu74;
    int alu76 = f32_as_i32(mulacc_f32(alu75, 1.442695f, 12582912.0f)) - 1262485504;
    float cast8 = (float)alu76;
    float alu77 = mulacc_f32(cast8, 0.00021219444f, mulacc_f32(cast8, -0.6933594f, alu75));
    float alu78 = mulacc_f32(alu77, mulacc_f32(alu77, 0.0013821024f, 0.00836867f), 0.041668262f);
    float alu79 = mulacc_f32(alu77 * alu77, mulacc_f32(alu77, mulacc_f32(alu77, alu78, 0.16666521f), 0.49999994f), alu77);
    int alu80 = alu76 >> 1;
    float alu81 = (1.0f + alu79) * i32_as_f32((alu80 + 127) << 23) * i32_as_f32((alu76 - alu80 + 127) << 23);
    float alu82 = val9 - alu9;
    float alu83 = 89.0f < alu82 ? 89.0f : alu82;
    float alu84 = alu83 < -104.0f ? -104.0f : alu83;
    int alu85 = f32_as_i32(mulacc_f32(alu84, 1.442695f, 12582912.0f)) - 1262485504;
    float cast9 = (float)alu85;
    float alu86 = mulacc_f32(cast9, 0.00021219444f, mulacc_f32(cast9, -0.6933594f, alu84));
    float alu87 = mulacc_f32(alu86, mulacc_f32(alu86, 0.0013821024f, 0.00836867f), 0.041668262f);
    float alu88 = mulacc_f32(alu86 * alu86, mulacc_f32(alu86, mulacc_f32(alu86, alu87, 0.16666521f), 0.49999994f), alu86);
    int alu89 = alu85 >> 1;
    float alu90 = (1.0f + alu88) * i32_as_f32((alu89 + 127) << 23) * i32_as_f32((alu85 - alu89 + 127) << 23);
    float alu91 = val10 - alu9;
    float alu92 = 89.0f < alu91 ? 89.0f : alu91;
    float alu93 = alu92 < -104.0f ? -104.0f : alu92;
    int alu94 = f32_as_i32(mulacc_f32(alu93, 1.442695f, 12582912.0f)) - 1262485504;
    float cast10 = (float)alu94;
    float alu95 = mulacc_f32(cast10, 0.00021219444f, mulacc_f32(cast10, -0.6933594f, alu93));
    float alu96 = mulacc_f32(alu95, mulacc_f32(alu95, 0.0013821024f, 0.00836867f), 0.041668262f);
    float alu97 = mulacc_f32(alu95 * alu95, mulacc_f32(alu95, mulacc_f32(alu95, alu96, 0.16666521f), 0.49999994f), alu95);
    int alu98 = alu94 >> 1;
    float alu99 = (1.0f + alu97) * i32_as_f32((alu98 + 127) << 23) * i32_as_f32((alu94 - alu98 + 127) << 23);
    float alu100 = alu18 + alu27 + alu36 + alu45 + alu54 + alu63 + alu72 + alu81 + alu90 + alu99;
    unsigned char alu101 = alu100 < 1.1754944e-38f;
    int alu102 = f32_as_i32(alu101 ? alu100 * 8388608.0f : alu100);
    int alu103 = (alu102 - 1060439283) >> 23;
    float cast11 = (float)(alu103 - (alu101 ? 23 : 0));
    float alu104 = i32_as_f32(alu102 - (alu103 << 23)) - 1.0f;
    float alu105 = alu104 * alu104;
    float alu106 = mulacc_f32(alu104, mulacc_f32(alu104, 0.06751542f, -0.11672526f), 0.11883893f);
    float alu107 = mulacc_f32(alu104, mulacc_f32(alu104, alu106, -0.124059126f), 0.1422028f);
    float alu108 = mulacc_f32(alu104, mulacc_f32(alu104, mulacc_f32(alu104, alu107, -0.16668f), 0.20002075f), -0.2500001f);
    float alu109 = mulacc_f32(cast11, -0.00021219444f, alu104 * alu105 * mulacc_f32(alu104, alu108, 0.33333313f));
    float alu110 = mulacc_f32(cast11, 0.6933594f, alu104 + mulacc_f32(-0.5f, alu105, alu109));
    float alu111 = 0.0f < alu100 ? (alu100 < __builtin_inff() ? alu110 : alu100) : (alu100 == 0.0f ? -__builtin_inff() : __builtin_nanf(""));
    float alu112 = -(alu0 ? (alu0 ? data2[cast0 + idx0] : 0.0f) - alu9 - alu111 + 0.0f : 0.0f);
    data0[i0] = val0 == -100 ? 0.0f : alu112;
  }
}

// kernel 1: r_8_8, launch ((1,), None)
void r_8_8(void **bufs, const long *vars, long begin, long end) {
  float *restrict data0 = bufs[0];
  const float *restrict data1 = bufs[1];
  const int *restrict data2 = bufs[2];
  float acc0;
  float acc1;
  acc0 = 0.0f;
  for (long r1 = 0; r1 < 8; r1++) {
    acc0 = acc0 + data1[r1];
  }
  float val0 = acc0;
  acc1 = 0.0f;
  for (long r0 = 0; r0 < 8; r0++) {
    acc1 = acc1 + (data2[r0] == -100 ? 0.0f : 1.0f);
  }
  data0[0] = val0 / acc1;
}
