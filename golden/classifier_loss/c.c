// kernel 0: r_8_10_10, launch ((1,), None)
typedef unsigned char b8x8 __attribute__((vector_size(8), aligned(1), may_alias));
typedef float f32x4 __attribute__((vector_size(16), aligned(4), may_alias));
typedef float f32x8 __attribute__((vector_size(32), aligned(4), may_alias));
typedef int i32x8 __attribute__((vector_size(32), aligned(4), may_alias));
static inline f32x4 max_f32x4(f32x4 a, f32x4 b) {
  __typeof__(a < b) takes = (b != b) | (b > a);
  return (f32x4)((takes & (__typeof__(takes))b) | (~takes & (__typeof__(takes))a));
}
typedef __typeof__((f32x8){} < (f32x8){}) where_mask_f32x8;
static inline f32x8 where_f32x8(where_mask_f32x8 takes, f32x8 yes, f32x8 no) {
  return (f32x8)((takes & (where_mask_f32x8)yes) | (~takes & (where_mask_f32x8)no));
}
#ifndef __has_builtin
#define __has_builtin(name) 0
#endif
#if __has_builtin(__builtin_elementwise_fma) && (defined __FMA__ || defined __ARM_FEATURE_FMA)
#define mulacc_f32x16(a, b, c) __builtin_elementwise_fma(a, b, c)
#define mulacc_f32x8(a, b, c) __builtin_elementwise_fma(a, b, c)
#define mulacc_f32x4(a, b, c) __builtin_elementwise_fma(a, b, c)
#elif defined __FMA__ && !defined __clang__
#ifdef __AVX512F__
#define mulacc_f32x16(a, b, c) __builtin_ia32_vfmaddps512_mask(a, b, c, -1, 4)
#else
#define mulacc_f32x16(a, b, c) ((a) * (b) + (c))
#endif
#define mulacc_f32x8(a, b, c) __builtin_ia32_vfmaddps256(a, b, c)
#define mulacc_f32x4(a, b, c) __builtin_ia32_vfmaddps(a, b, c)
#else
#define mulacc_f32x16(a, b, c) ((a) * (b) + (c))
#define mulacc_f32x8(a, b, c) ((a) * (b) + (c))
#define mulacc_f32x4(a, b, c) ((a) * (b) + (c))
#endif
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
  float acc1[4] __attribute__((aligned(64)));
  float acc0[8] __attribute__((aligned(64)));
  float acc3[4] __attribute__((aligned(64)));
  float acc2[8] __attribute__((aligned(64)));
  for (long i0 = 0; i0 < 8; i0++) {
    int val0 = data1[i0];
    long cast0 = (long)val0;
    unsigned char alu0 = (0 <= val0) & (cast0 < 10);
    long idx0 = i0 * 10;
    float val1 = alu0 ? data2[cast0 + idx0] : 0.0f;
    f32x8 val2 = *(f32x8 *)&data2[idx0];
    *(f32x8 *)&acc0[0] = val2;
    *(f32x4 *)&acc1[0] = max_f32x4(*(f32x4 *)&acc0[0], *(f32x4 *)&acc0[4]);
    float val3 = acc1[0];
    float val4 = acc1[1];
    float alu1 = val4 > val3 ? val4 : val4 != val4 ? val4 : val3;
    float val5 = acc1[2];
    float alu2 = val5 > alu1 ? val5 : val5 != val5 ? val5 : alu1;
    float val6 = acc1[3];
    float alu3 = val6 > alu2 ? val6 : val6 != val6 ? val6 : alu2;
    float val7 = data2[idx0 + 8];
    float val8 = data2[idx0 + 9];
    float alu4 = val8 > val7 ? val8 : val8 != val8 ? val8 : val7;
    float alu5 = alu4 > alu3 ? alu4 : alu4 != alu4 ? alu4 : alu3;
    f32x8 alu6 = val2 - (f32x8)(alu5 - (f32x8){});
    __auto_type alu7 = alu6 < (f32x8)(-104.0f - (f32x8){});
    f32x8 alu8 = where_f32x8(__builtin_convertvector((f32x8)(89.0f - (f32x8){}) < alu6, where_mask_f32x8), (f32x8)(89.0f - (f32x8){}), alu6);
    f32x8 alu9 = where_f32x8(__builtin_convertvector(alu7, where_mask_f32x8), (f32x8)(0.0f - (f32x8){}), alu8);
    f32x8 alu10 = mulacc_f32x8(alu9, (f32x8)(1.442695f - (f32x8){}), (f32x8)(12582912.0f - (f32x8){}));
    i32x8 alu11 = (i32x8)alu10 - (i32x8)(1262485504 - (i32x8){});
    f32x8 cast1 = __builtin_convertvector(alu11, f32x8);
    f32x8 alu12 = mulacc_f32x8(cast1, (f32x8)(0.00021219444f - (f32x8){}), mulacc_f32x8(cast1, (f32x8)(-0.6933594f - (f32x8){}), alu9));
    f32x8 alu13 = mulacc_f32x8(alu12, (f32x8)(0.0013821024f - (f32x8){}), (f32x8)(0.00836867f - (f32x8){}));
    f32x8 alu14 = mulacc_f32x8(alu12, mulacc_f32x8(alu12, alu13, (f32x8)(0.041668262f - (f32x8){})), (f32x8)(0.16666521f - (f32x8){}));
    f32x8 alu15 = mulacc_f32x8(alu12 * alu12, mulacc_f32x8(alu12, alu14, (f32x8)(0.49999994f - (f32x8){})), alu12);
    i32x8 alu16 = alu11 >> (i32x8)(1 - (i32x8){});
    f32x8 alu17 = ((f32x8)(1.0f - (f32x8){}) + alu15) * (f32x8)((alu16 + (i32x8)(127 - (i32x8){})) << (i32x8)(23 - (i32x8){}));
    f32x8 alu18 = (f32x8)((alu11 - alu16 + (i32x8)(127 - (i32x8){})) << (i32x8)(23 - (i32x8){}));
    f32x8 alu19 = where_f32x8(__builtin_convertvector(alu7, where_mask_f32x8), (f32x8)(0.0f - (f32x8){}), alu17 * alu18);
    *(f32x8 *)&acc2[0] = alu19;
    *(f32x4 *)&acc3[0] = *(f32x4 *)&acc2[0] + *(f32x4 *)&acc2[4];
    float alu20 = val7 - alu5;
    unsigned char alu21 = alu20 < -104.0f;
    float alu22 = alu21 ? 0.0f : (89.0f < alu20 ? 89.0f : alu20);
    int alu23 = f32_as_i32(mulacc_f32(alu22, 1.442695f, 12582912.0f)) - 1262485504;
    float cast2 = (float)alu23;
    float alu24 = mulacc_f32(cast2, 0.00021219444f, mulacc_f32(cast2, -0.6933594f, alu22));
    float alu25 = mulacc_f32(alu24, mulacc_f32(alu24, 0.0013821024f, 0.00836867f), 0.041668262f);
    float alu26 = mulacc_f32(alu24 * alu24, mulacc_f32(alu24, mulacc_f32(alu24, alu25, 0.16666521f), 0.49999994f), alu24);
    int alu27 = alu23 >> 1;
    float alu28 = (1.0f + alu26) * i32_as_f32((alu27 + 127) << 23) * i32_as_f32((alu23 - alu27 + 127) << 23);
    float alu29 = val8 - alu5;
    unsigned char alu30 = alu29 < -104.0f;
    float alu31 = alu30 ? 0.0f : (89.0f < alu29 ? 89.0f : alu29);
    int alu32 = f32_as_i32(mulacc_f32(alu31, 1.442695f, 12582912.0f)) - 1262485504;
    float cast3 = (float)alu32;
    float alu33 = mulacc_f32(cast3, 0.00021219444f, mulacc_f32(cast3, -0.6933594f, alu31));
    float alu34 = mulacc_f32(alu33, mulacc_f32(alu33, 0.0013821024f, 0.00836867f), 0.041668262f);
    float alu35 = mulacc_f32(alu33 * alu33, mulacc_f32(alu33, mulacc_f32(alu33, alu34, 0.16666521f), 0.49999994f), alu33);
    int alu36 = alu32 >> 1;
    float alu37 = (1.0f + alu35) * i32_as_f32((alu36 + 127) << 23) * i32_as_f32((alu32 - alu36 + 127) << 23);
    float alu38 = acc3[0] + acc3[1] + acc3[2] + acc3[3] + ((alu21 ? 0.0f : alu28) + (alu30 ? 0.0f : alu37));
    unsigned char alu39 = alu38 < 1.1754944e-38f;
    int alu40 = f32_as_i32(alu39 ? alu38 * 8388608.0f : alu38);
    int alu41 = (alu40 - 1060439283) >> 23;
    float cast4 = (float)(alu41 - (alu39 ? 23 : 0));
    float alu42 = i32_as_f32(alu40 - (alu41 << 23)) - 1.0f;
    float alu43 = alu42 * alu42;
    float alu44 = mulacc_f32(alu42, mulacc_f32(alu42, 0.06751542f, -0.11672526f), 0.11883893f);
    float alu45 = mulacc_f32(alu42, mulacc_f32(alu42, mulacc_f32(alu42, alu44, -0.124059126f), 0.1422028f), -0.16668f);
    float alu46 = mulacc_f32(alu42, mulacc_f32(alu42, mulacc_f32(alu42, alu45, 0.20002075f), -0.2500001f), 0.33333313f);
    float alu47 = mulacc_f32(-0.5f, alu43, mulacc_f32(cast4, -0.00021219444f, alu42 * alu43 * alu46));
    float alu48 = alu38 < __builtin_inff() ? mulacc_f32(cast4, 0.6933594f, alu42 + alu47) : alu38;
    float alu49 = 0.0f < alu38 ? alu48 : (alu38 == 0.0f ? -__builtin_inff() : __builtin_nanf(""));
    data0[i0] = val0 == -100 ? 0.0f : -((alu0 ? val1 - alu5 - alu49 : 0.0f) + 0.0f);
  }
}

// kernel 1: r_8_8, launch ((1,), None)
typedef unsigned char b8x8 __attribute__((vector_size(8), aligned(1), may_alias));
typedef float f32x4 __attribute__((vector_size(16), aligned(4), may_alias));
typedef float f32x8 __attribute__((vector_size(32), aligned(4), may_alias));
typedef int i32x8 __attribute__((vector_size(32), aligned(4), may_alias));
typedef __typeof__((f32x8){} < (f32x8){}) where_mask_f32x8;
static inline f32x8 where_f32x8(where_mask_f32x8 takes, f32x8 yes, f32x8 no) {
  return (f32x8)((takes & (where_mask_f32x8)yes) | (~takes & (where_mask_f32x8)no));
}

void r_8_8(void **bufs, const long *vars, long begin, long end) {
  float *restrict data0 = bufs[0];
  const float *restrict data1 = bufs[1];
  const int *restrict data2 = bufs[2];
  float acc1[4] __attribute__((aligned(64)));
  float acc0[8] __attribute__((aligned(64)));
  float acc3[4] __attribute__((aligned(64)));
  float acc2[8] __attribute__((aligned(64)));
  *(f32x8 *)&acc0[0] = *(f32x8 *)&data1[0];
  *(f32x4 *)&acc1[0] = *(f32x4 *)&acc0[0] + *(f32x4 *)&acc0[4];
  float val0 = acc1[0];
  float val1 = acc1[1];
  float val2 = acc1[2];
  float val3 = acc1[3];
  f32x8 alu0 = where_f32x8(__builtin_convertvector(*(i32x8 *)&data2[0] == (i32x8)(-100 - (i32x8){}), where_mask_f32x8), (f32x8)(0.0f - (f32x8){}), (f32x8)(1.0f - (f32x8){}));
  *(f32x8 *)&acc2[0] = alu0;
  *(f32x4 *)&acc3[0] = *(f32x4 *)&acc2[0] + *(f32x4 *)&acc2[4];
  data0[0] = (val0 + val1 + val2 + val3) / (acc3[0] + acc3[1] + acc3[2] + acc3[3]);
}
