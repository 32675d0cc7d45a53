// kernel 0: r_2_5_5_4, launch ((1,), None)
void r_2_5_5_4(void **bufs, const long *vars, long begin, long end) {
  float *restrict data0 = bufs[0];
  const float *restrict data1 = bufs[1];
  const float *restrict data2 = bufs[2];
  for (long i0 = 0; i0 < 2; i0++) {
    long alu0 = i0 * 25;
    long alu1 = i0 * 20;
    for (long i1 = 0; i1 < 5; i1++) {
      long alu2 = alu0 + i1 * 5;
      long idx0 = alu1 + i1 * 4;
      float val0 = data1[idx0];
      float val1 = data1[idx0 + 1];
      float val2 = data1[idx0 + 2];
      float val3 = data1[idx0 + 3];
      for (long i2 = 0; i2 < 5; i2++) {
        long idx1 = alu1 + i2 * 4;
        float alu3 = val0 * data2[idx1] + val1 * data2[idx1 + 1] + val2 * data2[idx1 + 2] + val3 * data2[idx1 + 3];
        data0[alu2 + i2] = alu3 / 2.0f;
      }
    }
  }
}

// kernel 1: r_2_5_4_5_5_5, launch ((1,), None)
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

void r_2_5_4_5_5_5(void **bufs, const long *vars, long begin, long end) {
  float *restrict data0 = bufs[0];
  const float *restrict data1 = bufs[1];
  const float *restrict data2 = bufs[2];
  float acc0;
  for (long i0 = 0; i0 < 2; i0++) {
    long alu0 = i0 * 20;
    long alu1 = i0 * 25;
    for (long i1 = 0; i1 < 5; i1++) {
      long alu2 = alu0 + i1 * 4;
      long idx0 = alu1 + i1 * 5;
      float val0 = data1[idx0];
      float val1 = data1[idx0 + 1];
      float alu3 = val1 != val1 || val1 > val0 ? val1 : val0;
      float val2 = data1[idx0 + 2];
      float alu4 = val2 != val2 || val2 > alu3 ? val2 : alu3;
      float val3 = data1[idx0 + 3];
      float alu5 = val3 != val3 || val3 > alu4 ? val3 : alu4;
      float val4 = data1[idx0 + 4];
      float alu6 = val4 != val4 || val4 > alu5 ? val4 : alu5;
      float alu7 = val0 - alu6;
      float alu8 = 89.0f < alu7 ? 89.0f : alu7;
      float alu9 = alu8 < -104.0f ? -104.0f : alu8;
      int alu10 = f32_as_i32(mulacc_f32(alu9, 1.442695f, 12582912.0f)) - 1262485504;
      float cast0 = (float)alu10;
      float alu11 = mulacc_f32(cast0, 0.00021219444f, mulacc_f32(cast0, -0.6933594f, alu9));
      float alu12 = mulacc_f32(alu11, mulacc_f32(alu11, 0.0013821024f, 0.00836867f), 0.041668262f);
      float alu13 = mulacc_f32(alu11 * alu11, mulacc_f32(alu11, mulacc_f32(alu11, alu12, 0.16666521f), 0.49999994f), alu11);
      int alu14 = alu10 >> 1;
      float alu15 = (1.0f + alu13) * i32_as_f32((alu14 + 127) << 23) * i32_as_f32((alu10 - alu14 + 127) << 23);
      float alu16 = val1 - alu6;
      float alu17 = 89.0f < alu16 ? 89.0f : alu16;
      float alu18 = alu17 < -104.0f ? -104.0f : alu17;
      int alu19 = f32_as_i32(mulacc_f32(alu18, 1.442695f, 12582912.0f)) - 1262485504;
      float cast1 = (float)alu19;
      float alu20 = mulacc_f32(cast1, 0.00021219444f, mulacc_f32(cast1, -0.6933594f, alu18));
      float alu21 = mulacc_f32(alu20, mulacc_f32(alu20, 0.0013821024f, 0.00836867f), 0.041668262f);
      float alu22 = mulacc_f32(alu20 * alu20, mulacc_f32(alu20, mulacc_f32(alu20, alu21, 0.16666521f), 0.49999994f), alu20);
      int alu23 = alu19 >> 1;
      float alu24 = (1.0f + alu22) * i32_as_f32((alu23 + 127) << 23) * i32_as_f32((alu19 - alu23 + 127) << 23);
      float alu25 = val2 - alu6;
      float alu26 = 89.0f < alu25 ? 89.0f : alu25;
      float alu27 = alu26 < -104.0f ? -104.0f : alu26;
      int alu28 = f32_as_i32(mulacc_f32(alu27, 1.442695f, 12582912.0f)) - 1262485504;
      float cast2 = (float)alu28;
      float alu29 = mulacc_f32(cast2, 0.00021219444f, mulacc_f32(cast2, -0.6933594f, alu27));
      float alu30 = mulacc_f32(alu29, mulacc_f32(alu29, 0.0013821024f, 0.00836867f), 0.041668262f);
      float alu31 = mulacc_f32(alu29 * alu29, mulacc_f32(alu29, mulacc_f32(alu29, alu30, 0.16666521f), 0.49999994f), alu29);
      int alu32 = alu28 >> 1;
      float alu33 = (1.0f + alu31) * i32_as_f32((alu32 + 127) << 23) * i32_as_f32((alu28 - alu32 + 127) << 23);
      float alu34 = val3 - alu6;
      float alu35 = 89.0f < alu34 ? 89.0f : alu34;
      float alu36 = alu35 < -104.0f ? -104.0f : alu35;
      int alu37 = f32_as_i32(mulacc_f32(alu36, 1.442695f, 12582912.0f)) - 1262485504;
      float cast3 = (float)alu37;
      float alu38 = mulacc_f32(cast3, 0.00021219444f, mulacc_f32(cast3, -0.6933594f, alu36));
      float alu39 = mulacc_f32(alu38, mulacc_f32(alu38, 0.0013821024f, 0.00836867f), 0.041668262f);
      float alu40 = mulacc_f32(alu38 * alu38, mulacc_f32(alu38, mulacc_f32(alu38, alu39, 0.16666521f), 0.49999994f), alu38);
      int alu41 = alu37 >> 1;
      float alu42 = (1.0f + alu40) * i32_as_f32((alu41 + 127) << 23) * i32_as_f32((alu37 - alu41 + 127) << 23);
      float alu43 = val4 - alu6;
      float alu44 = 89.0f < alu43 ? 89.0f : alu43;
      float alu45 = alu44 < -104.0f ? -104.0f : alu44;
      int alu46 = f32_as_i32(mulacc_f32(alu45, 1.442695f, 12582912.0f)) - 1262485504;
      float cast4 = (float)alu46;
      float alu47 = mulacc_f32(cast4, 0.00021219444f, mulacc_f32(cast4, -0.6933594f, alu45));
      float alu48 = mulacc_f32(alu47, mulacc_f32(alu47, 0.0013821024f, 0.00836867f), 0.041668262f);
      float alu49 = mulacc_f32(alu47 * alu47, mulacc_f32(alu47, mulacc_f32(alu47, alu48, 0.16666521f), 0.49999994f), alu47);
      int alu50 = alu46 >> 1;
      float alu51 = (1.0f + alu49) * i32_as_f32((alu50 + 127) << 23) * i32_as_f32((alu46 - alu50 + 127) << 23);
      float alu52 = alu15 + alu24 + alu33 + alu42 + alu51;
      for (long i2 = 0; i2 < 4; i2++) {
        acc0 = 0.0f;
        for (long r3 = 0; r3 < 5; r3++) {
          float alu53 = data1[idx0 + r3] - alu6;
          float alu54 = 89.0f < alu53 ? 89.0f : alu53;
          float alu55 = alu54 < -104.0f ? -104.0f : alu54;
          int alu56 = f32_as_i32(mulacc_f32(alu55, 1.442695f, 12582912.0f)) - 1262485504;
          float cast5 = (float)alu56;
          float alu57 = mulacc_f32(cast5, 0.00021219444f, mulacc_f32(cast5, -0.6933594f, alu55));
          float alu58 = mulacc_f32(alu57, mulacc_f32(alu57, 0.0013821024f, 0.00836867f), 0.041668262f);
          float alu59 = mulacc_f32(alu57 * alu57, mulacc_f32(alu57, mulacc_f32(alu57, alu58, 0.16666521f), 0.49999994f), alu57);
          int alu60 = alu56 >> 1;
          float alu61 = (1.0f + alu59) * i32_as_f32((alu60 + 127) << 23) * i32_as_f32((alu56 - alu60 + 127) << 23);
          acc0 = mulacc_f32(alu61 / alu52, data2[alu0 + r3 * 4 + i2], acc0);
        }
        data0[alu2 + i2] = acc0;
      }
    }
  }
}
