// kernel 0: r_300_200, launch ((1,), None)
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

void r_300_200(void **bufs, const long *vars, long begin, long end) {
  float *restrict data0 = bufs[0];
  const float *restrict data1 = bufs[1];
  const float *restrict data2 = bufs[2];
  float acc3;
  float acc2[16] __attribute__((aligned(64)));
  f32x16 acc4;
  f32x16 acc5;
  f32x16 acc6;
  f32x16 acc7;
  f32x16 acc8;
  float val0 = data2[192];
  float val1 = data2[193];
  float val2 = data2[194];
  float val3 = data2[195];
  float val4 = data2[196];
  float val5 = data2[197];
  float val6 = data2[198];
  float val7 = data2[199];
  for (long i0 = 0; i0 < 300; i0++) {
    acc3 = 0.0f;
    acc4 = (f32x16)(0.0f - (f32x16){});
    f32x16 val8 = acc4;
    acc5 = (f32x16)(0.0f - (f32x16){});
    long alu0 = i0 * 200;
    acc6 = (f32x16)(0.0f - (f32x16){});
    acc7 = (f32x16)(0.0f - (f32x16){});
    acc8 = (f32x16)(0.0f - (f32x16){});
    for (long r4 = 0; r4 < 3; r4++) {
      long idx0 = r4 * 64;
      long idx1 = alu0 + idx0;
      acc5 = mulacc_f32x16(*(f32x16 *)&data1[idx1], *(f32x16 *)&data2[idx0], acc5);
      acc6 = mulacc_f32x16(*(f32x16 *)&data1[idx1 + 16], *(f32x16 *)&data2[idx0 + 16], acc6);
      acc7 = mulacc_f32x16(*(f32x16 *)&data1[idx1 + 32], *(f32x16 *)&data2[idx0 + 32], acc7);
      acc8 = mulacc_f32x16(*(f32x16 *)&data1[idx1 + 48], *(f32x16 *)&data2[idx0 + 48], acc8);
    }
    acc4 = val8 + acc5;
    acc4 = acc4 + acc6;
    acc4 = acc4 + acc7;
    acc4 = acc4 + acc8;
    *(f32x16 *)&acc2[0] = acc4;
    for (long r16 = 0; r16 < 16; r16++) {
      acc3 = acc3 + acc2[r16];
    }
    float alu1 = data1[alu0 + 192] * val0 + data1[alu0 + 193] * val1 + data1[alu0 + 194] * val2;
    float alu2 = alu1 + data1[alu0 + 195] * val3 + data1[alu0 + 196] * val4 + data1[alu0 + 197] * val5;
    data0[i0] = acc3 + (alu2 + data1[alu0 + 198] * val6 + data1[alu0 + 199] * val7);
  }
}
