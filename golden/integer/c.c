// kernel 0: e_128, launch ((1,), None)
typedef unsigned char b8x16 __attribute__((vector_size(16), aligned(1), may_alias));
typedef int i32x16 __attribute__((vector_size(64), aligned(4), may_alias));
typedef unsigned int u32x16 __attribute__((vector_size(64), aligned(4), may_alias));
#define rest_of(quotient, type, a, b) ({ \
  type whole = (type)(a), part = (type)(b); \
  whole - quotient(type, whole, part) * part; })
#define quotient_near(x, y, more) (__builtin_constant_p((y)[0]) ? (x) * (1 / (y) * (1 + more)) : (x) / (y))
#define quotient_u32(type, a, b) ({ \
  typedef unsigned long long bits __attribute__((vector_size(sizeof(type) * 2))); \
  typedef double real __attribute__((vector_size(sizeof(bits)))); \
  typedef int words __attribute__((vector_size(sizeof(type)))); \
  type over = (type)(a), under = (type)(b); \
  real x = (real)(__builtin_convertvector(over, bits) | 0x4330000000000000) - 0x1p52; \
  real y = (real)(__builtin_convertvector(under, bits) | 0x4330000000000000) - 0x1p52; \
  type nearest = __builtin_convertvector((bits)(quotient_near(x, y, 0x1p-40) + 0x1p52), type); \
  nearest + (type)((words)(over - nearest * under) >> 31); })
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
typedef __typeof__((u32x16){} < (u32x16){}) where_mask_u32x16;
static inline u32x16 where_u32x16(where_mask_u32x16 takes, u32x16 yes, u32x16 no) {
  return (u32x16)((takes & (where_mask_u32x16)yes) | (~takes & (where_mask_u32x16)no));
}
static inline u32x16 max_u32x16(u32x16 a, u32x16 b) {
#if defined __clang__ && __clang_major__ >= 14
  return __builtin_elementwise_max(a, b);
#elif (64 == 64 && defined __AVX512BW__) || (64 == 32 && defined __AVX2__) \
    || (64 == 16 && defined __SSE4_1__)
  typedef char bytes __attribute__((vector_size(64)));
  typedef short halves __attribute__((vector_size(64)));
  typedef int words __attribute__((vector_size(64)));
  enum { is_signed = (__typeof__(a[0]))-1 < 0 };
#if 64 == 64
#define OF(letters, lanes) (u32x16)__builtin_ia32_pmax##letters##512_mask((lanes)a, (lanes)b, (lanes)a, -1)
#elif 64 == 32
#define OF(letters, lanes) (u32x16)__builtin_ia32_pmax##letters##256((lanes)a, (lanes)b)
#else
#define OF(letters, lanes) (u32x16)__builtin_ia32_pmax##letters##128((lanes)a, (lanes)b)
#endif
  switch (sizeof a[0]) {
  case 1: return is_signed ? OF(sb, bytes) : OF(ub, bytes);
  case 2: return is_signed ? OF(sw, halves) : OF(uw, halves);
  case 4: return is_signed ? OF(sd, words) : OF(ud, words);
  }
#undef OF
#endif
  __typeof__(a < b) takes = b > a;
  return (u32x16)((takes & (__typeof__(takes))b) | (~takes & (__typeof__(takes))a));
}
typedef __typeof__((i32x16){} < (i32x16){}) where_mask_i32x16;
static inline i32x16 where_i32x16(where_mask_i32x16 takes, i32x16 yes, i32x16 no) {
  return (i32x16)((takes & (where_mask_i32x16)yes) | (~takes & (where_mask_i32x16)no));
}

void e_128(void **bufs, const long *vars, long begin, long end) {
  int *restrict data0 = bufs[0];
  const int *restrict data1 = bufs[1];
  const int *restrict data2 = bufs[2];
  for (long i1 = 0; i1 < 8; i1++) {
    long idx0 = i1 * 16;
    i32x16 val0 = *(i32x16 *)&data2[idx0];
    __auto_type alu0 = val0 == (i32x16)(0 - (i32x16){});
    i32x16 val1 = *(i32x16 *)&data1[idx0];
    __auto_type alu1 = val1 < (i32x16)(0 - (i32x16){});
    __auto_type alu2 = val0 < (i32x16)(0 - (i32x16){});
    u32x16 cast0 = __builtin_convertvector(val1, u32x16);
    u32x16 alu3 = where_u32x16(lanes_as(alu1, where_mask_u32x16), (u32x16)(0u - (u32x16){}) - cast0, cast0);
    u32x16 cast1 = __builtin_convertvector(val0, u32x16);
    u32x16 alu4 = where_u32x16(lanes_as(alu2, where_mask_u32x16), (u32x16)(0u - (u32x16){}) - cast1, cast1);
    u32x16 alu5 = max_u32x16(alu4, (u32x16)(1u - (u32x16){}));
    u32x16 alu6 = quotient_u32(u32x16, alu3, alu5);
    u32x16 alu7 = where_u32x16(lanes_as(alu1 ^ lanes_as(alu2, __typeof__(alu1)), where_mask_u32x16), (u32x16)(0u - (u32x16){}) - alu6, alu6);
    i32x16 alu8 = where_i32x16(lanes_as(alu0, where_mask_i32x16), (i32x16)(0 - (i32x16){}), __builtin_convertvector(alu7, i32x16));
    u32x16 alu9 = rest_of(quotient_u32, u32x16, alu3, alu5);
    u32x16 alu10 = where_u32x16(lanes_as(alu1, where_mask_u32x16), (u32x16)(0u - (u32x16){}) - alu9, alu9);
    i32x16 alu11 = where_i32x16(lanes_as(alu0, where_mask_i32x16), val1, __builtin_convertvector(alu10, i32x16));
    __auto_type alu12 = alu11 != (i32x16)(0 - (i32x16){});
    __auto_type alu13 = alu12 & lanes_as((alu11 ^ val0) < (i32x16)(0 - (i32x16){}), __typeof__(alu12));
    i32x16 cast2 = lanes_as(-(alu13 & lanes_as(val0 != (i32x16)(0 - (i32x16){}), __typeof__(alu13))), i32x16);
    i32x16 alu14 = where_i32x16(lanes_as(alu13, where_mask_i32x16), val0, (i32x16)(0 - (i32x16){}));
    *(i32x16 *)&data0[idx0] = (alu8 - cast2 + (alu11 + alu14)) * (i32x16)(3 - (i32x16){}) - (val1 >> (i32x16)(2 - (i32x16){}));
  }
}
