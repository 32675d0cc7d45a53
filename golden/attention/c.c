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
      float alu3 = val1 > val0 ? val1 : val1 != val1 ? val1 : val0;
      float val2 = data1[idx0 + 2];
      float alu4 = val2 > alu3 ? val2 : val2 != val2 ? val2 : alu3;
      float val3 = data1[idx0 + 3];
      float alu5 = val3 > alu4 ? val3 : val3 != val3 ? val3 : alu4;
      float val4 = data1[idx0 + 4];
      float alu6 = val4 > alu5 ? val4 : val4 != val4 ? val4 : alu5;
      float alu7 = val0 - alu6;
      unsigned char alu8 = alu7 < -104.0f;
      float alu9 = alu8 ? 0.0f : (89.0f < alu7 ? 89.0f : alu7);
      int alu10 = f32_as_i32(mulacc_f32(alu9, 1.442695f, 12582912.0f)) - 1262485504;
      float cast0 = (float)alu10;
      float alu11 = mulacc_f32(cast0, 0.00021219444f, mulacc_f32(cast0, -0.6933594f, alu9));
      float alu12 = mulacc_f32(alu11, mulacc_f32(alu11, 0.0013821024f, 0.00836867f), 0.041668262f);
      float alu13 = mulacc_f32(alu11 * alu11, mulacc_f32(alu11, mulacc_f32(alu11, alu12, 0.16666521f), 0.49999994f), alu11);
      int alu14 = alu10 >> 1;
      float alu15 = (1.0f + alu13) * i32_as_f32((alu14 + 127) << 23) * i32_as_f32((alu10 - alu14 + 127) << 23);
      float alu16 = val1 - alu6;
      unsigned char alu17 = alu16 < -104.0f;
      float alu18 = alu17 ? 0.0f : (89.0f < alu16 ? 89.0f : alu16);
      int alu19 = f32_as_i32(mulacc_f32(alu18, 1.442695f, 12582912.0f)) - 1262485504;
      float cast1 = (float)alu19;
      float alu20 = mulacc_f32(cast1, 0.00021219444f, mulacc_f32(cast1, -0.6933594f, alu18));
      float alu21 = mulacc_f32(alu20, mulacc_f32(alu20, 0.0013821024f, 0.00836867f), 0.041668262f);
      float alu22 = mulacc_f32(alu20 * alu20, mulacc_f32(alu20, mulacc_f32(alu20, alu21, 0.16666521f), 0.49999994f), alu20);
      int alu23 = alu19 >> 1;
      float alu24 = (1.0f + alu22) * i32_as_f32((alu23 + 127) << 23) * i32_as_f32((alu19 - alu23 + 127) << 23);
      float alu25 = val2 - alu6;
      unsigned char alu26 = alu25 < -104.0f;
      float alu27 = alu26 ? 0.0f : (89.0f < alu25 ? 89.0f : alu25);
      int alu28 = f32_as_i32(mulacc_f32(alu27, 1.442695f, 12582912.0f)) - 1262485504;
      float cast2 = (float)alu28;
      float alu29 = mulacc_f32(cast2, 0.00021219444f, mulacc_f32(cast2, -0.6933594f, alu27));
      float alu30 = mulacc_f32(alu29, mulacc_f32(alu29, 0.0013821024f, 0.00836867f), 0.041668262f);
      float alu31 = mulacc_f32(alu29 * alu29, mulacc_f32(alu29, mulacc_f32(alu29, alu30, 0.16666521f), 0.49999994f), alu29);
      int alu32 = alu28 >> 1;
      float alu33 = (1.0f + alu31) * i32_as_f32((alu32 + 127) << 23) * i32_as_f32((alu28 - alu32 + 127) << 23);
      float alu34 = val3 - alu6;
      unsigned char alu35 = alu34 < -104.0f;
      float alu36 = alu35 ? 0.0f : (89.0f < alu34 ? 89.0f : alu34);
      int alu37 = f32_as_i32(mulacc_f32(alu36, 1.442695f, 12582912.0f)) - 1262485504;
      float cast3 = (float)alu37;
      float alu38 = mulacc_f32(cast3, 0.00021219444f, mulacc_f32(cast3, -0.6933594f, alu36));
      float alu39 = mulacc_f32(alu38, mulacc_f32(alu38, 0.0013821024f, 0.00836867f), 0.041668262f);
      float alu40 = mulacc_f32(alu38 * alu38, mulacc_f32(alu38, mulacc_f32(alu38, alu39, 0.16666521f), 0.49999994f), alu38);
      int alu41 = alu37 >> 1;
      float alu42 = (1.0f + alu40) * i32_as_f32((alu41 + 127) << 23) * i32_as_f32((alu37 - alu41 + 127) << 23);
      float alu43 = (alu8 ? 0.0f : alu15) + (alu17 ? 0.0f : alu24) + (alu26 ? 0.0f : alu33) + (alu35 ? 0.0f : alu42);
      float alu44 = val4 - alu6;
      unsigned char alu45 = alu44 < -104.0f;
      float alu46 = alu45 ? 0.0f : (89.0f < alu44 ? 89.0f : alu44);
      int alu47 = f32_as_i32(mulacc_f32(alu46, 1.442695f, 12582912.0f)) - 1262485504;
      float cast4 = (float)alu47;
      float alu48 = mulacc_f32(cast4, 0.00021219444f, mulacc_f32(cast4, -0.6933594f, alu46));
      float alu49 = mulacc_f32(alu48, mulacc_f32(alu48, 0.0013821024f, 0.00836867f), 0.041668262f);
      float alu50 = mulacc_f32(alu48 * alu48, mulacc_f32(alu48, mulacc_f32(alu48, alu49, 0.16666521f), 0.49999994f), alu48);
      int alu51 = alu47 >> 1;
      float alu52 = (1.0f + alu50) * i32_as_f32((alu51 + 127) << 23) * i32_as_f32((alu47 - alu51 + 127) << 23);
      float alu53 = alu43 + (alu45 ? 0.0f : alu52);
      for (long i2 = 0; i2 < 4; i2++) {
        acc0 = 0.0f;
        for (long r3 = 0; r3 < 5; r3++) {
          float alu54 = data1[idx0 + r3] - alu6;
          unsigned char alu55 = alu54 < -104.0f;
          float alu56 = alu55 ? 0.0f : (89.0f < alu54 ? 89.0f : alu54);
          int alu57 = f32_as_i32(mulacc_f32(alu56, 1.442695f, 12582912.0f)) - 1262485504;
          float cast5 = (float)alu57;
          float alu58 = mulacc_f32(cast5, 0.00021219444f, mulacc_f32(cast5, -0.6933594f, alu56));
          float alu59 = mulacc_f32(alu58, mulacc_f32(alu58, 0.0013821024f, 0.00836867f), 0.041668262f);
          float alu60 = mulacc_f32(alu58 * alu58, mulacc_f32(alu58, mulacc_f32(alu58, alu59, 0.16666521f), 0.49999994f), alu58);
          int alu61 = alu57 >> 1;
          float alu62 = (1.0f + alu60) * i32_as_f32((alu61 + 127) << 23) * i32_as_f32((alu57 - alu61 + 127) << 23);
          acc0 = mulacc_f32((alu55 ? 0.0f : alu62) / alu53, data2[alu0 + r3 * 4 + i2], acc0);
        }
        data0[alu2 + i2] = acc0;
      }
    }
  }
}
