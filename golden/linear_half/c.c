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
#ifdef __F16C__
#define f32x8_of_f16(x) ((f32x8)__builtin_ia32_vcvtph2ps256((short __attribute__((vector_size(16))))(x)))
#else
#define f32x8_of_f16(x) f32_of_f16(f32x8, x)
#endif
#define f32x4_of_f16(x) f32_of_f16(f32x4, x)
static inline float u32_as_f32(unsigned int x) {
  float bits;
  __builtin_memcpy(&bits, &x, sizeof bits);
  return bits;
}
static inline unsigned int f32_as_u32(float x) {
  unsigned int bits;
  __builtin_memcpy(&bits, &x, sizeof bits);
  return bits;
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
        unsigned int cast0 = (unsigned int)data1[idx2];
        unsigned int alu7 = (cast0 & 32767) << 13;
        unsigned int alu8 = (cast0 & 31744) == 31744 ? alu7 | 2139095040 : f32_as_u32(u32_as_f32(alu7) * 5.192297e+33f);
        float alu9 = u32_as_f32(alu8 | ((cast0 & 32768) << 16));
        f32x16 vec0 = (f32x16)(alu9 - (f32x16){});
        long idx3 = r2 * 32;
        f32x16 val2 = *(f32x16 *)&acc0[idx3];
        acc2 = mulacc_f32x16(vec0, val2, acc2);
        f32x16 val3 = *(f32x16 *)&acc0[idx3 + 16];
        acc3 = mulacc_f32x16(vec0, val3, acc3);
        unsigned int cast1 = (unsigned int)data1[idx2 + 48];
        unsigned int alu10 = (cast1 & 32767) << 13;
        unsigned int alu11 = (cast1 & 31744) == 31744 ? alu10 | 2139095040 : f32_as_u32(u32_as_f32(alu10) * 5.192297e+33f);
        float alu12 = u32_as_f32(alu11 | ((cast1 & 32768) << 16));
        f32x16 vec1 = (f32x16)(alu12 - (f32x16){});
        acc4 = mulacc_f32x16(vec1, val2, acc4);
        acc5 = mulacc_f32x16(vec1, val3, acc5);
        unsigned int cast2 = (unsigned int)data1[idx2 + 96];
        unsigned int alu13 = (cast2 & 32767) << 13;
        unsigned int alu14 = (cast2 & 31744) == 31744 ? alu13 | 2139095040 : f32_as_u32(u32_as_f32(alu13) * 5.192297e+33f);
        float alu15 = u32_as_f32(alu14 | ((cast2 & 32768) << 16));
        f32x16 vec2 = (f32x16)(alu15 - (f32x16){});
        acc6 = mulacc_f32x16(vec2, val2, acc6);
        acc7 = mulacc_f32x16(vec2, val3, acc7);
        unsigned int cast3 = (unsigned int)data1[idx2 + 144];
        unsigned int alu16 = (cast3 & 32767) << 13;
        unsigned int alu17 = (cast3 & 31744) == 31744 ? alu16 | 2139095040 : f32_as_u32(u32_as_f32(alu16) * 5.192297e+33f);
        float alu18 = u32_as_f32(alu17 | ((cast3 & 32768) << 16));
        f32x16 vec3 = (f32x16)(alu18 - (f32x16){});
        acc8 = mulacc_f32x16(vec3, val2, acc8);
        acc9 = mulacc_f32x16(vec3, val3, acc9);
        unsigned int cast4 = (unsigned int)data1[idx2 + 192];
        unsigned int alu19 = (cast4 & 32767) << 13;
        unsigned int alu20 = (cast4 & 31744) == 31744 ? alu19 | 2139095040 : f32_as_u32(u32_as_f32(alu19) * 5.192297e+33f);
        float alu21 = u32_as_f32(alu20 | ((cast4 & 32768) << 16));
        f32x16 vec4 = (f32x16)(alu21 - (f32x16){});
        acc10 = mulacc_f32x16(vec4, val2, acc10);
        acc11 = mulacc_f32x16(vec4, val3, acc11);
        unsigned int cast5 = (unsigned int)data1[idx2 + 240];
        unsigned int alu22 = (cast5 & 32767) << 13;
        unsigned int alu23 = (cast5 & 31744) == 31744 ? alu22 | 2139095040 : f32_as_u32(u32_as_f32(alu22) * 5.192297e+33f);
        float alu24 = u32_as_f32(alu23 | ((cast5 & 32768) << 16));
        f32x16 vec5 = (f32x16)(alu24 - (f32x16){});
        acc12 = mulacc_f32x16(vec5, val2, acc12);
        acc13 = mulacc_f32x16(vec5, val3, acc13);
        unsigned int cast6 = (unsigned int)data1[idx2 + 288];
        unsigned int alu25 = (cast6 & 32767) << 13;
        unsigned int alu26 = (cast6 & 31744) == 31744 ? alu25 | 2139095040 : f32_as_u32(u32_as_f32(alu25) * 5.192297e+33f);
        float alu27 = u32_as_f32(alu26 | ((cast6 & 32768) << 16));
        f32x16 vec6 = (f32x16)(alu27 - (f32x16){});
        acc14 = mulacc_f32x16(vec6, val2, acc14);
        acc15 = mulacc_f32x16(vec6, val3, acc15);
        unsigned int cast7 = (unsigned int)data1[idx2 + 336];
        unsigned int alu28 = (cast7 & 32767) << 13;
        unsigned int alu29 = (cast7 & 31744) == 31744 ? alu28 | 2139095040 : f32_as_u32(u32_as_f32(alu28) * 5.192297e+33f);
        float alu30 = u32_as_f32(alu29 | ((cast7 & 32768) << 16));
        f32x16 vec7 = (f32x16)(alu30 - (f32x16){});
        acc16 = mulacc_f32x16(vec7, val2, acc16);
        acc17 = mulacc_f32x16(vec7, val3, acc17);
      }
      f32x16 alu31 = acc2 + val0;
      f32x16 alu32 = where_f32x16(lanes_as(alu31 <= (f32x16)(0.0f - (f32x16){}), where_mask_f32x16), (f32x16)(0.0f - (f32x16){}), alu31);
      *(f32x16 *)&data0[idx1] = alu32;
      f32x16 alu33 = acc3 + val1;
      f32x16 alu34 = where_f32x16(lanes_as(alu33 <= (f32x16)(0.0f - (f32x16){}), where_mask_f32x16), (f32x16)(0.0f - (f32x16){}), alu33);
      *(f32x16 *)&data0[idx1 + 16] = alu34;
      f32x16 alu35 = acc4 + val0;
      f32x16 alu36 = where_f32x16(lanes_as(alu35 <= (f32x16)(0.0f - (f32x16){}), where_mask_f32x16), (f32x16)(0.0f - (f32x16){}), alu35);
      *(f32x16 *)&data0[idx1 + 64] = alu36;
      f32x16 alu37 = acc5 + val1;
      f32x16 alu38 = where_f32x16(lanes_as(alu37 <= (f32x16)(0.0f - (f32x16){}), where_mask_f32x16), (f32x16)(0.0f - (f32x16){}), alu37);
      *(f32x16 *)&data0[idx1 + 80] = alu38;
      f32x16 alu39 = acc6 + val0;
      f32x16 alu40 = where_f32x16(lanes_as(alu39 <= (f32x16)(0.0f - (f32x16){}), where_mask_f32x16), (f32x16)(0.0f - (f32x16){}), alu39);
      *(f32x16 *)&data0[idx1 + 128] = alu40;
      f32x16 alu41 = acc7 + val1;
      f32x16 alu42 = where_f32x16(lanes_as(alu41 <= (f32x16)(0.0f - (f32x16){}), where_mask_f32x16), (f32x16)(0.0f - (f32x16){}), alu41);
      *(f32x16 *)&data0[idx1 + 144] = alu42;
      f32x16 alu43 = acc8 + val0;
      f32x16 alu44 = where_f32x16(lanes_as(alu43 <= (f32x16)(0.0f - (f32x16){}), where_mask_f32x16), (f32x16)(0.0f - (f32x16){}), alu43);
      *(f32x16 *)&data0[idx1 + 192] = alu44;
      f32x16 alu45 = acc9 + val1;
      f32x16 alu46 = where_f32x16(lanes_as(alu45 <= (f32x16)(0.0f - (f32x16){}), where_mask_f32x16), (f32x16)(0.0f - (f32x16){}), alu45);
      *(f32x16 *)&data0[idx1 + 208] = alu46;
      f32x16 alu47 = acc10 + val0;
      f32x16 alu48 = where_f32x16(lanes_as(alu47 <= (f32x16)(0.0f - (f32x16){}), where_mask_f32x16), (f32x16)(0.0f - (f32x16){}), alu47);
      *(f32x16 *)&data0[idx1 + 256] = alu48;
      f32x16 alu49 = acc11 + val1;
      f32x16 alu50 = where_f32x16(lanes_as(alu49 <= (f32x16)(0.0f - (f32x16){}), where_mask_f32x16), (f32x16)(0.0f - (f32x16){}), alu49);
      *(f32x16 *)&data0[idx1 + 272] = alu50;
      f32x16 alu51 = acc12 + val0;
      f32x16 alu52 = where_f32x16(lanes_as(alu51 <= (f32x16)(0.0f - (f32x16){}), where_mask_f32x16), (f32x16)(0.0f - (f32x16){}), alu51);
      *(f32x16 *)&data0[idx1 + 320] = alu52;
      f32x16 alu53 = acc13 + val1;
      f32x16 alu54 = where_f32x16(lanes_as(alu53 <= (f32x16)(0.0f - (f32x16){}), where_mask_f32x16), (f32x16)(0.0f - (f32x16){}), alu53);
      *(f32x16 *)&data0[idx1 + 336] = alu54;
      f32x16 alu55 = acc14 + val0;
      f32x16 alu56 = where_f32x16(lanes_as(alu55 <= (f32x16)(0.0f - (f32x16){}), where_mask_f32x16), (f32x16)(0.0f - (f32x16){}), alu55);
      *(f32x16 *)&data0[idx1 + 384] = alu56;
      f32x16 alu57 = acc15 + val1;
      f32x16 alu58 = where_f32x16(lanes_as(alu57 <= (f32x16)(0.0f - (f32x16){}), where_mask_f32x16), (f32x16)(0.0f - (f32x16){}), alu57);
      *(f32x16 *)&data0[idx1 + 400] = alu58;
      f32x16 alu59 = acc16 + val0;
      f32x16 alu60 = where_f32x16(lanes_as(alu59 <= (f32x16)(0.0f - (f32x16){}), where_mask_f32x16), (f32x16)(0.0f - (f32x16){}), alu59);
      *(f32x16 *)&data0[idx1 + 448] = alu60;
      f32x16 alu61 = acc17 + val1;
      f32x16 alu62 = where_f32x16(lanes_as(alu61 <= (f32x16)(0.0f - (f32x16){}), where_mask_f32x16), (f32x16)(0.0f - (f32x16){}), alu61);
      *(f32x16 *)&data0[idx1 + 464] = alu62;
    }
  }
}
