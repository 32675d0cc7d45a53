// kernel 0: r_32_128_128_128, launch ((1,), None)
typedef float f32x4 __attribute__((vector_size(16), aligned(4), may_alias));
typedef float f32x8 __attribute__((vector_size(32), aligned(4), may_alias));
typedef float f32x16 __attribute__((vector_size(64), aligned(4), may_alias));
typedef int i32x16 __attribute__((vector_size(64), aligned(4), may_alias));
#define f32_is_nan(x) ({ int bits; __builtin_memcpy(&bits, &x, 4); (bits & 0x7fffffff) > 0x7f800000; })
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

void r_32_128_128_128(void **bufs, const long *vars, long begin, long end) {
  float *restrict data0 = bufs[0];
  const float *restrict data1 = bufs[1];
  float acc5[128] __attribute__((aligned(64)));
  float acc4[4] __attribute__((aligned(64)));
  float acc3[8] __attribute__((aligned(64)));
  float acc2[16] __attribute__((aligned(64)));
  f32x16 acc11;
  f32x16 acc12;
  f32x16 acc13;
  f32x16 acc14;
  f32x16 acc15;
  float acc10[4] __attribute__((aligned(64)));
  float acc9[8] __attribute__((aligned(64)));
  float acc8[16] __attribute__((aligned(64)));
  f32x16 acc16;
  f32x16 acc17;
  f32x16 acc18;
  f32x16 acc19;
  f32x16 acc20;
  for (long i0 = 0; i0 < 32; i0++) {
    long idx0 = i0 * 128;
    f32x16 val0 = *(f32x16 *)&data1[idx0];
    acc11 = (f32x16)(-__builtin_inff() - (f32x16){});
    f32x16 val1 = acc11;
    acc12 = (f32x16)(-__builtin_inff() - (f32x16){});
    acc13 = (f32x16)(-__builtin_inff() - (f32x16){});
    acc14 = (f32x16)(-__builtin_inff() - (f32x16){});
    acc15 = (f32x16)(-__builtin_inff() - (f32x16){});
    for (long r5 = 0; r5 < 2; r5++) {
      long idx1 = idx0 + r5 * 64;
      acc12 = max_f32x16(acc12, *(f32x16 *)&data1[idx1]);
      acc13 = max_f32x16(acc13, *(f32x16 *)&data1[idx1 + 16]);
      acc14 = max_f32x16(acc14, *(f32x16 *)&data1[idx1 + 32]);
      acc15 = max_f32x16(acc15, *(f32x16 *)&data1[idx1 + 48]);
    }
    acc11 = max_f32x16(val1, acc12);
    acc11 = max_f32x16(acc11, acc13);
    acc11 = max_f32x16(acc11, acc14);
    acc11 = max_f32x16(acc11, acc15);
    *(f32x16 *)&acc2[0] = acc11;
    *(f32x8 *)&acc3[0] = max_f32x8(*(f32x8 *)&acc2[0], *(f32x8 *)&acc2[8]);
    *(f32x4 *)&acc4[0] = max_f32x4(*(f32x4 *)&acc3[0], *(f32x4 *)&acc3[4]);
    float alu0 = max_f32(max_f32(max_f32(acc4[0], acc4[1]), acc4[2]), acc4[3]);
    f32x16 vec0 = (f32x16)(alu0 - (f32x16){});
    f32x16 alu1 = max_f32x16(min_f32x16(val0 - vec0, (f32x16)(89.0f - (f32x16){})), (f32x16)(-176.0f - (f32x16){}));
    f32x16 alu2 = mulacc_f32x16(alu1, (f32x16)(1.442695f - (f32x16){}), (f32x16)(12583166.0f - (f32x16){}));
    f32x16 alu3 = alu2 - (f32x16)(12583166.0f - (f32x16){});
    f32x16 alu4 = mulacc_f32x16(alu3, (f32x16)(0.00021219444f - (f32x16){}), mulacc_f32x16(alu3, (f32x16)(-0.6933594f - (f32x16){}), alu1));
    f32x16 alu5 = mulacc_f32x16(alu4, (f32x16)(0.0013821024f - (f32x16){}), (f32x16)(0.00836867f - (f32x16){}));
    f32x16 alu6 = mulacc_f32x16(alu4, mulacc_f32x16(alu4, alu5, (f32x16)(0.041668262f - (f32x16){})), (f32x16)(0.16666521f - (f32x16){}));
    f32x16 alu7 = mulacc_f32x16(alu4, mulacc_f32x16(alu4, alu6, (f32x16)(0.49999994f - (f32x16){})), (f32x16)(1.0f - (f32x16){}));
    i32x16 alu8 = (i32x16)alu2;
    i32x16 alu9 = (alu8 << (i32x16)(22 - (i32x16){})) & (i32x16)(2139095040 - (i32x16){});
    f32x16 alu10 = mulacc_f32x16(alu4, alu7, (f32x16)(1.0f - (f32x16){})) * (f32x16)alu9 * (f32x16)((alu8 << (i32x16)(23 - (i32x16){})) - alu9);
    *(f32x16 *)&acc5[0] = alu10;
    long idx2 = idx0 + 16;
    f32x16 alu11 = max_f32x16(min_f32x16(*(f32x16 *)&data1[idx2] - vec0, (f32x16)(89.0f - (f32x16){})), (f32x16)(-176.0f - (f32x16){}));
    f32x16 alu12 = mulacc_f32x16(alu11, (f32x16)(1.442695f - (f32x16){}), (f32x16)(12583166.0f - (f32x16){}));
    f32x16 alu13 = alu12 - (f32x16)(12583166.0f - (f32x16){});
    f32x16 alu14 = mulacc_f32x16(alu13, (f32x16)(0.00021219444f - (f32x16){}), mulacc_f32x16(alu13, (f32x16)(-0.6933594f - (f32x16){}), alu11));
    f32x16 alu15 = mulacc_f32x16(alu14, (f32x16)(0.0013821024f - (f32x16){}), (f32x16)(0.00836867f - (f32x16){}));
    f32x16 alu16 = mulacc_f32x16(alu14, mulacc_f32x16(alu14, alu15, (f32x16)(0.041668262f - (f32x16){})), (f32x16)(0.16666521f - (f32x16){}));
    f32x16 alu17 = mulacc_f32x16(alu14, mulacc_f32x16(alu14, alu16, (f32x16)(0.49999994f - (f32x16){})), (f32x16)(1.0f - (f32x16){}));
    i32x16 alu18 = (i32x16)alu12;
    i32x16 alu19 = (alu18 << (i32x16)(22 - (i32x16){})) & (i32x16)(2139095040 - (i32x16){});
    f32x16 alu20 = mulacc_f32x16(alu14, alu17, (f32x16)(1.0f - (f32x16){})) * (f32x16)alu19 * (f32x16)((alu18 << (i32x16)(23 - (i32x16){})) - alu19);
    *(f32x16 *)&acc5[16] = alu20;
    long idx3 = idx0 + 32;
    f32x16 alu21 = max_f32x16(min_f32x16(*(f32x16 *)&data1[idx3] - vec0, (f32x16)(89.0f - (f32x16){})), (f32x16)(-176.0f - (f32x16){}));
    f32x16 alu22 = mulacc_f32x16(alu21, (f32x16)(1.442695f - (f32x16){}), (f32x16)(12583166.0f - (f32x16){}));
    f32x16 alu23 = alu22 - (f32x16)(12583166.0f - (f32x16){});
    f32x16 alu24 = mulacc_f32x16(alu23, (f32x16)(0.00021219444f - (f32x16){}), mulacc_f32x16(alu23, (f32x16)(-0.6933594f - (f32x16){}), alu21));
    f32x16 alu25 = mulacc_f32x16(alu24, (f32x16)(0.0013821024f - (f32x16){}), (f32x16)(0.00836867f - (f32x16){}));
    f32x16 alu26 = mulacc_f32x16(alu24, mulacc_f32x16(alu24, alu25, (f32x16)(0.041668262f - (f32x16){})), (f32x16)(0.16666521f - (f32x16){}));
    f32x16 alu27 = mulacc_f32x16(alu24, mulacc_f32x16(alu24, alu26, (f32x16)(0.49999994f - (f32x16){})), (f32x16)(1.0f - (f32x16){}));
    i32x16 alu28 = (i32x16)alu22;
    i32x16 alu29 = (alu28 << (i32x16)(22 - (i32x16){})) & (i32x16)(2139095040 - (i32x16){});
    f32x16 alu30 = mulacc_f32x16(alu24, alu27, (f32x16)(1.0f - (f32x16){})) * (f32x16)alu29 * (f32x16)((alu28 << (i32x16)(23 - (i32x16){})) - alu29);
    *(f32x16 *)&acc5[32] = alu30;
    long idx4 = idx0 + 48;
    f32x16 alu31 = max_f32x16(min_f32x16(*(f32x16 *)&data1[idx4] - vec0, (f32x16)(89.0f - (f32x16){})), (f32x16)(-176.0f - (f32x16){}));
    f32x16 alu32 = mulacc_f32x16(alu31, (f32x16)(1.442695f - (f32x16){}), (f32x16)(12583166.0f - (f32x16){}));
    f32x16 alu33 = alu32 - (f32x16)(12583166.0f - (f32x16){});
    f32x16 alu34 = mulacc_f32x16(alu33, (f32x16)(0.00021219444f - (f32x16){}), mulacc_f32x16(alu33, (f32x16)(-0.6933594f - (f32x16){}), alu31));
    f32x16 alu35 = mulacc_f32x16(alu34, (f32x16)(0.0013821024f - (f32x16){}), (f32x16)(0.00836867f - (f32x16){}));
    f32x16 alu36 = mulacc_f32x16(alu34, mulacc_f32x16(alu34, alu35, (f32x16)(0.041668262f - (f32x16){})), (f32x16)(0.16666521f - (f32x16){}));
    f32x16 alu37 = mulacc_f32x16(alu34, mulacc_f32x16(alu34, alu36, (f32x16)(0.49999994f - (f32x16){})), (f32x16)(1.0f - (f32x16){}));
    i32x16 alu38 = (i32x16)alu32;
    i32x16 alu39 = (alu38 << (i32x16)(22 - (i32x16){})) & (i32x16)(2139095040 - (i32x16){});
    f32x16 alu40 = mulacc_f32x16(alu34, alu37, (f32x16)(1.0f - (f32x16){})) * (f32x16)alu39 * (f32x16)((alu38 << (i32x16)(23 - (i32x16){})) - alu39);
    *(f32x16 *)&acc5[48] = alu40;
    long idx5 = idx0 + 64;
    f32x16 alu41 = max_f32x16(min_f32x16(*(f32x16 *)&data1[idx5] - vec0, (f32x16)(89.0f - (f32x16){})), (f32x16)(-176.0f - (f32x16){}));
    f32x16 alu42 = mulacc_f32x16(alu41, (f32x16)(1.442695f - (f32x16){}), (f32x16)(12583166.0f - (f32x16){}));
    f32x16 alu43 = alu42 - (f32x16)(12583166.0f - (f32x16){});
    f32x16 alu44 = mulacc_f32x16(alu43, (f32x16)(0.00021219444f - (f32x16){}), mulacc_f32x16(alu43, (f32x16)(-0.6933594f - (f32x16){}), alu41));
    f32x16 alu45 = mulacc_f32x16(alu44, (f32x16)(0.0013821024f - (f32x16){}), (f32x16)(0.00836867f - (f32x16){}));
    f32x16 alu46 = mulacc_f32x16(alu44, mulacc_f32x16(alu44, alu45, (f32x16)(0.041668262f - (f32x16){})), (f32x16)(0.16666521f - (f32x16){}));
    f32x16 alu47 = mulacc_f32x16(alu44, mulacc_f32x16(alu44, alu46, (f32x16)(0.49999994f - (f32x16){})), (f32x16)(1.0f - (f32x16){}));
    i32x16 alu48 = (i32x16)alu42;
    i32x16 alu49 = (alu48 << (i32x16)(22 - (i32x16){})) & (i32x16)(2139095040 - (i32x16){});
    f32x16 alu50 = mulacc_f32x16(alu44, alu47, (f32x16)(1.0f - (f32x16){})) * (f32x16)alu49 * (f32x16)((alu48 << (i32x16)(23 - (i32x16){})) - alu49);
    *(f32x16 *)&acc5[64] = alu50;
    long idx6 = idx0 + 80;
    f32x16 alu51 = max_f32x16(min_f32x16(*(f32x16 *)&data1[idx6] - vec0, (f32x16)(89.0f - (f32x16){})), (f32x16)(-176.0f - (f32x16){}));
    f32x16 alu52 = mulacc_f32x16(alu51, (f32x16)(1.442695f - (f32x16){}), (f32x16)(12583166.0f - (f32x16){}));
    f32x16 alu53 = alu52 - (f32x16)(12583166.0f - (f32x16){});
    f32x16 alu54 = mulacc_f32x16(alu53, (f32x16)(0.00021219444f - (f32x16){}), mulacc_f32x16(alu53, (f32x16)(-0.6933594f - (f32x16){}), alu51));
    f32x16 alu55 = mulacc_f32x16(alu54, (f32x16)(0.0013821024f - (f32x16){}), (f32x16)(0.00836867f - (f32x16){}));
    f32x16 alu56 = mulacc_f32x16(alu54, mulacc_f32x16(alu54, alu55, (f32x16)(0.041668262f - (f32x16){})), (f32x16)(0.16666521f - (f32x16){}));
    f32x16 alu57 = mulacc_f32x16(alu54, mulacc_f32x16(alu54, alu56, (f32x16)(0.49999994f - (f32x16){})), (f32x16)(1.0f - (f32x16){}));
    i32x16 alu58 = (i32x16)alu52;
    i32x16 alu59 = (alu58 << (i32x16)(22 - (i32x16){})) & (i32x16)(2139095040 - (i32x16){});
    f32x16 alu60 = mulacc_f32x16(alu54, alu57, (f32x16)(1.0f - (f32x16){})) * (f32x16)alu59 * (f32x16)((alu58 << (i32x16)(23 - (i32x16){})) - alu59);
    *(f32x16 *)&acc5[80] = alu60;
    long idx7 = idx0 + 96;
    f32x16 alu61 = max_f32x16(min_f32x16(*(f32x16 *)&data1[idx7] - vec0, (f32x16)(89.0f - (f32x16){})), (f32x16)(-176.0f - (f32x16){}));
    f32x16 alu62 = mulacc_f32x16(alu61, (f32x16)(1.442695f - (f32x16){}), (f32x16)(12583166.0f - (f32x16){}));
    f32x16 alu63 = alu62 - (f32x16)(12583166.0f - (f32x16){});
    f32x16 alu64 = mulacc_f32x16(alu63, (f32x16)(0.00021219444f - (f32x16){}), mulacc_f32x16(alu63, (f32x16)(-0.6933594f - (f32x16){}), alu61));
    f32x16 alu65 = mulacc_f32x16(alu64, (f32x16)(0.0013821024f - (f32x16){}), (f32x16)(0.00836867f - (f32x16){}));
    f32x16 alu66 = mulacc_f32x16(alu64, mulacc_f32x16(alu64, alu65, (f32x16)(0.041668262f - (f32x16){})), (f32x16)(0.16666521f - (f32x16){}));
    f32x16 alu67 = mulacc_f32x16(alu64, mulacc_f32x16(alu64, alu66, (f32x16)(0.49999994f - (f32x16){})), (f32x16)(1.0f - (f32x16){}));
    i32x16 alu68 = (i32x16)alu62;
    i32x16 alu69 = (alu68 << (i32x16)(22 - (i32x16){})) & (i32x16)(2139095040 - (i32x16){});
    f32x16 alu70 = mulacc_f32x16(alu64, alu67, (f32x16)(1.0f - (f32x16){})) * (f32x16)alu69 * (f32x16)((alu68 << (i32x16)(23 - (i32x16){})) - alu69);
    *(f32x16 *)&acc5[96] = alu70;
    long idx8 = idx0 + 112;
    f32x16 alu71 = max_f32x16(min_f32x16(*(f32x16 *)&data1[idx8] - vec0, (f32x16)(89.0f - (f32x16){})), (f32x16)(-176.0f - (f32x16){}));
    f32x16 alu72 = mulacc_f32x16(alu71, (f32x16)(1.442695f - (f32x16){}), (f32x16)(12583166.0f - (f32x16){}));
    f32x16 alu73 = alu72 - (f32x16)(12583166.0f - (f32x16){});
    f32x16 alu74 = mulacc_f32x16(alu73, (f32x16)(0.00021219444f - (f32x16){}), mulacc_f32x16(alu73, (f32x16)(-0.6933594f - (f32x16){}), alu71));
    f32x16 alu75 = mulacc_f32x16(alu74, (f32x16)(0.0013821024f - (f32x16){}), (f32x16)(0.00836867f - (f32x16){}));
    f32x16 alu76 = mulacc_f32x16(alu74, mulacc_f32x16(alu74, alu75, (f32x16)(0.041668262f - (f32x16){})), (f32x16)(0.16666521f - (f32x16){}));
    f32x16 alu77 = mulacc_f32x16(alu74, mulacc_f32x16(alu74, alu76, (f32x16)(0.49999994f - (f32x16){})), (f32x16)(1.0f - (f32x16){}));
    i32x16 alu78 = (i32x16)alu72;
    i32x16 alu79 = (alu78 << (i32x16)(22 - (i32x16){})) & (i32x16)(2139095040 - (i32x16){});
    f32x16 alu80 = mulacc_f32x16(alu74, alu77, (f32x16)(1.0f - (f32x16){})) * (f32x16)alu79 * (f32x16)((alu78 << (i32x16)(23 - (i32x16){})) - alu79);
    *(f32x16 *)&acc5[112] = alu80;
    f32x16 val2 = *(f32x16 *)&acc5[0];
    acc16 = (f32x16)(0.0f - (f32x16){});
    f32x16 val3 = acc16;
    acc17 = (f32x16)(0.0f - (f32x16){});
    acc18 = (f32x16)(0.0f - (f32x16){});
    acc19 = (f32x16)(0.0f - (f32x16){});
    acc20 = (f32x16)(0.0f - (f32x16){});
    for (long r9 = 0; r9 < 2; r9++) {
      long idx9 = r9 * 64;
      acc17 = acc17 + *(f32x16 *)&acc5[idx9];
      acc18 = acc18 + *(f32x16 *)&acc5[idx9 + 16];
      acc19 = acc19 + *(f32x16 *)&acc5[idx9 + 32];
      acc20 = acc20 + *(f32x16 *)&acc5[idx9 + 48];
    }
    acc16 = val3 + acc17;
    acc16 = acc16 + acc18;
    acc16 = acc16 + acc19;
    acc16 = acc16 + acc20;
    *(f32x16 *)&acc8[0] = acc16;
    *(f32x8 *)&acc9[0] = *(f32x8 *)&acc8[0] + *(f32x8 *)&acc8[8];
    *(f32x4 *)&acc10[0] = *(f32x4 *)&acc9[0] + *(f32x4 *)&acc9[4];
    float alu81 = 1.0f / (acc10[0] + acc10[1] + acc10[2] + acc10[3]);
    f32x16 vec1 = (f32x16)(alu81 - (f32x16){});
    *(f32x16 *)&data0[idx0] = val2 * vec1;
    *(f32x16 *)&data0[idx2] = *(f32x16 *)&acc5[16] * vec1;
    *(f32x16 *)&data0[idx3] = *(f32x16 *)&acc5[32] * vec1;
    *(f32x16 *)&data0[idx4] = *(f32x16 *)&acc5[48] * vec1;
    *(f32x16 *)&data0[idx5] = *(f32x16 *)&acc5[64] * vec1;
    *(f32x16 *)&data0[idx6] = *(f32x16 *)&acc5[80] * vec1;
    *(f32x16 *)&data0[idx7] = *(f32x16 *)&acc5[96] * vec1;
    *(f32x16 *)&data0[idx8] = *(f32x16 *)&acc5[112] * vec1;
  }
}
