// kernel 0: e_100, launch ((1,), None)
typedef float f32x4 __attribute__((vector_size(16), aligned(4), may_alias));
typedef float f32x16 __attribute__((vector_size(64), aligned(4), may_alias));
typedef int i32x4 __attribute__((vector_size(16), aligned(4), may_alias));
typedef int i32x16 __attribute__((vector_size(64), aligned(4), may_alias));
typedef unsigned char u8x4 __attribute__((vector_size(4), aligned(1), may_alias));
typedef unsigned char u8x16 __attribute__((vector_size(16), aligned(1), may_alias));
static inline i32x16 i32x16_of_f32x16(f32x16 x) {
  typedef __typeof__(x < x) wide;
  typedef __typeof__((i32x16){} < (i32x16){}) mask;
  wide high = x >= (f32x16)(2147483648.0f - (f32x16){}), fits = (x >= (f32x16)(-2147483648.0f - (f32x16){})) & ~high;
  i32x16 whole = __builtin_convertvector((f32x16)(fits & (wide)x), i32x16);
  mask is_low = __builtin_convertvector(x < (f32x16)(-2147483648.0f - (f32x16){}), mask), is_high = __builtin_convertvector(high, mask);
  return (i32x16)((mask)whole | (is_low & (mask)(i32x16)((-2147483647 - 1) - (i32x16){})) | (is_high & (mask)(i32x16)(2147483647 - (i32x16){})));
}
static inline u8x16 u8x16_of_i32x16(i32x16 x) {
  typedef int words __attribute__((vector_size(sizeof x / sizeof x[0] * 4)));
  typedef short halves __attribute__((vector_size(sizeof x / sizeof x[0] * 2)));
  return __builtin_convertvector(__builtin_convertvector(__builtin_convertvector(x, words), halves), u8x16);
}
static inline f32x16 f32x16_of_u8x16(u8x16 x) {
  typedef short halves __attribute__((vector_size(sizeof x * 2)));
  typedef int words __attribute__((vector_size(sizeof x * 4)));
  return __builtin_convertvector(__builtin_convertvector(__builtin_convertvector(x, halves), words), f32x16);
}
static inline i32x4 i32x4_of_f32x4(f32x4 x) {
  typedef __typeof__(x < x) wide;
  typedef __typeof__((i32x4){} < (i32x4){}) mask;
  wide high = x >= (f32x4)(2147483648.0f - (f32x4){}), fits = (x >= (f32x4)(-2147483648.0f - (f32x4){})) & ~high;
  i32x4 whole = __builtin_convertvector((f32x4)(fits & (wide)x), i32x4);
  mask is_low = __builtin_convertvector(x < (f32x4)(-2147483648.0f - (f32x4){}), mask), is_high = __builtin_convertvector(high, mask);
  return (i32x4)((mask)whole | (is_low & (mask)(i32x4)((-2147483647 - 1) - (i32x4){})) | (is_high & (mask)(i32x4)(2147483647 - (i32x4){})));
}
static inline u8x4 u8x4_of_i32x4(i32x4 x) {
  typedef int words __attribute__((vector_size(sizeof x / sizeof x[0] * 4)));
  typedef short halves __attribute__((vector_size(sizeof x / sizeof x[0] * 2)));
  return __builtin_convertvector(__builtin_convertvector(__builtin_convertvector(x, words), halves), u8x4);
}
static inline f32x4 f32x4_of_u8x4(u8x4 x) {
  typedef short halves __attribute__((vector_size(sizeof x * 2)));
  typedef int words __attribute__((vector_size(sizeof x * 4)));
  return __builtin_convertvector(__builtin_convertvector(__builtin_convertvector(x, halves), words), f32x4);
}

void e_100(void **bufs, const long *vars, long begin, long end) {
  float *restrict data0 = bufs[0];
  const float *restrict data1 = bufs[1];
  for (long i1 = 0; i1 < 6; i1++) {
    long idx0 = i1 * 16;
    *(f32x16 *)&data0[idx0] = f32x16_of_u8x16(u8x16_of_i32x16(i32x16_of_f32x16(*(f32x16 *)&data1[idx0])));
  }
  *(f32x4 *)&data0[96] = f32x4_of_u8x4(u8x4_of_i32x4(i32x4_of_f32x4(*(f32x4 *)&data1[96])));
}
