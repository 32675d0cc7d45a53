// kernel 0: r_300_200, launch ((1,), None)
typedef float f32x4 __attribute__((vector_size(16), aligned(4), may_alias));
typedef float f32x8 __attribute__((vector_size(32), aligned(4), may_alias));
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

void r_300_200(void **bufs, const long *vars, long begin, long end) {
  float *restrict data0 = bufs[0];
  const float *restrict data1 = bufs[1];
  const float *restrict data2 = bufs[2];
  float acc4[4] __attribute__((aligned(64)));
  float acc3[8] __attribute__((aligned(64)));
  float acc2[16] __attribute__((aligned(64)));
  f32x16 acc7;
  f32x16 acc8;
  f32x16 acc9;
  f32x16 acc10;
  f32x16 acc11;
  float acc6[4] __attribute__((aligned(64)));
  float acc5[8] __attribute__((aligned(64)));
  f32x8 val0 = *(f32x8 *)&data2[192];
  for (long i0 = 0; i0 < 300; i0++) {
    acc7 = (f32x16)(0.0f - (f32x16){});
    f32x16 val1 = acc7;
    acc8 = (f32x16)(0.0f - (f32x16){});
    long alu0 = i0 * 200;
    acc9 = (f32x16)(0.0f - (f32x16){});
    acc10 = (f32x16)(0.0f - (f32x16){});
    acc11 = (f32x16)(0.0f - (f32x16){});
    for (long r4 = 0; r4 < 3; r4++) {
      long idx0 = r4 * 64;
      long idx1 = alu0 + idx0;
      acc8 = mulacc_f32x16(*(f32x16 *)&data1[idx1], *(f32x16 *)&data2[idx0], acc8);
      acc9 = mulacc_f32x16(*(f32x16 *)&data1[idx1 + 16], *(f32x16 *)&data2[idx0 + 16], acc9);
      acc10 = mulacc_f32x16(*(f32x16 *)&data1[idx1 + 32], *(f32x16 *)&data2[idx0 + 32], acc10);
      acc11 = mulacc_f32x16(*(f32x16 *)&data1[idx1 + 48], *(f32x16 *)&data2[idx0 + 48], acc11);
    }
    acc7 = val1 + acc8;
    acc7 = acc7 + acc9;
    acc7 = acc7 + acc10;
    acc7 = acc7 + acc11;
    *(f32x16 *)&acc2[0] = acc7;
    *(f32x8 *)&acc3[0] = *(f32x8 *)&acc2[0] + *(f32x8 *)&acc2[8];
    *(f32x4 *)&acc4[0] = *(f32x4 *)&acc3[0] + *(f32x4 *)&acc3[4];
    float val2 = acc4[0];
    float val3 = acc4[1];
    float val4 = acc4[2];
    float val5 = acc4[3];
    *(f32x8 *)&acc5[0] = *(f32x8 *)&data1[alu0 + 192] * val0;
    *(f32x4 *)&acc6[0] = *(f32x4 *)&acc5[0] + *(f32x4 *)&acc5[4];
    data0[i0] = val2 + val3 + val4 + val5 + (acc6[0] + acc6[1] + acc6[2] + acc6[3]);
  }
}
