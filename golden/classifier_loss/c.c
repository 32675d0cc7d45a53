// kernel 0: r_8_10_10, launch ((1,), None)
typedef float f32x4 __attribute__((vector_size(16), aligned(4), may_alias));
typedef float f32x8 __attribute__((vector_size(32), aligned(4), may_alias));
typedef int i32x8 __attribute__((vector_size(32), aligned(4), may_alias));
#define f32_is_nan(x) ({ int bits; __builtin_memcpy(&bits, &x, 4); (bits & 0x7fffffff) > 0x7f800000; })
static inline f32x4 max_f32x4(f32x4 a, f32x4 b) {
  __typeof__(a < b) takes = b != b;
#if 16 == 64 && defined __AVX512F__ && defined __clang__
  a = __builtin_ia32_maxps512(b, a, 4);
#elif 16 == 64 && defined __AVX512F__
  a = __builtin_ia32_maxps512_mask(b, a, b, -1, 4);
#elif 16 == 32 && defined __AVX__
  a = __builtin_ia32_maxps256(b, a);
#elif 16 == 16 && defined __SSE2__
  a = __builtin_ia32_maxps(b, a);
#else
  takes |= b > a;
#endif
  return (f32x4)((takes & (__typeof__(takes))b) | (~takes & (__typeof__(takes))a));
}
static inline float max_f32(float a, float b) { return f32_is_nan(b) ? b : b > a ? b : a; }
static inline f32x8 min_f32x8(f32x8 a, f32x8 b) {
  __typeof__(a < b) takes = b != b;
#if 32 == 64 && defined __AVX512F__ && defined __clang__
  a = __builtin_ia32_minps512(b, a, 4);
#elif 32 == 64 && defined __AVX512F__
  a = __builtin_ia32_minps512_mask(b, a, b, -1, 4);
#elif 32 == 32 && defined __AVX__
  a = __builtin_ia32_minps256(b, a);
#elif 32 == 16 && defined __SSE2__
  a = __builtin_ia32_minps(b, a);
#else
  takes |= b < a;
#endif
  return (f32x8)((takes & (__typeof__(takes))b) | (~takes & (__typeof__(takes))a));
}
static inline f32x8 max_f32x8(f32x8 a, f32x8 b) {
  __typeof__(a < b) takes = b != b;
#if 32 == 64 && defined __AVX512F__ && defined __clang__
  a = __builtin_ia32_maxps512(b, a, 4);
#elif 32 == 64 && defined __AVX512F__
  a = __builtin_ia32_maxps512_mask(b, a, b, -1, 4);
#elif 32 == 32 && defined __AVX__
  a = __builtin_ia32_maxps256(b, a);
#elif 32 == 16 && defined __SSE2__
  a = __builtin_ia32_maxps(b, a);
#else
  takes |= b > a;
#endif
  return (f32x8)((takes & (__typeof__(takes))b) | (~takes & (__typeof__(takes))a));
}
#ifndef __has_builtin
#define __has_builtin(name) 0
#endif
#if __has_builtin(__builtin_elementwise_fma) && (defined __FMA__ || defined __ARM_FEATURE_FMA)
#define mulacc_f32x8(a, b, c) __builtin_elementwise_fma(a, b, c)
#elif 32 == 64 && defined __AVX512F__ && !defined __clang__
#define mulacc_f32x8(a, b, c) __builtin_ia32_vfmaddps512_mask(a, b, c, -1, 4)
#elif 32 == 32 && defined __FMA__ && !defined __clang__
#define mulacc_f32x8(a, b, c) __builtin_ia32_vfmaddps256(a, b, c)
#elif 32 == 16 && defined __FMA__ && !defined __clang__
#define mulacc_f32x8(a, b, c) __builtin_ia32_vfmaddps(a, b, c)
#else
#define mulacc_f32x8(a, b, c) ((a) * (b) + (c))
#endif
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
    unsigned char alu0 = (0 <= cast0) & (cast0 < 10);
    long idx0 = i0 * 10;
    float val1 = alu0 ? data2[cast0 + idx0] : 0.0f;
    f32x8 val2 = *(f32x8 *)&data2[idx0];
    *(f32x8 *)&acc0[0] = val2;
    *(f32x4 *)&acc1[0] = max_f32x4(*(f32x4 *)&acc0[0], *(f32x4 *)&acc0[4]);
    float val3 = data2[idx0 + 8];
    float val4 = data2[idx0 + 9];
    float alu1 = max_f32(max_f32(max_f32(max_f32(acc1[0], acc1[1]), acc1[2]), acc1[3]), max_f32(val3, val4));
    f32x8 alu2 = max_f32x8(min_f32x8(val2 - (f32x8)(alu1 - (f32x8){}), (f32x8)(89.0f - (f32x8){})), (f32x8)(-176.0f - (f32x8){}));
    f32x8 alu3 = mulacc_f32x8(alu2, (f32x8)(1.442695f - (f32x8){}), (f32x8)(12583166.0f - (f32x8){}));
    f32x8 alu4 = alu3 - (f32x8)(12583166.0f - (f32x8){});
    f32x8 alu5 = mulacc_f32x8(alu4, (f32x8)(0.00021219444f - (f32x8){}), mulacc_f32x8(alu4, (f32x8)(-0.6933594f - (f32x8){}), alu2));
    f32x8 alu6 = mulacc_f32x8(alu5, (f32x8)(0.0013821024f - (f32x8){}), (f32x8)(0.00836867f - (f32x8){}));
    f32x8 alu7 = mulacc_f32x8(alu5, mulacc_f32x8(alu5, alu6, (f32x8)(0.041668262f - (f32x8){})), (f32x8)(0.16666521f - (f32x8){}));
    f32x8 alu8 = mulacc_f32x8(alu5, mulacc_f32x8(alu5, alu7, (f32x8)(0.49999994f - (f32x8){})), (f32x8)(1.0f - (f32x8){}));
    i32x8 alu9 = (i32x8)alu3;
    i32x8 alu10 = (alu9 << (i32x8)(22 - (i32x8){})) & (i32x8)(2139095040 - (i32x8){});
    f32x8 alu11 = mulacc_f32x8(alu5, alu8, (f32x8)(1.0f - (f32x8){})) * (f32x8)alu10 * (f32x8)((alu9 << (i32x8)(23 - (i32x8){})) - alu10);
    *(f32x8 *)&acc2[0] = alu11;
    *(f32x4 *)&acc3[0] = *(f32x4 *)&acc2[0] + *(f32x4 *)&acc2[4];
    float alu12 = max_f32(min_f32(val3 - alu1, 89.0f), -176.0f);
    float alu13 = mulacc_f32(alu12, 1.442695f, 12583166.0f);
    float alu14 = alu13 - 12583166.0f;
    float alu15 = mulacc_f32(alu14, 0.00021219444f, mulacc_f32(alu14, -0.6933594f, alu12));
    float alu16 = mulacc_f32(alu15, mulacc_f32(alu15, 0.0013821024f, 0.00836867f), 0.041668262f);
    float alu17 = mulacc_f32(alu15, mulacc_f32(alu15, mulacc_f32(alu15, alu16, 0.16666521f), 0.49999994f), 1.0f);
    int alu18 = f32_as_i32(alu13);
    int alu19 = (alu18 << 22) & 2139095040;
    float alu20 = mulacc_f32(alu15, alu17, 1.0f) * i32_as_f32(alu19) * i32_as_f32((alu18 << 23) - alu19);
    float alu21 = max_f32(min_f32(val4 - alu1, 89.0f), -176.0f);
    float alu22 = mulacc_f32(alu21, 1.442695f, 12583166.0f);
    float alu23 = alu22 - 12583166.0f;
    float alu24 = mulacc_f32(alu23, 0.00021219444f, mulacc_f32(alu23, -0.6933594f, alu21));
    float alu25 = mulacc_f32(alu24, mulacc_f32(alu24, 0.0013821024f, 0.00836867f), 0.041668262f);
    float alu26 = mulacc_f32(alu24, mulacc_f32(alu24, mulacc_f32(alu24, alu25, 0.16666521f), 0.49999994f), 1.0f);
    int alu27 = f32_as_i32(alu22);
    int alu28 = (alu27 << 22) & 2139095040;
    float alu29 = mulacc_f32(alu24, alu26, 1.0f) * i32_as_f32(alu28) * i32_as_f32((alu27 << 23) - alu28);
    float alu30 = acc3[0] + acc3[1] + acc3[2] + acc3[3] + (alu20 + alu29);
    unsigned char alu31 = alu30 < 1.1754944e-38f;
    int alu32 = f32_as_i32(alu31 ? alu30 * 8388608.0f : alu30);
    int alu33 = (alu32 - 1060439283) >> 23;
    float cast1 = (float)(alu33 - (alu31 ? 23 : 0));
    float alu34 = i32_as_f32(alu32 - (alu33 << 23)) - 1.0f;
    float alu35 = alu34 * alu34;
    float alu36 = mulacc_f32(alu34, mulacc_f32(alu34, 0.06751542f, -0.11672526f), 0.11883893f);
    float alu37 = mulacc_f32(alu34, mulacc_f32(alu34, mulacc_f32(alu34, alu36, -0.124059126f), 0.1422028f), -0.16668f);
    float alu38 = mulacc_f32(alu34, mulacc_f32(alu34, mulacc_f32(alu34, alu37, 0.20002075f), -0.2500001f), 0.33333313f);
    float alu39 = mulacc_f32(-0.5f, alu35, mulacc_f32(cast1, -0.00021219444f, alu34 * alu35 * alu38));
    float alu40 = alu30 < __builtin_inff() ? mulacc_f32(cast1, 0.6933594f, alu34 + alu39) : alu30;
    float alu41 = 0.0f < alu30 ? alu40 : (alu30 == 0.0f ? -__builtin_inff() : __builtin_nanf(""));
    data0[i0] = val0 == -100 ? 0.0f : -(alu0 ? val1 - alu1 - alu41 : 0.0f);
  }
}

// kernel 1: r_8_8, launch ((1,), None)
typedef unsigned char b8x8 __attribute__((vector_size(8), aligned(1), may_alias));
typedef float f32x4 __attribute__((vector_size(16), aligned(4), may_alias));
typedef float f32x8 __attribute__((vector_size(32), aligned(4), may_alias));
typedef int i32x8 __attribute__((vector_size(32), aligned(4), may_alias));
#define lanes_as(x, type) ({ \
  __auto_type all = x; \
  typedef short halves __attribute__((vector_size(sizeof all / sizeof all[0] * 2))); \
  typedef int words __attribute__((vector_size(sizeof all / sizeof all[0] * 4))); \
  sizeof all[0] == 1 && sizeof(type) > sizeof(halves) \
    ? __builtin_convertvector(__builtin_convertvector(__builtin_convertvector(all, halves), words), type) \
    : sizeof all[0] > 2 && sizeof(type) < sizeof(halves) \
    ? __builtin_convertvector(__builtin_convertvector(__builtin_convertvector(all, words), halves), type) \
    : sizeof all != sizeof(type) && (sizeof all[0] == 8 || sizeof(type) > sizeof(words)) \
    ? __builtin_convertvector(__builtin_convertvector(all, words), type) \
    : __builtin_convertvector(all, type); })
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
  f32x8 alu0 = where_f32x8(lanes_as(*(i32x8 *)&data2[0] == (i32x8)(-100 - (i32x8){}), where_mask_f32x8), (f32x8)(0.0f - (f32x8){}), (f32x8)(1.0f - (f32x8){}));
  *(f32x8 *)&acc2[0] = alu0;
  *(f32x4 *)&acc3[0] = *(f32x4 *)&acc2[0] + *(f32x4 *)&acc2[4];
  data0[0] = (val0 + val1 + val2 + val3) / (acc3[0] + acc3[1] + acc3[2] + acc3[3]);
}
