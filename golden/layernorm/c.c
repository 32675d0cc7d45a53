// kernel 0: r_32_256_256_256, launch ((1,), None)
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

void r_32_256_256_256(void **bufs, const long *vars, long begin, long end) {
  float *restrict data0 = bufs[0];
  const float *restrict data1 = bufs[1];
  float acc4[4] __attribute__((aligned(64)));
  float acc3[8] __attribute__((aligned(64)));
  float acc2[16] __attribute__((aligned(64)));
  f32x16 acc10;
  f32x16 acc11;
  f32x16 acc12;
  f32x16 acc13;
  f32x16 acc14;
  float acc9[4] __attribute__((aligned(64)));
  float acc8[8] __attribute__((aligned(64)));
  float acc7[16] __attribute__((aligned(64)));
  f32x16 acc15;
  f32x16 acc16;
  f32x16 acc17;
  f32x16 acc18;
  f32x16 acc19;
  for (long i0 = 0; i0 < 32; i0++) {
    long idx0 = i0 * 256;
    f32x16 val0 = *(f32x16 *)&data1[idx0];
    acc10 = (f32x16)(0.0f - (f32x16){});
    f32x16 val1 = acc10;
    acc11 = (f32x16)(0.0f - (f32x16){});
    acc12 = (f32x16)(0.0f - (f32x16){});
    acc13 = (f32x16)(0.0f - (f32x16){});
    acc14 = (f32x16)(0.0f - (f32x16){});
    for (long r4 = 0; r4 < 4; r4++) {
      long idx1 = idx0 + r4 * 64;
      acc11 = acc11 + *(f32x16 *)&data1[idx1];
      acc12 = acc12 + *(f32x16 *)&data1[idx1 + 16];
      acc13 = acc13 + *(f32x16 *)&data1[idx1 + 32];
      acc14 = acc14 + *(f32x16 *)&data1[idx1 + 48];
    }
    acc10 = val1 + acc11;
    acc10 = acc10 + acc12;
    acc10 = acc10 + acc13;
    acc10 = acc10 + acc14;
    *(f32x16 *)&acc2[0] = acc10;
    *(f32x8 *)&acc3[0] = *(f32x8 *)&acc2[0] + *(f32x8 *)&acc2[8];
    *(f32x4 *)&acc4[0] = *(f32x4 *)&acc3[0] + *(f32x4 *)&acc3[4];
    float alu0 = (acc4[0] + acc4[1] + acc4[2] + acc4[3]) / 256.0f;
    f32x16 vec0 = (f32x16)(alu0 - (f32x16){});
    acc15 = (f32x16)(0.0f - (f32x16){});
    f32x16 val2 = acc15;
    acc16 = (f32x16)(0.0f - (f32x16){});
    acc17 = (f32x16)(0.0f - (f32x16){});
    acc18 = (f32x16)(0.0f - (f32x16){});
    acc19 = (f32x16)(0.0f - (f32x16){});
    for (long r8 = 0; r8 < 4; r8++) {
      long idx2 = idx0 + r8 * 64;
      f32x16 alu1 = *(f32x16 *)&data1[idx2] - vec0;
      acc16 = mulacc_f32x16(alu1, alu1, acc16);
      f32x16 alu2 = *(f32x16 *)&data1[idx2 + 16] - vec0;
      acc17 = mulacc_f32x16(alu2, alu2, acc17);
      f32x16 alu3 = *(f32x16 *)&data1[idx2 + 32] - vec0;
      acc18 = mulacc_f32x16(alu3, alu3, acc18);
      f32x16 alu4 = *(f32x16 *)&data1[idx2 + 48] - vec0;
      acc19 = mulacc_f32x16(alu4, alu4, acc19);
    }
    acc15 = val2 + acc16;
    acc15 = acc15 + acc17;
    acc15 = acc15 + acc18;
    acc15 = acc15 + acc19;
    *(f32x16 *)&acc7[0] = acc15;
    *(f32x8 *)&acc8[0] = *(f32x8 *)&acc7[0] + *(f32x8 *)&acc7[8];
    *(f32x4 *)&acc9[0] = *(f32x4 *)&acc8[0] + *(f32x4 *)&acc8[4];
    float alu5 = __builtin_sqrtf((acc9[0] + acc9[1] + acc9[2] + acc9[3]) / 256.0f + 1e-05f);
    float alu6 = 1.0f / alu5;
    f32x16 vec1 = (f32x16)(alu6 - (f32x16){});
    *(f32x16 *)&data0[idx0] = (val0 - vec0) * vec1;
    long idx3 = idx0 + 16;
    *(f32x16 *)&data0[idx3] = (*(f32x16 *)&data1[idx3] - vec0) * vec1;
    long idx4 = idx0 + 32;
    *(f32x16 *)&data0[idx4] = (*(f32x16 *)&data1[idx4] - vec0) * vec1;
    long idx5 = idx0 + 48;
    *(f32x16 *)&data0[idx5] = (*(f32x16 *)&data1[idx5] - vec0) * vec1;
    long idx6 = idx0 + 64;
    *(f32x16 *)&data0[idx6] = (*(f32x16 *)&data1[idx6] - vec0) * vec1;
    long idx7 = idx0 + 80;
    *(f32x16 *)&data0[idx7] = (*(f32x16 *)&data1[idx7] - vec0) * vec1;
    long idx8 = idx0 + 96;
    *(f32x16 *)&data0[idx8] = (*(f32x16 *)&data1[idx8] - vec0) * vec1;
    long idx9 = idx0 + 112;
    *(f32x16 *)&data0[idx9] = (*(f32x16 *)&data1[idx9] - vec0) * vec1;
    long idx10 = idx0 + 128;
    *(f32x16 *)&data0[idx10] = (*(f32x16 *)&data1[idx10] - vec0) * vec1;
    long idx11 = idx0 + 144;
    *(f32x16 *)&data0[idx11] = (*(f32x16 *)&data1[idx11] - vec0) * vec1;
    long idx12 = idx0 + 160;
    *(f32x16 *)&data0[idx12] = (*(f32x16 *)&data1[idx12] - vec0) * vec1;
    long idx13 = idx0 + 176;
    *(f32x16 *)&data0[idx13] = (*(f32x16 *)&data1[idx13] - vec0) * vec1;
    long idx14 = idx0 + 192;
    *(f32x16 *)&data0[idx14] = (*(f32x16 *)&data1[idx14] - vec0) * vec1;
    long idx15 = idx0 + 208;
    *(f32x16 *)&data0[idx15] = (*(f32x16 *)&data1[idx15] - vec0) * vec1;
    long idx16 = idx0 + 224;
    *(f32x16 *)&data0[idx16] = (*(f32x16 *)&data1[idx16] - vec0) * vec1;
    long idx17 = idx0 + 240;
    *(f32x16 *)&data0[idx17] = (*(f32x16 *)&data1[idx17] - vec0) * vec1;
  }
}
