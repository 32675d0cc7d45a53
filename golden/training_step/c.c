// kernel 0: r_7_3_5, launch ((1,), None)
#define f32_is_nan(x) ({ int bits; __builtin_memcpy(&bits, &x, 4); (bits & 0x7fffffff) > 0x7f800000; })
#ifdef __FP_FAST_FMAF
#define mulacc_f32(a, b, c) __builtin_fmaf(a, b, c)
#else
#define mulacc_f32(a, b, c) ((a) * (b) + (c))
#endif
static inline unsigned int f32_as_u32(float x) {
  unsigned int bits;
  __builtin_memcpy(&bits, &x, sizeof bits);
  return bits;
}
static inline float u32_as_f32(unsigned int x) {
  float bits;
  __builtin_memcpy(&bits, &x, sizeof bits);
  return bits;
}
static inline float min_f32(float a, float b) { return f32_is_nan(b) ? b : b < a ? b : a; }

void r_7_3_5(void **bufs, const long *vars, long begin, long end) {
  float *restrict data0 = bufs[0];
  const float *restrict data1 = bufs[1];
  const float *restrict data2 = bufs[2];
  const float *restrict data3 = bufs[3];
  float acc0;
  for (long i0 = 0; i0 < 7; i0++) {
    long alu0 = i0 * 3;
    long alu1 = i0 * 5;
    for (long i1 = 0; i1 < 3; i1++) {
      acc0 = 0.0f;
      long alu2 = i1 * 5;
      for (long r2 = 0; r2 < 5; r2++) {
        acc0 = mulacc_f32(data1[alu1 + r2], data2[alu2 + r2], acc0);
      }
      unsigned int alu3 = f32_as_u32(acc0 + data3[i1]);
      float alu4 = min_f32(u32_as_f32(alu3 & 2147483647), 9.1f);
      float alu5 = mulacc_f32(alu4, -2.88539f, 12583039.0f);
      float alu6 = u32_as_f32(f32_as_u32(alu5) << 23);
      float alu7 = alu5 - 12583039.0f;
      float alu8 = mulacc_f32(alu7, -0.00010609722f, mulacc_f32(alu7, 0.3466797f, alu4));
      float alu9 = mulacc_f32(alu8, mulacc_f32(alu8, -0.0888479f, 0.26773483f), -0.6666753f);
      float alu10 = mulacc_f32(alu8 * alu8, mulacc_f32(alu8, mulacc_f32(alu8, alu9, 1.3333234f), -1.9999999f), alu8 + alu8);
      float alu11 = mulacc_f32(alu6, alu10, 1.0f - alu6) / mulacc_f32(-alu6, alu10, alu6 + 1.0f);
      data0[alu0 + i1] = u32_as_f32(f32_as_u32(alu11) | (alu3 & 2147483648u));
    }
  }
}

// kernel 1: r_7_3, launch ((1,), None)
typedef float f32x4 __attribute__((vector_size(16), aligned(4), may_alias));
typedef float f32x8 __attribute__((vector_size(32), aligned(4), may_alias));
typedef float f32x16 __attribute__((vector_size(64), aligned(4), may_alias));

void r_7_3(void **bufs, const long *vars, long begin, long end) {
  float *restrict data0 = bufs[0];
  const float *restrict data1 = bufs[1];
  const float *restrict data2 = bufs[2];
  float acc2[4] __attribute__((aligned(64)));
  float acc1[8] __attribute__((aligned(64)));
  float acc0[16] __attribute__((aligned(64)));
  f32x16 alu0 = *(f32x16 *)&data1[0] - *(f32x16 *)&data2[0];
  *(f32x16 *)&acc0[0] = alu0 * alu0;
  *(f32x8 *)&acc1[0] = *(f32x8 *)&acc0[0] + *(f32x8 *)&acc0[8];
  *(f32x4 *)&acc2[0] = *(f32x4 *)&acc1[0] + *(f32x4 *)&acc1[4];
  float alu1 = data1[16] - data2[16];
  float alu2 = data1[17] - data2[17];
  float alu3 = data1[18] - data2[18];
  float alu4 = data1[19] - data2[19];
  float alu5 = data1[20] - data2[20];
  float alu6 = acc2[0] + acc2[1] + acc2[2] + acc2[3] + (alu1 * alu1 + alu2 * alu2 + alu3 * alu3 + alu4 * alu4 + alu5 * alu5);
  data0[0] = alu6 / 21.0f;
}

// kernel 2: r_3_5_7, launch ((1,), None)
#ifdef __FP_FAST_FMAF
#define mulacc_f32(a, b, c) __builtin_fmaf(a, b, c)
#else
#define mulacc_f32(a, b, c) ((a) * (b) + (c))
#endif

void r_3_5_7(void **bufs, const long *vars, long begin, long end) {
  float *restrict data0 = bufs[0];
  const float *restrict data1 = bufs[1];
  const float *restrict data2 = bufs[2];
  const float *restrict data3 = bufs[3];
  float acc0;
  for (long i0 = 0; i0 < 3; i0++) {
    long alu0 = i0 * 5;
    for (long i1 = 0; i1 < 5; i1++) {
      acc0 = 0.0f;
      for (long r2 = 0; r2 < 7; r2++) {
        long idx0 = r2 * 3 + i0;
        float val0 = data1[idx0];
        float alu1 = mulacc_f32((val0 - data2[idx0]) * 0.04761905f * 2.0f * (1.0f - val0 * val0), data3[r2 * 5 + i1], acc0);
        acc0 = alu1;
      }
      data0[alu0 + i1] = acc0;
    }
  }
}

// kernel 3: e_3_5, launch ((1,), None)
typedef unsigned char b8x16 __attribute__((vector_size(16), aligned(1), may_alias));
typedef float f32x16 __attribute__((vector_size(64), aligned(4), may_alias));
typedef int i32x16 __attribute__((vector_size(64), aligned(4), may_alias));
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

void e_3_5(void **bufs, const long *vars, long begin, long end) {
  float *restrict data0 = bufs[0];
  const float *restrict data1 = bufs[1];
  const float *restrict data2 = bufs[2];
  __auto_type alu0 = ((i32x16){0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}) < (i32x16)(15 - (i32x16){});
  float val0 = data1[0];
  f32x16 alu1 = (f32x16)(val0 - (f32x16){}) * load_masked_f32x16(&data2[0], alu0, (f32x16)(0.0f - (f32x16){}));
  store_masked_f32x16(&data0[0], load_masked_f32x16(&data0[0], alu0, (f32x16)(0.0f - (f32x16){})) - alu1, alu0);
}

// kernel 4: r_3_7, launch ((1,), None)
void r_3_7(void **bufs, const long *vars, long begin, long end) {
  float *restrict data0 = bufs[0];
  float *restrict data1 = bufs[1];
  const float *restrict data2 = bufs[2];
  const float *restrict data3 = bufs[3];
  const float *restrict data4 = bufs[4];
  float val0 = data4[0];
  for (long i0 = 0; i0 < 3; i0++) {
    float val1 = data2[i0];
    long idx0 = i0 + 3;
    float val2 = data2[idx0];
    float alu0 = (val1 - data3[i0]) * 0.04761905f * 2.0f * (1.0f - val1 * val1) + (val2 - data3[idx0]) * 0.04761905f * 2.0f * (1.0f - val2 * val2);
    long idx1 = i0 + 6;
    float val3 = data2[idx1];
    long idx2 = i0 + 9;
    float val4 = data2[idx2];
    float alu1 = alu0 + (val3 - data3[idx1]) * 0.04761905f * 2.0f * (1.0f - val3 * val3) + (val4 - data3[idx2]) * 0.04761905f * 2.0f * (1.0f - val4 * val4);
    long idx3 = i0 + 12;
    float val5 = data2[idx3];
    long idx4 = i0 + 15;
    float val6 = data2[idx4];
    float alu2 = alu1 + (val5 - data3[idx3]) * 0.04761905f * 2.0f * (1.0f - val5 * val5) + (val6 - data3[idx4]) * 0.04761905f * 2.0f * (1.0f - val6 * val6);
    long idx5 = i0 + 18;
    float val7 = data2[idx5];
    float alu3 = alu2 + (val7 - data3[idx5]) * 0.04761905f * 2.0f * (1.0f - val7 * val7);
    data0[i0] = alu3;
    data1[i0] = data1[i0] - val0 * alu3;
  }
}
