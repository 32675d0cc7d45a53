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
#define f32_is_nan(x) ({ int bits; __builtin_memcpy(&bits, &x, 4); (bits & 0x7fffffff) > 0x7f800000; })
static inline float max_f32(float a, float b) { return f32_is_nan(b) ? b : b > a ? b : a; }
static inline float min_f32(float a, float b) { return f32_is_nan(b) ? b : b < a ? b : a; }
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
      float val2 = data1[idx0 + 2];
      float val3 = data1[idx0 + 3];
      float val4 = data1[idx0 + 4];
      float alu3 = max_f32(max_f32(max_f32(max_f32(val0, val1), val2), val3), val4);
      float alu4 = max_f32(min_f32(val0 - alu3, 89.0f), -176.0f);
      float alu5 = mulacc_f32(alu4, 1.442695f, 12583166.0f);
      float alu6 = alu5 - 12583166.0f;
      float alu7 = mulacc_f32(alu6, 0.00021219444f, mulacc_f32(alu6, -0.6933594f, alu4));
      float alu8 = mulacc_f32(alu7, mulacc_f32(alu7, 0.0013821024f, 0.00836867f), 0.041668262f);
      float alu9 = mulacc_f32(alu7, mulacc_f32(alu7, mulacc_f32(alu7, alu8, 0.16666521f), 0.49999994f), 1.0f);
      int alu10 = f32_as_i32(alu5);
      int alu11 = (alu10 << 22) & 2139095040;
      float alu12 = mulacc_f32(alu7, alu9, 1.0f) * i32_as_f32(alu11) * i32_as_f32((alu10 << 23) - alu11);
      float alu13 = max_f32(min_f32(val1 - alu3, 89.0f), -176.0f);
      float alu14 = mulacc_f32(alu13, 1.442695f, 12583166.0f);
      float alu15 = alu14 - 12583166.0f;
      float alu16 = mulacc_f32(alu15, 0.00021219444f, mulacc_f32(alu15, -0.6933594f, alu13));
      float alu17 = mulacc_f32(alu16, mulacc_f32(alu16, 0.0013821024f, 0.00836867f), 0.041668262f);
      float alu18 = mulacc_f32(alu16, mulacc_f32(alu16, mulacc_f32(alu16, alu17, 0.16666521f), 0.49999994f), 1.0f);
      int alu19 = f32_as_i32(alu14);
      int alu20 = (alu19 << 22) & 2139095040;
      float alu21 = mulacc_f32(alu16, alu18, 1.0f) * i32_as_f32(alu20) * i32_as_f32((alu19 << 23) - alu20);
      float alu22 = max_f32(min_f32(val2 - alu3, 89.0f), -176.0f);
      float alu23 = mulacc_f32(alu22, 1.442695f, 12583166.0f);
      float alu24 = alu23 - 12583166.0f;
      float alu25 = mulacc_f32(alu24, 0.00021219444f, mulacc_f32(alu24, -0.6933594f, alu22));
      float alu26 = mulacc_f32(alu25, mulacc_f32(alu25, 0.0013821024f, 0.00836867f), 0.041668262f);
      float alu27 = mulacc_f32(alu25, mulacc_f32(alu25, mulacc_f32(alu25, alu26, 0.16666521f), 0.49999994f), 1.0f);
      int alu28 = f32_as_i32(alu23);
      int alu29 = (alu28 << 22) & 2139095040;
      float alu30 = mulacc_f32(alu25, alu27, 1.0f) * i32_as_f32(alu29) * i32_as_f32((alu28 << 23) - alu29);
      float alu31 = max_f32(min_f32(val3 - alu3, 89.0f), -176.0f);
      float alu32 = mulacc_f32(alu31, 1.442695f, 12583166.0f);
      float alu33 = alu32 - 12583166.0f;
      float alu34 = mulacc_f32(alu33, 0.00021219444f, mulacc_f32(alu33, -0.6933594f, alu31));
      float alu35 = mulacc_f32(alu34, mulacc_f32(alu34, 0.0013821024f, 0.00836867f), 0.041668262f);
      float alu36 = mulacc_f32(alu34, mulacc_f32(alu34, mulacc_f32(alu34, alu35, 0.16666521f), 0.49999994f), 1.0f);
      int alu37 = f32_as_i32(alu32);
      int alu38 = (alu37 << 22) & 2139095040;
      float alu39 = mulacc_f32(alu34, alu36, 1.0f) * i32_as_f32(alu38) * i32_as_f32((alu37 << 23) - alu38);
      float alu40 = max_f32(min_f32(val4 - alu3, 89.0f), -176.0f);
      float alu41 = mulacc_f32(alu40, 1.442695f, 12583166.0f);
      float alu42 = alu41 - 12583166.0f;
      float alu43 = mulacc_f32(alu42, 0.00021219444f, mulacc_f32(alu42, -0.6933594f, alu40));
      float alu44 = mulacc_f32(alu43, mulacc_f32(alu43, 0.0013821024f, 0.00836867f), 0.041668262f);
      float alu45 = mulacc_f32(alu43, mulacc_f32(alu43, mulacc_f32(alu43, alu44, 0.16666521f), 0.49999994f), 1.0f);
      int alu46 = f32_as_i32(alu41);
      int alu47 = (alu46 << 22) & 2139095040;
      float alu48 = mulacc_f32(alu43, alu45, 1.0f) * i32_as_f32(alu47) * i32_as_f32((alu46 << 23) - alu47);
      float alu49 = 1.0f / (alu12 + alu21 + alu30 + alu39 + alu48);
      for (long i2 = 0; i2 < 4; i2++) {
        acc0 = 0.0f;
        for (long r3 = 0; r3 < 5; r3++) {
          float alu50 = max_f32(min_f32(data1[idx0 + r3] - alu3, 89.0f), -176.0f);
          float alu51 = mulacc_f32(alu50, 1.442695f, 12583166.0f);
          float alu52 = alu51 - 12583166.0f;
          float alu53 = mulacc_f32(alu52, 0.00021219444f, mulacc_f32(alu52, -0.6933594f, alu50));
          float alu54 = mulacc_f32(alu53, mulacc_f32(alu53, 0.0013821024f, 0.00836867f), 0.041668262f);
          float alu55 = mulacc_f32(alu53, mulacc_f32(alu53, mulacc_f32(alu53, alu54, 0.16666521f), 0.49999994f), 1.0f);
          int alu56 = f32_as_i32(alu51);
          int alu57 = (alu56 << 22) & 2139095040;
          float alu58 = mulacc_f32(alu53, alu55, 1.0f) * i32_as_f32(alu57) * i32_as_f32((alu56 << 23) - alu57);
          acc0 = mulacc_f32(alu58 * alu49, data2[alu0 + r3 * 4 + i2], acc0);
        }
        data0[alu2 + i2] = acc0;
      }
    }
  }
}
