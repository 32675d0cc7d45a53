// kernel 0: e_256, launch ((1,), None)
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
static inline unsigned int f32_as_u32(float x) {
  unsigned int bits;
  __builtin_memcpy(&bits, &x, sizeof bits);
  return bits;
}
static inline float u32_as_f32(unsigned int x) {
  float bits;
  __builtin_memcpy(&bits, &x, sizeof bits);
  return bits;
}
static inline long u64_as_i64(unsigned long x) {
  long bits;
  __builtin_memcpy(&bits, &x, sizeof bits);
  return bits;
}

void e_256(void **bufs, const long *vars, long begin, long end) {
  float *restrict data0 = bufs[0];
  const float *restrict data1 = bufs[1];
  #pragma omp simd
  for (long v0 = 0; v0 < 256; v0++) {
    float val0 = data1[v0];
    unsigned char alu0 = val0 < -104.0f;
    float alu1 = alu0 ? 0.0f : (89.0f < val0 ? 89.0f : val0);
    int alu2 = f32_as_i32(mulacc_f32(alu1, 1.442695f, 12582912.0f)) - 1262485504;
    float cast0 = (float)alu2;
    float alu3 = mulacc_f32(cast0, 0.00021219444f, mulacc_f32(cast0, -0.6933594f, alu1));
    float alu4 = mulacc_f32(alu3, mulacc_f32(alu3, 0.0013821024f, 0.00836867f), 0.041668262f);
    float alu5 = mulacc_f32(alu3 * alu3, mulacc_f32(alu3, mulacc_f32(alu3, alu4, 0.16666521f), 0.49999994f), alu3);
    int alu6 = alu2 >> 1;
    float alu7 = (1.0f + alu5) * i32_as_f32((alu6 + 127) << 23) * i32_as_f32((alu2 - alu6 + 127) << 23);
    unsigned char alu8 = val0 < 1.1754944e-38f;
    int alu9 = f32_as_i32(alu8 ? val0 * 8388608.0f : val0);
    int alu10 = (alu9 - 1060439283) >> 23;
    float cast1 = (float)(alu10 - (alu8 ? 23 : 0));
    float alu11 = i32_as_f32(alu9 - (alu10 << 23)) - 1.0f;
    float alu12 = alu11 * alu11;
    float alu13 = mulacc_f32(alu11, mulacc_f32(alu11, 0.06751542f, -0.11672526f), 0.11883893f);
    float alu14 = mulacc_f32(alu11, mulacc_f32(alu11, mulacc_f32(alu11, alu13, -0.124059126f), 0.1422028f), -0.16668f);
    float alu15 = mulacc_f32(alu11, mulacc_f32(alu11, mulacc_f32(alu11, alu14, 0.20002075f), -0.2500001f), 0.33333313f);
    float alu16 = mulacc_f32(-0.5f, alu12, mulacc_f32(cast1, -0.00021219444f, alu11 * alu12 * alu15));
    float alu17 = val0 < __builtin_inff() ? mulacc_f32(cast1, 0.6933594f, alu11 + alu16) : val0;
    float alu18 = 0.0f < val0 ? alu17 : (val0 == 0.0f ? -__builtin_inff() : __builtin_nanf(""));
    unsigned int alu19 = f32_as_u32(val0);
    unsigned int alu20 = alu19 & 2147483647;
    unsigned char alu21 = alu20 < 1061752795;
    unsigned long cast2 = (unsigned long)((alu20 & 8388607) | 8388608);
    unsigned int alu22 = (alu20 >> 23) - 126;
    unsigned char alu23 = alu22 < 32;
    unsigned char alu24 = alu22 < 64;
    unsigned char alu25 = alu22 < 96;
    unsigned char alu26 = alu22 < 128;
    unsigned int alu27 = alu24 ? 3194018707u : (alu25 ? 2433043071u : (alu26 ? 165016701u : 1295478838u));
    unsigned int alu28 = alu22 & 31;
    unsigned int alu29 = alu24 ? 2433043071u : (alu25 ? 165016701u : (alu26 ? 1295478838u : 3634718287u));
    unsigned int alu30 = alu23 ? 3194018707u : alu29;
    unsigned int alu31 = 31 - alu28;
    unsigned long cast3 = (unsigned long)(((alu23 ? 40u : alu27) << alu28) | ((alu30 >> 1) >> alu31));
    unsigned int alu32 = alu24 ? 165016701u : (alu25 ? 1295478838u : (alu26 ? 3634718287u : 283381887u));
    unsigned int alu33 = alu23 ? 2433043071u : alu32;
    unsigned long alu34 = (cast3 << 32) | (unsigned long)((alu30 << alu28) | ((alu33 >> 1) >> alu31));
    unsigned int alu35 = alu24 ? 1295478838u : (alu25 ? 3634718287u : (alu26 ? 283381887u : 2488855287u));
    unsigned long cast4 = (unsigned long)((alu33 << alu28) | (((alu23 ? 165016701u : alu35) >> 1) >> alu31));
    unsigned long alu36 = cast2 * alu34 + ((cast2 * cast4) >> 32);
    unsigned int alu37 = alu21 ? 0u : (unsigned int)((alu36 + 2305843009213693952UL) >> 62);
    double alu38 = (double)u64_as_i64(alu36 - ((unsigned long)alu37 << 62)) * 3.4061215800865545e-19;
    float alu39 = alu21 ? u32_as_f32(alu20) : (float)alu38;
    float alu40 = alu39 * alu39;
    float alu41 = mulacc_f32(alu40, mulacc_f32(alu40, -0.000195186f, 0.008332191f), -0.16666655f);
    float alu42 = mulacc_f32(alu40, mulacc_f32(alu40, 2.4430661e-05f, -0.0013887301f), 0.041666646f);
    float alu43 = (alu37 & 1) == 0 ? mulacc_f32(alu39 * alu40, alu41, alu39) : mulacc_f32(alu40 * alu40, alu42, mulacc_f32(-0.5f, alu40, 1.0f));
    float alu44 = u32_as_f32(f32_as_u32(alu43) ^ ((alu19 & 2147483648u) ^ ((alu37 & 2) << 30)));
    float alu45 = (alu0 ? 0.0f : alu7) + alu18 + (alu20 < 2139095040 ? alu44 : __builtin_nanf(""));
    unsigned char alu46 = val0 < 0.0f;
    float alu47 = alu46 ? -val0 : val0;
    float alu48 = val0 * val0;
    float alu49 = mulacc_f32(alu48, mulacc_f32(alu48, -0.005716203f, 0.020649709f), -0.053743172f);
    float alu50 = mulacc_f32(alu48, mulacc_f32(alu48, mulacc_f32(alu48, alu49, 0.13331486f), -0.33333284f), 1.0f);
    float alu51 = alu47 + alu47;
    unsigned char alu52 = alu51 < -104.0f;
    float alu53 = alu52 ? 0.0f : (89.0f < alu51 ? 89.0f : alu51);
    int alu54 = f32_as_i32(mulacc_f32(alu53, 1.442695f, 12582912.0f)) - 1262485504;
    float cast5 = (float)alu54;
    float alu55 = mulacc_f32(cast5, 0.00021219444f, mulacc_f32(cast5, -0.6933594f, alu53));
    float alu56 = mulacc_f32(alu55, mulacc_f32(alu55, 0.0013821024f, 0.00836867f), 0.041668262f);
    float alu57 = mulacc_f32(alu55 * alu55, mulacc_f32(alu55, mulacc_f32(alu55, alu56, 0.16666521f), 0.49999994f), alu55);
    int alu58 = alu54 >> 1;
    float alu59 = (1.0f + alu57) * i32_as_f32((alu58 + 127) << 23) * i32_as_f32((alu54 - alu58 + 127) << 23);
    float alu60 = 1.0f - 2.0f / ((alu52 ? 0.0f : alu59) + 1.0f);
    data0[v0] = alu45 + (alu47 < 0.625f ? val0 * alu50 : (alu46 ? -alu60 : alu60));
  }
}
