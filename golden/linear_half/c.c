// kernel 0: r_32_64_48, launch ((1,), None)
typedef unsigned char b8x16 __attribute__((vector_size(16), aligned(1), may_alias));
typedef unsigned short u16x16 __attribute__((vector_size(32), aligned(2), may_alias));
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
#define f32_of_f16(type, x) ({ \
  typedef unsigned wide __attribute__((vector_size(sizeof(type)))); \
  typedef float real __attribute__((vector_size(sizeof(type)))); \
  wide h = __builtin_convertvector(x, wide), moved = (h & 32767) << 13; \
  wide scaled = (wide)((real)moved * 5.192296858534828e+33f); \
  wide special = (wide)((h & 31744) == 31744) & 2139095040u; \
  (type)(scaled | special | (h & 32768) << 16); })
#if defined __F16C__ && defined __AVX512F__
#define f32x16_of_f16(x) ((f32x16)__builtin_ia32_vcvtph2ps512_mask((short __attribute__((vector_size(32))))(x), (float __attribute__((vector_size(64)))){}, -1, 4))
#else
#define f32x16_of_f16(x) f32_of_f16(f32x16, x)
#endif
#if defined __F16C__ && !defined __clang__
#define f32x8_of_f16(x) ((f32x8)__builtin_ia32_vcvtph2ps256((short __attribute__((vector_size(16))))(x)))
#else
#define f32x8_of_f16(x) f32_of_f16(f32x8, x)
#endif
#define f32x4_of_f16(x) f32_of_f16(f32x4, x)
static inline float widened_f16(unsigned short x) {
#if defined __F16C__ && !defined __clang__
  typedef short halves __attribute__((vector_size(16)));
  return __builtin_ia32_vcvtph2ps((halves){(short)x})[0];
#else
  unsigned bits = (x & 32767u) << 13, special = (x & 31744) == 31744 ? 2139095040u : 0;
  float value;
  __builtin_memcpy(&value, &bits, 4);
  value *= 5.192296858534828e+33f;
  __builtin_memcpy(&bits, &value, 4);
  bits |= special | (x & 32768u) << 16;
  __builtin_memcpy(&value, &bits, 4);
  return value;
#endif
}
#ifndef __has_builtin
#define __has_builtin(name) 0
#endif
#if __has_builtin(__builtin_elementwise_fma) && (defined __FMA__ || defined __ARM_FEATURE_FMA)
#define mulacc_f32x16(a, b, c) __builtin_elementwise_fma(a, b, c)
#define mulacc_f32x8(a, b, c) __builtin_elementwise_fma(a, b, c)
#define mulacc_f32x4(a, b, c) __builtin_elementwise_fma(a, b, c)
#elif defined __FMA__ && !defined __clang__
#ifdef __AVX512F__
#define mulacc_f32x16(a, b, c) __builtin_ia32_vfmaddps512_mask(a, b, c, -1, 4)
#else
#define mulacc_f32x16(a, b, c) ((a) * (b) + (c))
#endif
#define mulacc_f32x8(a, b, c) __builtin_ia32_vfmaddps256(a, b, c)
#define mulacc_f32x4(a, b, c) __builtin_ia32_vfmaddps(a, b, c)
#else
#define mulacc_f32x16(a, b, c) ((a) * (b) + (c))
#define mulacc_f32x8(a, b, c) ((a) * (b) + (c))
#define mulacc_f32x4(a, b, c) ((a) * (b) + (c))
#endif
typedef __typeof__((f32x16){} < (f32x16){}) where_mask_f32x16;
static inline f32x16 where_f32x16(where_mask_f32x16 takes, f32x16 yes, f32x16 no) {
  return (f32x16)((takes & (where_mask_f32x16)yes) | (~takes & (where_mask_f32x16)no));
}

void r_32_64_48(void **bufs, const long *vars, long begin, long end) {
  float *restrict data0 = bufs[0];
  const unsigned short *restrict data1 = bufs[1];
  const unsigned short *restrict data2 = bufs[2];
  const float *restrict data3 = bufs[3];
  f32x16 acc2;
  float acc0[1536] __attribute__((aligned(64)));
  f32x16 acc3;
  f32x16 acc4;
  f32x16 acc5;
  f32x16 acc6;
  f32x16 acc7;
  f32x16 acc8;
  f32x16 acc9;
  f32x16 acc10;
  f32x16 acc11;
  f32x16 acc12;
  f32x16 acc13;
  f32x16 acc14;
  f32x16 acc15;
  f32x16 acc16;
  f32x16 acc17;
  for (long i9 = 0; i9 < 4; i9++) {
    long alu0 = i9 >> 1;
    long alu1 = alu0 * 1024;
    long idx0 = (i9 & 1) * 32;
    long alu2 = alu0 * 768;
    for (long i12 = 0; i12 < 48; i12++) {
      long alu3 = i12 * 32;
      long alu4 = i12 * 64 + idx0;
      #pragma GCC unroll 2
      for (long u13 = 0; u13 < 2; u13++) {
        long alu5 = u13 * 16;
        *(f32x16 *)&acc0[alu3 + alu5] = f32x16_of_f16(*(u16x16 *)&data2[alu4 + alu5]);
      }
    }
    f32x16 val0 = *(f32x16 *)&data3[idx0];
    f32x16 val1 = *(f32x16 *)&data3[idx0 + 16];
    for (long i10 = 0; i10 < 2; i10++) {
      long idx1 = alu1 + i10 * 512 + idx0;
      acc2 = (f32x16)(0.0f - (f32x16){});
      long alu6 = alu2 + i10 * 384;
      acc3 = (f32x16)(0.0f - (f32x16){});
      acc4 = (f32x16)(0.0f - (f32x16){});
      acc5 = (f32x16)(0.0f - (f32x16){});
      acc6 = (f32x16)(0.0f - (f32x16){});
      acc7 = (f32x16)(0.0f - (f32x16){});
      acc8 = (f32x16)(0.0f - (f32x16){});
      acc9 = (f32x16)(0.0f - (f32x16){});
      acc10 = (f32x16)(0.0f - (f32x16){});
      acc11 = (f32x16)(0.0f - (f32x16){});
      acc12 = (f32x16)(0.0f - (f32x16){});
      acc13 = (f32x16)(0.0f - (f32x16){});
      acc14 = (f32x16)(0.0f - (f32x16){});
      acc15 = (f32x16)(0.0f - (f32x16){});
      acc16 = (f32x16)(0.0f - (f32x16){});
      acc17 = (f32x16)(0.0f - (f32x16){});
      for (long r2 = 0; r2 < 48; r2++) {
        long idx2 = alu6 + r2;
        float cast0 = widened_f16(data1[idx2]);
        f32x16 vec0 = (f32x16)(cast0 - (f32x16){});
        long idx3 = r2 * 32;
        f32x16 val2 = *(f32x16 *)&acc0[idx3];
        acc2 = mulacc_f32x16(vec0, val2, acc2);
        f32x16 val3 = *(f32x16 *)&acc0[idx3 + 16];
        acc3 = mulacc_f32x16(vec0, val3, acc3);
        float cast1 = widened_f16(data1[idx2 + 48]);
        f32x16 vec1 = (f32x16)(cast1 - (f32x16){});
        acc4 = mulacc_f32x16(vec1, val2, acc4);
        acc5 = mulacc_f32x16(vec1, val3, acc5);
        float cast2 = widened_f16(data1[idx2 + 96]);
        f32x16 vec2 = (f32x16)(cast2 - (f32x16){});
        acc6 = mulacc_f32x16(vec2, val2, acc6);
        acc7 = mulacc_f32x16(vec2, val3, acc7);
        float cast3 = widened_f16(data1[idx2 + 144]);
        f32x16 vec3 = (f32x16)(cast3 - (f32x16){});
        acc8 = mulacc_f32x16(vec3, val2, acc8);
        acc9 = mulacc_f32x16(vec3, val3, acc9);
        float cast4 = widened_f16(data1[idx2 + 192]);
        f32x16 vec4 = (f32x16)(cast4 - (f32x16){});
        acc10 = mulacc_f32x16(vec4, val2, acc10);
        acc11 = mulacc_f32x16(vec4, val3, acc11);
        float cast5 = widened_f16(data1[idx2 + 240]);
        f32x16 vec5 = (f32x16)(cast5 - (f32x16){});
        acc12 = mulacc_f32x16(vec5, val2, acc12);
        acc13 = mulacc_f32x16(vec5, val3, acc13);
        float cast6 = widened_f16(data1[idx2 + 288]);
        f32x16 vec6 = (f32x16)(cast6 - (f32x16){});
        acc14 = mulacc_f32x16(vec6, val2, acc14);
        acc15 = mulacc_f32x16(vec6, val3, acc15);
        float cast7 = widened_f16(data1[idx2 + 336]);
        f32x16 vec7 = (f32x16)(cast7 - (f32x16){});
        acc16 = mulacc_f32x16(vec7, val2, acc16);
        acc17 = mulacc_f32x16(vec7, val3, acc17);
      }
      f32x16 alu7 = acc2 + val0;
      f32x16 alu8 = where_f32x16(lanes_as(alu7 <= (f32x16)(0.0f - (f32x16){}), where_mask_f32x16), (f32x16)(0.0f - (f32x16){}), alu7);
      *(f32x16 *)&data0[idx1] = alu8;
      f32x16 alu9 = acc3 + val1;
      f32x16 alu10 = where_f32x16(lanes_as(alu9 <= (f32x16)(0.0f - (f32x16){}), where_mask_f32x16), (f32x16)(0.0f - (f32x16){}), alu9);
      *(f32x16 *)&data0[idx1 + 16] = alu10;
      f32x16 alu11 = acc4 + val0;
      f32x16 alu12 = where_f32x16(lanes_as(alu11 <= (f32x16)(0.0f - (f32x16){}), where_mask_f32x16), (f32x16)(0.0f - (f32x16){}), alu11);
      *(f32x16 *)&data0[idx1 + 64] = alu12;
      f32x16 alu13 = acc5 + val1;
      f32x16 alu14 = where_f32x16(lanes_as(alu13 <= (f32x16)(0.0f - (f32x16){}), where_mask_f32x16), (f32x16)(0.0f - (f32x16){}), alu13);
      *(f32x16 *)&data0[idx1 + 80] = alu14;
      f32x16 alu15 = acc6 + val0;
      f32x16 alu16 = where_f32x16(lanes_as(alu15 <= (f32x16)(0.0f - (f32x16){}), where_mask_f32x16), (f32x16)(0.0f - (f32x16){}), alu15);
      *(f32x16 *)&data0[idx1 + 128] = alu16;
      f32x16 alu17 = acc7 + val1;
      f32x16 alu18 = where_f32x16(lanes_as(alu17 <= (f32x16)(0.0f - (f32x16){}), where_mask_f32x16), (f32x16)(0.0f - (f32x16){}), alu17);
      *(f32x16 *)&data0[idx1 + 144] = alu18;
      f32x16 alu19 = acc8 + val0;
      f32x16 alu20 = where_f32x16(lanes_as(alu19 <= (f32x16)(0.0f - (f32x16){}), where_mask_f32x16), (f32x16)(0.0f - (f32x16){}), alu19);
      *(f32x16 *)&data0[idx1 + 192] = alu20;
      f32x16 alu21 = acc9 + val1;
      f32x16 alu22 = where_f32x16(lanes_as(alu21 <= (f32x16)(0.0f - (f32x16){}), where_mask_f32x16), (f32x16)(0.0f - (f32x16){}), alu21);
      *(f32x16 *)&data0[idx1 + 208] = alu22;
      f32x16 alu23 = acc10 + val0;
      f32x16 alu24 = where_f32x16(lanes_as(alu23 <= (f32x16)(0.0f - (f32x16){}), where_mask_f32x16), (f32x16)(0.0f - (f32x16){}), alu23);
      *(f32x16 *)&data0[idx1 + 256] = alu24;
      f32x16 alu25 = acc11 + val1;
      f32x16 alu26 = where_f32x16(lanes_as(alu25 <= (f32x16)(0.0f - (f32x16){}), where_mask_f32x16), (f32x16)(0.0f - (f32x16){}), alu25);
      *(f32x16 *)&data0[idx1 + 272] = alu26;
      f32x16 alu27 = acc12 + val0;
      f32x16 alu28 = where_f32x16(lanes_as(alu27 <= (f32x16)(0.0f - (f32x16){}), where_mask_f32x16), (f32x16)(0.0f - (f32x16){}), alu27);
      *(f32x16 *)&data0[idx1 + 320] = alu28;
      f32x16 alu29 = acc13 + val1;
      f32x16 alu30 = where_f32x16(lanes_as(alu29 <= (f32x16)(0.0f - (f32x16){}), where_mask_f32x16), (f32x16)(0.0f - (f32x16){}), alu29);
      *(f32x16 *)&data0[idx1 + 336] = alu30;
      f32x16 alu31 = acc14 + val0;
      f32x16 alu32 = where_f32x16(lanes_as(alu31 <= (f32x16)(0.0f - (f32x16){}), where_mask_f32x16), (f32x16)(0.0f - (f32x16){}), alu31);
      *(f32x16 *)&data0[idx1 + 384] = alu32;
      f32x16 alu33 = acc15 + val1;
      f32x16 alu34 = where_f32x16(lanes_as(alu33 <= (f32x16)(0.0f - (f32x16){}), where_mask_f32x16), (f32x16)(0.0f - (f32x16){}), alu33);
      *(f32x16 *)&data0[idx1 + 400] = alu34;
      f32x16 alu35 = acc16 + val0;
      f32x16 alu36 = where_f32x16(lanes_as(alu35 <= (f32x16)(0.0f - (f32x16){}), where_mask_f32x16), (f32x16)(0.0f - (f32x16){}), alu35);
      *(f32x16 *)&data0[idx1 + 448] = alu36;
      f32x16 alu37 = acc17 + val1;
      f32x16 alu38 = where_f32x16(lanes_as(alu37 <= (f32x16)(0.0f - (f32x16){}), where_mask_f32x16), (f32x16)(0.0f - (f32x16){}), alu37);
      *(f32x16 *)&data0[idx1 + 464] = alu38;
    }
  }
}
