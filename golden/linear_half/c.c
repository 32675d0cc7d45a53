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
#if 64 == 64 && defined __F16C__ && defined __AVX512F__
#define f32x16_of_f16(x) ((f32x16)__builtin_ia32_vcvtph2ps512_mask((short __attribute__((vector_size(32))))(x), (float __attribute__((vector_size(64)))){}, -1, 4))
#elif 64 == 32 && defined __F16C__ && !defined __clang__
#define f32x16_of_f16(x) ((f32x16)__builtin_ia32_vcvtph2ps256((short __attribute__((vector_size(16))))(x)))
#else
#define f32x16_of_f16(x) f32_of_f16(f32x16, x)
#endif
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

void r_32_64_48(void **bufs, const long *vars, long begin, long end) {
  float *restrict data0 = bufs[0];
  const unsigned short *restrict data1 = bufs[1];
  const unsigned short *restrict data2 = bufs[2];
  const float *restrict data3 = bufs[3];
  f32x16 acc2;
  float acc0[3072] __attribute__((aligned(64)));
  f32x16 acc6;
  f32x16 acc10;
  f32x16 acc14;
  f32x16 acc3;
  f32x16 acc7;
  f32x16 acc11;
  f32x16 acc15;
  f32x16 acc4;
  f32x16 acc8;
  f32x16 acc12;
  f32x16 acc16;
  f32x16 acc5;
  f32x16 acc9;
  f32x16 acc13;
  f32x16 acc17;
  f32x16 val0 = *(f32x16 *)&data3[0];
  f32x16 val1 = *(f32x16 *)&data3[16];
  f32x16 val2 = *(f32x16 *)&data3[32];
  f32x16 val3 = *(f32x16 *)&data3[48];
  for (long i9 = 0; i9 < 4; i9++) {
    long alu0 = i9 * 512;
    long alu1 = i9 * 384;
    for (long i12 = 0; i12 < 48; i12++) {
      long alu2 = i12 * 64;
      #pragma GCC unroll 4
      for (long u13 = 0; u13 < 4; u13++) {
        long idx0 = alu2 + u13 * 16;
        *(f32x16 *)&acc0[idx0] = f32x16_of_f16(*(u16x16 *)&data2[idx0]);
      }
    }
    for (long i10 = 0; i10 < 2; i10++) {
      long idx1 = alu0 + i10 * 256;
      acc2 = (f32x16)(0.0f - (f32x16){});
      long alu3 = alu1 + i10 * 192;
      acc6 = (f32x16)(0.0f - (f32x16){});
      acc10 = (f32x16)(0.0f - (f32x16){});
      acc14 = (f32x16)(0.0f - (f32x16){});
      acc3 = (f32x16)(0.0f - (f32x16){});
      acc7 = (f32x16)(0.0f - (f32x16){});
      acc11 = (f32x16)(0.0f - (f32x16){});
      acc15 = (f32x16)(0.0f - (f32x16){});
      acc4 = (f32x16)(0.0f - (f32x16){});
      acc8 = (f32x16)(0.0f - (f32x16){});
      acc12 = (f32x16)(0.0f - (f32x16){});
      acc16 = (f32x16)(0.0f - (f32x16){});
      acc5 = (f32x16)(0.0f - (f32x16){});
      acc9 = (f32x16)(0.0f - (f32x16){});
      acc13 = (f32x16)(0.0f - (f32x16){});
      acc17 = (f32x16)(0.0f - (f32x16){});
      for (long r2 = 0; r2 < 48; r2++) {
        long idx2 = alu3 + r2;
        float cast0 = widened_f16(data1[idx2]);
        f32x16 vec0 = (f32x16)(cast0 - (f32x16){});
        long idx3 = r2 * 64;
        f32x16 val4 = *(f32x16 *)&acc0[idx3];
        acc2 = mulacc_f32x16(vec0, val4, acc2);
        float cast1 = widened_f16(data1[idx2 + 48]);
        f32x16 vec1 = (f32x16)(cast1 - (f32x16){});
        acc6 = mulacc_f32x16(vec1, val4, acc6);
        float cast2 = widened_f16(data1[idx2 + 96]);
        f32x16 vec2 = (f32x16)(cast2 - (f32x16){});
        acc10 = mulacc_f32x16(vec2, val4, acc10);
        float cast3 = widened_f16(data1[idx2 + 144]);
        f32x16 vec3 = (f32x16)(cast3 - (f32x16){});
        acc14 = mulacc_f32x16(vec3, val4, acc14);
        f32x16 val5 = *(f32x16 *)&acc0[idx3 + 16];
        acc3 = mulacc_f32x16(vec0, val5, acc3);
        acc7 = mulacc_f32x16(vec1, val5, acc7);
        acc11 = mulacc_f32x16(vec2, val5, acc11);
        acc15 = mulacc_f32x16(vec3, val5, acc15);
        f32x16 val6 = *(f32x16 *)&acc0[idx3 + 32];
        acc4 = mulacc_f32x16(vec0, val6, acc4);
        acc8 = mulacc_f32x16(vec1, val6, acc8);
        acc12 = mulacc_f32x16(vec2, val6, acc12);
        acc16 = mulacc_f32x16(vec3, val6, acc16);
        f32x16 val7 = *(f32x16 *)&acc0[idx3 + 48];
        acc5 = mulacc_f32x16(vec0, val7, acc5);
        acc9 = mulacc_f32x16(vec1, val7, acc9);
        acc13 = mulacc_f32x16(vec2, val7, acc13);
        acc17 = mulacc_f32x16(vec3, val7, acc17);
      }
      f32x16 alu4 = acc2 + val0;
      f32x16 alu5 = where_f32x16(lanes_as(alu4 <= (f32x16)(0.0f - (f32x16){}), where_mask_f32x16), (f32x16)(0.0f - (f32x16){}), alu4);
      *(f32x16 *)&data0[idx1] = alu5;
      f32x16 alu6 = acc6 + val0;
      f32x16 alu7 = where_f32x16(lanes_as(alu6 <= (f32x16)(0.0f - (f32x16){}), where_mask_f32x16), (f32x16)(0.0f - (f32x16){}), alu6);
      *(f32x16 *)&data0[idx1 + 64] = alu7;
      f32x16 alu8 = acc10 + val0;
      f32x16 alu9 = where_f32x16(lanes_as(alu8 <= (f32x16)(0.0f - (f32x16){}), where_mask_f32x16), (f32x16)(0.0f - (f32x16){}), alu8);
      *(f32x16 *)&data0[idx1 + 128] = alu9;
      f32x16 alu10 = acc14 + val0;
      f32x16 alu11 = where_f32x16(lanes_as(alu10 <= (f32x16)(0.0f - (f32x16){}), where_mask_f32x16), (f32x16)(0.0f - (f32x16){}), alu10);
      *(f32x16 *)&data0[idx1 + 192] = alu11;
      f32x16 alu12 = acc3 + val1;
      f32x16 alu13 = where_f32x16(lanes_as(alu12 <= (f32x16)(0.0f - (f32x16){}), where_mask_f32x16), (f32x16)(0.0f - (f32x16){}), alu12);
      *(f32x16 *)&data0[idx1 + 16] = alu13;
      f32x16 alu14 = acc7 + val1;
      f32x16 alu15 = where_f32x16(lanes_as(alu14 <= (f32x16)(0.0f - (f32x16){}), where_mask_f32x16), (f32x16)(0.0f - (f32x16){}), alu14);
      *(f32x16 *)&data0[idx1 + 80] = alu15;
      f32x16 alu16 = acc11 + val1;
      f32x16 alu17 = where_f32x16(lanes_as(alu16 <= (f32x16)(0.0f - (f32x16){}), where_mask_f32x16), (f32x16)(0.0f - (f32x16){}), alu16);
      *(f32x16 *)&data0[idx1 + 144] = alu17;
      f32x16 alu18 = acc15 + val1;
      f32x16 alu19 = where_f32x16(lanes_as(alu18 <= (f32x16)(0.0f - (f32x16){}), where_mask_f32x16), (f32x16)(0.0f - (f32x16){}), alu18);
      *(f32x16 *)&data0[idx1 + 208] = alu19;
      f32x16 alu20 = acc4 + val2;
      f32x16 alu21 = where_f32x16(lanes_as(alu20 <= (f32x16)(0.0f - (f32x16){}), where_mask_f32x16), (f32x16)(0.0f - (f32x16){}), alu20);
      *(f32x16 *)&data0[idx1 + 32] = alu21;
      f32x16 alu22 = acc8 + val2;
      f32x16 alu23 = where_f32x16(lanes_as(alu22 <= (f32x16)(0.0f - (f32x16){}), where_mask_f32x16), (f32x16)(0.0f - (f32x16){}), alu22);
      *(f32x16 *)&data0[idx1 + 96] = alu23;
      f32x16 alu24 = acc12 + val2;
      f32x16 alu25 = where_f32x16(lanes_as(alu24 <= (f32x16)(0.0f - (f32x16){}), where_mask_f32x16), (f32x16)(0.0f - (f32x16){}), alu24);
      *(f32x16 *)&data0[idx1 + 160] = alu25;
      f32x16 alu26 = acc16 + val2;
      f32x16 alu27 = where_f32x16(lanes_as(alu26 <= (f32x16)(0.0f - (f32x16){}), where_mask_f32x16), (f32x16)(0.0f - (f32x16){}), alu26);
      *(f32x16 *)&data0[idx1 + 224] = alu27;
      f32x16 alu28 = acc5 + val3;
      f32x16 alu29 = where_f32x16(lanes_as(alu28 <= (f32x16)(0.0f - (f32x16){}), where_mask_f32x16), (f32x16)(0.0f - (f32x16){}), alu28);
      *(f32x16 *)&data0[idx1 + 48] = alu29;
      f32x16 alu30 = acc9 + val3;
      f32x16 alu31 = where_f32x16(lanes_as(alu30 <= (f32x16)(0.0f - (f32x16){}), where_mask_f32x16), (f32x16)(0.0f - (f32x16){}), alu30);
      *(f32x16 *)&data0[idx1 + 112] = alu31;
      f32x16 alu32 = acc13 + val3;
      f32x16 alu33 = where_f32x16(lanes_as(alu32 <= (f32x16)(0.0f - (f32x16){}), where_mask_f32x16), (f32x16)(0.0f - (f32x16){}), alu32);
      *(f32x16 *)&data0[idx1 + 176] = alu33;
      f32x16 alu34 = acc17 + val3;
      f32x16 alu35 = where_f32x16(lanes_as(alu34 <= (f32x16)(0.0f - (f32x16){}), where_mask_f32x16), (f32x16)(0.0f - (f32x16){}), alu34);
      *(f32x16 *)&data0[idx1 + 240] = alu35;
    }
  }
}
