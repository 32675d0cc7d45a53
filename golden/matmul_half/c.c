// kernel 0: r_64_64_64, launch ((4,), (1,))
typedef unsigned short u16x16 __attribute__((vector_size(32), aligned(2), may_alias));
typedef float f32x16 __attribute__((vector_size(64), aligned(4), may_alias));
#define f32_of_f16(type, x) ({ \
  typedef unsigned wide __attribute__((vector_size(sizeof(type)))); \
  typedef float real __attribute__((vector_size(sizeof(type)))); \
  wide h = __builtin_convertvector(x, wide), moved = (h & 32767) << 13; \
  wide scaled = (wide)((real)moved * 5.192296858534828e+33f); \
  wide special = (wide)((h & 31744) == 31744) & 2139095040u; \
  (type)(scaled | special | (h & 32768) << 16); })
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
#if 32 == 32 && defined __F16C__ && defined __AVX512F__
#define f16_of_f32x16(x) ((u16x16)__builtin_ia32_vcvtps2ph512_mask(x, 0, (short __attribute__((vector_size(32)))){}, -1))
#elif 32 == 16 && defined __F16C__
#define f16_of_f32x16(x) ((u16x16)__builtin_ia32_vcvtps2ph256(x, 0))
#else
#define f16_of_f32x16(x) f16_of_f32(u16x16, x)
#endif

void r_64_64_64(void **bufs, const long *vars, long begin, long end) {
  unsigned short *restrict data0 = bufs[0];
  const unsigned short *restrict data1 = bufs[1];
  const unsigned short *restrict data2 = bufs[2];
  f32x16 acc3;
  float acc0[1152] __attribute__((aligned(64)));
  float acc1[4096] __attribute__((aligned(64)));
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
  f32x16 acc18;
  f32x16 acc19;
  f32x16 acc20;
  f32x16 acc21;
  f32x16 acc22;
  f32x16 acc23;
  f32x16 acc24;
  f32x16 acc25;
  f32x16 acc26;
  for (long i14 = 0; i14 < 64; i14++) {
    long alu0 = i14 * 64;
    #pragma GCC unroll 4
    for (long u15 = 0; u15 < 4; u15++) {
      long idx0 = alu0 + u15 * 16;
      *(f32x16 *)&acc1[idx0] = f32x16_of_f16(*(u16x16 *)&data2[idx0]);
    }
  }
  for (long t9 = begin; t9 < end; t9++) {
    long alu1 = t9 * 18;
    long alu2 = t9 * 1152;
    for (long i10 = 0; i10 < 18; i10++) {
      long alu3 = i10 * 64;
      long alu4 = alu2 + alu3;
      unsigned char alu5 = alu1 + i10 < 64;
      for (long i24 = 0; i24 < 4; i24++) {
        long alu6 = i24 * 16;
        *(f32x16 *)&acc0[alu3 + alu6] = f32x16_of_f16(alu5 ? *(u16x16 *)&data1[alu4 + alu6] : (u16x16)(0x0000 - (u16x16){}));
      }
    }
    long alu7 = t9 * 3;
    for (long i12 = 0; i12 < 3; i12++) {
      long alu8 = alu1 + i12 * 6;
      long idx1 = (alu8 < 63 ? alu8 : 63) * 64;
      acc3 = (f32x16)(0.0f - (f32x16){});
      long alu9 = i12 * 384;
      long alu10 = alu7 + i12;
      unsigned char alu11 = alu10 < 11;
      acc4 = (f32x16)(0.0f - (f32x16){});
      acc5 = (f32x16)(0.0f - (f32x16){});
      acc6 = (f32x16)(0.0f - (f32x16){});
      long alu12 = alu8 + 1;
      long idx2 = (alu12 < 63 ? alu12 : 63) * 64;
      acc7 = (f32x16)(0.0f - (f32x16){});
      acc8 = (f32x16)(0.0f - (f32x16){});
      acc9 = (f32x16)(0.0f - (f32x16){});
      acc10 = (f32x16)(0.0f - (f32x16){});
      long alu13 = alu8 + 2;
      long idx3 = (alu13 < 63 ? alu13 : 63) * 64;
      acc11 = (f32x16)(0.0f - (f32x16){});
      acc12 = (f32x16)(0.0f - (f32x16){});
      acc13 = (f32x16)(0.0f - (f32x16){});
      acc14 = (f32x16)(0.0f - (f32x16){});
      long alu14 = alu8 + 3;
      long idx4 = (alu14 < 63 ? alu14 : 63) * 64;
      acc15 = (f32x16)(0.0f - (f32x16){});
      acc16 = (f32x16)(0.0f - (f32x16){});
      acc17 = (f32x16)(0.0f - (f32x16){});
      acc18 = (f32x16)(0.0f - (f32x16){});
      long alu15 = alu8 + 4;
      long idx5 = (alu15 < 63 ? alu15 : 63) * 64;
      acc19 = (f32x16)(0.0f - (f32x16){});
      unsigned char alu16 = alu10 < 10;
      acc20 = (f32x16)(0.0f - (f32x16){});
      acc21 = (f32x16)(0.0f - (f32x16){});
      acc22 = (f32x16)(0.0f - (f32x16){});
      long alu17 = alu8 + 5;
      long idx6 = (alu17 < 63 ? alu17 : 63) * 64;
      acc23 = (f32x16)(0.0f - (f32x16){});
      acc24 = (f32x16)(0.0f - (f32x16){});
      acc25 = (f32x16)(0.0f - (f32x16){});
      acc26 = (f32x16)(0.0f - (f32x16){});
      for (long r2 = 0; r2 < 64; r2++) {
        long idx7 = alu9 + r2;
        float val0 = acc0[idx7];
        f32x16 vec0 = (f32x16)(val0 - (f32x16){});
        long idx8 = r2 * 64;
        f32x16 val1 = *(f32x16 *)&acc1[idx8];
        acc3 = mulacc_f32x16(vec0, val1, acc3);
        f32x16 val2 = *(f32x16 *)&acc1[idx8 + 16];
        acc4 = mulacc_f32x16(vec0, val2, acc4);
        f32x16 val3 = *(f32x16 *)&acc1[idx8 + 32];
        acc5 = mulacc_f32x16(vec0, val3, acc5);
        f32x16 val4 = *(f32x16 *)&acc1[idx8 + 48];
        acc6 = mulacc_f32x16(vec0, val4, acc6);
        float val5 = acc0[idx7 + 64];
        f32x16 vec1 = (f32x16)(val5 - (f32x16){});
        acc7 = mulacc_f32x16(vec1, val1, acc7);
        acc8 = mulacc_f32x16(vec1, val2, acc8);
        acc9 = mulacc_f32x16(vec1, val3, acc9);
        acc10 = mulacc_f32x16(vec1, val4, acc10);
        float val6 = acc0[idx7 + 128];
        f32x16 vec2 = (f32x16)(val6 - (f32x16){});
        acc11 = mulacc_f32x16(vec2, val1, acc11);
        acc12 = mulacc_f32x16(vec2, val2, acc12);
        acc13 = mulacc_f32x16(vec2, val3, acc13);
        acc14 = mulacc_f32x16(vec2, val4, acc14);
        float val7 = acc0[idx7 + 192];
        f32x16 vec3 = (f32x16)(val7 - (f32x16){});
        acc15 = mulacc_f32x16(vec3, val1, acc15);
        acc16 = mulacc_f32x16(vec3, val2, acc16);
        acc17 = mulacc_f32x16(vec3, val3, acc17);
        acc18 = mulacc_f32x16(vec3, val4, acc18);
        float val8 = acc0[idx7 + 256];
        f32x16 vec4 = (f32x16)(val8 - (f32x16){});
        acc19 = mulacc_f32x16(vec4, val1, acc19);
        acc20 = mulacc_f32x16(vec4, val2, acc20);
        acc21 = mulacc_f32x16(vec4, val3, acc21);
        acc22 = mulacc_f32x16(vec4, val4, acc22);
        float val9 = acc0[idx7 + 320];
        f32x16 vec5 = (f32x16)(val9 - (f32x16){});
        acc23 = mulacc_f32x16(vec5, val1, acc23);
        acc24 = mulacc_f32x16(vec5, val2, acc24);
        acc25 = mulacc_f32x16(vec5, val3, acc25);
        acc26 = mulacc_f32x16(vec5, val4, acc26);
      }
      if (alu11) *(u16x16 *)&data0[idx1] = f16_of_f32x16(acc3);
      if (alu11) *(u16x16 *)&data0[idx1 + 16] = f16_of_f32x16(acc4);
      if (alu11) *(u16x16 *)&data0[idx1 + 32] = f16_of_f32x16(acc5);
      if (alu11) *(u16x16 *)&data0[idx1 + 48] = f16_of_f32x16(acc6);
      if (alu11) *(u16x16 *)&data0[idx2] = f16_of_f32x16(acc7);
      if (alu11) *(u16x16 *)&data0[idx2 + 16] = f16_of_f32x16(acc8);
      if (alu11) *(u16x16 *)&data0[idx2 + 32] = f16_of_f32x16(acc9);
      if (alu11) *(u16x16 *)&data0[idx2 + 48] = f16_of_f32x16(acc10);
      if (alu11) *(u16x16 *)&data0[idx3] = f16_of_f32x16(acc11);
      if (alu11) *(u16x16 *)&data0[idx3 + 16] = f16_of_f32x16(acc12);
      if (alu11) *(u16x16 *)&data0[idx3 + 32] = f16_of_f32x16(acc13);
      if (alu11) *(u16x16 *)&data0[idx3 + 48] = f16_of_f32x16(acc14);
      if (alu11) *(u16x16 *)&data0[idx4] = f16_of_f32x16(acc15);
      if (alu11) *(u16x16 *)&data0[idx4 + 16] = f16_of_f32x16(acc16);
      if (alu11) *(u16x16 *)&data0[idx4 + 32] = f16_of_f32x16(acc17);
      if (alu11) *(u16x16 *)&data0[idx4 + 48] = f16_of_f32x16(acc18);
      if (alu16) *(u16x16 *)&data0[idx5] = f16_of_f32x16(acc19);
      if (alu16) *(u16x16 *)&data0[idx5 + 16] = f16_of_f32x16(acc20);
      if (alu16) *(u16x16 *)&data0[idx5 + 32] = f16_of_f32x16(acc21);
      if (alu16) *(u16x16 *)&data0[idx5 + 48] = f16_of_f32x16(acc22);
      if (alu16) *(u16x16 *)&data0[idx6] = f16_of_f32x16(acc23);
      if (alu16) *(u16x16 *)&data0[idx6 + 16] = f16_of_f32x16(acc24);
      if (alu16) *(u16x16 *)&data0[idx6 + 32] = f16_of_f32x16(acc25);
      if (alu16) *(u16x16 *)&data0[idx6 + 48] = f16_of_f32x16(acc26);
    }
  }
}
