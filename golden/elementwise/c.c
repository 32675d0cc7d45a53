// kernel 0: e_64_48, launch ((1,), None)
typedef unsigned char b8x16 __attribute__((vector_size(16), aligned(1), may_alias));
typedef float f32x16 __attribute__((vector_size(64), aligned(4), may_alias));
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

void e_64_48(void **bufs, const long *vars, long begin, long end) {
  float *restrict data0 = bufs[0];
  const float *restrict data1 = bufs[1];
  const float *restrict data2 = bufs[2];
  for (long i3 = 0; i3 < 192; i3++) {
    long idx0 = i3 * 16;
    f32x16 val0 = *(f32x16 *)&data1[idx0];
    f32x16 alu0 = val0 * (*(f32x16 *)&data2[idx0]) + (f32x16)(1.0f - (f32x16){});
    f32x16 alu1 = where_f32x16(lanes_as(alu0 <= (f32x16)(0.0f - (f32x16){}), where_mask_f32x16), (f32x16)(0.0f - (f32x16){}), alu0);
    *(f32x16 *)&data0[idx0] = alu1 - sqrt_f32x16(val0);
  }
}
