// kernel 0: r_64_128_96, launch ((4,), (1,))
typedef float f32x16 __attribute__((vector_size(64), aligned(4), may_alias));
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

void r_64_128_96(void **bufs, const long *vars, long begin, long end) {
  float *restrict data0 = bufs[0];
  const float *restrict data1 = bufs[1];
  const float *restrict data2 = bufs[2];
  f32x16 acc2;
  float acc0[6144] __attribute__((aligned(64)));
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
  f32x16 acc18;
  f32x16 acc19;
  f32x16 acc20;
  f32x16 acc21;
  f32x16 acc22;
  f32x16 acc23;
  f32x16 acc24;
  f32x16 acc25;
  for (long t9 = begin; t9 < end; t9++) {
    long alu0 = t9 >> 1;
    long alu1 = alu0 * 36;
    long alu2 = (t9 & 1) * 64;
    for (long i12 = 0; i12 < 96; i12++) {
      long alu3 = i12 * 64;
      long alu4 = i12 * 128 + alu2;
      #pragma GCC unroll 4
      for (long u13 = 0; u13 < 4; u13++) {
        long alu5 = u13 * 16;
        *(f32x16 *)&acc0[alu3 + alu5] = *(f32x16 *)&data2[alu4 + alu5];
      }
    }
    long alu6 = alu0 * 6;
    for (long i10 = 0; i10 < 6; i10++) {
      long alu7 = alu1 + i10 * 6;
      long alu8 = alu7 < 63 ? alu7 : 63;
      long idx0 = alu8 * 128 + alu2;
      acc2 = (f32x16)(0.0f - (f32x16){});
      long alu9 = alu8 * 96;
      long alu10 = alu6 + i10;
      unsigned char alu11 = alu10 < 11;
      acc3 = (f32x16)(0.0f - (f32x16){});
      acc4 = (f32x16)(0.0f - (f32x16){});
      acc5 = (f32x16)(0.0f - (f32x16){});
      long alu12 = alu7 + 1;
      long alu13 = alu12 < 63 ? alu12 : 63;
      long idx1 = alu13 * 128 + alu2;
      acc6 = (f32x16)(0.0f - (f32x16){});
      long alu14 = alu13 * 96;
      acc7 = (f32x16)(0.0f - (f32x16){});
      acc8 = (f32x16)(0.0f - (f32x16){});
      acc9 = (f32x16)(0.0f - (f32x16){});
      long alu15 = alu7 + 2;
      long alu16 = alu15 < 63 ? alu15 : 63;
      long idx2 = alu16 * 128 + alu2;
      acc10 = (f32x16)(0.0f - (f32x16){});
      long alu17 = alu16 * 96;
      acc11 = (f32x16)(0.0f - (f32x16){});
      acc12 = (f32x16)(0.0f - (f32x16){});
      acc13 = (f32x16)(0.0f - (f32x16){});
      long alu18 = alu7 + 3;
      long alu19 = alu18 < 63 ? alu18 : 63;
      long idx3 = alu19 * 128 + alu2;
      acc14 = (f32x16)(0.0f - (f32x16){});
      long alu20 = alu19 * 96;
      acc15 = (f32x16)(0.0f - (f32x16){});
      acc16 = (f32x16)(0.0f - (f32x16){});
      acc17 = (f32x16)(0.0f - (f32x16){});
      long alu21 = alu7 + 4;
      long alu22 = alu21 < 63 ? alu21 : 63;
      long idx4 = alu22 * 128 + alu2;
      acc18 = (f32x16)(0.0f - (f32x16){});
      long alu23 = alu22 * 96;
      unsigned char alu24 = alu10 < 10;
      acc19 = (f32x16)(0.0f - (f32x16){});
      acc20 = (f32x16)(0.0f - (f32x16){});
      acc21 = (f32x16)(0.0f - (f32x16){});
      long alu25 = alu7 + 5;
      long alu26 = alu25 < 63 ? alu25 : 63;
      long idx5 = alu26 * 128 + alu2;
      acc22 = (f32x16)(0.0f - (f32x16){});
      long alu27 = alu26 * 96;
      acc23 = (f32x16)(0.0f - (f32x16){});
      acc24 = (f32x16)(0.0f - (f32x16){});
      acc25 = (f32x16)(0.0f - (f32x16){});
      for (long r2 = 0; r2 < 96; r2++) {
        float val0 = data1[alu9 + r2];
        f32x16 vec0 = (f32x16)(val0 - (f32x16){});
        long idx6 = r2 * 64;
        f32x16 val1 = *(f32x16 *)&acc0[idx6];
        acc2 = mulacc_f32x16(vec0, val1, acc2);
        f32x16 val2 = *(f32x16 *)&acc0[idx6 + 16];
        acc3 = mulacc_f32x16(vec0, val2, acc3);
        f32x16 val3 = *(f32x16 *)&acc0[idx6 + 32];
        acc4 = mulacc_f32x16(vec0, val3, acc4);
        f32x16 val4 = *(f32x16 *)&acc0[idx6 + 48];
        acc5 = mulacc_f32x16(vec0, val4, acc5);
        float val5 = data1[alu14 + r2];
        f32x16 vec1 = (f32x16)(val5 - (f32x16){});
        acc6 = mulacc_f32x16(vec1, val1, acc6);
        acc7 = mulacc_f32x16(vec1, val2, acc7);
        acc8 = mulacc_f32x16(vec1, val3, acc8);
        acc9 = mulacc_f32x16(vec1, val4, acc9);
        float val6 = data1[alu17 + r2];
        f32x16 vec2 = (f32x16)(val6 - (f32x16){});
        acc10 = mulacc_f32x16(vec2, val1, acc10);
        acc11 = mulacc_f32x16(vec2, val2, acc11);
        acc12 = mulacc_f32x16(vec2, val3, acc12);
        acc13 = mulacc_f32x16(vec2, val4, acc13);
        float val7 = data1[alu20 + r2];
        f32x16 vec3 = (f32x16)(val7 - (f32x16){});
        acc14 = mulacc_f32x16(vec3, val1, acc14);
        acc15 = mulacc_f32x16(vec3, val2, acc15);
        acc16 = mulacc_f32x16(vec3, val3, acc16);
        acc17 = mulacc_f32x16(vec3, val4, acc17);
        float val8 = data1[alu23 + r2];
        f32x16 vec4 = (f32x16)(val8 - (f32x16){});
        acc18 = mulacc_f32x16(vec4, val1, acc18);
        acc19 = mulacc_f32x16(vec4, val2, acc19);
        acc20 = mulacc_f32x16(vec4, val3, acc20);
        acc21 = mulacc_f32x16(vec4, val4, acc21);
        float val9 = data1[alu27 + r2];
        f32x16 vec5 = (f32x16)(val9 - (f32x16){});
        acc22 = mulacc_f32x16(vec5, val1, acc22);
        acc23 = mulacc_f32x16(vec5, val2, acc23);
        acc24 = mulacc_f32x16(vec5, val3, acc24);
        acc25 = mulacc_f32x16(vec5, val4, acc25);
      }
      if (alu11) *(f32x16 *)&data0[idx0] = acc2;
      if (alu11) *(f32x16 *)&data0[idx0 + 16] = acc3;
      if (alu11) *(f32x16 *)&data0[idx0 + 32] = acc4;
      if (alu11) *(f32x16 *)&data0[idx0 + 48] = acc5;
      if (alu11) *(f32x16 *)&data0[idx1] = acc6;
      if (alu11) *(f32x16 *)&data0[idx1 + 16] = acc7;
      if (alu11) *(f32x16 *)&data0[idx1 + 32] = acc8;
      if (alu11) *(f32x16 *)&data0[idx1 + 48] = acc9;
      if (alu11) *(f32x16 *)&data0[idx2] = acc10;
      if (alu11) *(f32x16 *)&data0[idx2 + 16] = acc11;
      if (alu11) *(f32x16 *)&data0[idx2 + 32] = acc12;
      if (alu11) *(f32x16 *)&data0[idx2 + 48] = acc13;
      if (alu11) *(f32x16 *)&data0[idx3] = acc14;
      if (alu11) *(f32x16 *)&data0[idx3 + 16] = acc15;
      if (alu11) *(f32x16 *)&data0[idx3 + 32] = acc16;
      if (alu11) *(f32x16 *)&data0[idx3 + 48] = acc17;
      if (alu24) *(f32x16 *)&data0[idx4] = acc18;
      if (alu24) *(f32x16 *)&data0[idx4 + 16] = acc19;
      if (alu24) *(f32x16 *)&data0[idx4 + 32] = acc20;
      if (alu24) *(f32x16 *)&data0[idx4 + 48] = acc21;
      if (alu24) *(f32x16 *)&data0[idx5] = acc22;
      if (alu24) *(f32x16 *)&data0[idx5 + 16] = acc23;
      if (alu24) *(f32x16 *)&data0[idx5 + 32] = acc24;
      if (alu24) *(f32x16 *)&data0[idx5 + 48] = acc25;
    }
  }
}
