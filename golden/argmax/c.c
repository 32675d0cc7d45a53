// kernel 0: r_16_10_10, launch ((1,), None)
typedef unsigned char b8x8 __attribute__((vector_size(8), aligned(1), may_alias));
typedef float f32x4 __attribute__((vector_size(16), aligned(4), may_alias));
typedef float f32x8 __attribute__((vector_size(32), aligned(4), may_alias));
typedef int i32x4 __attribute__((vector_size(16), aligned(4), may_alias));
typedef int i32x8 __attribute__((vector_size(32), aligned(4), may_alias));
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
#define f32_is_nan(x) ({ int bits; __builtin_memcpy(&bits, &x, 4); (bits & 0x7fffffff) > 0x7f800000; })
static inline f32x4 max_f32x4(f32x4 a, f32x4 b) {
  __typeof__(a < b) takes = b != b;
#if 16 == 64 && defined __AVX512F__ && defined __clang__
  a = __builtin_ia32_maxps512(b, a, 4);
#elif 16 == 64 && defined __AVX512F__
  a = __builtin_ia32_maxps512_mask(b, a, b, -1, 4);
#elif 16 == 32 && defined __AVX__
  a = __builtin_ia32_maxps256(b, a);
#elif 16 == 16 && defined __SSE2__
  a = __builtin_ia32_maxps(b, a);
#else
  takes |= b > a;
#endif
  return (f32x4)((takes & (__typeof__(takes))b) | (~takes & (__typeof__(takes))a));
}
static inline float max_f32(float a, float b) { return f32_is_nan(b) ? b : b > a ? b : a; }
typedef __typeof__((i32x8){} < (i32x8){}) where_mask_i32x8;
static inline i32x8 where_i32x8(where_mask_i32x8 takes, i32x8 yes, i32x8 no) {
  return (i32x8)((takes & (where_mask_i32x8)yes) | (~takes & (where_mask_i32x8)no));
}
static inline i32x4 min_i32x4(i32x4 a, i32x4 b) {
#if defined __clang__ && __clang_major__ >= 14
  return __builtin_elementwise_min(a, b);
#elif (16 == 64 && defined __AVX512BW__) || (16 == 32 && defined __AVX2__) \
    || (16 == 16 && defined __SSE4_1__)
  typedef char bytes __attribute__((vector_size(16)));
  typedef short halves __attribute__((vector_size(16)));
  typedef int words __attribute__((vector_size(16)));
  enum { is_signed = (__typeof__(a[0]))-1 < 0 };
#if 16 == 64
#define OF(letters, lanes) (i32x4)__builtin_ia32_pmin##letters##512_mask((lanes)a, (lanes)b, (lanes)a, -1)
#elif 16 == 32
#define OF(letters, lanes) (i32x4)__builtin_ia32_pmin##letters##256((lanes)a, (lanes)b)
#else
#define OF(letters, lanes) (i32x4)__builtin_ia32_pmin##letters##128((lanes)a, (lanes)b)
#endif
  switch (sizeof a[0]) {
  case 1: return is_signed ? OF(sb, bytes) : OF(ub, bytes);
  case 2: return is_signed ? OF(sw, halves) : OF(uw, halves);
  case 4: return is_signed ? OF(sd, words) : OF(ud, words);
  }
#undef OF
#endif
  __typeof__(a < b) takes = b < a;
  return (i32x4)((takes & (__typeof__(takes))b) | (~takes & (__typeof__(takes))a));
}

void r_16_10_10(void **bufs, const long *vars, long begin, long end) {
  long *restrict data0 = bufs[0];
  const float *restrict data1 = bufs[1];
  int acc3[4] __attribute__((aligned(64)));
  int acc2[8] __attribute__((aligned(64)));
  float acc1[4] __attribute__((aligned(64)));
  float acc0[8] __attribute__((aligned(64)));
  i32x8 alu0 = (i32x8)(0 - (i32x8){}) + ((i32x8){0, 1, 2, 3, 4, 5, 6, 7});
  for (long i0 = 0; i0 < 16; i0++) {
    long idx0 = i0 * 10;
    f32x8 val0 = *(f32x8 *)&data1[idx0];
    *(f32x8 *)&acc0[0] = val0;
    *(f32x4 *)&acc1[0] = max_f32x4(*(f32x4 *)&acc0[0], *(f32x4 *)&acc0[4]);
    float val1 = data1[idx0 + 8];
    float val2 = data1[idx0 + 9];
    float alu1 = max_f32(max_f32(max_f32(max_f32(acc1[0], acc1[1]), acc1[2]), acc1[3]), max_f32(val1, val2));
    __auto_type alu2 = val0 == (f32x8)(alu1 - (f32x8){});
    i32x8 alu3 = where_i32x8(lanes_as(alu2 | lanes_as(val0 != val0, __typeof__(alu2)), where_mask_i32x8), alu0, (i32x8)(2147483647 - (i32x8){}));
    *(i32x8 *)&acc2[0] = alu3;
    *(i32x4 *)&acc3[0] = min_i32x4(*(i32x4 *)&acc2[0], *(i32x4 *)&acc2[4]);
    int val3 = acc3[0];
    int val4 = acc3[1];
    int alu4 = val3 < val4 ? val3 : val4;
    int val5 = acc3[2];
    int alu5 = alu4 < val5 ? alu4 : val5;
    int val6 = acc3[3];
    int alu6 = alu5 < val6 ? alu5 : val6;
    int alu7 = (val1 == alu1) | (val1 != val1) ? 8 : 2147483647;
    int alu8 = (val2 == alu1) | (val2 != val2) ? 9 : 2147483647;
    int alu9 = alu7 < alu8 ? alu7 : alu8;
    data0[i0] = (long)(alu6 < alu9 ? alu6 : alu9);
  }
}
