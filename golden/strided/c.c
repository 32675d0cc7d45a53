// kernel 0: e_18_6, launch ((1,), None)
typedef unsigned char b8x8 __attribute__((vector_size(8), aligned(1), may_alias));
typedef float f32x8 __attribute__((vector_size(32), aligned(4), may_alias));
typedef int i32x8 __attribute__((vector_size(32), aligned(4), may_alias));
static inline void store_masked_f32x8(float *place, f32x8 value, __typeof__((f32x8){} < (f32x8){}) takes) {
  typedef int lanes __attribute__((vector_size(32)));
  typedef float whole __attribute__((vector_size(32)));
#if 32 == 64 && defined __AVX512F__ && !defined __clang__
  __builtin_ia32_storedqusi512_mask((int *)place, (lanes)value, __builtin_ia32_ptestmd512((lanes)takes, (lanes)takes, -1));
#elif 32 == 32 && defined __AVX512VL__ && !defined __clang__
  __builtin_ia32_storedqusi256_mask((int *)place, (lanes)value, __builtin_ia32_ptestmd256((lanes)takes, (lanes)takes, -1));
#elif 32 == 16 && defined __AVX512VL__ && !defined __clang__
  __builtin_ia32_storedqusi128_mask((int *)place, (lanes)value, __builtin_ia32_ptestmd128((lanes)takes, (lanes)takes, -1));
#elif 32 == 32 && defined __AVX__ && !defined __clang__
  if (__builtin_ia32_movmskps256((whole)takes) == 255) *(f32x8 *)place = value;
  else __builtin_ia32_maskstoreps256((whole *)place, (lanes)takes, (whole)value);
#elif 32 == 16 && defined __AVX__ && !defined __clang__
  if (__builtin_ia32_movmskps((whole)takes) == 15) *(f32x8 *)place = value;
  else __builtin_ia32_maskstoreps((whole *)place, (lanes)takes, (whole)value);
#else
  for (unsigned k = 0; k < sizeof takes / sizeof takes[0]; k++)
    if (takes[k]) place[k] = value[k];
#endif
}

void e_18_6(void **bufs, const long *vars, long begin, long end) {
  float *restrict data0 = bufs[0];
  const float *restrict data1 = bufs[1];
  __auto_type alu0 = ((i32x8){0, 1, 2, 3, 4, 5, 6, 7}) < (i32x8)(6 - (i32x8){});
  for (long i0 = 0; i0 < 18; i0++) {
    f32x8 vec0 = ((f32x8){data1[21 - i0], data1[93 - i0], data1[165 - i0], data1[237 - i0], data1[309 - i0], data1[381 - i0], 0.0f, 0.0f});
    store_masked_f32x8(&data0[i0 * 6], vec0 + (f32x8)(1.0f - (f32x8){}), alu0);
  }
}
