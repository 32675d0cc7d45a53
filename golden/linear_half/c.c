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
  f32x16 acc3;
  float acc0[384] __attribute__((aligned(64)));
  float acc1[3072] __attribute__((aligned(64)));
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
  f32x16 acc6;
  f32x16 acc10;
  f32x16 acc14;
  f32x16 acc18;
  f32x16 val0 = *(f32x16 *)&data3[0];
  f32x16 val1 = *(f32x16 *)&data3[16];
  f32x16 val2 = *(f32x16 *)&data3[32];
  f32x16 val3 = *(f32x16 *)&data3[48];
  for (long i9 = 0; i9 < 4; i9++) {
    long alu0 = i9 * 512;
    long alu1 = i9 * 384;
    for (long i10 = 0; i10 < 8; i10++) {
      long alu2 = i10 * 48;
      long alu3 = alu1 + alu2;
      for (long i24 = 0; i24 < 3; i24++) {
        long alu4 = i24 * 16;
        *(f32x16 *)&acc0[alu2 + alu4] = f32x16_of_f16(*(u16x16 *)&data1[alu3 + alu4]);
      }
    }
    for (long i14 = 0; i14 < 48; i14++) {
      long alu5 = i14 * 64;
      #pragma GCC unroll 4
      for (long u15 = 0; u15 < 4; u15++) {
        long idx0 = alu5 + u15 * 16;
        *(f32x16 *)&acc1[idx0] = f32x16_of_f16(*(u16x16 *)&data2[idx0]);
      }
    }
    for (long i12 = 0; i12 < 2; i12++) {
      long idx1 = alu0 + i12 * 256;
      acc3 = (f32x16)(0.0f - (f32x16){});
      long alu6 = i12 * 192;
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
      acc6 = (f32x16)(0.0f - (f32x16){});
      acc10 = (f32x16)(0.0f - (f32x16){});
      acc14 = (f32x16)(0.0f - (f32x16){});
      acc18 = (f32x16)(0.0f - (f32x16){});
      for (long r2 = 0; r2 < 48; r2++) {
        long idx2 = alu6 + r2;
        float val4 = acc0[idx2];
        f32x16 vec0 = (f32x16)(val4 - (f32x16){});
        long idx3 = r2 * 64;
        f32x16 val5 = *(f32x16 *)&acc1[idx3];
        acc3 = mulacc_f32x16(vec0, val5, acc3);
        float val6 = acc0[idx2 + 48];
        f32x16 vec1 = (f32x16)(val6 - (f32x16){});
        acc7 = mulacc_f32x16(vec1, val5, acc7);
        float val7 = acc0[idx2 + 96];
        f32x16 vec2 = (f32x16)(val7 - (f32x16){});
        acc11 = mulacc_f32x16(vec2, val5, acc11);
        float val8 = acc0[idx2 + 144];
        f32x16 vec3 = (f32x16)(val8 - (f32x16){});
        acc15 = mulacc_f32x16(vec3, val5, acc15);
        f32x16 val9 = *(f32x16 *)&acc1[idx3 + 16];
        acc4 = mulacc_f32x16(vec0, val9, acc4);
        acc8 = mulacc_f32x16(vec1, val9, acc8);
        acc12 = mulacc_f32x16(vec2, val9, acc12);
        acc16 = mulacc_f32x16(vec3, val9, acc16);
        f32x16 val10 = *(f32x16 *)&acc1[idx3 + 32];
        acc5 = mulacc_f32x16(vec0, val10, acc5);
        acc9 = mulacc_f32x16(vec1, val10, acc9);
        acc13 = mulacc_f32x16(vec2, val10, acc13);
        acc17 = mulacc_f32x16(vec3, val10, acc17);
        f32x16 val11 = *(f32x16 *)&acc1[idx3 + 48];
        acc6 = mulacc_f32x16(vec0, val11, acc6);
        acc10 = mulacc_f32x16(vec1, val11, acc10);
        acc14 = mulacc_f32x16(vec2, val11, acc14);
        acc18 = mulacc_f32x16(vec3, val11, acc18);
      }
      f32x16 alu7 = acc3 + val0;
      f32x16 alu8 = where_f32x16(lanes_as(alu7 <= (f32x16)(0.0f - (f32x16){}), where_mask_f32x16), (f32x16)(0.0f - (f32x16){}), alu7);
      *(f32x16 *)&data0[idx1] = alu8;
      f32x16 alu9 = acc7 + val0;
      f32x16 alu10 = where_f32x16(lanes_as(alu9 <= (f32x16)(0.0f - (f32x16){}), where_mask_f32x16), (f32x16)(0.0f - (f32x16){}), alu9);
      *(f32x16 *)&data0[idx1 + 64] = alu10;
      f32x16 alu11 = acc11 + val0;
      f32x16 alu12 = where_f32x16(lanes_as(alu11 <= (f32x16)(0.0f - (f32x16){}), where_mask_f32x16), (f32x16)(0.0f - (f32x16){}), alu11);
      *(f32x16 *)&data0[idx1 + 128] = alu12;
      f32x16 alu13 = acc15 + val0;
      f32x16 alu14 = where_f32x16(lanes_as(alu13 <= (f32x16)(0.0f - (f32x16){}), where_mask_f32x16), (f32x16)(0.0f - (f32x16){}), alu13);
      *(f32x16 *)&data0[idx1 + 192] = alu14;
      f32x16 alu15 = acc4 + val1;
      f32x16 alu16 = where_f32x16(lanes_as(alu15 <= (f32x16)(0.0f - (f32x16){}), where_mask_f32x16), (f32x16)(0.0f - (f32x16){}), alu15);
      *(f32x16 *)&data0[idx1 + 16] = alu16;
      f32x16 alu17 = acc8 + val1;
      f32x16 alu18 = where_f32x16(lanes_as(alu17 <= (f32x16)(0.0f - (f32x16){}), where_mask_f32x16), (f32x16)(0.0f - (f32x16){}), alu17);
      *(f32x16 *)&data0[idx1 + 80] = alu18;
      f32x16 alu19 = acc12 + val1;
      f32x16 alu20 = where_f32x16(lanes_as(alu19 <= (f32x16)(0.0f - (f32x16){}), where_mask_f32x16), (f32x16)(0.0f - (f32x16){}), alu19);
      *(f32x16 *)&data0[idx1 + 144] = alu20;
      f32x16 alu21 = acc16 + val1;
      f32x16 alu22 = where_f32x16(lanes_as(alu21 <= (f32x16)(0.0f - (f32x16){}), where_mask_f32x16), (f32x16)(0.0f - (f32x16){}), alu21);
      *(f32x16 *)&data0[idx1 + 208] = alu22;
      f32x16 alu23 = acc5 + val2;
      f32x16 alu24 = where_f32x16(lanes_as(alu23 <= (f32x16)(0.0f - (f32x16){}), where_mask_f32x16), (f32x16)(0.0f - (f32x16){}), alu23);
      *(f32x16 *)&data0[idx1 + 32] = alu24;
      f32x16 alu25 = acc9 + val2;
      f32x16 alu26 = where_f32x16(lanes_as(alu25 <= (f32x16)(0.0f - (f32x16){}), where_mask_f32x16), (f32x16)(0.0f - (f32x16){}), alu25);
      *(f32x16 *)&data0[idx1 + 96] = alu26;
      f32x16 alu27 = acc13 + val2;
      f32x16 alu28 = where_f32x16(lanes_as(alu27 <= (f32x16)(0.0f - (f32x16){}), where_mask_f32x16), (f32x16)(0.0f - (f32x16){}), alu27);
      *(f32x16 *)&data0[idx1 + 160] = alu28;
      f32x16 alu29 = acc17 + val2;
      f32x16 alu30 = where_f32x16(lanes_as(alu29 <= (f32x16)(0.0f - (f32x16){}), where_mask_f32x16), (f32x16)(0.0f - (f32x16){}), alu29);
      *(f32x16 *)&data0[idx1 + 224] = alu30;
      f32x16 alu31 = acc6 + val3;
      f32x16 alu32 = where_f32x16(lanes_as(alu31 <= (f32x16)(0.0f - (f32x16){}), where_mask_f32x16), (f32x16)(0.0f - (f32x16){}), alu31);
      *(f32x16 *)&data0[idx1 + 48] = alu32;
      f32x16 alu33 = acc10 + val3;
      f32x16 alu34 = where_f32x16(lanes_as(alu33 <= (f32x16)(0.0f - (f32x16){}), where_mask_f32x16), (f32x16)(0.0f - (f32x16){}), alu33);
      *(f32x16 *)&data0[idx1 + 112] = alu34;
      f32x16 alu35 = acc14 + val3;
      f32x16 alu36 = where_f32x16(lanes_as(alu35 <= (f32x16)(0.0f - (f32x16){}), where_mask_f32x16), (f32x16)(0.0f - (f32x16){}), alu35);
      *(f32x16 *)&data0[idx1 + 176] = alu36;
      f32x16 alu37 = acc18 + val3;
      f32x16 alu38 = where_f32x16(lanes_as(alu37 <= (f32x16)(0.0f - (f32x16){}), where_mask_f32x16), (f32x16)(0.0f - (f32x16){}), alu37);
      *(f32x16 *)&data0[idx1 + 240] = alu38;
    }
  }
}
