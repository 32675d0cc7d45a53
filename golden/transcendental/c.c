// kernel 0: e_256, launch ((1,), None)
typedef unsigned char b8x8 __attribute__((vector_size(8), aligned(1), may_alias));
typedef float f32x8 __attribute__((vector_size(32), aligned(4), may_alias));
typedef double f64x8 __attribute__((vector_size(64), aligned(8), may_alias));
typedef int i32x8 __attribute__((vector_size(32), aligned(4), may_alias));
typedef long i64x8 __attribute__((vector_size(64), aligned(8), may_alias));
typedef unsigned int u32x8 __attribute__((vector_size(32), aligned(4), may_alias));
typedef unsigned long u64x8 __attribute__((vector_size(64), aligned(8), may_alias));
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
  for (long i1 = 0; i1 < 32; i1++) {
    long idx0 = i1 * 8;
    f32x8 val0 = *(f32x8 *)&data1[idx0];
    __auto_type alu0 = val0 < (f32x8)(-104.0f - (f32x8){});
    f32x8 alu1 = where_f32x8(__builtin_convertvector((f32x8)(89.0f - (f32x8){}) < val0, where_mask_f32x8), (f32x8)(89.0f - (f32x8){}), val0);
    f32x8 alu2 = where_f32x8(__builtin_convertvector(alu0, where_mask_f32x8), (f32x8)(0.0f - (f32x8){}), alu1);
    f32x8 alu3 = mulacc_f32x8(alu2, (f32x8)(1.442695f - (f32x8){}), (f32x8)(12582912.0f - (f32x8){}));
    i32x8 alu4 = (i32x8)alu3 - (i32x8)(1262485504 - (i32x8){});
    f32x8 cast0 = __builtin_convertvector(alu4, f32x8);
    f32x8 alu5 = mulacc_f32x8(cast0, (f32x8)(0.00021219444f - (f32x8){}), mulacc_f32x8(cast0, (f32x8)(-0.6933594f - (f32x8){}), alu2));
    f32x8 alu6 = mulacc_f32x8(alu5, (f32x8)(0.0013821024f - (f32x8){}), (f32x8)(0.00836867f - (f32x8){}));
    f32x8 alu7 = mulacc_f32x8(alu5, mulacc_f32x8(alu5, alu6, (f32x8)(0.041668262f - (f32x8){})), (f32x8)(0.16666521f - (f32x8){}));
    f32x8 alu8 = mulacc_f32x8(alu5 * alu5, mulacc_f32x8(alu5, alu7, (f32x8)(0.49999994f - (f32x8){})), alu5);
    i32x8 alu9 = alu4 >> (i32x8)(1 - (i32x8){});
    f32x8 alu10 = ((f32x8)(1.0f - (f32x8){}) + alu8) * (f32x8)((alu9 + (i32x8)(127 - (i32x8){})) << (i32x8)(23 - (i32x8){}));
    f32x8 alu11 = (f32x8)((alu4 - alu9 + (i32x8)(127 - (i32x8){})) << (i32x8)(23 - (i32x8){}));
    f32x8 alu12 = where_f32x8(__builtin_convertvector(alu0, where_mask_f32x8), (f32x8)(0.0f - (f32x8){}), alu10 * alu11);
    __auto_type alu13 = val0 < (f32x8)(1.1754944e-38f - (f32x8){});
    f32x8 alu14 = where_f32x8(__builtin_convertvector(alu13, where_mask_f32x8), val0 * (f32x8)(8388608.0f - (f32x8){}), val0);
    i32x8 alu15 = (i32x8)alu14;
    i32x8 alu16 = (alu15 - (i32x8)(1060439283 - (i32x8){})) >> (i32x8)(23 - (i32x8){});
    i32x8 alu17 = where_i32x8(__builtin_convertvector(alu13, where_mask_i32x8), (i32x8)(23 - (i32x8){}), (i32x8)(0 - (i32x8){}));
    f32x8 cast1 = __builtin_convertvector(alu16 - alu17, f32x8);
    f32x8 alu18 = (f32x8)(alu15 - (alu16 << (i32x8)(23 - (i32x8){}))) - (f32x8)(1.0f - (f32x8){});
    f32x8 alu19 = alu18 * alu18;
    f32x8 alu20 = mulacc_f32x8(alu18, (f32x8)(0.06751542f - (f32x8){}), (f32x8)(-0.11672526f - (f32x8){}));
    f32x8 alu21 = mulacc_f32x8(alu18, mulacc_f32x8(alu18, alu20, (f32x8)(0.11883893f - (f32x8){})), (f32x8)(-0.124059126f - (f32x8){}));
    f32x8 alu22 = mulacc_f32x8(alu18, mulacc_f32x8(alu18, alu21, (f32x8)(0.1422028f - (f32x8){})), (f32x8)(-0.16668f - (f32x8){}));
    f32x8 alu23 = mulacc_f32x8(alu18, mulacc_f32x8(alu18, alu22, (f32x8)(0.20002075f - (f32x8){})), (f32x8)(-0.2500001f - (f32x8){}));
    f32x8 alu24 = alu18 * alu19 * mulacc_f32x8(alu18, alu23, (f32x8)(0.33333313f - (f32x8){}));
    f32x8 alu25 = mulacc_f32x8((f32x8)(-0.5f - (f32x8){}), alu19, mulacc_f32x8(cast1, (f32x8)(-0.00021219444f - (f32x8){}), alu24));
    f32x8 alu26 = where_f32x8(__builtin_convertvector(val0 < (f32x8)(__builtin_inff() - (f32x8){}), where_mask_f32x8), mulacc_f32x8(cast1, (f32x8)(0.6933594f - (f32x8){}), alu18 + alu25), val0);
    f32x8 alu27 = where_f32x8(__builtin_convertvector(val0 == (f32x8)(0.0f - (f32x8){}), where_mask_f32x8), (f32x8)(-__builtin_inff() - (f32x8){}), (f32x8)(__builtin_nanf("") - (f32x8){}));
    f32x8 alu28 = where_f32x8(__builtin_convertvector((f32x8)(0.0f - (f32x8){}) < val0, where_mask_f32x8), alu26, alu27);
    u32x8 alu29 = (u32x8)val0;
    u32x8 alu30 = alu29 & (u32x8)(2147483647u - (u32x8){});
    __auto_type alu31 = alu30 < (u32x8)(1061752795u - (u32x8){});
    u64x8 cast2 = __builtin_convertvector((alu30 & (u32x8)(8388607u - (u32x8){})) | (u32x8)(8388608u - (u32x8){}), u64x8);
    u32x8 alu32 = (alu30 >> (u32x8)(23u - (u32x8){})) - (u32x8)(126u - (u32x8){});
    __auto_type alu33 = alu32 < (u32x8)(32u - (u32x8){});
    __auto_type alu34 = alu32 < (u32x8)(64u - (u32x8){});
    __auto_type alu35 = alu32 < (u32x8)(96u - (u32x8){});
    __auto_type alu36 = alu32 < (u32x8)(128u - (u32x8){});
    u32x8 alu37 = where_u32x8(__builtin_convertvector(alu36, where_mask_u32x8), (u32x8)(165016701u - (u32x8){}), (u32x8)(1295478838u - (u32x8){}));
    u32x8 alu38 = where_u32x8(__builtin_convertvector(alu35, where_mask_u32x8), (u32x8)(2433043071u - (u32x8){}), alu37);
    u32x8 alu39 = where_u32x8(__builtin_convertvector(alu34, where_mask_u32x8), (u32x8)(3194018707u - (u32x8){}), alu38);
    u32x8 alu40 = where_u32x8(__builtin_convertvector(alu33, where_mask_u32x8), (u32x8)(40u - (u32x8){}), alu39);
    u32x8 alu41 = alu32 & (u32x8)(31u - (u32x8){});
    u32x8 alu42 = where_u32x8(__builtin_convertvector(alu36, where_mask_u32x8), (u32x8)(1295478838u - (u32x8){}), (u32x8)(3634718287u - (u32x8){}));
    u32x8 alu43 = where_u32x8(__builtin_convertvector(alu35, where_mask_u32x8), (u32x8)(165016701u - (u32x8){}), alu42);
    u32x8 alu44 = where_u32x8(__builtin_convertvector(alu34, where_mask_u32x8), (u32x8)(2433043071u - (u32x8){}), alu43);
    u32x8 alu45 = where_u32x8(__builtin_convertvector(alu33, where_mask_u32x8), (u32x8)(3194018707u - (u32x8){}), alu44);
    u32x8 alu46 = (u32x8)(31u - (u32x8){}) - alu41;
    u64x8 cast3 = __builtin_convertvector((alu40 << alu41) | ((alu45 >> (u32x8)(1u - (u32x8){})) >> alu46), u64x8);
    u32x8 alu47 = where_u32x8(__builtin_convertvector(alu36, where_mask_u32x8), (u32x8)(3634718287u - (u32x8){}), (u32x8)(283381887u - (u32x8){}));
    u32x8 alu48 = where_u32x8(__builtin_convertvector(alu35, where_mask_u32x8), (u32x8)(1295478838u - (u32x8){}), alu47);
    u32x8 alu49 = where_u32x8(__builtin_convertvector(alu34, where_mask_u32x8), (u32x8)(165016701u - (u32x8){}), alu48);
    u32x8 alu50 = where_u32x8(__builtin_convertvector(alu33, where_mask_u32x8), (u32x8)(2433043071u - (u32x8){}), alu49);
    u64x8 cast4 = __builtin_convertvector((alu45 << alu41) | ((alu50 >> (u32x8)(1u - (u32x8){})) >> alu46), u64x8);
    u32x8 alu51 = where_u32x8(__builtin_convertvector(alu36, where_mask_u32x8), (u32x8)(283381887u - (u32x8){}), (u32x8)(2488855287u - (u32x8){}));
    u32x8 alu52 = where_u32x8(__builtin_convertvector(alu35, where_mask_u32x8), (u32x8)(3634718287u - (u32x8){}), alu51);
    u32x8 alu53 = where_u32x8(__builtin_convertvector(alu34, where_mask_u32x8), (u32x8)(1295478838u - (u32x8){}), alu52);
    u32x8 alu54 = where_u32x8(__builtin_convertvector(alu33, where_mask_u32x8), (u32x8)(165016701u - (u32x8){}), alu53);
    u64x8 cast5 = __builtin_convertvector((alu50 << alu41) | ((alu54 >> (u32x8)(1u - (u32x8){})) >> alu46), u64x8);
    u64x8 alu55 = cast2 * ((cast3 << (u64x8)(32UL - (u64x8){})) | cast4) + ((cast2 * cast5) >> (u64x8)(32UL - (u64x8){}));
    u64x8 alu56 = (alu55 + (u64x8)(2305843009213693952UL - (u64x8){})) >> (u64x8)(62UL - (u64x8){});
    u32x8 alu57 = where_u32x8(__builtin_convertvector(alu31, where_mask_u32x8), (u32x8)(0u - (u32x8){}), __builtin_convertvector(alu56, u32x8));
    u64x8 alu58 = alu55 - (__builtin_convertvector(alu57, u64x8) << (u64x8)(62UL - (u64x8){}));
    f64x8 alu59 = __builtin_convertvector((i64x8)alu58, f64x8) * (f64x8)(3.4061215800865545e-19 - (f64x8){});
    f32x8 alu60 = where_f32x8(__builtin_convertvector(alu31, where_mask_f32x8), (f32x8)alu30, __builtin_convertvector(alu59, f32x8));
    f32x8 alu61 = alu60 * alu60;
    f32x8 alu62 = mulacc_f32x8(alu61, (f32x8)(-0.000195186f - (f32x8){}), (f32x8)(0.008332191f - (f32x8){}));
    f32x8 alu63 = mulacc_f32x8(alu60 * alu61, mulacc_f32x8(alu61, alu62, (f32x8)(-0.16666655f - (f32x8){})), alu60);
    f32x8 alu64 = mulacc_f32x8(alu61, (f32x8)(2.4430661e-05f - (f32x8){}), (f32x8)(-0.0013887301f - (f32x8){}));
    f32x8 alu65 = mulacc_f32x8((f32x8)(-0.5f - (f32x8){}), alu61, (f32x8)(1.0f - (f32x8){}));
    f32x8 alu66 = mulacc_f32x8(alu61 * alu61, mulacc_f32x8(alu61, alu64, (f32x8)(0.041666646f - (f32x8){})), alu65);
    f32x8 alu67 = where_f32x8(__builtin_convertvector((alu57 & (u32x8)(1u - (u32x8){})) == (u32x8)(0u - (u32x8){}), where_mask_f32x8), alu63, alu66);
    u32x8 alu68 = (alu29 & (u32x8)(2147483648u - (u32x8){})) ^ ((alu57 & (u32x8)(2u - (u32x8){})) << (u32x8)(30u - (u32x8){}));
    f32x8 alu69 = where_f32x8(__builtin_convertvector(alu30 < (u32x8)(2139095040u - (u32x8){}), where_mask_f32x8), (f32x8)((u32x8)alu67 ^ alu68), (f32x8)(__builtin_nanf("") - (f32x8){}));
    __auto_type alu70 = val0 < (f32x8)(0.0f - (f32x8){});
    f32x8 alu71 = where_f32x8(__builtin_convertvector(alu70, where_mask_f32x8), -val0, val0);
    f32x8 alu72 = val0 * val0;
    f32x8 alu73 = mulacc_f32x8(alu72, (f32x8)(-0.005716203f - (f32x8){}), (f32x8)(0.020649709f - (f32x8){}));
    f32x8 alu74 = mulacc_f32x8(alu72, mulacc_f32x8(alu72, alu73, (f32x8)(-0.053743172f - (f32x8){})), (f32x8)(0.13331486f - (f32x8){}));
    f32x8 alu75 = mulacc_f32x8(alu72, mulacc_f32x8(alu72, alu74, (f32x8)(-0.33333284f - (f32x8){})), (f32x8)(1.0f - (f32x8){}));
    f32x8 alu76 = alu71 + alu71;
    __auto_type alu77 = alu76 < (f32x8)(-104.0f - (f32x8){});
    f32x8 alu78 = where_f32x8(__builtin_convertvector((f32x8)(89.0f - (f32x8){}) < alu76, where_mask_f32x8), (f32x8)(89.0f - (f32x8){}), alu76);
    f32x8 alu79 = where_f32x8(__builtin_convertvector(alu77, where_mask_f32x8), (f32x8)(0.0f - (f32x8){}), alu78);
    f32x8 alu80 = mulacc_f32x8(alu79, (f32x8)(1.442695f - (f32x8){}), (f32x8)(12582912.0f - (f32x8){}));
    i32x8 alu81 = (i32x8)alu80 - (i32x8)(1262485504 - (i32x8){});
    f32x8 cast6 = __builtin_convertvector(alu81, f32x8);
    f32x8 alu82 = mulacc_f32x8(cast6, (f32x8)(0.00021219444f - (f32x8){}), mulacc_f32x8(cast6, (f32x8)(-0.6933594f - (f32x8){}), alu79));
    f32x8 alu83 = mulacc_f32x8(alu82, (f32x8)(0.0013821024f - (f32x8){}), (f32x8)(0.00836867f - (f32x8){}));
    f32x8 alu84 = mulacc_f32x8(alu82, mulacc_f32x8(alu82, alu83, (f32x8)(0.041668262f - (f32x8){})), (f32x8)(0.16666521f - (f32x8){}));
    f32x8 alu85 = mulacc_f32x8(alu82 * alu82, mulacc_f32x8(alu82, alu84, (f32x8)(0.49999994f - (f32x8){})), alu82);
    i32x8 alu86 = alu81 >> (i32x8)(1 - (i32x8){});
    f32x8 alu87 = ((f32x8)(1.0f - (f32x8){}) + alu85) * (f32x8)((alu86 + (i32x8)(127 - (i32x8){})) << (i32x8)(23 - (i32x8){}));
    f32x8 alu88 = (f32x8)((alu81 - alu86 + (i32x8)(127 - (i32x8){})) << (i32x8)(23 - (i32x8){}));
    f32x8 alu89 = where_f32x8(__builtin_convertvector(alu77, where_mask_f32x8), (f32x8)(0.0f - (f32x8){}), alu87 * alu88);
    f32x8 alu90 = (f32x8)(1.0f - (f32x8){}) - (f32x8)(2.0f - (f32x8){}) / (alu89 + (f32x8)(1.0f - (f32x8){}));
    f32x8 alu91 = where_f32x8(__builtin_convertvector(alu70, where_mask_f32x8), -alu90, alu90);
    f32x8 alu92 = where_f32x8(__builtin_convertvector(alu71 < (f32x8)(0.625f - (f32x8){}), where_mask_f32x8), val0 * alu75, alu91);
    *(f32x8 *)&data0[idx0] = alu12 + alu28 + alu69 + alu92;
  }
}
