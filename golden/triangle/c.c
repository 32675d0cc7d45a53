// kernel 0: e_16_16, launch ((1,), None)
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
typedef __typeof__((f32x16){} < (f32x16){}) where_mask_f32x16;
static inline f32x16 where_f32x16(where_mask_f32x16 takes, f32x16 yes, f32x16 no) {
  return (f32x16)((takes & (where_mask_f32x16)yes) | (~takes & (where_mask_f32x16)no));
}

void e_16_16(void **bufs, const long *vars, long begin, long end) {
  float *restrict data0 = bufs[0];
  const float *restrict data1 = bufs[1];
  i32x16 vec0 = ((i32x16){0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15});
  for (long i0 = 0; i0 < 16; i0++) {
    long idx0 = i0 * 16;
    int cast0 = (int)(i0 + 1);
    unsigned int cast1 = (unsigned int)(15 - i0);
    __auto_type alu0 = __builtin_convertvector(vec0 - (i32x16)(cast0 - (i32x16){}), u32x16) < (u32x16)(cast1 - (u32x16){});
    f32x16 alu1 = where_f32x16(lanes_as(alu0, where_mask_f32x16), (f32x16)(0.0f - (f32x16){}), *(f32x16 *)&data1[idx0]);
    *(f32x16 *)&data0[idx0] = alu1;
  }
}
