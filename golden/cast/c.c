// kernel 0: e_100, launch ((1,), None)
typedef float f32x4 __attribute__((vector_size(16), aligned(4), may_alias));
typedef float f32x16 __attribute__((vector_size(64), aligned(4), may_alias));
typedef int i32x4 __attribute__((vector_size(16), aligned(4), may_alias));
typedef int i32x16 __attribute__((vector_size(64), aligned(4), may_alias));
typedef unsigned char u8x4 __attribute__((vector_size(4), aligned(1), may_alias));
typedef unsigned char u8x16 __attribute__((vector_size(16), aligned(1), may_alias));
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
static inline i32x16 i32x16_of_f32x16(f32x16 x) {
  typedef __typeof__(x < x) wide;
  typedef __typeof__((i32x16){} < (i32x16){}) mask;
  wide high = x >= (f32x16)(2147483648.0f - (f32x16){}), fits = (x >= (f32x16)(-2147483648.0f - (f32x16){})) & ~high;
  i32x16 whole = __builtin_convertvector((f32x16)(fits & (wide)x), i32x16);
  mask is_low = __builtin_convertvector(x < (f32x16)(-2147483648.0f - (f32x16){}), mask), is_high = __builtin_convertvector(high, mask);
  return (i32x16)((mask)whole | (is_low & (mask)(i32x16)((-2147483647 - 1) - (i32x16){})) | (is_high & (mask)(i32x16)(2147483647 - (i32x16){})));
}
static inline f32x16 f32x16_of_u8x16(u8x16 x) {
#if 64 == 64 && defined __AVX512F__ && !defined __clang__
  typedef char given __attribute__((vector_size(16)));
  typedef int words __attribute__((vector_size(64)));
  return __builtin_convertvector((words)__builtin_ia32_pmovzxbd512_mask((given)x, (words){}, -1), f32x16);
#else
  return lanes_as(x, f32x16);
#endif
}
static inline i32x4 i32x4_of_f32x4(f32x4 x) {
  typedef __typeof__(x < x) wide;
  typedef __typeof__((i32x4){} < (i32x4){}) mask;
  wide high = x >= (f32x4)(2147483648.0f - (f32x4){}), fits = (x >= (f32x4)(-2147483648.0f - (f32x4){})) & ~high;
  i32x4 whole = __builtin_convertvector((f32x4)(fits & (wide)x), i32x4);
  mask is_low = __builtin_convertvector(x < (f32x4)(-2147483648.0f - (f32x4){}), mask), is_high = __builtin_convertvector(high, mask);
  return (i32x4)((mask)whole | (is_low & (mask)(i32x4)((-2147483647 - 1) - (i32x4){})) | (is_high & (mask)(i32x4)(2147483647 - (i32x4){})));
}
static inline f32x4 f32x4_of_u8x4(u8x4 x) {
#if 16 == 64 && defined __AVX512F__ && !defined __clang__
  typedef char given __attribute__((vector_size(16)));
  typedef int words __attribute__((vector_size(64)));
  return __builtin_convertvector((words)__builtin_ia32_pmovzxbd512_mask((given)x, (words){}, -1), f32x4);
#else
  return lanes_as(x, f32x4);
#endif
}

void e_100(void **bufs, const long *vars, long begin, long end) {
  float *restrict data0 = bufs[0];
  const float *restrict data1 = bufs[1];
  for (long i1 = 0; i1 < 6; i1++) {
    long idx0 = i1 * 16;
    *(f32x16 *)&data0[idx0] = f32x16_of_u8x16(lanes_as(i32x16_of_f32x16(*(f32x16 *)&data1[idx0]), u8x16));
  }
  *(f32x4 *)&data0[96] = f32x4_of_u8x4(lanes_as(i32x4_of_f32x4(*(f32x4 *)&data1[96]), u8x4));
}
