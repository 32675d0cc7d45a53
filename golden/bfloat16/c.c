// kernel 0: e_64, launch ((1,), None)
typedef unsigned short u16x16 __attribute__((vector_size(32), aligned(2), may_alias));
typedef unsigned char b8x16 __attribute__((vector_size(16), aligned(1), may_alias));
typedef float f32x16 __attribute__((vector_size(64), aligned(4), may_alias));
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
#define f16_of_f32(type, x) ({ \
  typedef unsigned wide __attribute__((vector_size(sizeof(x)))); \
  typedef float real __attribute__((vector_size(sizeof(x)))); \
  wide bits = (wide)(x), size = bits & 2147483647u; \
  wide normal = (size + 3355447295u + (size >> 13 & 1)) >> 13; \
  wide small = (wide)((real)size + 0.5f) - 1056964608u; \
  wide huge = 31744 + ((wide)(size > 2139095040u) & 512); \
  wide is_small = (wide)(size < 947912704u), is_normal = (wide)(size < 1199570944u); \
  wide rest = is_normal & normal | ~is_normal & huge; \
  wide kept = is_small & small | ~is_small & rest; \
  __builtin_convertvector(kept | bits >> 16 & 32768, type); })
#define f32_of_bf16(type, x) ({ \
  typedef unsigned wide __attribute__((vector_size(sizeof(type)))); \
  (type)(__builtin_convertvector(x, wide) << 16); })
#define bf16_rounded(x) ({ \
  __auto_type real = x; \
  typedef unsigned wide __attribute__((vector_size(sizeof real))); \
  wide bits = (wide)real, is_nan = (wide)(real != real); \
  wide rounded = bits + 32767 + (bits >> 16 & 1), quiet = bits | 4194304; \
  rounded ^ is_nan & (rounded ^ quiet); })
#ifndef __has_builtin
#define __has_builtin(name) 0
#endif
#if __has_builtin(__builtin_shufflevector) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define upper_halves(x, type, ...) ({ \
  typedef unsigned short halves __attribute__((vector_size(2 * sizeof(type)))); \
  halves all = (halves)x; \
  (type)__builtin_shufflevector(all, all, __VA_ARGS__); })
#else
#define upper_halves(x, type, ...) __builtin_convertvector(x >> 16, type)
#endif
#if 64 == 64 && defined __AVX512F__ && !defined __clang__
#define f32x16_of_bf16(x) ((f32x16)((unsigned __attribute__((vector_size(64))))__builtin_ia32_pmovzxwd512_mask((short __attribute__((vector_size(32))))(x), (int __attribute__((vector_size(64)))){}, -1) << 16))
#elif 64 == 32 && defined __AVX2__ && !defined __clang__
#define f32x16_of_bf16(x) ((f32x16)((unsigned __attribute__((vector_size(32))))__builtin_ia32_pmovzxwd256((short __attribute__((vector_size(16))))(x)) << 16))
#else
#define f32x16_of_bf16(x) f32_of_bf16(f32x16, x)
#endif
typedef __typeof__((u32x16){} < (u32x16){}) where_mask_u32x16;
static inline u32x16 where_u32x16(where_mask_u32x16 takes, u32x16 yes, u32x16 no) {
  return (u32x16)((takes & (where_mask_u32x16)yes) | (~takes & (where_mask_u32x16)no));
}
#if 32 == 32
#define bf16_of_f32x16(x) upper_halves(bf16_rounded(x), u16x16, 1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31)
#elif 32 == 16
#define bf16_of_f32x16(x) upper_halves(bf16_rounded(x), u16x16, 1, 3, 5, 7, 9, 11, 13, 15)
#elif 32 == 8
#define bf16_of_f32x16(x) upper_halves(bf16_rounded(x), u16x16, 1, 3, 5, 7)
#else
#define bf16_of_f32x16(x) __builtin_convertvector(bf16_rounded(x) >> 16, u16x16)
#endif
typedef __typeof__((u16x16){} < (u16x16){}) where_mask_bf16x16;
static inline u16x16 where_bf16x16(where_mask_bf16x16 takes, u16x16 yes, u16x16 no) {
  return (u16x16)((takes & (where_mask_bf16x16)yes) | (~takes & (where_mask_bf16x16)no));
}

void e_64(void **bufs, const long *vars, long begin, long end) {
  unsigned short *restrict data0 = bufs[0];
  const unsigned short *restrict data1 = bufs[1];
  const unsigned short *restrict data2 = bufs[2];
  for (long i1 = 0; i1 < 4; i1++) {
    long idx0 = i1 * 16;
    f32x16 alu0 = f32x16_of_bf16(*(u16x16 *)&data1[idx0]) * (f32x16)(2.0f - (f32x16){});
    u32x16 alu1 = (u32x16)alu0;
    u32x16 alu2 = alu1 + (u32x16)(32767u - (u32x16){}) + ((alu1 >> (u32x16)(16u - (u32x16){})) & (u32x16)(1u - (u32x16){}));
    u32x16 alu3 = where_u32x16(lanes_as(alu0 != alu0, where_mask_u32x16), alu1 | (u32x16)(4194304u - (u32x16){}), alu2);
    f32x16 alu4 = (f32x16)(alu3 & (u32x16)(4294901760u - (u32x16){})) + f32x16_of_bf16(*(u16x16 *)&data2[idx0]);
    u32x16 alu5 = (u32x16)alu4;
    u32x16 alu6 = alu5 + (u32x16)(32767u - (u32x16){}) + ((alu5 >> (u32x16)(16u - (u32x16){})) & (u32x16)(1u - (u32x16){}));
    u32x16 alu7 = where_u32x16(lanes_as(alu4 != alu4, where_mask_u32x16), alu5 | (u32x16)(4194304u - (u32x16){}), alu6);
    __auto_type alu8 = (f32x16)(alu7 & (u32x16)(4294901760u - (u32x16){})) <= (f32x16)(0.0f - (f32x16){});
    u16x16 alu9 = where_bf16x16(lanes_as(alu8, where_mask_bf16x16), (u16x16)(0x0000 - (u16x16){}), bf16_of_f32x16(alu4));
    *(u16x16 *)&data0[idx0] = alu9;
  }
}
