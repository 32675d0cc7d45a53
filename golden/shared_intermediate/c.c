// kernel 0: r_64_64_64, launch ((4,), (1,))
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

void r_64_64_64(void **bufs, const long *vars, long begin, long end) {
  float *restrict data0 = bufs[0];
  const float *restrict data1 = bufs[1];
  const float *restrict data2 = bufs[2];
  f32x16 acc1;
  f32x16 acc2;
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
  for (long t9 = begin; t9 < end; t9++) {
    long alu0 = t9 * 18;
    long alu1 = t9 * 3;
    for (long i10 = 0; i10 < 3; i10++) {
      long alu2 = alu0 + i10 * 6;
      long idx0 = (alu2 < 63 ? alu2 : 63) * 64;
      acc1 = (f32x16)(0.0f - (f32x16){});
      long alu3 = alu1 + i10;
      unsigned char alu4 = alu3 < 11;
      acc2 = (f32x16)(0.0f - (f32x16){});
      acc3 = (f32x16)(0.0f - (f32x16){});
      acc4 = (f32x16)(0.0f - (f32x16){});
      long alu5 = alu2 + 1;
      long idx1 = (alu5 < 63 ? alu5 : 63) * 64;
      acc5 = (f32x16)(0.0f - (f32x16){});
      acc6 = (f32x16)(0.0f - (f32x16){});
      acc7 = (f32x16)(0.0f - (f32x16){});
      acc8 = (f32x16)(0.0f - (f32x16){});
      long alu6 = alu2 + 2;
      long idx2 = (alu6 < 63 ? alu6 : 63) * 64;
      acc9 = (f32x16)(0.0f - (f32x16){});
      acc10 = (f32x16)(0.0f - (f32x16){});
      acc11 = (f32x16)(0.0f - (f32x16){});
      acc12 = (f32x16)(0.0f - (f32x16){});
      long alu7 = alu2 + 3;
      long idx3 = (alu7 < 63 ? alu7 : 63) * 64;
      acc13 = (f32x16)(0.0f - (f32x16){});
      acc14 = (f32x16)(0.0f - (f32x16){});
      acc15 = (f32x16)(0.0f - (f32x16){});
      acc16 = (f32x16)(0.0f - (f32x16){});
      long alu8 = alu2 + 4;
      long idx4 = (alu8 < 63 ? alu8 : 63) * 64;
      acc17 = (f32x16)(0.0f - (f32x16){});
      unsigned char alu9 = alu3 < 10;
      acc18 = (f32x16)(0.0f - (f32x16){});
      acc19 = (f32x16)(0.0f - (f32x16){});
      acc20 = (f32x16)(0.0f - (f32x16){});
      long alu10 = alu2 + 5;
      long idx5 = (alu10 < 63 ? alu10 : 63) * 64;
      acc21 = (f32x16)(0.0f - (f32x16){});
      acc22 = (f32x16)(0.0f - (f32x16){});
      acc23 = (f32x16)(0.0f - (f32x16){});
      acc24 = (f32x16)(0.0f - (f32x16){});
      for (long r2 = 0; r2 < 64; r2++) {
        float val0 = data1[idx0 + r2];
        f32x16 vec0 = (f32x16)(val0 - (f32x16){});
        long idx6 = r2 * 64;
        f32x16 val1 = *(f32x16 *)&data2[idx6];
        acc1 = mulacc_f32x16(vec0, val1, acc1);
        f32x16 val2 = *(f32x16 *)&data2[idx6 + 16];
        acc2 = mulacc_f32x16(vec0, val2, acc2);
        f32x16 val3 = *(f32x16 *)&data2[idx6 + 32];
        acc3 = mulacc_f32x16(vec0, val3, acc3);
        f32x16 val4 = *(f32x16 *)&data2[idx6 + 48];
        acc4 = mulacc_f32x16(vec0, val4, acc4);
        float val5 = data1[idx1 + r2];
        f32x16 vec1 = (f32x16)(val5 - (f32x16){});
        acc5 = mulacc_f32x16(vec1, val1, acc5);
        acc6 = mulacc_f32x16(vec1, val2, acc6);
        acc7 = mulacc_f32x16(vec1, val3, acc7);
        acc8 = mulacc_f32x16(vec1, val4, acc8);
        float val6 = data1[idx2 + r2];
        f32x16 vec2 = (f32x16)(val6 - (f32x16){});
        acc9 = mulacc_f32x16(vec2, val1, acc9);
        acc10 = mulacc_f32x16(vec2, val2, acc10);
        acc11 = mulacc_f32x16(vec2, val3, acc11);
        acc12 = mulacc_f32x16(vec2, val4, acc12);
        float val7 = data1[idx3 + r2];
        f32x16 vec3 = (f32x16)(val7 - (f32x16){});
        acc13 = mulacc_f32x16(vec3, val1, acc13);
        acc14 = mulacc_f32x16(vec3, val2, acc14);
        acc15 = mulacc_f32x16(vec3, val3, acc15);
        acc16 = mulacc_f32x16(vec3, val4, acc16);
        float val8 = data1[idx4 + r2];
        f32x16 vec4 = (f32x16)(val8 - (f32x16){});
        acc17 = mulacc_f32x16(vec4, val1, acc17);
        acc18 = mulacc_f32x16(vec4, val2, acc18);
        acc19 = mulacc_f32x16(vec4, val3, acc19);
        acc20 = mulacc_f32x16(vec4, val4, acc20);
        float val9 = data1[idx5 + r2];
        f32x16 vec5 = (f32x16)(val9 - (f32x16){});
        acc21 = mulacc_f32x16(vec5, val1, acc21);
        acc22 = mulacc_f32x16(vec5, val2, acc22);
        acc23 = mulacc_f32x16(vec5, val3, acc23);
        acc24 = mulacc_f32x16(vec5, val4, acc24);
      }
      if (alu4) *(f32x16 *)&data0[idx0] = acc1;
      if (alu4) *(f32x16 *)&data0[idx0 + 16] = acc2;
      if (alu4) *(f32x16 *)&data0[idx0 + 32] = acc3;
      if (alu4) *(f32x16 *)&data0[idx0 + 48] = acc4;
      if (alu4) *(f32x16 *)&data0[idx1] = acc5;
      if (alu4) *(f32x16 *)&data0[idx1 + 16] = acc6;
      if (alu4) *(f32x16 *)&data0[idx1 + 32] = acc7;
      if (alu4) *(f32x16 *)&data0[idx1 + 48] = acc8;
      if (alu4) *(f32x16 *)&data0[idx2] = acc9;
      if (alu4) *(f32x16 *)&data0[idx2 + 16] = acc10;
      if (alu4) *(f32x16 *)&data0[idx2 + 32] = acc11;
      if (alu4) *(f32x16 *)&data0[idx2 + 48] = acc12;
      if (alu4) *(f32x16 *)&data0[idx3] = acc13;
      if (alu4) *(f32x16 *)&data0[idx3 + 16] = acc14;
      if (alu4) *(f32x16 *)&data0[idx3 + 32] = acc15;
      if (alu4) *(f32x16 *)&data0[idx3 + 48] = acc16;
      if (alu9) *(f32x16 *)&data0[idx4] = acc17;
      if (alu9) *(f32x16 *)&data0[idx4 + 16] = acc18;
      if (alu9) *(f32x16 *)&data0[idx4 + 32] = acc19;
      if (alu9) *(f32x16 *)&data0[idx4 + 48] = acc20;
      if (alu9) *(f32x16 *)&data0[idx5] = acc21;
      if (alu9) *(f32x16 *)&data0[idx5 + 16] = acc22;
      if (alu9) *(f32x16 *)&data0[idx5 + 32] = acc23;
      if (alu9) *(f32x16 *)&data0[idx5 + 48] = acc24;
    }
  }
}

// kernel 1: r_64_64, launch ((1,), None)
typedef float f32x4 __attribute__((vector_size(16), aligned(4), may_alias));
typedef float f32x8 __attribute__((vector_size(32), aligned(4), may_alias));
typedef float f32x16 __attribute__((vector_size(64), aligned(4), may_alias));
#define f32_is_nan(x) ({ int bits; __builtin_memcpy(&bits, &x, 4); (bits & 0x7fffffff) > 0x7f800000; })
static inline float min_f32(float a, float b) { return f32_is_nan(b) ? b : b < a ? b : a; }
static inline float max_f32(float a, float b) { return f32_is_nan(b) ? b : b > a ? b : a; }
#ifdef __FP_FAST_FMAF
#define mulacc_f32(a, b, c) __builtin_fmaf(a, b, c)
#else
#define mulacc_f32(a, b, c) ((a) * (b) + (c))
#endif
static inline int f32_as_i32(float x) {
  int bits;
  __builtin_memcpy(&bits, &x, sizeof bits);
  return bits;
}
static inline float i32_as_f32(int x) {
  float bits;
  __builtin_memcpy(&bits, &x, sizeof bits);
  return bits;
}

void r_64_64(void **bufs, const long *vars, long begin, long end) {
  float *restrict data0 = bufs[0];
  float *restrict data1 = bufs[1];
  float *restrict data2 = bufs[2];
  const float *restrict data3 = bufs[3];
  float acc3[4] __attribute__((aligned(64)));
  float acc2[8] __attribute__((aligned(64)));
  float acc1[16] __attribute__((aligned(64)));
  f32x16 acc4;
  for (long i0 = 0; i0 < 64; i0++) {
    acc4 = (f32x16)(0.0f - (f32x16){});
    long idx0 = i0 * 64;
    acc4 = acc4 + *(f32x16 *)&data3[idx0];
    acc4 = acc4 + *(f32x16 *)&data3[idx0 + 16];
    acc4 = acc4 + *(f32x16 *)&data3[idx0 + 32];
    acc4 = acc4 + *(f32x16 *)&data3[idx0 + 48];
    *(f32x16 *)&acc1[0] = acc4;
    *(f32x8 *)&acc2[0] = *(f32x8 *)&acc1[0] + *(f32x8 *)&acc1[8];
    *(f32x4 *)&acc3[0] = *(f32x4 *)&acc2[0] + *(f32x4 *)&acc2[4];
    float alu0 = acc3[0] + acc3[1] + acc3[2] + acc3[3];
    float alu1 = max_f32(min_f32(alu0, 89.0f), -176.0f);
    float alu2 = mulacc_f32(alu1, 1.442695f, 12583166.0f);
    float alu3 = alu2 - 12583166.0f;
    float alu4 = mulacc_f32(alu3, 0.00021219444f, mulacc_f32(alu3, -0.6933594f, alu1));
    float alu5 = mulacc_f32(alu4, mulacc_f32(alu4, 0.0013821024f, 0.00836867f), 0.041668262f);
    float alu6 = mulacc_f32(alu4, mulacc_f32(alu4, mulacc_f32(alu4, alu5, 0.16666521f), 0.49999994f), 1.0f);
    int alu7 = f32_as_i32(alu2);
    int alu8 = (alu7 << 22) & 2139095040;
    data0[i0] = mulacc_f32(alu4, alu6, 1.0f) * i32_as_f32(alu8) * i32_as_f32((alu7 << 23) - alu8);
    data1[i0] = alu0 * 2.0f;
    data2[i0] = alu0;
  }
}
