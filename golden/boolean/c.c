// kernel 0: e_8_16, launch ((1,), None)
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

void e_8_16(void **bufs, const long *vars, long begin, long end) {
  unsigned char *restrict data0 = bufs[0];
  const float *restrict data1 = bufs[1];
  const float *restrict data2 = bufs[2];
  for (long i3 = 0; i3 < 8; i3++) {
    long idx0 = i3 * 16;
    f32x16 val0 = *(f32x16 *)&data1[idx0];
    f32x16 val1 = *(f32x16 *)&data2[idx0];
    __auto_type alu0 = val0 < val1;
    __auto_type alu1 = alu0 & lanes_as(val0 != (f32x16)(0.0f - (f32x16){}), __typeof__(alu0));
    *(b8x16 *)&data0[idx0] = lanes_as(-(alu1 | lanes_as((f32x16)(1.0f - (f32x16){}) <= val1, __typeof__(alu1))), b8x16);
  }
}
