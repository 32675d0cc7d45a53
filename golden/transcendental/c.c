// kernel 0: e_256, launch ((1,), None)
typedef unsigned char b8x16 __attribute__((vector_size(16), aligned(1), may_alias));
typedef float f32x16 __attribute__((vector_size(64), aligned(4), may_alias));
typedef int i32x16 __attribute__((vector_size(64), aligned(4), may_alias));
typedef unsigned int u32x16 __attribute__((vector_size(64), aligned(4), may_alias));
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
static inline f32x16 min_f32x16(f32x16 a, f32x16 b) {
  __typeof__(a < b) takes = b != b;
#if 64 == 64 && defined __AVX512F__ && defined __clang__
  a = __builtin_ia32_minps512(b, a, 4);
#elif 64 == 64 && defined __AVX512F__
  a = __builtin_ia32_minps512_mask(b, a, b, -1, 4);
#elif 64 == 32 && defined __AVX__
  a = __builtin_ia32_minps256(b, a);
#elif 64 == 16 && defined __SSE2__
  a = __builtin_ia32_minps(b, a);
#else
  takes |= b < a;
#endif
  return (f32x16)((takes & (__typeof__(takes))b) | (~takes & (__typeof__(takes))a));
}
static inline f32x16 max_f32x16(f32x16 a, f32x16 b) {
  __typeof__(a < b) takes = b != b;
#if 64 == 64 && defined __AVX512F__ && defined __clang__
  a = __builtin_ia32_maxps512(b, a, 4);
#elif 64 == 64 && defined __AVX512F__
  a = __builtin_ia32_maxps512_mask(b, a, b, -1, 4);
#elif 64 == 32 && defined __AVX__
  a = __builtin_ia32_maxps256(b, a);
#elif 64 == 16 && defined __SSE2__
  a = __builtin_ia32_maxps(b, a);
#else
  takes |= b > a;
#endif
  return (f32x16)((takes & (__typeof__(takes))b) | (~takes & (__typeof__(takes))a));
}
#ifndef __has_builtin
#define __has_builtin(name) 0
#endif
#if __has_builtin(__builtin_elementwise_fma) && (defined __FMA__ || defined __ARM_FEATURE_FMA)
#define mulacc_f32x16(a, b, c) __builtin_elementwise_fma(a, b, c)
#elif 64 == 64 && defined __AVX512F__ && !defined __clang__
#define mulacc_f32x16(a, b, c) __builtin_ia32_vfmaddps512_mask(a, b, c, -1, 4)
#elif 64 == 32 && defined __FMA__ && !defined __clang__
#define mulacc_f32x16(a, b, c) __builtin_ia32_vfmaddps256(a, b, c)
#elif 64 == 16 && defined __FMA__ && !defined __clang__
#define mulacc_f32x16(a, b, c) __builtin_ia32_vfmaddps(a, b, c)
#else
#define mulacc_f32x16(a, b, c) ((a) * (b) + (c))
#endif
typedef __typeof__((f32x16){} < (f32x16){}) where_mask_f32x16;
static inline f32x16 where_f32x16(where_mask_f32x16 takes, f32x16 yes, f32x16 no) {
  return (f32x16)((takes & (where_mask_f32x16)yes) | (~takes & (where_mask_f32x16)no));
}
typedef __typeof__((i32x16){} < (i32x16){}) where_mask_i32x16;
static inline i32x16 where_i32x16(where_mask_i32x16 takes, i32x16 yes, i32x16 no) {
  return (i32x16)((takes & (where_mask_i32x16)yes) | (~takes & (where_mask_i32x16)no));
}

void e_256(void **bufs, const long *vars, long begin, long end) {
  float *restrict data0 = bufs[0];
  const float *restrict data1 = bufs[1];
  for (long i2 = 0; i2 < 8; i2++) {
    long idx0 = i2 * 32;
    f32x16 val0 = *(f32x16 *)&data1[idx0];
    long idx1 = idx0 + 16;
    f32x16 val1 = *(f32x16 *)&data1[idx1];
    f32x16 alu0 = max_f32x16(min_f32x16(val0, (f32x16)(89.0f - (f32x16){})), (f32x16)(-176.0f - (f32x16){}));
    f32x16 alu1 = max_f32x16(min_f32x16(val1, (f32x16)(89.0f - (f32x16){})), (f32x16)(-176.0f - (f32x16){}));
    f32x16 alu2 = mulacc_f32x16(alu0, (f32x16)(1.442695f - (f32x16){}), (f32x16)(12583166.0f - (f32x16){}));
    f32x16 alu3 = mulacc_f32x16(alu1, (f32x16)(1.442695f - (f32x16){}), (f32x16)(12583166.0f - (f32x16){}));
    f32x16 alu4 = alu2 - (f32x16)(12583166.0f - (f32x16){});
    f32x16 alu5 = alu3 - (f32x16)(12583166.0f - (f32x16){});
    f32x16 alu6 = mulacc_f32x16(alu4, (f32x16)(0.00021219444f - (f32x16){}), mulacc_f32x16(alu4, (f32x16)(-0.6933594f - (f32x16){}), alu0));
    f32x16 alu7 = mulacc_f32x16(alu5, (f32x16)(0.00021219444f - (f32x16){}), mulacc_f32x16(alu5, (f32x16)(-0.6933594f - (f32x16){}), alu1));
    f32x16 alu8 = mulacc_f32x16(alu6, (f32x16)(0.0013821024f - (f32x16){}), (f32x16)(0.00836867f - (f32x16){}));
    f32x16 alu9 = mulacc_f32x16(alu7, (f32x16)(0.0013821024f - (f32x16){}), (f32x16)(0.00836867f - (f32x16){}));
    f32x16 alu10 = mulacc_f32x16(alu6, mulacc_f32x16(alu6, alu8, (f32x16)(0.041668262f - (f32x16){})), (f32x16)(0.16666521f - (f32x16){}));
    f32x16 alu11 = mulacc_f32x16(alu7, mulacc_f32x16(alu7, alu9, (f32x16)(0.041668262f - (f32x16){})), (f32x16)(0.16666521f - (f32x16){}));
    f32x16 alu12 = mulacc_f32x16(alu6, mulacc_f32x16(alu6, alu10, (f32x16)(0.49999994f - (f32x16){})), (f32x16)(1.0f - (f32x16){}));
    f32x16 alu13 = mulacc_f32x16(alu7, mulacc_f32x16(alu7, alu11, (f32x16)(0.49999994f - (f32x16){})), (f32x16)(1.0f - (f32x16){}));
    i32x16 alu14 = (i32x16)alu2;
    i32x16 alu15 = (i32x16)alu3;
    i32x16 alu16 = (alu14 << (i32x16)(22 - (i32x16){})) & (i32x16)(2139095040 - (i32x16){});
    i32x16 alu17 = (alu15 << (i32x16)(22 - (i32x16){})) & (i32x16)(2139095040 - (i32x16){});
    f32x16 alu18 = mulacc_f32x16(alu6, alu12, (f32x16)(1.0f - (f32x16){})) * (f32x16)alu16 * (f32x16)((alu14 << (i32x16)(23 - (i32x16){})) - alu16);
    f32x16 alu19 = mulacc_f32x16(alu7, alu13, (f32x16)(1.0f - (f32x16){})) * (f32x16)alu17 * (f32x16)((alu15 << (i32x16)(23 - (i32x16){})) - alu17);
    __auto_type alu20 = val0 < (f32x16)(1.1754944e-38f - (f32x16){});
    __auto_type alu21 = val1 < (f32x16)(1.1754944e-38f - (f32x16){});
    f32x16 alu22 = where_f32x16(lanes_as(alu20, where_mask_f32x16), val0 * (f32x16)(8388608.0f - (f32x16){}), val0);
    f32x16 alu23 = where_f32x16(lanes_as(alu21, where_mask_f32x16), val1 * (f32x16)(8388608.0f - (f32x16){}), val1);
    i32x16 alu24 = (i32x16)alu22;
    i32x16 alu25 = (i32x16)alu23;
    i32x16 alu26 = (alu24 - (i32x16)(1060439283 - (i32x16){})) >> (i32x16)(23 - (i32x16){});
    i32x16 alu27 = (alu25 - (i32x16)(1060439283 - (i32x16){})) >> (i32x16)(23 - (i32x16){});
    i32x16 alu28 = where_i32x16(lanes_as(alu20, where_mask_i32x16), (i32x16)(23 - (i32x16){}), (i32x16)(0 - (i32x16){}));
    i32x16 alu29 = where_i32x16(lanes_as(alu21, where_mask_i32x16), (i32x16)(23 - (i32x16){}), (i32x16)(0 - (i32x16){}));
    f32x16 cast0 = __builtin_convertvector(alu26 - alu28, f32x16);
    f32x16 cast1 = __builtin_convertvector(alu27 - alu29, f32x16);
    f32x16 alu30 = (f32x16)(alu24 - (alu26 << (i32x16)(23 - (i32x16){}))) - (f32x16)(1.0f - (f32x16){});
    f32x16 alu31 = (f32x16)(alu25 - (alu27 << (i32x16)(23 - (i32x16){}))) - (f32x16)(1.0f - (f32x16){});
    f32x16 alu32 = alu30 * alu30;
    f32x16 alu33 = alu31 * alu31;
    f32x16 alu34 = mulacc_f32x16(alu30, (f32x16)(0.06751542f - (f32x16){}), (f32x16)(-0.11672526f - (f32x16){}));
    f32x16 alu35 = mulacc_f32x16(alu31, (f32x16)(0.06751542f - (f32x16){}), (f32x16)(-0.11672526f - (f32x16){}));
    f32x16 alu36 = mulacc_f32x16(alu30, mulacc_f32x16(alu30, alu34, (f32x16)(0.11883893f - (f32x16){})), (f32x16)(-0.124059126f - (f32x16){}));
    f32x16 alu37 = mulacc_f32x16(alu31, mulacc_f32x16(alu31, alu35, (f32x16)(0.11883893f - (f32x16){})), (f32x16)(-0.124059126f - (f32x16){}));
    f32x16 alu38 = mulacc_f32x16(alu30, mulacc_f32x16(alu30, alu36, (f32x16)(0.1422028f - (f32x16){})), (f32x16)(-0.16668f - (f32x16){}));
    f32x16 alu39 = mulacc_f32x16(alu31, mulacc_f32x16(alu31, alu37, (f32x16)(0.1422028f - (f32x16){})), (f32x16)(-0.16668f - (f32x16){}));
    f32x16 alu40 = mulacc_f32x16(alu30, mulacc_f32x16(alu30, alu38, (f32x16)(0.20002075f - (f32x16){})), (f32x16)(-0.2500001f - (f32x16){}));
    f32x16 alu41 = mulacc_f32x16(alu31, mulacc_f32x16(alu31, alu39, (f32x16)(0.20002075f - (f32x16){})), (f32x16)(-0.2500001f - (f32x16){}));
    f32x16 alu42 = alu30 * alu32 * mulacc_f32x16(alu30, alu40, (f32x16)(0.33333313f - (f32x16){}));
    f32x16 alu43 = alu31 * alu33 * mulacc_f32x16(alu31, alu41, (f32x16)(0.33333313f - (f32x16){}));
    f32x16 alu44 = mulacc_f32x16((f32x16)(-0.5f - (f32x16){}), alu32, mulacc_f32x16(cast0, (f32x16)(-0.00021219444f - (f32x16){}), alu42));
    f32x16 alu45 = mulacc_f32x16((f32x16)(-0.5f - (f32x16){}), alu33, mulacc_f32x16(cast1, (f32x16)(-0.00021219444f - (f32x16){}), alu43));
    f32x16 alu46 = where_f32x16(lanes_as(val0 < (f32x16)(__builtin_inff() - (f32x16){}), where_mask_f32x16), mulacc_f32x16(cast0, (f32x16)(0.6933594f - (f32x16){}), alu30 + alu44), val0);
    f32x16 alu47 = where_f32x16(lanes_as(val1 < (f32x16)(__builtin_inff() - (f32x16){}), where_mask_f32x16), mulacc_f32x16(cast1, (f32x16)(0.6933594f - (f32x16){}), alu31 + alu45), val1);
    f32x16 alu48 = where_f32x16(lanes_as(val0 == (f32x16)(0.0f - (f32x16){}), where_mask_f32x16), (f32x16)(-__builtin_inff() - (f32x16){}), (f32x16)(__builtin_nanf("") - (f32x16){}));
    f32x16 alu49 = where_f32x16(lanes_as(val1 == (f32x16)(0.0f - (f32x16){}), where_mask_f32x16), (f32x16)(-__builtin_inff() - (f32x16){}), (f32x16)(__builtin_nanf("") - (f32x16){}));
    f32x16 alu50 = where_f32x16(lanes_as((f32x16)(0.0f - (f32x16){}) < val0, where_mask_f32x16), alu46, alu48);
    f32x16 alu51 = where_f32x16(lanes_as((f32x16)(0.0f - (f32x16){}) < val1, where_mask_f32x16), alu47, alu49);
    u32x16 alu52 = (u32x16)val0;
    u32x16 alu53 = (u32x16)val1;
    f32x16 alu54 = min_f32x16((f32x16)(alu52 & (u32x16)(2147483647u - (u32x16){})), (f32x16)(9.1f - (f32x16){}));
    f32x16 alu55 = min_f32x16((f32x16)(alu53 & (u32x16)(2147483647u - (u32x16){})), (f32x16)(9.1f - (f32x16){}));
    f32x16 alu56 = mulacc_f32x16(alu54, (f32x16)(-2.88539f - (f32x16){}), (f32x16)(12583039.0f - (f32x16){}));
    f32x16 alu57 = mulacc_f32x16(alu55, (f32x16)(-2.88539f - (f32x16){}), (f32x16)(12583039.0f - (f32x16){}));
    f32x16 alu58 = (f32x16)((u32x16)alu56 << (u32x16)(23u - (u32x16){}));
    f32x16 alu59 = (f32x16)((u32x16)alu57 << (u32x16)(23u - (u32x16){}));
    f32x16 alu60 = alu56 - (f32x16)(12583039.0f - (f32x16){});
    f32x16 alu61 = alu57 - (f32x16)(12583039.0f - (f32x16){});
    f32x16 alu62 = mulacc_f32x16(alu60, (f32x16)(-0.00010609722f - (f32x16){}), mulacc_f32x16(alu60, (f32x16)(0.3466797f - (f32x16){}), alu54));
    f32x16 alu63 = mulacc_f32x16(alu61, (f32x16)(-0.00010609722f - (f32x16){}), mulacc_f32x16(alu61, (f32x16)(0.3466797f - (f32x16){}), alu55));
    f32x16 alu64 = mulacc_f32x16(alu62, (f32x16)(-0.0888479f - (f32x16){}), (f32x16)(0.26773483f - (f32x16){}));
    f32x16 alu65 = mulacc_f32x16(alu63, (f32x16)(-0.0888479f - (f32x16){}), (f32x16)(0.26773483f - (f32x16){}));
    f32x16 alu66 = mulacc_f32x16(alu62, mulacc_f32x16(alu62, alu64, (f32x16)(-0.6666753f - (f32x16){})), (f32x16)(1.3333234f - (f32x16){}));
    f32x16 alu67 = mulacc_f32x16(alu63, mulacc_f32x16(alu63, alu65, (f32x16)(-0.6666753f - (f32x16){})), (f32x16)(1.3333234f - (f32x16){}));
    f32x16 alu68 = mulacc_f32x16(alu62 * alu62, mulacc_f32x16(alu62, alu66, (f32x16)(-1.9999999f - (f32x16){})), alu62 + alu62);
    f32x16 alu69 = mulacc_f32x16(alu63 * alu63, mulacc_f32x16(alu63, alu67, (f32x16)(-1.9999999f - (f32x16){})), alu63 + alu63);
    f32x16 alu70 = mulacc_f32x16(alu58, alu68, (f32x16)(1.0f - (f32x16){}) - alu58) / mulacc_f32x16(-alu58, alu68, alu58 + (f32x16)(1.0f - (f32x16){}));
    f32x16 alu71 = mulacc_f32x16(alu59, alu69, (f32x16)(1.0f - (f32x16){}) - alu59) / mulacc_f32x16(-alu59, alu69, alu59 + (f32x16)(1.0f - (f32x16){}));
    *(f32x16 *)&data0[idx0] = alu18 + alu50 + (f32x16)((u32x16)alu70 | (alu52 & (u32x16)(2147483648u - (u32x16){})));
    *(f32x16 *)&data0[idx1] = alu19 + alu51 + (f32x16)((u32x16)alu71 | (alu53 & (u32x16)(2147483648u - (u32x16){})));
  }
}
