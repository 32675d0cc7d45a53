// kernel 0: r_64_128_96, launch ((4,), (1,))
typedef float f32x16 __attribute__((vector_size(64), aligned(4), may_alias));
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

void r_64_128_96(void **bufs, const long *vars, long begin, long end) {
  float *restrict data0 = bufs[0];
  const float *restrict data1 = bufs[1];
  const float *restrict data2 = bufs[2];
  f32x16 acc2;
  float acc0[3072] __attribute__((aligned(64)));
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
  for (long t9 = begin; t9 < end; t9++) {
    long alu0 = t9 * 32;
    for (long i12 = 0; i12 < 96; i12++) {
      long alu1 = i12 * 32;
      long alu2 = i12 * 128 + alu0;
      #pragma GCC unroll 2
      for (long u13 = 0; u13 < 2; u13++) {
        long alu3 = u13 * 16;
        *(f32x16 *)&acc0[alu1 + alu3] = *(f32x16 *)&data2[alu2 + alu3];
      }
    }
    for (long i10 = 0; i10 < 8; i10++) {
      long idx0 = i10 * 1024 + alu0;
      acc2 = (f32x16)(0.0f - (f32x16){});
      long alu4 = i10 * 768;
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
      for (long r2 = 0; r2 < 96; r2++) {
        long idx1 = alu4 + r2;
        float val0 = data1[idx1];
        f32x16 vec0 = (f32x16)(val0 - (f32x16){});
        long idx2 = r2 * 32;
        f32x16 val1 = *(f32x16 *)&acc0[idx2];
        acc2 = mulacc_f32x16(vec0, val1, acc2);
        f32x16 val2 = *(f32x16 *)&acc0[idx2 + 16];
        acc3 = mulacc_f32x16(vec0, val2, acc3);
        float val3 = data1[idx1 + 96];
        f32x16 vec1 = (f32x16)(val3 - (f32x16){});
        acc4 = mulacc_f32x16(vec1, val1, acc4);
        acc5 = mulacc_f32x16(vec1, val2, acc5);
        float val4 = data1[idx1 + 192];
        f32x16 vec2 = (f32x16)(val4 - (f32x16){});
        acc6 = mulacc_f32x16(vec2, val1, acc6);
        acc7 = mulacc_f32x16(vec2, val2, acc7);
        float val5 = data1[idx1 + 288];
        f32x16 vec3 = (f32x16)(val5 - (f32x16){});
        acc8 = mulacc_f32x16(vec3, val1, acc8);
        acc9 = mulacc_f32x16(vec3, val2, acc9);
        float val6 = data1[idx1 + 384];
        f32x16 vec4 = (f32x16)(val6 - (f32x16){});
        acc10 = mulacc_f32x16(vec4, val1, acc10);
        acc11 = mulacc_f32x16(vec4, val2, acc11);
        float val7 = data1[idx1 + 480];
        f32x16 vec5 = (f32x16)(val7 - (f32x16){});
        acc12 = mulacc_f32x16(vec5, val1, acc12);
        acc13 = mulacc_f32x16(vec5, val2, acc13);
        float val8 = data1[idx1 + 576];
        f32x16 vec6 = (f32x16)(val8 - (f32x16){});
        acc14 = mulacc_f32x16(vec6, val1, acc14);
        acc15 = mulacc_f32x16(vec6, val2, acc15);
        float val9 = data1[idx1 + 672];
        f32x16 vec7 = (f32x16)(val9 - (f32x16){});
        acc16 = mulacc_f32x16(vec7, val1, acc16);
        acc17 = mulacc_f32x16(vec7, val2, acc17);
      }
      *(f32x16 *)&data0[idx0] = acc2;
      *(f32x16 *)&data0[idx0 + 16] = acc3;
      *(f32x16 *)&data0[idx0 + 128] = acc4;
      *(f32x16 *)&data0[idx0 + 144] = acc5;
      *(f32x16 *)&data0[idx0 + 256] = acc6;
      *(f32x16 *)&data0[idx0 + 272] = acc7;
      *(f32x16 *)&data0[idx0 + 384] = acc8;
      *(f32x16 *)&data0[idx0 + 400] = acc9;
      *(f32x16 *)&data0[idx0 + 512] = acc10;
      *(f32x16 *)&data0[idx0 + 528] = acc11;
      *(f32x16 *)&data0[idx0 + 640] = acc12;
      *(f32x16 *)&data0[idx0 + 656] = acc13;
      *(f32x16 *)&data0[idx0 + 768] = acc14;
      *(f32x16 *)&data0[idx0 + 784] = acc15;
      *(f32x16 *)&data0[idx0 + 896] = acc16;
      *(f32x16 *)&data0[idx0 + 912] = acc17;
    }
  }
}
