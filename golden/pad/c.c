// kernel 0: e_8_12, launch ((1,), None)
typedef unsigned char b8x16 __attribute__((vector_size(16), aligned(1), may_alias));
typedef float f32x16 __attribute__((vector_size(64), aligned(4), may_alias));
typedef int i32x16 __attribute__((vector_size(64), aligned(4), may_alias));
typedef unsigned int u32x16 __attribute__((vector_size(64), aligned(4), may_alias));
static inline f32x16 load_masked_f32x16(const float *place, __typeof__((f32x16){} < (f32x16){}) takes, f32x16 other) {
  typedef int lanes __attribute__((vector_size(64)));
  typedef float whole __attribute__((vector_size(64)));
#if 64 == 64 && defined __AVX512F__ && !defined __clang__
  return (f32x16)__builtin_ia32_loaddqusi512_mask((const int *)place, (lanes)other, __builtin_ia32_ptestmd512((lanes)takes, (lanes)takes, -1));
#elif 64 == 32 && defined __AVX512VL__ && !defined __clang__
  return (f32x16)__builtin_ia32_loaddqusi256_mask((const int *)place, (lanes)other, __builtin_ia32_ptestmd256((lanes)takes, (lanes)takes, -1));
#elif 64 == 16 && defined __AVX512VL__ && !defined __clang__
  return (f32x16)__builtin_ia32_loaddqusi128_mask((const int *)place, (lanes)other, __builtin_ia32_ptestmd128((lanes)takes, (lanes)takes, -1));
#elif 64 == 32 && defined __AVX__ && !defined __clang__
  lanes found = (lanes)__builtin_ia32_maskloadps256((const whole *)place, (lanes)takes);
  return (f32x16)(found | (~(lanes)takes & (lanes)other));
#elif 64 == 16 && defined __AVX__ && !defined __clang__
  lanes found = (lanes)__builtin_ia32_maskloadps((const whole *)place, (lanes)takes);
  return (f32x16)(found | (~(lanes)takes & (lanes)other));
#else
  for (unsigned k = 0; k < sizeof takes / sizeof takes[0]; k++)
    if (takes[k]) other[k] = place[k];
  return other;
#endif
}
static inline void store_masked_f32x16(float *place, f32x16 value, __typeof__((f32x16){} < (f32x16){}) takes) {
  typedef int lanes __attribute__((vector_size(64)));
  typedef float whole __attribute__((vector_size(64)));
#if 64 == 64 && defined __AVX512F__ && !defined __clang__
  __builtin_ia32_storedqusi512_mask((int *)place, (lanes)value, __builtin_ia32_ptestmd512((lanes)takes, (lanes)takes, -1));
#elif 64 == 32 && defined __AVX512VL__ && !defined __clang__
  __builtin_ia32_storedqusi256_mask((int *)place, (lanes)value, __builtin_ia32_ptestmd256((lanes)takes, (lanes)takes, -1));
#elif 64 == 16 && defined __AVX512VL__ && !defined __clang__
  __builtin_ia32_storedqusi128_mask((int *)place, (lanes)value, __builtin_ia32_ptestmd128((lanes)takes, (lanes)takes, -1));
#elif 64 == 32 && defined __AVX__ && !defined __clang__
  if (__builtin_ia32_movmskps256((whole)takes) == 255) *(f32x16 *)place = value;
  else __builtin_ia32_maskstoreps256((whole *)place, (lanes)takes, (whole)value);
#elif 64 == 16 && defined __AVX__ && !defined __clang__
  if (__builtin_ia32_movmskps((whole)takes) == 15) *(f32x16 *)place = value;
  else __builtin_ia32_maskstoreps((whole *)place, (lanes)takes, (whole)value);
#else
  for (unsigned k = 0; k < sizeof takes / sizeof takes[0]; k++)
    if (takes[k]) place[k] = value[k];
#endif
}

void e_8_12(void **bufs, const long *vars, long begin, long end) {
  float *restrict data0 = bufs[0];
  const float *restrict data1 = bufs[1];
  i32x16 vec0 = ((i32x16){0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15});
  u32x16 cast0 = __builtin_convertvector(vec0 - (i32x16)(2 - (i32x16){}), u32x16);
  __auto_type alu0 = vec0 < (i32x16)(12 - (i32x16){});
  for (long i0 = 0; i0 < 8; i0++) {
    unsigned int cast1 = (unsigned int)(i0 < 1 ? 0L : (i0 < 7 ? 10L : 0L));
    f32x16 val0 = load_masked_f32x16(&data1[i0 * 10 - 12], cast0 < (u32x16)(cast1 - (u32x16){}), (f32x16)(0.0f - (f32x16){}));
    store_masked_f32x16(&data0[i0 * 12], val0 * (f32x16)(2.0f - (f32x16){}), alu0);
  }
}
