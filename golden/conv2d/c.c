// kernel 0: r_8_12_12_4_3_3, launch ((1,), None)
typedef unsigned char b8x16 __attribute__((vector_size(16), aligned(1), may_alias));
typedef float f32x16 __attribute__((vector_size(64), aligned(4), may_alias));
typedef int i32x16 __attribute__((vector_size(64), aligned(4), may_alias));
typedef unsigned int u32x16 __attribute__((vector_size(64), aligned(4), may_alias));
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
typedef __typeof__((f32x16){} < (f32x16){}) where_mask_f32x16;
static inline f32x16 where_f32x16(where_mask_f32x16 takes, f32x16 yes, f32x16 no) {
  return (f32x16)((takes & (where_mask_f32x16)yes) | (~takes & (where_mask_f32x16)no));
}

void r_8_12_12_4_3_3(void **bufs, const long *vars, long begin, long end) {
  float *restrict data0 = bufs[0];
  const float *restrict data1 = bufs[1];
  const float *restrict data2 = bufs[2];
  const float *restrict data3 = bufs[3];
  float acc2[1152] __attribute__((aligned(64)));
  f32x16 acc3;
  float acc0[2016] __attribute__((aligned(64)));
  f32x16 acc11;
  f32x16 acc19;
  f32x16 acc4;
  f32x16 acc12;
  f32x16 acc20;
  f32x16 acc5;
  f32x16 acc13;
  f32x16 acc21;
  f32x16 acc6;
  f32x16 acc14;
  f32x16 acc22;
  f32x16 acc7;
  f32x16 acc15;
  f32x16 acc23;
  f32x16 acc8;
  f32x16 acc16;
  f32x16 acc24;
  f32x16 acc9;
  f32x16 acc17;
  f32x16 acc25;
  f32x16 acc10;
  f32x16 acc18;
  f32x16 acc26;
  i32x16 vec0 = ((i32x16){0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15});
  __auto_type alu0 = vec0 < (i32x16)(12 - (i32x16){});
  for (long i14 = 0; i14 < 4; i14++) {
    long alu1 = i14 * 504;
    long alu2 = i14 * 144;
    for (long i15 = 0; i15 < 3; i15++) {
      long alu3 = alu1 + i15 * 168;
      long alu4 = 1 - i15;
      long alu5 = alu4 > 0 ? alu4 : 0;
      int cast0 = (int)alu5;
      u32x16 cast1 = __builtin_convertvector(vec0 - (i32x16)(cast0 - (i32x16){}), u32x16);
      long alu6 = 13 - i15;
      long alu7 = (alu6 < 12 ? alu6 : 12) - alu5;
      for (long i16 = 0; i16 < 14; i16++) {
        long alu8 = i16 * 12;
        unsigned int cast2 = (unsigned int)(i16 < 1 ? 0L : (i16 < 13 ? alu7 : 0L));
        f32x16 val0 = load_masked_f32x16(&data1[i15 + alu8 + alu2 - 13], cast1 < (u32x16)(cast2 - (u32x16){}), (f32x16)(0.0f - (f32x16){}));
        store_masked_f32x16(&acc0[alu3 + alu8], val0, alu0);
      }
    }
  }
  for (long i24 = 0; i24 < 3; i24++) {
    long idx0 = i24 * 48;
    acc3 = (f32x16)(0.0f - (f32x16){});
    acc11 = (f32x16)(0.0f - (f32x16){});
    acc19 = (f32x16)(0.0f - (f32x16){});
    acc4 = (f32x16)(0.0f - (f32x16){});
    acc12 = (f32x16)(0.0f - (f32x16){});
    acc20 = (f32x16)(0.0f - (f32x16){});
    acc5 = (f32x16)(0.0f - (f32x16){});
    acc13 = (f32x16)(0.0f - (f32x16){});
    acc21 = (f32x16)(0.0f - (f32x16){});
    acc6 = (f32x16)(0.0f - (f32x16){});
    acc14 = (f32x16)(0.0f - (f32x16){});
    acc22 = (f32x16)(0.0f - (f32x16){});
    acc7 = (f32x16)(0.0f - (f32x16){});
    acc15 = (f32x16)(0.0f - (f32x16){});
    acc23 = (f32x16)(0.0f - (f32x16){});
    acc8 = (f32x16)(0.0f - (f32x16){});
    acc16 = (f32x16)(0.0f - (f32x16){});
    acc24 = (f32x16)(0.0f - (f32x16){});
    acc9 = (f32x16)(0.0f - (f32x16){});
    acc17 = (f32x16)(0.0f - (f32x16){});
    acc25 = (f32x16)(0.0f - (f32x16){});
    acc10 = (f32x16)(0.0f - (f32x16){});
    acc18 = (f32x16)(0.0f - (f32x16){});
    acc26 = (f32x16)(0.0f - (f32x16){});
    for (long r3 = 0; r3 < 4; r3++) {
      long alu9 = r3 * 504;
      long alu10 = r3 * 9;
      for (long r4 = 0; r4 < 3; r4++) {
        long alu11 = r4 * 12;
        long alu12 = alu10 + r4 * 3;
        for (long r5 = 0; r5 < 3; r5++) {
          long idx1 = alu9 + r5 * 168 + idx0 + alu11;
          f32x16 val1 = *(f32x16 *)&acc0[idx1];
          long idx2 = alu12 + r5;
          float val2 = data2[idx2];
          f32x16 vec1 = (f32x16)(val2 - (f32x16){});
          acc3 = mulacc_f32x16(val1, vec1, acc3);
          f32x16 val3 = *(f32x16 *)&acc0[idx1 + 16];
          acc11 = mulacc_f32x16(val3, vec1, acc11);
          f32x16 val4 = *(f32x16 *)&acc0[idx1 + 32];
          acc19 = mulacc_f32x16(val4, vec1, acc19);
          float val5 = data2[idx2 + 36];
          f32x16 vec2 = (f32x16)(val5 - (f32x16){});
          acc4 = mulacc_f32x16(val1, vec2, acc4);
          acc12 = mulacc_f32x16(val3, vec2, acc12);
          acc20 = mulacc_f32x16(val4, vec2, acc20);
          float val6 = data2[idx2 + 72];
          f32x16 vec3 = (f32x16)(val6 - (f32x16){});
          acc5 = mulacc_f32x16(val1, vec3, acc5);
          acc13 = mulacc_f32x16(val3, vec3, acc13);
          acc21 = mulacc_f32x16(val4, vec3, acc21);
          float val7 = data2[idx2 + 108];
          f32x16 vec4 = (f32x16)(val7 - (f32x16){});
          acc6 = mulacc_f32x16(val1, vec4, acc6);
          acc14 = mulacc_f32x16(val3, vec4, acc14);
          acc22 = mulacc_f32x16(val4, vec4, acc22);
          float val8 = data2[idx2 + 144];
          f32x16 vec5 = (f32x16)(val8 - (f32x16){});
          acc7 = mulacc_f32x16(val1, vec5, acc7);
          acc15 = mulacc_f32x16(val3, vec5, acc15);
          acc23 = mulacc_f32x16(val4, vec5, acc23);
          float val9 = data2[idx2 + 180];
          f32x16 vec6 = (f32x16)(val9 - (f32x16){});
          acc8 = mulacc_f32x16(val1, vec6, acc8);
          acc16 = mulacc_f32x16(val3, vec6, acc16);
          acc24 = mulacc_f32x16(val4, vec6, acc24);
          float val10 = data2[idx2 + 216];
          f32x16 vec7 = (f32x16)(val10 - (f32x16){});
          acc9 = mulacc_f32x16(val1, vec7, acc9);
          acc17 = mulacc_f32x16(val3, vec7, acc17);
          acc25 = mulacc_f32x16(val4, vec7, acc25);
          float val11 = data2[idx2 + 252];
          f32x16 vec8 = (f32x16)(val11 - (f32x16){});
          acc10 = mulacc_f32x16(val1, vec8, acc10);
          acc18 = mulacc_f32x16(val3, vec8, acc18);
          acc26 = mulacc_f32x16(val4, vec8, acc26);
        }
      }
    }
    *(f32x16 *)&acc2[idx0] = acc3;
    *(f32x16 *)&acc2[idx0 + 16] = acc11;
    *(f32x16 *)&acc2[idx0 + 32] = acc19;
    *(f32x16 *)&acc2[idx0 + 144] = acc4;
    *(f32x16 *)&acc2[idx0 + 160] = acc12;
    *(f32x16 *)&acc2[idx0 + 176] = acc20;
    *(f32x16 *)&acc2[idx0 + 288] = acc5;
    *(f32x16 *)&acc2[idx0 + 304] = acc13;
    *(f32x16 *)&acc2[idx0 + 320] = acc21;
    *(f32x16 *)&acc2[idx0 + 432] = acc6;
    *(f32x16 *)&acc2[idx0 + 448] = acc14;
    *(f32x16 *)&acc2[idx0 + 464] = acc22;
    *(f32x16 *)&acc2[idx0 + 576] = acc7;
    *(f32x16 *)&acc2[idx0 + 592] = acc15;
    *(f32x16 *)&acc2[idx0 + 608] = acc23;
    *(f32x16 *)&acc2[idx0 + 720] = acc8;
    *(f32x16 *)&acc2[idx0 + 736] = acc16;
    *(f32x16 *)&acc2[idx0 + 752] = acc24;
    *(f32x16 *)&acc2[idx0 + 864] = acc9;
    *(f32x16 *)&acc2[idx0 + 880] = acc17;
    *(f32x16 *)&acc2[idx0 + 896] = acc25;
    *(f32x16 *)&acc2[idx0 + 1008] = acc10;
    *(f32x16 *)&acc2[idx0 + 1024] = acc18;
    *(f32x16 *)&acc2[idx0 + 1040] = acc26;
  }
  for (long i19 = 0; i19 < 8; i19++) {
    long alu13 = i19 * 144;
    float val12 = data3[i19];
    f32x16 vec9 = (f32x16)(val12 - (f32x16){});
    for (long i7 = 0; i7 < 12; i7++) {
      long idx3 = alu13 + i7 * 12;
      f32x16 alu14 = load_masked_f32x16(&acc2[idx3], alu0, (f32x16)(0.0f - (f32x16){})) + vec9;
      f32x16 alu15 = where_f32x16(lanes_as(alu14 <= (f32x16)(0.0f - (f32x16){}), where_mask_f32x16), (f32x16)(0.0f - (f32x16){}), alu14);
      store_masked_f32x16(&data0[idx3], alu15, alu0);
    }
  }
}
