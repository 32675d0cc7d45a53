// kernel 0: e_16, launch ((1,), None)
typedef unsigned char b8x16 __attribute__((vector_size(16), aligned(1), may_alias));
typedef float f32x16 __attribute__((vector_size(64), aligned(4), may_alias));
typedef double f64x16 __attribute__((vector_size(128), aligned(8), may_alias));
typedef int i32x16 __attribute__((vector_size(64), aligned(4), may_alias));
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
typedef __typeof__((f32x16){} < (f32x16){}) where_mask_f32x16;
static inline f32x16 where_f32x16(where_mask_f32x16 takes, f32x16 yes, f32x16 no) {
  return (f32x16)((takes & (where_mask_f32x16)yes) | (~takes & (where_mask_f32x16)no));
}
typedef __typeof__((i32x16){} < (i32x16){}) where_mask_i32x16;
static inline i32x16 where_i32x16(where_mask_i32x16 takes, i32x16 yes, i32x16 no) {
  return (i32x16)((takes & (where_mask_i32x16)yes) | (~takes & (where_mask_i32x16)no));
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
#ifndef __has_builtin
#define __has_builtin(name) 0
#endif
#if __has_builtin(__builtin_elementwise_sqrt)
#define sqrt_f32x16(x) __builtin_elementwise_sqrt(x)
#elif 64 == 64 && defined __AVX512F__ && !defined __clang__
#define sqrt_f32x16(x) ((f32x16)__builtin_ia32_sqrtps512_mask(x, (f32x16){}, -1, 4))
#elif 64 == 32 && defined __AVX__ && !defined __clang__
#define sqrt_f32x16(x) ((f32x16)__builtin_ia32_sqrtps256(x))
#elif 64 == 16 && defined __SSE2__ && !defined __clang__
#define sqrt_f32x16(x) ((f32x16)__builtin_ia32_sqrtps(x))
#else
#define sqrt_f32x16(x) ({ f32x16 each = x; for (unsigned k = 0; k < sizeof each / sizeof each[0]; k++) each[k] = __builtin_sqrtf(each[k]); each; })
#endif
typedef __typeof__((u32x16){} < (u32x16){}) where_mask_u32x16;
static inline u32x16 where_u32x16(where_mask_u32x16 takes, u32x16 yes, u32x16 no) {
  return (u32x16)((takes & (where_mask_u32x16)yes) | (~takes & (where_mask_u32x16)no));
}

void e_16(void **bufs, const long *vars, long begin, long end) {
  float *restrict data0 = bufs[0];
  const unsigned int *restrict data1 = bufs[1];
  u32x16 vec0 = ((u32x16){0u, 1u, 2u, 3u, 4u, 5u, 6u, 7u, 8u, 9u, 10u, 11u, 12u, 13u, 14u, 15u});
  unsigned int val0 = data1[0];
  u32x16 vec1 = (u32x16)(val0 - (u32x16){});
  unsigned int val1 = data1[1];
  unsigned int alu0 = data1[2] + val1;
  u32x16 alu1 = (u32x16)(0u - (u32x16){}) + vec0 + vec1 + (u32x16)(alu0 - (u32x16){});
  unsigned int alu2 = (alu0 << 13) | (alu0 >> 19);
  u32x16 alu3 = (u32x16)(alu2 - (u32x16){}) ^ alu1;
  u32x16 alu4 = alu1 + alu3;
  u32x16 alu5 = (alu3 << (u32x16)(15u - (u32x16){})) | (alu3 >> (u32x16)(17u - (u32x16){}));
  u32x16 alu6 = alu5 ^ alu4;
  u32x16 alu7 = alu4 + alu6;
  u32x16 alu8 = (alu6 << (u32x16)(26u - (u32x16){})) | (alu6 >> (u32x16)(6u - (u32x16){}));
  u32x16 alu9 = alu8 ^ alu7;
  u32x16 alu10 = alu7 + alu9;
  u32x16 vec2 = (u32x16)(val1 - (u32x16){});
  u32x16 alu11 = (alu9 << (u32x16)(6u - (u32x16){})) | (alu9 >> (u32x16)(26u - (u32x16){}));
  unsigned int alu12 = val0 ^ val1 ^ 466688986;
  u32x16 vec3 = (u32x16)(alu12 - (u32x16){});
  u32x16 alu13 = (alu11 ^ alu10) + vec3;
  u32x16 alu14 = alu10 + vec2 + alu13;
  u32x16 alu15 = alu13 + (u32x16)(1u - (u32x16){});
  u32x16 alu16 = (alu15 << (u32x16)(17u - (u32x16){})) | (alu15 >> (u32x16)(15u - (u32x16){}));
  u32x16 alu17 = alu16 ^ (alu14 + (u32x16)(1u - (u32x16){}));
  u32x16 alu18 = alu14 + alu17;
  u32x16 alu19 = (alu17 << (u32x16)(29u - (u32x16){})) | (alu17 >> (u32x16)(3u - (u32x16){}));
  u32x16 alu20 = alu19 ^ (alu18 + (u32x16)(1u - (u32x16){}));
  u32x16 alu21 = alu18 + alu20;
  u32x16 alu22 = (alu20 << (u32x16)(16u - (u32x16){})) | (alu20 >> (u32x16)(16u - (u32x16){}));
  u32x16 alu23 = alu22 ^ (alu21 + (u32x16)(1u - (u32x16){}));
  u32x16 alu24 = alu21 + alu23;
  u32x16 alu25 = (alu23 << (u32x16)(24u - (u32x16){})) | (alu23 >> (u32x16)(8u - (u32x16){}));
  u32x16 alu26 = (alu25 ^ (alu24 + (u32x16)(1u - (u32x16){}))) + vec1;
  u32x16 alu27 = alu24 + vec3 + alu26;
  u32x16 alu28 = alu26 + (u32x16)(2u - (u32x16){});
  u32x16 alu29 = (alu28 << (u32x16)(13u - (u32x16){})) | (alu28 >> (u32x16)(19u - (u32x16){}));
  u32x16 alu30 = alu29 ^ (alu27 + (u32x16)(3u - (u32x16){}));
  u32x16 alu31 = alu27 + alu30;
  u32x16 alu32 = (alu30 << (u32x16)(15u - (u32x16){})) | (alu30 >> (u32x16)(17u - (u32x16){}));
  u32x16 alu33 = alu32 ^ (alu31 + (u32x16)(3u - (u32x16){}));
  u32x16 alu34 = alu31 + alu33;
  u32x16 alu35 = (alu33 << (u32x16)(26u - (u32x16){})) | (alu33 >> (u32x16)(6u - (u32x16){}));
  u32x16 alu36 = alu35 ^ (alu34 + (u32x16)(3u - (u32x16){}));
  u32x16 alu37 = alu34 + alu36;
  u32x16 alu38 = (alu36 << (u32x16)(6u - (u32x16){})) | (alu36 >> (u32x16)(26u - (u32x16){}));
  u32x16 alu39 = (alu38 ^ (alu37 + (u32x16)(3u - (u32x16){}))) + vec2;
  u32x16 alu40 = alu37 + vec1 + alu39;
  u32x16 alu41 = alu39 + (u32x16)(3u - (u32x16){});
  u32x16 alu42 = (alu41 << (u32x16)(17u - (u32x16){})) | (alu41 >> (u32x16)(15u - (u32x16){}));
  u32x16 alu43 = alu42 ^ (alu40 + (u32x16)(6u - (u32x16){}));
  u32x16 alu44 = alu40 + alu43;
  u32x16 alu45 = (alu43 << (u32x16)(29u - (u32x16){})) | (alu43 >> (u32x16)(3u - (u32x16){}));
  u32x16 alu46 = alu45 ^ (alu44 + (u32x16)(6u - (u32x16){}));
  u32x16 alu47 = alu44 + alu46;
  u32x16 alu48 = (alu46 << (u32x16)(16u - (u32x16){})) | (alu46 >> (u32x16)(16u - (u32x16){}));
  u32x16 alu49 = alu48 ^ (alu47 + (u32x16)(6u - (u32x16){}));
  u32x16 alu50 = alu47 + alu49;
  u32x16 alu51 = (alu49 << (u32x16)(24u - (u32x16){})) | (alu49 >> (u32x16)(8u - (u32x16){}));
  u32x16 alu52 = (alu51 ^ (alu50 + (u32x16)(6u - (u32x16){}))) + vec3;
  u32x16 alu53 = alu50 + vec2 + alu52;
  u32x16 alu54 = alu52 + (u32x16)(4u - (u32x16){});
  u32x16 alu55 = (alu54 << (u32x16)(13u - (u32x16){})) | (alu54 >> (u32x16)(19u - (u32x16){}));
  u32x16 alu56 = alu55 ^ (alu53 + (u32x16)(10u - (u32x16){}));
  u32x16 alu57 = alu53 + alu56;
  u32x16 alu58 = (alu56 << (u32x16)(15u - (u32x16){})) | (alu56 >> (u32x16)(17u - (u32x16){}));
  u32x16 alu59 = alu58 ^ (alu57 + (u32x16)(10u - (u32x16){}));
  u32x16 alu60 = alu57 + alu59;
  u32x16 alu61 = (alu59 << (u32x16)(26u - (u32x16){})) | (alu59 >> (u32x16)(6u - (u32x16){}));
  u32x16 alu62 = alu61 ^ (alu60 + (u32x16)(10u - (u32x16){}));
  u32x16 alu63 = alu60 + alu62;
  f32x16 cast0 = __builtin_convertvector((alu63 + vec3 + (u32x16)(10u - (u32x16){})) >> (u32x16)(8u - (u32x16){}), f32x16);
  f32x16 alu64 = (f32x16)(1.0f - (f32x16){}) - cast0 * (f32x16)(5.9604645e-08f - (f32x16){});
  __auto_type alu65 = alu64 < (f32x16)(1.1754944e-38f - (f32x16){});
  f32x16 alu66 = where_f32x16(lanes_as(alu65, where_mask_f32x16), alu64 * (f32x16)(8388608.0f - (f32x16){}), alu64);
  i32x16 alu67 = (i32x16)alu66;
  i32x16 alu68 = (alu67 - (i32x16)(1060439283 - (i32x16){})) >> (i32x16)(23 - (i32x16){});
  i32x16 alu69 = where_i32x16(lanes_as(alu65, where_mask_i32x16), (i32x16)(23 - (i32x16){}), (i32x16)(0 - (i32x16){}));
  f32x16 cast1 = __builtin_convertvector(alu68 - alu69, f32x16);
  f32x16 alu70 = (f32x16)(alu67 - (alu68 << (i32x16)(23 - (i32x16){}))) - (f32x16)(1.0f - (f32x16){});
  f32x16 alu71 = alu70 * alu70;
  f32x16 alu72 = mulacc_f32x16(alu70, (f32x16)(0.06751542f - (f32x16){}), (f32x16)(-0.11672526f - (f32x16){}));
  f32x16 alu73 = mulacc_f32x16(alu70, mulacc_f32x16(alu70, alu72, (f32x16)(0.11883893f - (f32x16){})), (f32x16)(-0.124059126f - (f32x16){}));
  f32x16 alu74 = mulacc_f32x16(alu70, mulacc_f32x16(alu70, alu73, (f32x16)(0.1422028f - (f32x16){})), (f32x16)(-0.16668f - (f32x16){}));
  f32x16 alu75 = mulacc_f32x16(alu70, mulacc_f32x16(alu70, alu74, (f32x16)(0.20002075f - (f32x16){})), (f32x16)(-0.2500001f - (f32x16){}));
  f32x16 alu76 = alu70 * alu71 * mulacc_f32x16(alu70, alu75, (f32x16)(0.33333313f - (f32x16){}));
  f32x16 alu77 = mulacc_f32x16((f32x16)(-0.5f - (f32x16){}), alu71, mulacc_f32x16(cast1, (f32x16)(-0.00021219444f - (f32x16){}), alu76));
  f32x16 alu78 = where_f32x16(lanes_as(alu64 < (f32x16)(__builtin_inff() - (f32x16){}), where_mask_f32x16), mulacc_f32x16(cast1, (f32x16)(0.6933594f - (f32x16){}), alu70 + alu77), alu64);
  f32x16 alu79 = where_f32x16(lanes_as(alu64 == (f32x16)(0.0f - (f32x16){}), where_mask_f32x16), (f32x16)(-__builtin_inff() - (f32x16){}), (f32x16)(__builtin_nanf("") - (f32x16){}));
  f32x16 alu80 = where_f32x16(lanes_as((f32x16)(0.0f - (f32x16){}) < alu64, where_mask_f32x16), alu78, alu79);
  u32x16 alu81 = (alu62 << (u32x16)(6u - (u32x16){})) | (alu62 >> (u32x16)(26u - (u32x16){}));
  u32x16 alu82 = (alu81 ^ (alu63 + (u32x16)(10u - (u32x16){}))) + vec1 + (u32x16)(5u - (u32x16){});
  f32x16 alu83 = __builtin_convertvector(alu82 >> (u32x16)(8u - (u32x16){}), f32x16) * (f32x16)(5.9604645e-08f - (f32x16){});
  u32x16 alu84 = (u32x16)(alu83 * (f32x16)(6.2831855f - (f32x16){}));
  u32x16 alu85 = alu84 & (u32x16)(2147483647u - (u32x16){});
  __auto_type alu86 = alu85 < (u32x16)(1162346496u - (u32x16){});
  f32x16 alu87 = (f32x16)alu85;
  f32x16 alu88 = mulacc_f32x16(alu87, (f32x16)(0.63661975f - (f32x16){}), (f32x16)(12582912.0f - (f32x16){}));
  u32x16 far0 = {};
  f32x16 far1 = {};
  if (__builtin_expect(any_lane(~(alu86)), 0)) {
    u32x16 alu89 = (alu85 & (u32x16)(8388607u - (u32x16){})) | (u32x16)(8388608u - (u32x16){});
    u64x16 cast2 = __builtin_convertvector(alu89, u64x16);
    u32x16 alu90 = (alu85 >> (u32x16)(23u - (u32x16){})) - (u32x16)(126u - (u32x16){});
    __auto_type alu91 = alu90 < (u32x16)(32u - (u32x16){});
    __auto_type alu92 = alu90 < (u32x16)(64u - (u32x16){});
    __auto_type alu93 = alu90 < (u32x16)(96u - (u32x16){});
    __auto_type alu94 = alu90 < (u32x16)(128u - (u32x16){});
    u32x16 alu95 = where_u32x16(lanes_as(alu94, where_mask_u32x16), (u32x16)(165016701u - (u32x16){}), (u32x16)(1295478838u - (u32x16){}));
    u32x16 alu96 = where_u32x16(lanes_as(alu93, where_mask_u32x16), (u32x16)(2433043071u - (u32x16){}), alu95);
    u32x16 alu97 = where_u32x16(lanes_as(alu92, where_mask_u32x16), (u32x16)(3194018707u - (u32x16){}), alu96);
    u32x16 alu98 = where_u32x16(lanes_as(alu91, where_mask_u32x16), (u32x16)(40u - (u32x16){}), alu97);
    u32x16 alu99 = alu90 & (u32x16)(31u - (u32x16){});
    u32x16 alu100 = where_u32x16(lanes_as(alu94, where_mask_u32x16), (u32x16)(1295478838u - (u32x16){}), (u32x16)(3634718287u - (u32x16){}));
    u32x16 alu101 = where_u32x16(lanes_as(alu93, where_mask_u32x16), (u32x16)(165016701u - (u32x16){}), alu100);
    u32x16 alu102 = where_u32x16(lanes_as(alu92, where_mask_u32x16), (u32x16)(2433043071u - (u32x16){}), alu101);
    u32x16 alu103 = where_u32x16(lanes_as(alu91, where_mask_u32x16), (u32x16)(3194018707u - (u32x16){}), alu102);
    u32x16 alu104 = (u32x16)(31u - (u32x16){}) - alu99;
    u64x16 cast3 = __builtin_convertvector((alu98 << alu99) | ((alu103 >> (u32x16)(1u - (u32x16){})) >> alu104), u64x16);
    u32x16 alu105 = where_u32x16(lanes_as(alu94, where_mask_u32x16), (u32x16)(3634718287u - (u32x16){}), (u32x16)(283381887u - (u32x16){}));
    u32x16 alu106 = where_u32x16(lanes_as(alu93, where_mask_u32x16), (u32x16)(1295478838u - (u32x16){}), alu105);
    u32x16 alu107 = where_u32x16(lanes_as(alu92, where_mask_u32x16), (u32x16)(165016701u - (u32x16){}), alu106);
    u32x16 alu108 = where_u32x16(lanes_as(alu91, where_mask_u32x16), (u32x16)(2433043071u - (u32x16){}), alu107);
    u64x16 cast4 = __builtin_convertvector((alu103 << alu99) | ((alu108 >> (u32x16)(1u - (u32x16){})) >> alu104), u64x16);
    u32x16 alu109 = where_u32x16(lanes_as(alu94, where_mask_u32x16), (u32x16)(283381887u - (u32x16){}), (u32x16)(2488855287u - (u32x16){}));
    u32x16 alu110 = where_u32x16(lanes_as(alu93, where_mask_u32x16), (u32x16)(3634718287u - (u32x16){}), alu109);
    u32x16 alu111 = where_u32x16(lanes_as(alu92, where_mask_u32x16), (u32x16)(1295478838u - (u32x16){}), alu110);
    u32x16 alu112 = where_u32x16(lanes_as(alu91, where_mask_u32x16), (u32x16)(165016701u - (u32x16){}), alu111);
    u64x16 cast5 = __builtin_convertvector((alu108 << alu99) | ((alu112 >> (u32x16)(1u - (u32x16){})) >> alu104), u64x16);
    u64x16 alu113 = cast2 * ((cast3 << (u64x16)(32UL - (u64x16){})) | cast4) + ((cast2 * cast5) >> (u64x16)(32UL - (u64x16){}));
    u64x16 alu114 = (alu113 + (u64x16)(2305843009213693952UL - (u64x16){})) >> (u64x16)(62UL - (u64x16){});
    u32x16 cast6 = __builtin_convertvector(alu114, u32x16);
    far0 = cast6;
    f64x16 cast7 = __builtin_convertvector((i64x16)(alu113 - (alu114 << (u64x16)(62UL - (u64x16){}))), f64x16);
    f32x16 cast8 = __builtin_convertvector(cast7 * (f64x16)(3.4061215800865545e-19 - (f64x16){}), f32x16);
    f32x16 alu115 = where_f32x16(lanes_as(alu85 < (u32x16)(2139095040u - (u32x16){}), where_mask_f32x16), cast8, (f32x16)(__builtin_nanf("") - (f32x16){}));
    far1 = alu115;
  }
  u32x16 alu116 = where_u32x16(lanes_as(alu86, where_mask_u32x16), (u32x16)alu88, far0);
  f32x16 alu117 = alu88 - (f32x16)(12582912.0f - (f32x16){});
  f32x16 alu118 = mulacc_f32x16(alu117, (f32x16)(-1.5705566f - (f32x16){}), alu87);
  f32x16 alu119 = mulacc_f32x16(alu117, (f32x16)(-0.00023967028f - (f32x16){}), alu118);
  f32x16 alu120 = mulacc_f32x16(alu117, (f32x16)(-0.00023967028f - (f32x16){}), alu118 - alu119);
  f32x16 alu121 = mulacc_f32x16(alu117, (f32x16)(-1.5890691e-08f - (f32x16){}), alu120);
  f32x16 alu122 = alu119 + alu121;
  f32x16 alu123 = mulacc_f32x16(alu117, (f32x16)(-2.563344e-12f - (f32x16){}), alu119 - alu122 + alu121);
  f32x16 alu124 = where_f32x16(lanes_as(alu86, where_mask_f32x16), alu122 + alu123, far1);
  f32x16 alu125 = alu124 * alu124;
  f32x16 alu126 = mulacc_f32x16(alu125, (f32x16)(-0.000195186f - (f32x16){}), (f32x16)(0.008332191f - (f32x16){}));
  f32x16 alu127 = mulacc_f32x16(alu124 * alu125, mulacc_f32x16(alu125, alu126, (f32x16)(-0.16666655f - (f32x16){})), alu124);
  f32x16 alu128 = mulacc_f32x16(alu125, (f32x16)(2.4430661e-05f - (f32x16){}), (f32x16)(-0.0013887301f - (f32x16){}));
  f32x16 alu129 = mulacc_f32x16((f32x16)(-0.5f - (f32x16){}), alu125, (f32x16)(1.0f - (f32x16){}));
  f32x16 alu130 = mulacc_f32x16(alu125 * alu125, mulacc_f32x16(alu125, alu128, (f32x16)(0.041666646f - (f32x16){})), alu129);
  f32x16 alu131 = where_f32x16(lanes_as((alu116 & (u32x16)(1u - (u32x16){})) == (u32x16)(0u - (u32x16){}), where_mask_f32x16), alu127, alu130);
  u32x16 alu132 = (alu84 & (u32x16)(2147483648u - (u32x16){})) ^ ((alu116 & (u32x16)(2u - (u32x16){})) << (u32x16)(30u - (u32x16){}));
  *(f32x16 *)&data0[0] = sqrt_f32x16(alu80 * (f32x16)(-2.0f - (f32x16){})) * (f32x16)((u32x16)alu131 ^ alu132);
}
