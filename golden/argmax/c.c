// kernel 0: r_16_10_10, launch ((1,), None)
typedef unsigned char b8x8 __attribute__((vector_size(8), aligned(1), may_alias));
typedef float f32x8 __attribute__((vector_size(32), aligned(4), may_alias));
typedef int i32x8 __attribute__((vector_size(32), aligned(4), may_alias));
typedef long i64x8 __attribute__((vector_size(64), aligned(8), may_alias));
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
static inline f32x8 max_f32x8(f32x8 a, f32x8 b) {
  __typeof__(a < b) takes = b != b;
#if 32 == 64 && defined __AVX512F__ && defined __clang__
  a = __builtin_ia32_maxps512(b, a, 4);
#elif 32 == 64 && defined __AVX512F__
  a = __builtin_ia32_maxps512_mask(b, a, b, -1, 4);
#elif 32 == 32 && defined __AVX__
  a = __builtin_ia32_maxps256(b, a);
#elif 32 == 16 && defined __SSE2__
  a = __builtin_ia32_maxps(b, a);
#else
  takes |= b > a;
#endif
  return (f32x8)((takes & (__typeof__(takes))b) | (~takes & (__typeof__(takes))a));
}
typedef __typeof__((i32x8){} < (i32x8){}) where_mask_i32x8;
static inline i32x8 where_i32x8(where_mask_i32x8 takes, i32x8 yes, i32x8 no) {
  return (i32x8)((takes & (where_mask_i32x8)yes) | (~takes & (where_mask_i32x8)no));
}
static inline i32x8 min_i32x8(i32x8 a, i32x8 b) {
#if defined __clang__ && __clang_major__ >= 14
  return __builtin_elementwise_min(a, b);
#elif (32 == 64 && defined __AVX512BW__) || (32 == 32 && defined __AVX2__) \
    || (32 == 16 && defined __SSE4_1__)
  typedef char bytes __attribute__((vector_size(32)));
  typedef short halves __attribute__((vector_size(32)));
  typedef int words __attribute__((vector_size(32)));
  enum { is_signed = (__typeof__(a[0]))-1 < 0 };
#if 32 == 64
#define OF(letters, lanes) (i32x8)__builtin_ia32_pmin##letters##512_mask((lanes)a, (lanes)b, (lanes)a, -1)
#elif 32 == 32
#define OF(letters, lanes) (i32x8)__builtin_ia32_pmin##letters##256((lanes)a, (lanes)b)
#else
#define OF(letters, lanes) (i32x8)__builtin_ia32_pmin##letters##128((lanes)a, (lanes)b)
#endif
  switch (sizeof a[0]) {
  case 1: return is_signed ? OF(sb, bytes) : OF(ub, bytes);
  case 2: return is_signed ? OF(sw, halves) : OF(uw, halves);
  case 4: return is_signed ? OF(sd, words) : OF(ud, words);
  }
#undef OF
#endif
  __typeof__(a < b) takes = b < a;
  return (i32x8)((takes & (__typeof__(takes))b) | (~takes & (__typeof__(takes))a));
}

void r_16_10_10(void **bufs, const long *vars, long begin, long end) {
  long *restrict data0 = bufs[0];
  const float *restrict data1 = bufs[1];
  i32x8 vec0 = (i32x8)(0 - (i32x8){});
  i32x8 vec1 = (i32x8)(1 - (i32x8){});
  i32x8 vec2 = (i32x8)(2 - (i32x8){});
  i32x8 vec3 = (i32x8)(3 - (i32x8){});
  i32x8 vec4 = (i32x8)(4 - (i32x8){});
  i32x8 vec5 = (i32x8)(5 - (i32x8){});
  i32x8 vec6 = (i32x8)(6 - (i32x8){});
  i32x8 vec7 = (i32x8)(7 - (i32x8){});
  i32x8 vec8 = (i32x8)(8 - (i32x8){});
  i32x8 vec9 = (i32x8)(9 - (i32x8){});
  for (long i1 = 0; i1 < 2; i1++) {
    long idx0 = i1 * 80;
    f32x8 vec10 = ((f32x8){data1[idx0], data1[idx0 + 10], data1[idx0 + 20], data1[idx0 + 30], data1[idx0 + 40], data1[idx0 + 50], data1[idx0 + 60], data1[idx0 + 70]});
    f32x8 vec11 = ((f32x8){data1[idx0 + 1], data1[idx0 + 11], data1[idx0 + 21], data1[idx0 + 31], data1[idx0 + 41], data1[idx0 + 51], data1[idx0 + 61], data1[idx0 + 71]});
    f32x8 vec12 = ((f32x8){data1[idx0 + 2], data1[idx0 + 12], data1[idx0 + 22], data1[idx0 + 32], data1[idx0 + 42], data1[idx0 + 52], data1[idx0 + 62], data1[idx0 + 72]});
    f32x8 vec13 = ((f32x8){data1[idx0 + 3], data1[idx0 + 13], data1[idx0 + 23], data1[idx0 + 33], data1[idx0 + 43], data1[idx0 + 53], data1[idx0 + 63], data1[idx0 + 73]});
    f32x8 vec14 = ((f32x8){data1[idx0 + 4], data1[idx0 + 14], data1[idx0 + 24], data1[idx0 + 34], data1[idx0 + 44], data1[idx0 + 54], data1[idx0 + 64], data1[idx0 + 74]});
    f32x8 alu0 = max_f32x8(max_f32x8(max_f32x8(max_f32x8(vec10, vec11), vec12), vec13), vec14);
    f32x8 vec15 = ((f32x8){data1[idx0 + 5], data1[idx0 + 15], data1[idx0 + 25], data1[idx0 + 35], data1[idx0 + 45], data1[idx0 + 55], data1[idx0 + 65], data1[idx0 + 75]});
    f32x8 vec16 = ((f32x8){data1[idx0 + 6], data1[idx0 + 16], data1[idx0 + 26], data1[idx0 + 36], data1[idx0 + 46], data1[idx0 + 56], data1[idx0 + 66], data1[idx0 + 76]});
    f32x8 vec17 = ((f32x8){data1[idx0 + 7], data1[idx0 + 17], data1[idx0 + 27], data1[idx0 + 37], data1[idx0 + 47], data1[idx0 + 57], data1[idx0 + 67], data1[idx0 + 77]});
    f32x8 vec18 = ((f32x8){data1[idx0 + 8], data1[idx0 + 18], data1[idx0 + 28], data1[idx0 + 38], data1[idx0 + 48], data1[idx0 + 58], data1[idx0 + 68], data1[idx0 + 78]});
    f32x8 alu1 = max_f32x8(max_f32x8(max_f32x8(max_f32x8(alu0, vec15), vec16), vec17), vec18);
    f32x8 vec19 = ((f32x8){data1[idx0 + 9], data1[idx0 + 19], data1[idx0 + 29], data1[idx0 + 39], data1[idx0 + 49], data1[idx0 + 59], data1[idx0 + 69], data1[idx0 + 79]});
    f32x8 alu2 = max_f32x8(alu1, vec19);
    __auto_type alu3 = vec10 == alu2;
    i32x8 alu4 = where_i32x8(lanes_as(alu3 | lanes_as(vec10 != vec10, __typeof__(alu3)), where_mask_i32x8), vec0, (i32x8)(2147483647 - (i32x8){}));
    __auto_type alu5 = vec11 == alu2;
    i32x8 alu6 = where_i32x8(lanes_as(alu5 | lanes_as(vec11 != vec11, __typeof__(alu5)), where_mask_i32x8), vec1, (i32x8)(2147483647 - (i32x8){}));
    __auto_type alu7 = vec12 == alu2;
    i32x8 alu8 = where_i32x8(lanes_as(alu7 | lanes_as(vec12 != vec12, __typeof__(alu7)), where_mask_i32x8), vec2, (i32x8)(2147483647 - (i32x8){}));
    __auto_type alu9 = vec13 == alu2;
    i32x8 alu10 = where_i32x8(lanes_as(alu9 | lanes_as(vec13 != vec13, __typeof__(alu9)), where_mask_i32x8), vec3, (i32x8)(2147483647 - (i32x8){}));
    __auto_type alu11 = vec14 == alu2;
    i32x8 alu12 = where_i32x8(lanes_as(alu11 | lanes_as(vec14 != vec14, __typeof__(alu11)), where_mask_i32x8), vec4, (i32x8)(2147483647 - (i32x8){}));
    i32x8 alu13 = min_i32x8(min_i32x8(min_i32x8(min_i32x8(alu4, alu6), alu8), alu10), alu12);
    __auto_type alu14 = vec15 == alu2;
    i32x8 alu15 = where_i32x8(lanes_as(alu14 | lanes_as(vec15 != vec15, __typeof__(alu14)), where_mask_i32x8), vec5, (i32x8)(2147483647 - (i32x8){}));
    __auto_type alu16 = vec16 == alu2;
    i32x8 alu17 = where_i32x8(lanes_as(alu16 | lanes_as(vec16 != vec16, __typeof__(alu16)), where_mask_i32x8), vec6, (i32x8)(2147483647 - (i32x8){}));
    __auto_type alu18 = vec17 == alu2;
    i32x8 alu19 = where_i32x8(lanes_as(alu18 | lanes_as(vec17 != vec17, __typeof__(alu18)), where_mask_i32x8), vec7, (i32x8)(2147483647 - (i32x8){}));
    __auto_type alu20 = vec18 == alu2;
    i32x8 alu21 = where_i32x8(lanes_as(alu20 | lanes_as(vec18 != vec18, __typeof__(alu20)), where_mask_i32x8), vec8, (i32x8)(2147483647 - (i32x8){}));
    i32x8 alu22 = min_i32x8(min_i32x8(min_i32x8(min_i32x8(alu13, alu15), alu17), alu19), alu21);
    __auto_type alu23 = vec19 == alu2;
    i32x8 alu24 = where_i32x8(lanes_as(alu23 | lanes_as(vec19 != vec19, __typeof__(alu23)), where_mask_i32x8), vec9, (i32x8)(2147483647 - (i32x8){}));
    *(i64x8 *)&data0[i1 * 8] = __builtin_convertvector(min_i32x8(alu22, alu24), i64x8);
  }
}
