// kernel 0: r_32_128_128_128, launch ((1,), None)
typedef float f32x16 __attribute__((vector_size(64), aligned(4), may_alias));
static inline f32x16 max_f32x16(f32x16 a, f32x16 b) {
  __typeof__(a < b) takes = (b != b) | (b > a);
  return (f32x16)((takes & (__typeof__(takes))b) | (~takes & (__typeof__(takes))a));
}
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

void r_32_128_128_128(void **bufs, const long *vars, long begin, long end) {
  float *restrict data0 = bufs[0];
  const float *restrict data1 = bufs[1];
  float acc4[128] __attribute__((aligned(64)));
  float acc3;
  float acc2[16] __attribute__((aligned(64)));
  f32x16 acc9;
  f32x16 acc10;
  f32x16 acc11;
  f32x16 acc12;
  f32x16 acc13;
  float acc8;
  float acc7[16] __attribute__((aligned(64)));
  f32x16 acc14;
  f32x16 acc15;
  f32x16 acc16;
  f32x16 acc17;
  f32x16 acc18;
  for (long i0 = 0; i0 < 32; i0++) {
    long idx0 = i0 * 128;
    acc3 = -__builtin_inff();
    acc9 = (f32x16)(-__builtin_inff() - (f32x16){});
    f32x16 val0 = acc9;
    acc10 = (f32x16)(-__builtin_inff() - (f32x16){});
    acc11 = (f32x16)(-__builtin_inff() - (f32x16){});
    acc12 = (f32x16)(-__builtin_inff() - (f32x16){});
    acc13 = (f32x16)(-__builtin_inff() - (f32x16){});
    for (long r5 = 0; r5 < 2; r5++) {
      long idx1 = idx0 + r5 * 64;
      acc10 = max_f32x16(acc10, *(f32x16 *)&data1[idx1]);
      acc11 = max_f32x16(acc11, *(f32x16 *)&data1[idx1 + 16]);
      acc12 = max_f32x16(acc12, *(f32x16 *)&data1[idx1 + 32]);
      acc13 = max_f32x16(acc13, *(f32x16 *)&data1[idx1 + 48]);
    }
    acc9 = max_f32x16(val0, acc10);
    acc9 = max_f32x16(acc9, acc11);
    acc9 = max_f32x16(acc9, acc12);
    acc9 = max_f32x16(acc9, acc13);
    *(f32x16 *)&acc2[0] = acc9;
    for (long r21 = 0; r21 < 16; r21++) {
      float val1 = acc3;
      float val2 = acc2[r21];
      acc3 = val2 != val2 || val2 > val1 ? val2 : val1;
    }
    float val3 = acc3;
    #pragma omp simd
    for (long v4 = 0; v4 < 128; v4++) {
      float alu0 = data1[idx0 + v4] - val3;
      unsigned char alu1 = alu0 < -104.0f;
      float alu2 = alu1 ? 0.0f : (89.0f < alu0 ? 89.0f : alu0);
      int alu3 = f32_as_i32(mulacc_f32(alu2, 1.442695f, 12582912.0f)) - 1262485504;
      float cast0 = (float)alu3;
      float alu4 = mulacc_f32(cast0, 0.00021219444f, mulacc_f32(cast0, -0.6933594f, alu2));
      float alu5 = mulacc_f32(alu4, mulacc_f32(alu4, 0.0013821024f, 0.00836867f), 0.041668262f);
      float alu6 = mulacc_f32(alu4 * alu4, mulacc_f32(alu4, mulacc_f32(alu4, alu5, 0.16666521f), 0.49999994f), alu4);
      int alu7 = alu3 >> 1;
      float alu8 = (1.0f + alu6) * i32_as_f32((alu7 + 127) << 23) * i32_as_f32((alu3 - alu7 + 127) << 23);
      acc4[v4] = alu1 ? 0.0f : alu8;
    }
    f32x16 val4 = *(f32x16 *)&acc4[0];
    acc8 = 0.0f;
    acc14 = (f32x16)(0.0f - (f32x16){});
    f32x16 val5 = acc14;
    acc15 = (f32x16)(0.0f - (f32x16){});
    acc16 = (f32x16)(0.0f - (f32x16){});
    acc17 = (f32x16)(0.0f - (f32x16){});
    acc18 = (f32x16)(0.0f - (f32x16){});
    for (long r9 = 0; r9 < 2; r9++) {
      long idx2 = r9 * 64;
      acc15 = acc15 + *(f32x16 *)&acc4[idx2];
      acc16 = acc16 + *(f32x16 *)&acc4[idx2 + 16];
      acc17 = acc17 + *(f32x16 *)&acc4[idx2 + 32];
      acc18 = acc18 + *(f32x16 *)&acc4[idx2 + 48];
    }
    acc14 = val5 + acc15;
    acc14 = acc14 + acc16;
    acc14 = acc14 + acc17;
    acc14 = acc14 + acc18;
    *(f32x16 *)&acc7[0] = acc14;
    for (long r30 = 0; r30 < 16; r30++) {
      acc8 = acc8 + acc7[r30];
    }
    float val6 = acc8;
    f32x16 vec0 = (f32x16)(val6 - (f32x16){});
    *(f32x16 *)&data0[idx0] = val4 / vec0;
    *(f32x16 *)&data0[idx0 + 16] = *(f32x16 *)&acc4[16] / vec0;
    *(f32x16 *)&data0[idx0 + 32] = *(f32x16 *)&acc4[32] / vec0;
    *(f32x16 *)&data0[idx0 + 48] = *(f32x16 *)&acc4[48] / vec0;
    *(f32x16 *)&data0[idx0 + 64] = *(f32x16 *)&acc4[64] / vec0;
    *(f32x16 *)&data0[idx0 + 80] = *(f32x16 *)&acc4[80] / vec0;
    *(f32x16 *)&data0[idx0 + 96] = *(f32x16 *)&acc4[96] / vec0;
    *(f32x16 *)&data0[idx0 + 112] = *(f32x16 *)&acc4[112] / vec0;
  }
}
