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
      float alu8 = 89.0f < alu7 ? 89.0f : 89.0f != 89.0f ? 89.0f : alu7;
      float alu9 = -176.0f > alu8 ? -176.0f : -176.0f != -176.0f ? -176.0f : alu8;
      float alu10 = mulacc_f32(alu9, 1.442695f, 12582912.0f);
      float alu11 = alu10 - 12582912.0f;
      float alu12 = mulacc_f32(alu11, 0.00021219444f, mulacc_f32(alu11, -0.6933594f, alu9));
      float alu13 = mulacc_f32(alu12, mulacc_f32(alu12, 0.0013821024f, 0.00836867f), 0.041668262f);
      float alu14 = mulacc_f32(alu12, mulacc_f32(alu12, mulacc_f32(alu12, alu13, 0.16666521f), 0.49999994f), 1.0f);
      int alu15 = f32_as_i32(alu10);
      int alu16 = (alu15 << 22) & -8388608;
      float alu17 = mulacc_f32(alu12, alu14, 1.0f) * i32_as_f32(alu16 + 1065353216) * i32_as_f32((alu15 << 23) - alu16 + 1065353216);
      float alu18 = val1 - alu6;
      float alu19 = 89.0f < alu18 ? 89.0f : 89.0f != 89.0f ? 89.0f : alu18;
      float alu20 = -176.0f > alu19 ? -176.0f : -176.0f != -176.0f ? -176.0f : alu19;
      float alu21 = mulacc_f32(alu20, 1.442695f, 12582912.0f);
      float alu22 = alu21 - 12582912.0f;
      float alu23 = mulacc_f32(alu22, 0.00021219444f, mulacc_f32(alu22, -0.6933594f, alu20));
      float alu24 = mulacc_f32(alu23, mulacc_f32(alu23, 0.0013821024f, 0.00836867f), 0.041668262f);
      float alu25 = mulacc_f32(alu23, mulacc_f32(alu23, mulacc_f32(alu23, alu24, 0.16666521f), 0.49999994f), 1.0f);
      int alu26 = f32_as_i32(alu21);
      int alu27 = (alu26 << 22) & -8388608;
      float alu28 = mulacc_f32(alu23, alu25, 1.0f) * i32_as_f32(alu27 + 1065353216) * i32_as_f32((alu26 << 23) - alu27 + 1065353216);
      float alu29 = val2 - alu6;
      float alu30 = 89.0f < alu29 ? 89.0f : 89.0f != 89.0f ? 89.0f : alu29;
      float alu31 = -176.0f > alu30 ? -176.0f : -176.0f != -176.0f ? -176.0f : alu30;
      float alu32 = mulacc_f32(alu31, 1.442695f, 12582912.0f);
      float alu33 = alu32 - 12582912.0f;
      float alu34 = mulacc_f32(alu33, 0.00021219444f, mulacc_f32(alu33, -0.6933594f, alu31));
      float alu35 = mulacc_f32(alu34, mulacc_f32(alu34, 0.0013821024f, 0.00836867f), 0.041668262f);
      float alu36 = mulacc_f32(alu34, mulacc_f32(alu34, mulacc_f32(alu34, alu35, 0.16666521f), 0.49999994f), 1.0f);
      int alu37 = f32_as_i32(alu32);
      int alu38 = (alu37 << 22) & -8388608;
      float alu39 = mulacc_f32(alu34, alu36, 1.0f) * i32_as_f32(alu38 + 1065353216) * i32_as_f32((alu37 << 23) - alu38 + 1065353216);
      float alu40 = val3 - alu6;
      float alu41 = 89.0f < alu40 ? 89.0f : 89.0f != 89.0f ? 89.0f : alu40;
      float alu42 = -176.0f > alu41 ? -176.0f : -176.0f != -176.0f ? -176.0f : alu41;
      float alu43 = mulacc_f32(alu42, 1.442695f, 12582912.0f);
      float alu44 = alu43 - 12582912.0f;
      float alu45 = mulacc_f32(alu44, 0.00021219444f, mulacc_f32(alu44, -0.6933594f, alu42));
      float alu46 = mulacc_f32(alu45, mulacc_f32(alu45, 0.0013821024f, 0.00836867f), 0.041668262f);
      float alu47 = mulacc_f32(alu45, mulacc_f32(alu45, mulacc_f32(alu45, alu46, 0.16666521f), 0.49999994f), 1.0f);
      int alu48 = f32_as_i32(alu43);
      int alu49 = (alu48 << 22) & -8388608;
      float alu50 = mulacc_f32(alu45, alu47, 1.0f) * i32_as_f32(alu49 + 1065353216) * i32_as_f32((alu48 << 23) - alu49 + 1065353216);
      float alu51 = val4 - alu6;
      float alu52 = 89.0f < alu51 ? 89.0f : 89.0f != 89.0f ? 89.0f : alu51;
      float alu53 = -176.0f > alu52 ? -176.0f : -176.0f != -176.0f ? -176.0f : alu52;
      float alu54 = mulacc_f32(alu53, 1.442695f, 12582912.0f);
      float alu55 = alu54 - 12582912.0f;
      float alu56 = mulacc_f32(alu55, 0.00021219444f, mulacc_f32(alu55, -0.6933594f, alu53));
      float alu57 = mulacc_f32(alu56, mulacc_f32(alu56, 0.0013821024f, 0.00836867f), 0.041668262f);
      float alu58 = mulacc_f32(alu56, mulacc_f32(alu56, mulacc_f32(alu56, alu57, 0.16666521f), 0.49999994f), 1.0f);
      int alu59 = f32_as_i32(alu54);
      int alu60 = (alu59 << 22) & -8388608;
      float alu61 = mulacc_f32(alu56, alu58, 1.0f) * i32_as_f32(alu60 + 1065353216) * i32_as_f32((alu59 << 23) - alu60 + 1065353216);
      float alu62 = 1.0f / (alu17 + alu28 + alu39 + alu50 + alu61);
      for (long i2 = 0; i2 < 4; i2++) {
        acc0 = 0.0f;
        for (long r3 = 0; r3 < 5; r3++) {
          float alu63 = data1[idx0 + r3] - alu6;
          float alu64 = 89.0f < alu63 ? 89.0f : 89.0f != 89.0f ? 89.0f : alu63;
          float alu65 = -176.0f > alu64 ? -176.0f : -176.0f != -176.0f ? -176.0f : alu64;
          float alu66 = mulacc_f32(alu65, 1.442695f, 12582912.0f);
          float alu67 = alu66 - 12582912.0f;
          float alu68 = mulacc_f32(alu67, 0.00021219444f, mulacc_f32(alu67, -0.6933594f, alu65));
          float alu69 = mulacc_f32(alu68, mulacc_f32(alu68, 0.0013821024f, 0.00836867f), 0.041668262f);
          float alu70 = mulacc_f32(alu68, mulacc_f32(alu68, mulacc_f32(alu68, alu69, 0.16666521f), 0.49999994f), 1.0f);
          int alu71 = f32_as_i32(alu66);
          int alu72 = (alu71 << 22) & -8388608;
          float alu73 = mulacc_f32(alu68, alu70, 1.0f) * i32_as_f32(alu72 + 1065353216) * i32_as_f32((alu71 << 23) - alu72 + 1065353216);
          acc0 = mulacc_f32(alu73 * alu62, data2[alu0 + r3 * 4 + i2], acc0);
        }
        data0[alu2 + i2] = acc0;
      }
    }
  }
}
