// kernel 0: e_32, launch ((1,), None)
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

void e_32(void **bufs, const long *vars, long begin, long end) {
  float *restrict data0 = bufs[0];
  const unsigned int *restrict data1 = bufs[1];
  unsigned int val0 = data1[0];
  unsigned int val1 = data1[1];
  unsigned int alu0 = data1[2] + val1;
  unsigned int alu1 = (alu0 << 13) | (alu0 >> 19);
  unsigned int alu2 = val0 ^ val1 ^ 466688986;
  #pragma omp simd
  for (long v0 = 0; v0 < 32; v0++) {
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
    unsigned int alu44 = ((alu42 << 26) | (alu42 >> 6)) ^ (alu43 + 10);
    unsigned int alu45 = alu43 + alu44;
    float alu46 = 1.0f - (float)((alu45 + alu2 + 10) >> 8) * 5.9604645e-08f;
    unsigned char alu47 = alu46 < 1.1754944e-38f;
    int alu48 = f32_as_i32(alu47 ? alu46 * 8388608.0f : alu46);
    int alu49 = (alu48 - 1060439283) >> 23;
    float cast0 = (float)(alu49 - (alu47 ? 23 : 0));
    float alu50 = i32_as_f32(alu48 - (alu49 << 23)) - 1.0f;
    float alu51 = alu50 * alu50;
    float alu52 = mulacc_f32(alu50, mulacc_f32(alu50, 0.06751542f, -0.11672526f), 0.11883893f);
    float alu53 = mulacc_f32(alu50, mulacc_f32(alu50, mulacc_f32(alu50, alu52, -0.124059126f), 0.1422028f), -0.16668f);
    float alu54 = mulacc_f32(alu50, mulacc_f32(alu50, mulacc_f32(alu50, alu53, 0.20002075f), -0.2500001f), 0.33333313f);
    float alu55 = mulacc_f32(-0.5f, alu51, mulacc_f32(cast0, -0.00021219444f, alu50 * alu51 * alu54));
    float alu56 = alu46 < __builtin_inff() ? mulacc_f32(cast0, 0.6933594f, alu50 + alu55) : alu46;
    float alu57 = 0.0f < alu46 ? alu56 : (alu46 == 0.0f ? -__builtin_inff() : __builtin_nanf(""));
    float cast1 = (float)(((((alu44 << 6) | (alu44 >> 26)) ^ (alu45 + 10)) + val0 + 5) >> 8);
    unsigned int alu58 = f32_as_u32(cast1 * 5.9604645e-08f * 6.2831855f);
    unsigned int alu59 = alu58 & 2147483647;
    unsigned char alu60 = alu59 < 1061752795;
    unsigned long cast2 = (unsigned long)((alu59 & 8388607) | 8388608);
    unsigned int alu61 = (alu59 >> 23) - 126;
    unsigned char alu62 = alu61 < 32;
    unsigned char alu63 = alu61 < 64;
    unsigned char alu64 = alu61 < 96;
    unsigned char alu65 = alu61 < 128;
    unsigned int alu66 = alu63 ? 3194018707u : (alu64 ? 2433043071u : (alu65 ? 165016701u : 1295478838u));
    unsigned int alu67 = alu61 & 31;
    unsigned int alu68 = alu63 ? 2433043071u : (alu64 ? 165016701u : (alu65 ? 1295478838u : 3634718287u));
    unsigned int alu69 = alu62 ? 3194018707u : alu68;
    unsigned int alu70 = 31 - alu67;
    unsigned long cast3 = (unsigned long)(((alu62 ? 40u : alu66) << alu67) | ((alu69 >> 1) >> alu70));
    unsigned int alu71 = alu63 ? 165016701u : (alu64 ? 1295478838u : (alu65 ? 3634718287u : 283381887u));
    unsigned int alu72 = alu62 ? 2433043071u : alu71;
    unsigned long alu73 = (cast3 << 32) | (unsigned long)((alu69 << alu67) | ((alu72 >> 1) >> alu70));
    unsigned int alu74 = alu63 ? 1295478838u : (alu64 ? 3634718287u : (alu65 ? 283381887u : 2488855287u));
    unsigned long cast4 = (unsigned long)((alu72 << alu67) | (((alu62 ? 165016701u : alu74) >> 1) >> alu70));
    unsigned long alu75 = cast2 * alu73 + ((cast2 * cast4) >> 32);
    unsigned int alu76 = alu60 ? 0u : (unsigned int)((alu75 + 2305843009213693952UL) >> 62);
    double alu77 = (double)u64_as_i64(alu75 - ((unsigned long)alu76 << 62)) * 3.4061215800865545e-19;
    float alu78 = alu60 ? u32_as_f32(alu59) : (float)alu77;
    float alu79 = alu78 * alu78;
    float alu80 = mulacc_f32(alu79, mulacc_f32(alu79, -0.000195186f, 0.008332191f), -0.16666655f);
    float alu81 = mulacc_f32(alu79, mulacc_f32(alu79, 2.4430661e-05f, -0.0013887301f), 0.041666646f);
    float alu82 = (alu76 & 1) == 0 ? mulacc_f32(alu78 * alu79, alu80, alu78) : mulacc_f32(alu79 * alu79, alu81, mulacc_f32(-0.5f, alu79, 1.0f));
    float alu83 = u32_as_f32(f32_as_u32(alu82) ^ ((alu58 & 2147483648u) ^ ((alu76 & 2) << 30)));
    data0[v0] = __builtin_sqrtf(alu57 * -2.0f) * (alu59 < 2139095040 ? alu83 : __builtin_nanf(""));
  }
}
