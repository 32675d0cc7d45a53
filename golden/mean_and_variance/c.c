// kernel 0: r_32_100_100, launch ((1,), None)
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

void r_32_100_100(void **bufs, const long *vars, long begin, long end) {
  float *restrict data0 = bufs[0];
  float *restrict data1 = bufs[1];
  const float *restrict data2 = bufs[2];
  float acc4[4] __attribute__((aligned(64)));
  float acc3[8] __attribute__((aligned(64)));
  float acc2[16] __attribute__((aligned(64)));
  f32x16 acc10;
  f32x16 acc11;
  f32x16 acc12;
  f32x16 acc13;
  float acc9[4] __attribute__((aligned(64)));
  float acc8[8] __attribute__((aligned(64)));
  float acc7[16] __attribute__((aligned(64)));
  f32x16 acc14;
  f32x16 acc15;
  f32x16 acc16;
  f32x16 acc17;
  for (long i0 = 0; i0 < 32; i0++) {
    acc10 = (f32x16)(0.0f - (f32x16){});
    f32x16 val0 = acc10;
    acc11 = (f32x16)(0.0f - (f32x16){});
    long alu0 = i0 * 100;
    acc12 = (f32x16)(0.0f - (f32x16){});
    acc13 = (f32x16)(0.0f - (f32x16){});
    for (long r7 = 0; r7 < 2; r7++) {
      long idx0 = alu0 + r7 * 48;
      acc11 = acc11 + *(f32x16 *)&data2[idx0];
      acc12 = acc12 + *(f32x16 *)&data2[idx0 + 16];
      acc13 = acc13 + *(f32x16 *)&data2[idx0 + 32];
    }
    acc10 = val0 + acc11;
    acc10 = acc10 + acc12;
    acc10 = acc10 + acc13;
    *(f32x16 *)&acc2[0] = acc10;
    *(f32x8 *)&acc3[0] = *(f32x8 *)&acc2[0] + *(f32x8 *)&acc2[8];
    *(f32x4 *)&acc4[0] = *(f32x4 *)&acc3[0] + *(f32x4 *)&acc3[4];
    float val1 = data2[alu0 + 96];
    float val2 = data2[alu0 + 97];
    float val3 = data2[alu0 + 98];
    float val4 = data2[alu0 + 99];
    float alu1 = (acc4[0] + acc4[1] + acc4[2] + acc4[3] + (val1 + val2 + val3 + val4)) / 100.0f;
    data0[i0] = alu1;
    acc14 = (f32x16)(0.0f - (f32x16){});
    f32x16 val5 = acc14;
    acc15 = (f32x16)(0.0f - (f32x16){});
    f32x16 vec0 = (f32x16)(alu1 - (f32x16){});
    acc16 = (f32x16)(0.0f - (f32x16){});
    acc17 = (f32x16)(0.0f - (f32x16){});
    for (long r11 = 0; r11 < 2; r11++) {
      long idx1 = alu0 + r11 * 48;
      f32x16 alu2 = *(f32x16 *)&data2[idx1] - vec0;
      acc15 = mulacc_f32x16(alu2, alu2, acc15);
      f32x16 alu3 = *(f32x16 *)&data2[idx1 + 16] - vec0;
      acc16 = mulacc_f32x16(alu3, alu3, acc16);
      f32x16 alu4 = *(f32x16 *)&data2[idx1 + 32] - vec0;
      acc17 = mulacc_f32x16(alu4, alu4, acc17);
    }
    acc14 = val5 + acc15;
    acc14 = acc14 + acc16;
    acc14 = acc14 + acc17;
    *(f32x16 *)&acc7[0] = acc14;
    *(f32x8 *)&acc8[0] = *(f32x8 *)&acc7[0] + *(f32x8 *)&acc7[8];
    *(f32x4 *)&acc9[0] = *(f32x4 *)&acc8[0] + *(f32x4 *)&acc8[4];
    float alu5 = val1 - alu1;
    float alu6 = val2 - alu1;
    float alu7 = val3 - alu1;
    float alu8 = val4 - alu1;
    float alu9 = acc9[0] + acc9[1] + acc9[2] + acc9[3] + (alu5 * alu5 + alu6 * alu6 + alu7 * alu7 + alu8 * alu8);
    data1[i0] = alu9 / 99.0f;
  }
}
