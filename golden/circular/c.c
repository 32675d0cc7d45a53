// kernel 0: e_256, launch ((1,), None)
typedef unsigned char b8x16 __attribute__((vector_size(16), aligned(1), may_alias));
typedef float f32x16 __attribute__((vector_size(64), aligned(4), may_alias));
typedef double f64x16 __attribute__((vector_size(128), aligned(8), may_alias));
typedef long i64x16 __attribute__((vector_size(128), aligned(8), may_alias));
typedef unsigned int u32x16 __attribute__((vector_size(64), aligned(4), may_alias));
typedef unsigned long u64x16 __attribute__((vector_size(128), aligned(8), may_alias));
#define any_lane(x) ({ __auto_type any = x; any_bit(&any, sizeof any); })
static inline int any_bit(const void *at, unsigned long size) {
  typedef long long word __attribute__((may_alias, aligned(1)));
#if defined __AVX512F__ && !defined __clang__
  typedef long long words64 __attribute__((vector_size(64), may_alias));
  if (size == 64) return __builtin_ia32_ptestmq512(*(const words64 *)at, *(const words64 *)at, -1) != 0;
#endif
#ifdef __AVX__
  typedef long long words32 __attribute__((vector_size(32), may_alias));
  if (size == 32) return !__builtin_ia32_ptestz256(*(const words32 *)at, *(const words32 *)at);
#endif
#ifdef __SSE4_1__
  typedef long long words16 __attribute__((vector_size(16), may_alias));
  if (size == 16) return !__builtin_ia32_ptestz128(*(const words16 *)at, *(const words16 *)at);
#endif
  long long any = 0;
  for (unsigned long k = 0; k < size / 8; k++) any |= ((const word *)at)[k];
  for (unsigned long k = size / 8 * 8; k < size; k++) any |= ((const char *)at)[k];
  return any != 0;
}
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
typedef __typeof__((u32x16){} < (u32x16){}) where_mask_u32x16;
static inline u32x16 where_u32x16(where_mask_u32x16 takes, u32x16 yes, u32x16 no) {
  return (u32x16)((takes & (where_mask_u32x16)yes) | (~takes & (where_mask_u32x16)no));
}
typedef __typeof__((f32x16){} < (f32x16){}) where_mask_f32x16;
static inline f32x16 where_f32x16(where_mask_f32x16 takes, f32x16 yes, f32x16 no) {
  return (f32x16)((takes & (where_mask_f32x16)yes) | (~takes & (where_mask_f32x16)no));
}

void e_256(void **bufs, const long *vars, long begin, long end) {
  float *restrict data0 = bufs[0];
  const float *restrict data1 = bufs[1];
  for (long i2 = 0; i2 < 8; i2++) {
    long idx0 = i2 * 32;
    u32x16 alu0 = (u32x16)(*(f32x16 *)&data1[idx0]);
    long idx1 = idx0 + 16;
    u32x16 alu1 = (u32x16)(*(f32x16 *)&data1[idx1]);
    u32x16 alu2 = alu0 & (u32x16)(2147483647u - (u32x16){});
    u32x16 alu3 = alu1 & (u32x16)(2147483647u - (u32x16){});
    __auto_type alu4 = alu2 < (u32x16)(1162346496u - (u32x16){});
    __auto_type alu5 = alu3 < (u32x16)(1162346496u - (u32x16){});
    f32x16 alu6 = (f32x16)alu2;
    f32x16 alu7 = (f32x16)alu3;
    f32x16 alu8 = mulacc_f32x16(alu6, (f32x16)(0.63661975f - (f32x16){}), (f32x16)(12582912.0f - (f32x16){}));
    f32x16 alu9 = mulacc_f32x16(alu7, (f32x16)(0.63661975f - (f32x16){}), (f32x16)(12582912.0f - (f32x16){}));
    u32x16 far0 = {};
    f32x16 far1 = {};
    if (__builtin_expect(any_lane(~(alu4)), 0)) {
      u32x16 alu10 = (alu2 & (u32x16)(8388607u - (u32x16){})) | (u32x16)(8388608u - (u32x16){});
      u64x16 cast0 = __builtin_convertvector(alu10, u64x16);
      u32x16 alu11 = (alu2 >> (u32x16)(23u - (u32x16){})) - (u32x16)(126u - (u32x16){});
      __auto_type alu12 = alu11 < (u32x16)(32u - (u32x16){});
      __auto_type alu13 = alu11 < (u32x16)(64u - (u32x16){});
      __auto_type alu14 = alu11 < (u32x16)(96u - (u32x16){});
      __auto_type alu15 = alu11 < (u32x16)(128u - (u32x16){});
      u32x16 alu16 = where_u32x16(lanes_as(alu15, where_mask_u32x16), (u32x16)(165016701u - (u32x16){}), (u32x16)(1295478838u - (u32x16){}));
      u32x16 alu17 = where_u32x16(lanes_as(alu14, where_mask_u32x16), (u32x16)(2433043071u - (u32x16){}), alu16);
      u32x16 alu18 = where_u32x16(lanes_as(alu13, where_mask_u32x16), (u32x16)(3194018707u - (u32x16){}), alu17);
      u32x16 alu19 = where_u32x16(lanes_as(alu12, where_mask_u32x16), (u32x16)(40u - (u32x16){}), alu18);
      u32x16 alu20 = alu11 & (u32x16)(31u - (u32x16){});
      u32x16 alu21 = where_u32x16(lanes_as(alu15, where_mask_u32x16), (u32x16)(1295478838u - (u32x16){}), (u32x16)(3634718287u - (u32x16){}));
      u32x16 alu22 = where_u32x16(lanes_as(alu14, where_mask_u32x16), (u32x16)(165016701u - (u32x16){}), alu21);
      u32x16 alu23 = where_u32x16(lanes_as(alu13, where_mask_u32x16), (u32x16)(2433043071u - (u32x16){}), alu22);
      u32x16 alu24 = where_u32x16(lanes_as(alu12, where_mask_u32x16), (u32x16)(3194018707u - (u32x16){}), alu23);
      u32x16 alu25 = (u32x16)(31u - (u32x16){}) - alu20;
      u64x16 cast1 = __builtin_convertvector((alu19 << alu20) | ((alu24 >> (u32x16)(1u - (u32x16){})) >> alu25), u64x16);
      u32x16 alu26 = where_u32x16(lanes_as(alu15, where_mask_u32x16), (u32x16)(3634718287u - (u32x16){}), (u32x16)(283381887u - (u32x16){}));
      u32x16 alu27 = where_u32x16(lanes_as(alu14, where_mask_u32x16), (u32x16)(1295478838u - (u32x16){}), alu26);
      u32x16 alu28 = where_u32x16(lanes_as(alu13, where_mask_u32x16), (u32x16)(165016701u - (u32x16){}), alu27);
      u32x16 alu29 = where_u32x16(lanes_as(alu12, where_mask_u32x16), (u32x16)(2433043071u - (u32x16){}), alu28);
      u64x16 cast2 = __builtin_convertvector((alu24 << alu20) | ((alu29 >> (u32x16)(1u - (u32x16){})) >> alu25), u64x16);
      u32x16 alu30 = where_u32x16(lanes_as(alu15, where_mask_u32x16), (u32x16)(283381887u - (u32x16){}), (u32x16)(2488855287u - (u32x16){}));
      u32x16 alu31 = where_u32x16(lanes_as(alu14, where_mask_u32x16), (u32x16)(3634718287u - (u32x16){}), alu30);
      u32x16 alu32 = where_u32x16(lanes_as(alu13, where_mask_u32x16), (u32x16)(1295478838u - (u32x16){}), alu31);
      u32x16 alu33 = where_u32x16(lanes_as(alu12, where_mask_u32x16), (u32x16)(165016701u - (u32x16){}), alu32);
      u64x16 cast3 = __builtin_convertvector((alu29 << alu20) | ((alu33 >> (u32x16)(1u - (u32x16){})) >> alu25), u64x16);
      u64x16 alu34 = cast0 * ((cast1 << (u64x16)(32UL - (u64x16){})) | cast2) + ((cast0 * cast3) >> (u64x16)(32UL - (u64x16){}));
      u64x16 alu35 = (alu34 + (u64x16)(2305843009213693952UL - (u64x16){})) >> (u64x16)(62UL - (u64x16){});
      u32x16 cast4 = __builtin_convertvector(alu35, u32x16);
      far0 = cast4;
      f64x16 cast5 = __builtin_convertvector((i64x16)(alu34 - (alu35 << (u64x16)(62UL - (u64x16){}))), f64x16);
      f32x16 cast6 = __builtin_convertvector(cast5 * (f64x16)(3.4061215800865545e-19 - (f64x16){}), f32x16);
      f32x16 alu36 = where_f32x16(lanes_as(alu2 < (u32x16)(2139095040u - (u32x16){}), where_mask_f32x16), cast6, (f32x16)(__builtin_nanf("") - (f32x16){}));
      far1 = alu36;
    }
    u32x16 alu37 = where_u32x16(lanes_as(alu4, where_mask_u32x16), (u32x16)alu8, far0);
    u32x16 far2 = {};
    f32x16 far3 = {};
    if (__builtin_expect(any_lane(~(alu5)), 0)) {
      u32x16 alu38 = (alu3 & (u32x16)(8388607u - (u32x16){})) | (u32x16)(8388608u - (u32x16){});
      u64x16 cast7 = __builtin_convertvector(alu38, u64x16);
      u32x16 alu39 = (alu3 >> (u32x16)(23u - (u32x16){})) - (u32x16)(126u - (u32x16){});
      __auto_type alu40 = alu39 < (u32x16)(32u - (u32x16){});
      __auto_type alu41 = alu39 < (u32x16)(64u - (u32x16){});
      __auto_type alu42 = alu39 < (u32x16)(96u - (u32x16){});
      __auto_type alu43 = alu39 < (u32x16)(128u - (u32x16){});
      u32x16 alu44 = where_u32x16(lanes_as(alu43, where_mask_u32x16), (u32x16)(165016701u - (u32x16){}), (u32x16)(1295478838u - (u32x16){}));
      u32x16 alu45 = where_u32x16(lanes_as(alu42, where_mask_u32x16), (u32x16)(2433043071u - (u32x16){}), alu44);
      u32x16 alu46 = where_u32x16(lanes_as(alu41, where_mask_u32x16), (u32x16)(3194018707u - (u32x16){}), alu45);
      u32x16 alu47 = where_u32x16(lanes_as(alu40, where_mask_u32x16), (u32x16)(40u - (u32x16){}), alu46);
      u32x16 alu48 = alu39 & (u32x16)(31u - (u32x16){});
      u32x16 alu49 = where_u32x16(lanes_as(alu43, where_mask_u32x16), (u32x16)(1295478838u - (u32x16){}), (u32x16)(3634718287u - (u32x16){}));
      u32x16 alu50 = where_u32x16(lanes_as(alu42, where_mask_u32x16), (u32x16)(165016701u - (u32x16){}), alu49);
      u32x16 alu51 = where_u32x16(lanes_as(alu41, where_mask_u32x16), (u32x16)(2433043071u - (u32x16){}), alu50);
      u32x16 alu52 = where_u32x16(lanes_as(alu40, where_mask_u32x16), (u32x16)(3194018707u - (u32x16){}), alu51);
      u32x16 alu53 = (u32x16)(31u - (u32x16){}) - alu48;
      u64x16 cast8 = __builtin_convertvector((alu47 << alu48) | ((alu52 >> (u32x16)(1u - (u32x16){})) >> alu53), u64x16);
      u32x16 alu54 = where_u32x16(lanes_as(alu43, where_mask_u32x16), (u32x16)(3634718287u - (u32x16){}), (u32x16)(283381887u - (u32x16){}));
      u32x16 alu55 = where_u32x16(lanes_as(alu42, where_mask_u32x16), (u32x16)(1295478838u - (u32x16){}), alu54);
      u32x16 alu56 = where_u32x16(lanes_as(alu41, where_mask_u32x16), (u32x16)(165016701u - (u32x16){}), alu55);
      u32x16 alu57 = where_u32x16(lanes_as(alu40, where_mask_u32x16), (u32x16)(2433043071u - (u32x16){}), alu56);
      u64x16 cast9 = __builtin_convertvector((alu52 << alu48) | ((alu57 >> (u32x16)(1u - (u32x16){})) >> alu53), u64x16);
      u32x16 alu58 = where_u32x16(lanes_as(alu43, where_mask_u32x16), (u32x16)(283381887u - (u32x16){}), (u32x16)(2488855287u - (u32x16){}));
      u32x16 alu59 = where_u32x16(lanes_as(alu42, where_mask_u32x16), (u32x16)(3634718287u - (u32x16){}), alu58);
      u32x16 alu60 = where_u32x16(lanes_as(alu41, where_mask_u32x16), (u32x16)(1295478838u - (u32x16){}), alu59);
      u32x16 alu61 = where_u32x16(lanes_as(alu40, where_mask_u32x16), (u32x16)(165016701u - (u32x16){}), alu60);
      u64x16 cast10 = __builtin_convertvector((alu57 << alu48) | ((alu61 >> (u32x16)(1u - (u32x16){})) >> alu53), u64x16);
      u64x16 alu62 = cast7 * ((cast8 << (u64x16)(32UL - (u64x16){})) | cast9) + ((cast7 * cast10) >> (u64x16)(32UL - (u64x16){}));
      u64x16 alu63 = (alu62 + (u64x16)(2305843009213693952UL - (u64x16){})) >> (u64x16)(62UL - (u64x16){});
      u32x16 cast11 = __builtin_convertvector(alu63, u32x16);
      far2 = cast11;
      f64x16 cast12 = __builtin_convertvector((i64x16)(alu62 - (alu63 << (u64x16)(62UL - (u64x16){}))), f64x16);
      f32x16 cast13 = __builtin_convertvector(cast12 * (f64x16)(3.4061215800865545e-19 - (f64x16){}), f32x16);
      f32x16 alu64 = where_f32x16(lanes_as(alu3 < (u32x16)(2139095040u - (u32x16){}), where_mask_f32x16), cast13, (f32x16)(__builtin_nanf("") - (f32x16){}));
      far3 = alu64;
    }
    u32x16 alu65 = where_u32x16(lanes_as(alu5, where_mask_u32x16), (u32x16)alu9, far2);
    __auto_type alu66 = (alu37 & (u32x16)(1u - (u32x16){})) == (u32x16)(0u - (u32x16){});
    __auto_type alu67 = (alu65 & (u32x16)(1u - (u32x16){})) == (u32x16)(0u - (u32x16){});
    f32x16 alu68 = alu8 - (f32x16)(12582912.0f - (f32x16){});
    f32x16 alu69 = alu9 - (f32x16)(12582912.0f - (f32x16){});
    f32x16 alu70 = mulacc_f32x16(alu68, (f32x16)(-1.5705566f - (f32x16){}), alu6);
    f32x16 alu71 = mulacc_f32x16(alu69, (f32x16)(-1.5705566f - (f32x16){}), alu7);
    f32x16 alu72 = mulacc_f32x16(alu68, (f32x16)(-0.00023967028f - (f32x16){}), alu70);
    f32x16 alu73 = mulacc_f32x16(alu69, (f32x16)(-0.00023967028f - (f32x16){}), alu71);
    f32x16 alu74 = mulacc_f32x16(alu68, (f32x16)(-0.00023967028f - (f32x16){}), alu70 - alu72);
    f32x16 alu75 = mulacc_f32x16(alu69, (f32x16)(-0.00023967028f - (f32x16){}), alu71 - alu73);
    f32x16 alu76 = mulacc_f32x16(alu68, (f32x16)(-1.5890691e-08f - (f32x16){}), alu74);
    f32x16 alu77 = mulacc_f32x16(alu69, (f32x16)(-1.5890691e-08f - (f32x16){}), alu75);
    f32x16 alu78 = alu72 + alu76;
    f32x16 alu79 = alu73 + alu77;
    f32x16 alu80 = mulacc_f32x16(alu68, (f32x16)(-2.563344e-12f - (f32x16){}), alu72 - alu78 + alu76);
    f32x16 alu81 = mulacc_f32x16(alu69, (f32x16)(-2.563344e-12f - (f32x16){}), alu73 - alu79 + alu77);
    f32x16 alu82 = where_f32x16(lanes_as(alu4, where_mask_f32x16), alu78 + alu80, far1);
    f32x16 alu83 = where_f32x16(lanes_as(alu5, where_mask_f32x16), alu79 + alu81, far3);
    f32x16 alu84 = alu82 * alu82;
    f32x16 alu85 = alu83 * alu83;
    f32x16 alu86 = mulacc_f32x16(alu84, (f32x16)(-0.000195186f - (f32x16){}), (f32x16)(0.008332191f - (f32x16){}));
    f32x16 alu87 = mulacc_f32x16(alu85, (f32x16)(-0.000195186f - (f32x16){}), (f32x16)(0.008332191f - (f32x16){}));
    f32x16 alu88 = mulacc_f32x16(alu82 * alu84, mulacc_f32x16(alu84, alu86, (f32x16)(-0.16666655f - (f32x16){})), alu82);
    f32x16 alu89 = mulacc_f32x16(alu83 * alu85, mulacc_f32x16(alu85, alu87, (f32x16)(-0.16666655f - (f32x16){})), alu83);
    f32x16 alu90 = mulacc_f32x16(alu84, (f32x16)(2.4430661e-05f - (f32x16){}), (f32x16)(-0.0013887301f - (f32x16){}));
    f32x16 alu91 = mulacc_f32x16(alu85, (f32x16)(2.4430661e-05f - (f32x16){}), (f32x16)(-0.0013887301f - (f32x16){}));
    f32x16 alu92 = mulacc_f32x16((f32x16)(-0.5f - (f32x16){}), alu84, (f32x16)(1.0f - (f32x16){}));
    f32x16 alu93 = mulacc_f32x16((f32x16)(-0.5f - (f32x16){}), alu85, (f32x16)(1.0f - (f32x16){}));
    f32x16 alu94 = mulacc_f32x16(alu84 * alu84, mulacc_f32x16(alu84, alu90, (f32x16)(0.041666646f - (f32x16){})), alu92);
    f32x16 alu95 = mulacc_f32x16(alu85 * alu85, mulacc_f32x16(alu85, alu91, (f32x16)(0.041666646f - (f32x16){})), alu93);
    u32x16 alu96 = (alu0 & (u32x16)(2147483648u - (u32x16){})) ^ ((alu37 & (u32x16)(2u - (u32x16){})) << (u32x16)(30u - (u32x16){}));
    u32x16 alu97 = (alu1 & (u32x16)(2147483648u - (u32x16){})) ^ ((alu65 & (u32x16)(2u - (u32x16){})) << (u32x16)(30u - (u32x16){}));
    u32x16 alu98 = (u32x16)where_f32x16(lanes_as(alu66, where_mask_f32x16), alu88, alu94) ^ alu96;
    u32x16 alu99 = (u32x16)where_f32x16(lanes_as(alu67, where_mask_f32x16), alu89, alu95) ^ alu97;
    u32x16 alu100 = ((alu37 + (u32x16)(1u - (u32x16){})) & (u32x16)(2u - (u32x16){})) << (u32x16)(30u - (u32x16){});
    u32x16 alu101 = ((alu65 + (u32x16)(1u - (u32x16){})) & (u32x16)(2u - (u32x16){})) << (u32x16)(30u - (u32x16){});
    u32x16 alu102 = (u32x16)where_f32x16(lanes_as(alu66, where_mask_f32x16), alu94, alu88) ^ alu100;
    u32x16 alu103 = (u32x16)where_f32x16(lanes_as(alu67, where_mask_f32x16), alu95, alu89) ^ alu101;
    *(f32x16 *)&data0[idx0] = (f32x16)alu98 + (f32x16)alu102;
    *(f32x16 *)&data0[idx1] = (f32x16)alu99 + (f32x16)alu103;
  }
}
