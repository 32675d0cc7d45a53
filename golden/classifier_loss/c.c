// kernel 0: r_8_10, launch ((1,), None)
void r_8_10(void **bufs, const long *vars, long begin, long end) {
  float *restrict data0 = bufs[0];
  const float *restrict data1 = bufs[1];
  for (long i0 = 0; i0 < 8; i0++) {
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

// kernel 1: r_8_10, launch ((1,), None)
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

void r_8_10(void **bufs, const long *vars, long begin, long end) {
  float *restrict data0 = bufs[0];
  const float *restrict data1 = bufs[1];
  const float *restrict data2 = bufs[2];
  for (long i0 = 0; i0 < 8; i0++) {
    long idx0 = i0 * 10;
    float val0 = data2[i0];
    float alu0 = data1[idx0] - val0;
    float alu1 = 89.0f < alu0 ? 89.0f : alu0;
    float alu2 = alu1 < -104.0f ? -104.0f : alu1;
    int alu3 = f32_as_i32(mulacc_f32(alu2, 1.442695f, 12582912.0f)) - 1262485504;
    float cast0 = (float)alu3;
    float alu4 = mulacc_f32(cast0, 0.00021219444f, mulacc_f32(cast0, -0.6933594f, alu2));
    float alu5 = mulacc_f32(alu4, mulacc_f32(alu4, 0.0013821024f, 0.00836867f), 0.041668262f);
    float alu6 = mulacc_f32(alu4 * alu4, mulacc_f32(alu4, mulacc_f32(alu4, alu5, 0.16666521f), 0.49999994f), alu4);
    int alu7 = alu3 >> 1;
    float alu8 = (1.0f + alu6) * i32_as_f32((alu7 + 127) << 23) * i32_as_f32((alu3 - alu7 + 127) << 23);
    float alu9 = data1[idx0 + 1] - val0;
    float alu10 = 89.0f < alu9 ? 89.0f : alu9;
    float alu11 = alu10 < -104.0f ? -104.0f : alu10;
    int alu12 = f32_as_i32(mulacc_f32(alu11, 1.442695f, 12582912.0f)) - 1262485504;
    float cast1 = (float)alu12;
    float alu13 = mulacc_f32(cast1, 0.00021219444f, mulacc_f32(cast1, -0.6933594f, alu11));
    float alu14 = mulacc_f32(alu13, mulacc_f32(alu13, 0.0013821024f, 0.00836867f), 0.041668262f);
    float alu15 = mulacc_f32(alu13 * alu13, mulacc_f32(alu13, mulacc_f32(alu13, alu14, 0.16666521f), 0.49999994f), alu13);
    int alu16 = alu12 >> 1;
    float alu17 = (1.0f + alu15) * i32_as_f32((alu16 + 127) << 23) * i32_as_f32((alu12 - alu16 + 127) << 23);
    float alu18 = data1[idx0 + 2] - val0;
    float alu19 = 89.0f < alu18 ? 89.0f : alu18;
    float alu20 = alu19 < -104.0f ? -104.0f : alu19;
    int alu21 = f32_as_i32(mulacc_f32(alu20, 1.442695f, 12582912.0f)) - 1262485504;
    float cast2 = (float)alu21;
    float alu22 = mulacc_f32(cast2, 0.00021219444f, mulacc_f32(cast2, -0.6933594f, alu20));
    float alu23 = mulacc_f32(alu22, mulacc_f32(alu22, 0.0013821024f, 0.00836867f), 0.041668262f);
    float alu24 = mulacc_f32(alu22 * alu22, mulacc_f32(alu22, mulacc_f32(alu22, alu23, 0.16666521f), 0.49999994f), alu22);
    int alu25 = alu21 >> 1;
    float alu26 = (1.0f + alu24) * i32_as_f32((alu25 + 127) << 23) * i32_as_f32((alu21 - alu25 + 127) << 23);
    float alu27 = data1[idx0 + 3] - val0;
    float alu28 = 89.0f < alu27 ? 89.0f : alu27;
    float alu29 = alu28 < -104.0f ? -104.0f : alu28;
    int alu30 = f32_as_i32(mulacc_f32(alu29, 1.442695f, 12582912.0f)) - 1262485504;
    float cast3 = (float)alu30;
    float alu31 = mulacc_f32(cast3, 0.00021219444f, mulacc_f32(cast3, -0.6933594f, alu29));
    float alu32 = mulacc_f32(alu31, mulacc_f32(alu31, 0.0013821024f, 0.00836867f), 0.041668262f);
    float alu33 = mulacc_f32(alu31 * alu31, mulacc_f32(alu31, mulacc_f32(alu31, alu32, 0.16666521f), 0.49999994f), alu31);
    int alu34 = alu30 >> 1;
    float alu35 = (1.0f + alu33) * i32_as_f32((alu34 + 127) << 23) * i32_as_f32((alu30 - alu34 + 127) << 23);
    float alu36 = data1[idx0 + 4] - val0;
    float alu37 = 89.0f < alu36 ? 89.0f : alu36;
    float alu38 = alu37 < -104.0f ? -104.0f : alu37;
    int alu39 = f32_as_i32(mulacc_f32(alu38, 1.442695f, 12582912.0f)) - 1262485504;
    float cast4 = (float)alu39;
    float alu40 = mulacc_f32(cast4, 0.00021219444f, mulacc_f32(cast4, -0.6933594f, alu38));
    float alu41 = mulacc_f32(alu40, mulacc_f32(alu40, 0.0013821024f, 0.00836867f), 0.041668262f);
    float alu42 = mulacc_f32(alu40 * alu40, mulacc_f32(alu40, mulacc_f32(alu40, alu41, 0.16666521f), 0.49999994f), alu40);
    int alu43 = alu39 >> 1;
    float alu44 = (1.0f + alu42) * i32_as_f32((alu43 + 127) << 23) * i32_as_f32((alu39 - alu43 + 127) << 23);
    float alu45 = data1[idx0 + 5] - val0;
    float alu46 = 89.0f < alu45 ? 89.0f : alu45;
    float alu47 = alu46 < -104.0f ? -104.0f : alu46;
    int alu48 = f32_as_i32(mulacc_f32(alu47, 1.442695f, 12582912.0f)) - 1262485504;
    float cast5 = (float)alu48;
    float alu49 = mulacc_f32(cast5, 0.00021219444f, mulacc_f32(cast5, -0.6933594f, alu47));
    float alu50 = mulacc_f32(alu49, mulacc_f32(alu49, 0.0013821024f, 0.00836867f), 0.041668262f);
    float alu51 = mulacc_f32(alu49 * alu49, mulacc_f32(alu49, mulacc_f32(alu49, alu50, 0.16666521f), 0.49999994f), alu49);
    int alu52 = alu48 >> 1;
    float alu53 = (1.0f + alu51) * i32_as_f32((alu52 + 127) << 23) * i32_as_f32((alu48 - alu52 + 127) << 23);
    float alu54 = data1[idx0 + 6] - val0;
    float alu55 = 89.0f < alu54 ? 89.0f : alu54;
    float alu56 = alu55 < -104.0f ? -104.0f : alu55;
    int alu57 = f32_as_i32(mulacc_f32(alu56, 1.442695f, 12582912.0f)) - 1262485504;
    float cast6 = (float)alu57;
    float alu58 = mulacc_f32(cast6, 0.00021219444f, mulacc_f32(cast6, -0.6933594f, alu56));
    float alu59 = mulacc_f32(alu58, mulacc_f32(alu58, 0.0013821024f, 0.00836867f), 0.041668262f);
    float alu60 = mulacc_f32(alu58 * alu58, mulacc_f32(alu58, mulacc_f32(alu58, alu59, 0.16666521f), 0.49999994f), alu58);
    int alu61 = alu57 >> 1;
    float alu62 = (1.0f + alu60) * i32_as_f32((alu61 + 127) << 23) * i32_as_f32((alu57 - alu61 + 127) << 23);
    float alu63 = data1[idx0 + 7] - val0;
    float alu64 = 89.0f < alu63 ? 89.0f : alu63;
    float alu65 = alu64 < -104.0f ? -104.0f : alu64;
    int alu66 = f32_as_i32(mulacc_f32(alu65, 1.442695f, 12582912.0f)) - 1262485504;
    float cast7 = (float)alu66;
    float alu67 = mulacc_f32(cast7, 0.00021219444f, mulacc_f32(cast7, -0.6933594f, alu65));
    float alu68 = mulacc_f32(alu67, mulacc_f32(alu67, 0.0013821024f, 0.00836867f), 0.041668262f);
    float alu69 = mulacc_f32(alu67 * alu67, mulacc_f32(alu67, mulacc_f32(alu67, alu68, 0.16666521f), 0.49999994f), alu67);
    int alu70 = alu66 >> 1;
    float alu71 = (1.0f + alu69) * i32_as_f32((alu70 + 127) << 23) * i32_as_f32((alu66 - alu70 + 127) << 23);
    float alu72 = data1[idx0 + 8] - val0;
    float alu73 = 89.0f < alu72 ? 89.0f : alu72;
    float alu74 = alu73 < -104.0f ? -104.0f : alu73;
    int alu75 = f32_as_i32(mulacc_f32(alu74, 1.442695f, 12582912.0f)) - 1262485504;
    float cast8 = (float)alu75;
    float alu76 = mulacc_f32(cast8, 0.00021219444f, mulacc_f32(cast8, -0.6933594f, alu74));
    float alu77 = mulacc_f32(alu76, mulacc_f32(alu76, 0.0013821024f, 0.00836867f), 0.041668262f);
    float alu78 = mulacc_f32(alu76 * alu76, mulacc_f32(alu76, mulacc_f32(alu76, alu77, 0.16666521f), 0.49999994f), alu76);
    int alu79 = alu75 >> 1;
    float alu80 = (1.0f + alu78) * i32_as_f32((alu79 + 127) << 23) * i32_as_f32((alu75 - alu79 + 127) << 23);
    float alu81 = data1[idx0 + 9] - val0;
    float alu82 = 89.0f < alu81 ? 89.0f : alu81;
    float alu83 = alu82 < -104.0f ? -104.0f : alu82;
    int alu84 = f32_as_i32(mulacc_f32(alu83, 1.442695f, 12582912.0f)) - 1262485504;
    float cast9 = (float)alu84;
    float alu85 = mulacc_f32(cast9, 0.00021219444f, mulacc_f32(cast9, -0.6933594f, alu83));
    float alu86 = mulacc_f32(alu85, mulacc_f32(alu85, 0.0013821024f, 0.00836867f), 0.041668262f);
    float alu87 = mulacc_f32(alu85 * alu85, mulacc_f32(alu85, mulacc_f32(alu85, alu86, 0.16666521f), 0.49999994f), alu85);
    int alu88 = alu84 >> 1;
    float alu89 = (1.0f + alu87) * i32_as_f32((alu88 + 127) << 23) * i32_as_f32((alu84 - alu88 + 127) << 23);
    data0[i0] = alu8 + alu17 + alu26 + alu35 + alu44 + alu53 + alu62 + alu71 + alu80 + alu89;
  }
}

// kernel 2: e_8, launch ((1,), None)
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
#ifdef __FP_FAST_FMAF
#define mulacc_f32(a, b, c) __builtin_fmaf(a, b, c)
#else
#define mulacc_f32(a, b, c) ((a) * (b) + (c))
#endif

void e_8(void **bufs, const long *vars, long begin, long end) {
  float *restrict data0 = bufs[0];
  const int *restrict data1 = bufs[1];
  const float *restrict data2 = bufs[2];
  const float *restrict data3 = bufs[3];
  const float *restrict data4 = bufs[4];
  #pragma omp simd
  for (long v0 = 0; v0 < 8; v0++) {
    int val0 = data1[v0];
    long cast0 = (long)val0;
    unsigned char alu0 = (0 <= val0) & (cast0 < 10);
    float val1 = data4[v0];
    unsigned char alu1 = val1 < 1.1754944e-38f;
    int alu2 = f32_as_i32(alu1 ? val1 * 8388608.0f : val1);
    int alu3 = (alu2 - 1060439283) >> 23;
    float cast1 = (float)(alu3 - (alu1 ? 23 : 0));
    float alu4 = i32_as_f32(alu2 - (alu3 << 23)) - 1.0f;
    float alu5 = alu4 * alu4;
    float alu6 = mulacc_f32(alu4, mulacc_f32(alu4, 0.06751542f, -0.11672526f), 0.11883893f);
    float alu7 = mulacc_f32(alu4, mulacc_f32(alu4, mulacc_f32(alu4, alu6, -0.124059126f), 0.1422028f), -0.16668f);
    float alu8 = mulacc_f32(alu4, mulacc_f32(alu4, mulacc_f32(alu4, alu7, 0.20002075f), -0.2500001f), 0.33333313f);
    float alu9 = mulacc_f32(-0.5f, alu5, mulacc_f32(cast1, -0.00021219444f, alu4 * alu5 * alu8));
    float alu10 = val1 < __builtin_inff() ? mulacc_f32(cast1, 0.6933594f, alu4 + alu9) : val1;
    float alu11 = 0.0f < val1 ? alu10 : (val1 == 0.0f ? -__builtin_inff() : __builtin_nanf(""));
    float alu12 = alu0 ? (alu0 ? data2[cast0 + v0 * 10] : 0.0f) - data3[v0] - alu11 + 0.0f : 0.0f;
    data0[v0] = val0 == -100 ? 0.0f : -alu12;
  }
}

// kernel 3: r_8_8, launch ((1,), None)
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
