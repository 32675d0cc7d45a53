// kernel 0: e_256, launch ((1,), None)
typedef unsigned char b8x8 __attribute__((vector_size(8), aligned(1), may_alias));
typedef float f32x8 __attribute__((vector_size(32), aligned(4), may_alias));
typedef double f64x8 __attribute__((vector_size(64), aligned(8), may_alias));
typedef int i32x8 __attribute__((vector_size(32), aligned(4), may_alias));
typedef long i64x8 __attribute__((vector_size(64), aligned(8), may_alias));
typedef unsigned int u32x8 __attribute__((vector_size(32), aligned(4), may_alias));
typedef unsigned long u64x8 __attribute__((vector_size(64), aligned(8), may_alias));
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
typedef __typeof__((f32x8){} < (f32x8){}) where_mask_f32x8;
static inline f32x8 where_f32x8(where_mask_f32x8 takes, f32x8 yes, f32x8 no) {
  return (f32x8)((takes & (where_mask_f32x8)yes) | (~takes & (where_mask_f32x8)no));
}
typedef __typeof__((i32x8){} < (i32x8){}) where_mask_i32x8;
static inline i32x8 where_i32x8(where_mask_i32x8 takes, i32x8 yes, i32x8 no) {
  return (i32x8)((takes & (where_mask_i32x8)yes) | (~takes & (where_mask_i32x8)no));
}
typedef __typeof__((u32x8){} < (u32x8){}) where_mask_u32x8;
static inline u32x8 where_u32x8(where_mask_u32x8 takes, u32x8 yes, u32x8 no) {
  return (u32x8)((takes & (where_mask_u32x8)yes) | (~takes & (where_mask_u32x8)no));
}

void e_256(void **bufs, const long *vars, long begin, long end) {
  float *restrict data0 = bufs[0];
  const float *restrict data1 = bufs[1];
  for (long i2 = 0; i2 < 16; i2++) {
    long idx0 = i2 * 16;
    f32x8 val0 = *(f32x8 *)&data1[idx0];
    long idx1 = idx0 + 8;
    f32x8 val1 = *(f32x8 *)&data1[idx1];
    f32x8 alu0 = max_f32x8(min_f32x8(val0, (f32x8)(89.0f - (f32x8){})), (f32x8)(-176.0f - (f32x8){}));
    f32x8 alu1 = max_f32x8(min_f32x8(val1, (f32x8)(89.0f - (f32x8){})), (f32x8)(-176.0f - (f32x8){}));
    f32x8 alu2 = mulacc_f32x8(alu0, (f32x8)(1.442695f - (f32x8){}), (f32x8)(12582912.0f - (f32x8){}));
    f32x8 alu3 = mulacc_f32x8(alu1, (f32x8)(1.442695f - (f32x8){}), (f32x8)(12582912.0f - (f32x8){}));
    f32x8 alu4 = alu2 - (f32x8)(12582912.0f - (f32x8){});
    f32x8 alu5 = alu3 - (f32x8)(12582912.0f - (f32x8){});
    f32x8 alu6 = mulacc_f32x8(alu4, (f32x8)(0.00021219444f - (f32x8){}), mulacc_f32x8(alu4, (f32x8)(-0.6933594f - (f32x8){}), alu0));
    f32x8 alu7 = mulacc_f32x8(alu5, (f32x8)(0.00021219444f - (f32x8){}), mulacc_f32x8(alu5, (f32x8)(-0.6933594f - (f32x8){}), alu1));
    f32x8 alu8 = mulacc_f32x8(alu6, (f32x8)(0.0013821024f - (f32x8){}), (f32x8)(0.00836867f - (f32x8){}));
    f32x8 alu9 = mulacc_f32x8(alu7, (f32x8)(0.0013821024f - (f32x8){}), (f32x8)(0.00836867f - (f32x8){}));
    f32x8 alu10 = mulacc_f32x8(alu6, mulacc_f32x8(alu6, alu8, (f32x8)(0.041668262f - (f32x8){})), (f32x8)(0.16666521f - (f32x8){}));
    f32x8 alu11 = mulacc_f32x8(alu7, mulacc_f32x8(alu7, alu9, (f32x8)(0.041668262f - (f32x8){})), (f32x8)(0.16666521f - (f32x8){}));
    f32x8 alu12 = mulacc_f32x8(alu6, mulacc_f32x8(alu6, alu10, (f32x8)(0.49999994f - (f32x8){})), (f32x8)(1.0f - (f32x8){}));
    f32x8 alu13 = mulacc_f32x8(alu7, mulacc_f32x8(alu7, alu11, (f32x8)(0.49999994f - (f32x8){})), (f32x8)(1.0f - (f32x8){}));
    i32x8 alu14 = (i32x8)alu2;
    i32x8 alu15 = (i32x8)alu3;
    i32x8 alu16 = (alu14 << (i32x8)(22 - (i32x8){})) & (i32x8)(-8388608 - (i32x8){});
    i32x8 alu17 = (alu15 << (i32x8)(22 - (i32x8){})) & (i32x8)(-8388608 - (i32x8){});
    f32x8 alu18 = mulacc_f32x8(alu6, alu12, (f32x8)(1.0f - (f32x8){})) * (f32x8)(alu16 + (i32x8)(1065353216 - (i32x8){}));
    f32x8 alu19 = mulacc_f32x8(alu7, alu13, (f32x8)(1.0f - (f32x8){})) * (f32x8)(alu17 + (i32x8)(1065353216 - (i32x8){}));
    i32x8 alu20 = (alu14 << (i32x8)(23 - (i32x8){})) - alu16 + (i32x8)(1065353216 - (i32x8){});
    i32x8 alu21 = (alu15 << (i32x8)(23 - (i32x8){})) - alu17 + (i32x8)(1065353216 - (i32x8){});
    __auto_type alu22 = val0 < (f32x8)(1.1754944e-38f - (f32x8){});
    __auto_type alu23 = val1 < (f32x8)(1.1754944e-38f - (f32x8){});
    f32x8 alu24 = where_f32x8(__builtin_convertvector(alu22, where_mask_f32x8), val0 * (f32x8)(8388608.0f - (f32x8){}), val0);
    f32x8 alu25 = where_f32x8(__builtin_convertvector(alu23, where_mask_f32x8), val1 * (f32x8)(8388608.0f - (f32x8){}), val1);
    i32x8 alu26 = (i32x8)alu24;
    i32x8 alu27 = (i32x8)alu25;
    i32x8 alu28 = (alu26 - (i32x8)(1060439283 - (i32x8){})) >> (i32x8)(23 - (i32x8){});
    i32x8 alu29 = (alu27 - (i32x8)(1060439283 - (i32x8){})) >> (i32x8)(23 - (i32x8){});
    i32x8 alu30 = where_i32x8(__builtin_convertvector(alu22, where_mask_i32x8), (i32x8)(23 - (i32x8){}), (i32x8)(0 - (i32x8){}));
    i32x8 alu31 = where_i32x8(__builtin_convertvector(alu23, where_mask_i32x8), (i32x8)(23 - (i32x8){}), (i32x8)(0 - (i32x8){}));
    f32x8 cast0 = __builtin_convertvector(alu28 - alu30, f32x8);
    f32x8 cast1 = __builtin_convertvector(alu29 - alu31, f32x8);
    f32x8 alu32 = (f32x8)(alu26 - (alu28 << (i32x8)(23 - (i32x8){}))) - (f32x8)(1.0f - (f32x8){});
    f32x8 alu33 = (f32x8)(alu27 - (alu29 << (i32x8)(23 - (i32x8){}))) - (f32x8)(1.0f - (f32x8){});
    f32x8 alu34 = alu32 * alu32;
    f32x8 alu35 = alu33 * alu33;
    f32x8 alu36 = mulacc_f32x8(alu32, (f32x8)(0.06751542f - (f32x8){}), (f32x8)(-0.11672526f - (f32x8){}));
    f32x8 alu37 = mulacc_f32x8(alu33, (f32x8)(0.06751542f - (f32x8){}), (f32x8)(-0.11672526f - (f32x8){}));
    f32x8 alu38 = mulacc_f32x8(alu32, mulacc_f32x8(alu32, alu36, (f32x8)(0.11883893f - (f32x8){})), (f32x8)(-0.124059126f - (f32x8){}));
    f32x8 alu39 = mulacc_f32x8(alu33, mulacc_f32x8(alu33, alu37, (f32x8)(0.11883893f - (f32x8){})), (f32x8)(-0.124059126f - (f32x8){}));
    f32x8 alu40 = mulacc_f32x8(alu32, mulacc_f32x8(alu32, alu38, (f32x8)(0.1422028f - (f32x8){})), (f32x8)(-0.16668f - (f32x8){}));
    f32x8 alu41 = mulacc_f32x8(alu33, mulacc_f32x8(alu33, alu39, (f32x8)(0.1422028f - (f32x8){})), (f32x8)(-0.16668f - (f32x8){}));
    f32x8 alu42 = mulacc_f32x8(alu32, mulacc_f32x8(alu32, alu40, (f32x8)(0.20002075f - (f32x8){})), (f32x8)(-0.2500001f - (f32x8){}));
    f32x8 alu43 = mulacc_f32x8(alu33, mulacc_f32x8(alu33, alu41, (f32x8)(0.20002075f - (f32x8){})), (f32x8)(-0.2500001f - (f32x8){}));
    f32x8 alu44 = alu32 * alu34 * mulacc_f32x8(alu32, alu42, (f32x8)(0.33333313f - (f32x8){}));
    f32x8 alu45 = alu33 * alu35 * mulacc_f32x8(alu33, alu43, (f32x8)(0.33333313f - (f32x8){}));
    f32x8 alu46 = mulacc_f32x8((f32x8)(-0.5f - (f32x8){}), alu34, mulacc_f32x8(cast0, (f32x8)(-0.00021219444f - (f32x8){}), alu44));
    f32x8 alu47 = mulacc_f32x8((f32x8)(-0.5f - (f32x8){}), alu35, mulacc_f32x8(cast1, (f32x8)(-0.00021219444f - (f32x8){}), alu45));
    f32x8 alu48 = where_f32x8(__builtin_convertvector(val0 < (f32x8)(__builtin_inff() - (f32x8){}), where_mask_f32x8), mulacc_f32x8(cast0, (f32x8)(0.6933594f - (f32x8){}), alu32 + alu46), val0);
    f32x8 alu49 = where_f32x8(__builtin_convertvector(val1 < (f32x8)(__builtin_inff() - (f32x8){}), where_mask_f32x8), mulacc_f32x8(cast1, (f32x8)(0.6933594f - (f32x8){}), alu33 + alu47), val1);
    f32x8 alu50 = where_f32x8(__builtin_convertvector(val0 == (f32x8)(0.0f - (f32x8){}), where_mask_f32x8), (f32x8)(-__builtin_inff() - (f32x8){}), (f32x8)(__builtin_nanf("") - (f32x8){}));
    f32x8 alu51 = where_f32x8(__builtin_convertvector(val1 == (f32x8)(0.0f - (f32x8){}), where_mask_f32x8), (f32x8)(-__builtin_inff() - (f32x8){}), (f32x8)(__builtin_nanf("") - (f32x8){}));
    f32x8 alu52 = where_f32x8(__builtin_convertvector((f32x8)(0.0f - (f32x8){}) < val0, where_mask_f32x8), alu48, alu50);
    f32x8 alu53 = where_f32x8(__builtin_convertvector((f32x8)(0.0f - (f32x8){}) < val1, where_mask_f32x8), alu49, alu51);
    u32x8 alu54 = (u32x8)val0;
    u32x8 alu55 = (u32x8)val1;
    u32x8 alu56 = alu54 & (u32x8)(2147483647u - (u32x8){});
    u32x8 alu57 = alu55 & (u32x8)(2147483647u - (u32x8){});
    __auto_type alu58 = alu56 < (u32x8)(1061752795u - (u32x8){});
    __auto_type alu59 = alu57 < (u32x8)(1061752795u - (u32x8){});
    u64x8 cast2 = __builtin_convertvector((alu56 & (u32x8)(8388607u - (u32x8){})) | (u32x8)(8388608u - (u32x8){}), u64x8);
    u64x8 cast3 = __builtin_convertvector((alu57 & (u32x8)(8388607u - (u32x8){})) | (u32x8)(8388608u - (u32x8){}), u64x8);
    u32x8 alu60 = (alu56 >> (u32x8)(23u - (u32x8){})) - (u32x8)(126u - (u32x8){});
    u32x8 alu61 = (alu57 >> (u32x8)(23u - (u32x8){})) - (u32x8)(126u - (u32x8){});
    __auto_type alu62 = alu60 < (u32x8)(32u - (u32x8){});
    __auto_type alu63 = alu61 < (u32x8)(32u - (u32x8){});
    __auto_type alu64 = alu60 < (u32x8)(64u - (u32x8){});
    __auto_type alu65 = alu61 < (u32x8)(64u - (u32x8){});
    __auto_type alu66 = alu60 < (u32x8)(96u - (u32x8){});
    __auto_type alu67 = alu61 < (u32x8)(96u - (u32x8){});
    __auto_type alu68 = alu60 < (u32x8)(128u - (u32x8){});
    __auto_type alu69 = alu61 < (u32x8)(128u - (u32x8){});
    u32x8 alu70 = where_u32x8(__builtin_convertvector(alu68, where_mask_u32x8), (u32x8)(165016701u - (u32x8){}), (u32x8)(1295478838u - (u32x8){}));
    u32x8 alu71 = where_u32x8(__builtin_convertvector(alu69, where_mask_u32x8), (u32x8)(165016701u - (u32x8){}), (u32x8)(1295478838u - (u32x8){}));
    u32x8 alu72 = where_u32x8(__builtin_convertvector(alu66, where_mask_u32x8), (u32x8)(2433043071u - (u32x8){}), alu70);
    u32x8 alu73 = where_u32x8(__builtin_convertvector(alu67, where_mask_u32x8), (u32x8)(2433043071u - (u32x8){}), alu71);
    u32x8 alu74 = where_u32x8(__builtin_convertvector(alu64, where_mask_u32x8), (u32x8)(3194018707u - (u32x8){}), alu72);
    u32x8 alu75 = where_u32x8(__builtin_convertvector(alu65, where_mask_u32x8), (u32x8)(3194018707u - (u32x8){}), alu73);
    u32x8 alu76 = where_u32x8(__builtin_convertvector(alu62, where_mask_u32x8), (u32x8)(40u - (u32x8){}), alu74);
    u32x8 alu77 = where_u32x8(__builtin_convertvector(alu63, where_mask_u32x8), (u32x8)(40u - (u32x8){}), alu75);
    u32x8 alu78 = alu60 & (u32x8)(31u - (u32x8){});
    u32x8 alu79 = alu61 & (u32x8)(31u - (u32x8){});
    u32x8 alu80 = where_u32x8(__builtin_convertvector(alu68, where_mask_u32x8), (u32x8)(1295478838u - (u32x8){}), (u32x8)(3634718287u - (u32x8){}));
    u32x8 alu81 = where_u32x8(__builtin_convertvector(alu69, where_mask_u32x8), (u32x8)(1295478838u - (u32x8){}), (u32x8)(3634718287u - (u32x8){}));
    u32x8 alu82 = where_u32x8(__builtin_convertvector(alu66, where_mask_u32x8), (u32x8)(165016701u - (u32x8){}), alu80);
    u32x8 alu83 = where_u32x8(__builtin_convertvector(alu67, where_mask_u32x8), (u32x8)(165016701u - (u32x8){}), alu81);
    u32x8 alu84 = where_u32x8(__builtin_convertvector(alu64, where_mask_u32x8), (u32x8)(2433043071u - (u32x8){}), alu82);
    u32x8 alu85 = where_u32x8(__builtin_convertvector(alu65, where_mask_u32x8), (u32x8)(2433043071u - (u32x8){}), alu83);
    u32x8 alu86 = where_u32x8(__builtin_convertvector(alu62, where_mask_u32x8), (u32x8)(3194018707u - (u32x8){}), alu84);
    u32x8 alu87 = where_u32x8(__builtin_convertvector(alu63, where_mask_u32x8), (u32x8)(3194018707u - (u32x8){}), alu85);
    u32x8 alu88 = (u32x8)(31u - (u32x8){}) - alu78;
    u32x8 alu89 = (u32x8)(31u - (u32x8){}) - alu79;
    u64x8 cast4 = __builtin_convertvector((alu76 << alu78) | ((alu86 >> (u32x8)(1u - (u32x8){})) >> alu88), u64x8);
    u64x8 cast5 = __builtin_convertvector((alu77 << alu79) | ((alu87 >> (u32x8)(1u - (u32x8){})) >> alu89), u64x8);
    u32x8 alu90 = where_u32x8(__builtin_convertvector(alu68, where_mask_u32x8), (u32x8)(3634718287u - (u32x8){}), (u32x8)(283381887u - (u32x8){}));
    u32x8 alu91 = where_u32x8(__builtin_convertvector(alu69, where_mask_u32x8), (u32x8)(3634718287u - (u32x8){}), (u32x8)(283381887u - (u32x8){}));
    u32x8 alu92 = where_u32x8(__builtin_convertvector(alu66, where_mask_u32x8), (u32x8)(1295478838u - (u32x8){}), alu90);
    u32x8 alu93 = where_u32x8(__builtin_convertvector(alu67, where_mask_u32x8), (u32x8)(1295478838u - (u32x8){}), alu91);
    u32x8 alu94 = where_u32x8(__builtin_convertvector(alu64, where_mask_u32x8), (u32x8)(165016701u - (u32x8){}), alu92);
    u32x8 alu95 = where_u32x8(__builtin_convertvector(alu65, where_mask_u32x8), (u32x8)(165016701u - (u32x8){}), alu93);
    u32x8 alu96 = where_u32x8(__builtin_convertvector(alu62, where_mask_u32x8), (u32x8)(2433043071u - (u32x8){}), alu94);
    u32x8 alu97 = where_u32x8(__builtin_convertvector(alu63, where_mask_u32x8), (u32x8)(2433043071u - (u32x8){}), alu95);
    u64x8 cast6 = __builtin_convertvector((alu86 << alu78) | ((alu96 >> (u32x8)(1u - (u32x8){})) >> alu88), u64x8);
    u64x8 cast7 = __builtin_convertvector((alu87 << alu79) | ((alu97 >> (u32x8)(1u - (u32x8){})) >> alu89), u64x8);
    u32x8 alu98 = where_u32x8(__builtin_convertvector(alu68, where_mask_u32x8), (u32x8)(283381887u - (u32x8){}), (u32x8)(2488855287u - (u32x8){}));
    u32x8 alu99 = where_u32x8(__builtin_convertvector(alu69, where_mask_u32x8), (u32x8)(283381887u - (u32x8){}), (u32x8)(2488855287u - (u32x8){}));
    u32x8 alu100 = where_u32x8(__builtin_convertvector(alu66, where_mask_u32x8), (u32x8)(3634718287u - (u32x8){}), alu98);
    u32x8 alu101 = where_u32x8(__builtin_convertvector(alu67, where_mask_u32x8), (u32x8)(3634718287u - (u32x8){}), alu99);
    u32x8 alu102 = where_u32x8(__builtin_convertvector(alu64, where_mask_u32x8), (u32x8)(1295478838u - (u32x8){}), alu100);
    u32x8 alu103 = where_u32x8(__builtin_convertvector(alu65, where_mask_u32x8), (u32x8)(1295478838u - (u32x8){}), alu101);
    u32x8 alu104 = where_u32x8(__builtin_convertvector(alu62, where_mask_u32x8), (u32x8)(165016701u - (u32x8){}), alu102);
    u32x8 alu105 = where_u32x8(__builtin_convertvector(alu63, where_mask_u32x8), (u32x8)(165016701u - (u32x8){}), alu103);
    u64x8 cast8 = __builtin_convertvector((alu96 << alu78) | ((alu104 >> (u32x8)(1u - (u32x8){})) >> alu88), u64x8);
    u64x8 cast9 = __builtin_convertvector((alu97 << alu79) | ((alu105 >> (u32x8)(1u - (u32x8){})) >> alu89), u64x8);
    u64x8 alu106 = cast2 * ((cast4 << (u64x8)(32UL - (u64x8){})) | cast6) + ((cast2 * cast8) >> (u64x8)(32UL - (u64x8){}));
    u64x8 alu107 = cast3 * ((cast5 << (u64x8)(32UL - (u64x8){})) | cast7) + ((cast3 * cast9) >> (u64x8)(32UL - (u64x8){}));
    u64x8 alu108 = (alu106 + (u64x8)(2305843009213693952UL - (u64x8){})) >> (u64x8)(62UL - (u64x8){});
    u64x8 alu109 = (alu107 + (u64x8)(2305843009213693952UL - (u64x8){})) >> (u64x8)(62UL - (u64x8){});
    u32x8 alu110 = where_u32x8(__builtin_convertvector(alu58, where_mask_u32x8), (u32x8)(0u - (u32x8){}), __builtin_convertvector(alu108, u32x8));
    u32x8 alu111 = where_u32x8(__builtin_convertvector(alu59, where_mask_u32x8), (u32x8)(0u - (u32x8){}), __builtin_convertvector(alu109, u32x8));
    u64x8 alu112 = alu106 - (__builtin_convertvector(alu110, u64x8) << (u64x8)(62UL - (u64x8){}));
    u64x8 alu113 = alu107 - (__builtin_convertvector(alu111, u64x8) << (u64x8)(62UL - (u64x8){}));
    f64x8 alu114 = __builtin_convertvector((i64x8)alu112, f64x8) * (f64x8)(3.4061215800865545e-19 - (f64x8){});
    f64x8 alu115 = __builtin_convertvector((i64x8)alu113, f64x8) * (f64x8)(3.4061215800865545e-19 - (f64x8){});
    f32x8 alu116 = where_f32x8(__builtin_convertvector(alu58, where_mask_f32x8), (f32x8)alu56, __builtin_convertvector(alu114, f32x8));
    f32x8 alu117 = where_f32x8(__builtin_convertvector(alu59, where_mask_f32x8), (f32x8)alu57, __builtin_convertvector(alu115, f32x8));
    f32x8 alu118 = alu116 * alu116;
    f32x8 alu119 = alu117 * alu117;
    f32x8 alu120 = mulacc_f32x8(alu118, (f32x8)(-0.000195186f - (f32x8){}), (f32x8)(0.008332191f - (f32x8){}));
    f32x8 alu121 = mulacc_f32x8(alu119, (f32x8)(-0.000195186f - (f32x8){}), (f32x8)(0.008332191f - (f32x8){}));
    f32x8 alu122 = mulacc_f32x8(alu116 * alu118, mulacc_f32x8(alu118, alu120, (f32x8)(-0.16666655f - (f32x8){})), alu116);
    f32x8 alu123 = mulacc_f32x8(alu117 * alu119, mulacc_f32x8(alu119, alu121, (f32x8)(-0.16666655f - (f32x8){})), alu117);
    f32x8 alu124 = mulacc_f32x8(alu118, (f32x8)(2.4430661e-05f - (f32x8){}), (f32x8)(-0.0013887301f - (f32x8){}));
    f32x8 alu125 = mulacc_f32x8(alu119, (f32x8)(2.4430661e-05f - (f32x8){}), (f32x8)(-0.0013887301f - (f32x8){}));
    f32x8 alu126 = mulacc_f32x8((f32x8)(-0.5f - (f32x8){}), alu118, (f32x8)(1.0f - (f32x8){}));
    f32x8 alu127 = mulacc_f32x8((f32x8)(-0.5f - (f32x8){}), alu119, (f32x8)(1.0f - (f32x8){}));
    f32x8 alu128 = mulacc_f32x8(alu118 * alu118, mulacc_f32x8(alu118, alu124, (f32x8)(0.041666646f - (f32x8){})), alu126);
    f32x8 alu129 = mulacc_f32x8(alu119 * alu119, mulacc_f32x8(alu119, alu125, (f32x8)(0.041666646f - (f32x8){})), alu127);
    f32x8 alu130 = where_f32x8(__builtin_convertvector((alu110 & (u32x8)(1u - (u32x8){})) == (u32x8)(0u - (u32x8){}), where_mask_f32x8), alu122, alu128);
    f32x8 alu131 = where_f32x8(__builtin_convertvector((alu111 & (u32x8)(1u - (u32x8){})) == (u32x8)(0u - (u32x8){}), where_mask_f32x8), alu123, alu129);
    u32x8 alu132 = (alu54 & (u32x8)(2147483648u - (u32x8){})) ^ ((alu110 & (u32x8)(2u - (u32x8){})) << (u32x8)(30u - (u32x8){}));
    u32x8 alu133 = (alu55 & (u32x8)(2147483648u - (u32x8){})) ^ ((alu111 & (u32x8)(2u - (u32x8){})) << (u32x8)(30u - (u32x8){}));
    f32x8 alu134 = where_f32x8(__builtin_convertvector(alu56 < (u32x8)(2139095040u - (u32x8){}), where_mask_f32x8), (f32x8)((u32x8)alu130 ^ alu132), (f32x8)(__builtin_nanf("") - (f32x8){}));
    f32x8 alu135 = where_f32x8(__builtin_convertvector(alu57 < (u32x8)(2139095040u - (u32x8){}), where_mask_f32x8), (f32x8)((u32x8)alu131 ^ alu133), (f32x8)(__builtin_nanf("") - (f32x8){}));
    __auto_type alu136 = val0 < (f32x8)(0.0f - (f32x8){});
    __auto_type alu137 = val1 < (f32x8)(0.0f - (f32x8){});
    f32x8 alu138 = where_f32x8(__builtin_convertvector(alu136, where_mask_f32x8), -val0, val0);
    f32x8 alu139 = where_f32x8(__builtin_convertvector(alu137, where_mask_f32x8), -val1, val1);
    f32x8 alu140 = val0 * val0;
    f32x8 alu141 = val1 * val1;
    f32x8 alu142 = mulacc_f32x8(alu140, (f32x8)(-0.005716203f - (f32x8){}), (f32x8)(0.020649709f - (f32x8){}));
    f32x8 alu143 = mulacc_f32x8(alu141, (f32x8)(-0.005716203f - (f32x8){}), (f32x8)(0.020649709f - (f32x8){}));
    f32x8 alu144 = mulacc_f32x8(alu140, mulacc_f32x8(alu140, alu142, (f32x8)(-0.053743172f - (f32x8){})), (f32x8)(0.13331486f - (f32x8){}));
    f32x8 alu145 = mulacc_f32x8(alu141, mulacc_f32x8(alu141, alu143, (f32x8)(-0.053743172f - (f32x8){})), (f32x8)(0.13331486f - (f32x8){}));
    f32x8 alu146 = mulacc_f32x8(alu140, mulacc_f32x8(alu140, alu144, (f32x8)(-0.33333284f - (f32x8){})), (f32x8)(1.0f - (f32x8){}));
    f32x8 alu147 = mulacc_f32x8(alu141, mulacc_f32x8(alu141, alu145, (f32x8)(-0.33333284f - (f32x8){})), (f32x8)(1.0f - (f32x8){}));
    f32x8 alu148 = max_f32x8(min_f32x8(alu138 + alu138, (f32x8)(89.0f - (f32x8){})), (f32x8)(-176.0f - (f32x8){}));
    f32x8 alu149 = max_f32x8(min_f32x8(alu139 + alu139, (f32x8)(89.0f - (f32x8){})), (f32x8)(-176.0f - (f32x8){}));
    f32x8 alu150 = mulacc_f32x8(alu148, (f32x8)(1.442695f - (f32x8){}), (f32x8)(12582912.0f - (f32x8){}));
    f32x8 alu151 = mulacc_f32x8(alu149, (f32x8)(1.442695f - (f32x8){}), (f32x8)(12582912.0f - (f32x8){}));
    f32x8 alu152 = alu150 - (f32x8)(12582912.0f - (f32x8){});
    f32x8 alu153 = alu151 - (f32x8)(12582912.0f - (f32x8){});
    f32x8 alu154 = mulacc_f32x8(alu152, (f32x8)(0.00021219444f - (f32x8){}), mulacc_f32x8(alu152, (f32x8)(-0.6933594f - (f32x8){}), alu148));
    f32x8 alu155 = mulacc_f32x8(alu153, (f32x8)(0.00021219444f - (f32x8){}), mulacc_f32x8(alu153, (f32x8)(-0.6933594f - (f32x8){}), alu149));
    f32x8 alu156 = mulacc_f32x8(alu154, (f32x8)(0.0013821024f - (f32x8){}), (f32x8)(0.00836867f - (f32x8){}));
    f32x8 alu157 = mulacc_f32x8(alu155, (f32x8)(0.0013821024f - (f32x8){}), (f32x8)(0.00836867f - (f32x8){}));
    f32x8 alu158 = mulacc_f32x8(alu154, mulacc_f32x8(alu154, alu156, (f32x8)(0.041668262f - (f32x8){})), (f32x8)(0.16666521f - (f32x8){}));
    f32x8 alu159 = mulacc_f32x8(alu155, mulacc_f32x8(alu155, alu157, (f32x8)(0.041668262f - (f32x8){})), (f32x8)(0.16666521f - (f32x8){}));
    f32x8 alu160 = mulacc_f32x8(alu154, mulacc_f32x8(alu154, alu158, (f32x8)(0.49999994f - (f32x8){})), (f32x8)(1.0f - (f32x8){}));
    f32x8 alu161 = mulacc_f32x8(alu155, mulacc_f32x8(alu155, alu159, (f32x8)(0.49999994f - (f32x8){})), (f32x8)(1.0f - (f32x8){}));
    i32x8 alu162 = (i32x8)alu150;
    i32x8 alu163 = (i32x8)alu151;
    i32x8 alu164 = (alu162 << (i32x8)(22 - (i32x8){})) & (i32x8)(-8388608 - (i32x8){});
    i32x8 alu165 = (alu163 << (i32x8)(22 - (i32x8){})) & (i32x8)(-8388608 - (i32x8){});
    f32x8 alu166 = mulacc_f32x8(alu154, alu160, (f32x8)(1.0f - (f32x8){})) * (f32x8)(alu164 + (i32x8)(1065353216 - (i32x8){}));
    f32x8 alu167 = mulacc_f32x8(alu155, alu161, (f32x8)(1.0f - (f32x8){})) * (f32x8)(alu165 + (i32x8)(1065353216 - (i32x8){}));
    i32x8 alu168 = (alu162 << (i32x8)(23 - (i32x8){})) - alu164 + (i32x8)(1065353216 - (i32x8){});
    i32x8 alu169 = (alu163 << (i32x8)(23 - (i32x8){})) - alu165 + (i32x8)(1065353216 - (i32x8){});
    f32x8 alu170 = (f32x8)(2.0f - (f32x8){}) / (alu166 * (f32x8)alu168 + (f32x8)(1.0f - (f32x8){}));
    f32x8 alu171 = (f32x8)(2.0f - (f32x8){}) / (alu167 * (f32x8)alu169 + (f32x8)(1.0f - (f32x8){}));
    f32x8 alu172 = (f32x8)(1.0f - (f32x8){}) - alu170;
    f32x8 alu173 = (f32x8)(1.0f - (f32x8){}) - alu171;
    f32x8 alu174 = where_f32x8(__builtin_convertvector(alu136, where_mask_f32x8), -alu172, alu172);
    f32x8 alu175 = where_f32x8(__builtin_convertvector(alu137, where_mask_f32x8), -alu173, alu173);
    f32x8 alu176 = where_f32x8(__builtin_convertvector(alu138 < (f32x8)(0.625f - (f32x8){}), where_mask_f32x8), val0 * alu146, alu174);
    f32x8 alu177 = where_f32x8(__builtin_convertvector(alu139 < (f32x8)(0.625f - (f32x8){}), where_mask_f32x8), val1 * alu147, alu175);
    *(f32x8 *)&data0[idx0] = alu18 * (f32x8)alu20 + alu52 + alu134 + alu176;
    *(f32x8 *)&data0[idx1] = alu19 * (f32x8)alu21 + alu53 + alu135 + alu177;
  }
}
