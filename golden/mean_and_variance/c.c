// kernel 0: r_32_100, launch ((1,), None)
typedef float f32x16 __attribute__((vector_size(64), aligned(4), may_alias));

void r_32_100(void **bufs, const long *vars, long begin, long end) {
  float *restrict data0 = bufs[0];
  const float *restrict data1 = bufs[1];
  float acc3;
  float acc2[16] __attribute__((aligned(64)));
  f32x16 acc4;
  f32x16 acc5;
  f32x16 acc6;
  f32x16 acc7;
  for (long i0 = 0; i0 < 32; i0++) {
    acc3 = 0.0f;
    acc4 = (f32x16)(0.0f - (f32x16){});
    f32x16 val0 = acc4;
    acc5 = (f32x16)(0.0f - (f32x16){});
    long alu0 = i0 * 100;
    acc6 = (f32x16)(0.0f - (f32x16){});
    acc7 = (f32x16)(0.0f - (f32x16){});
    for (long r4 = 0; r4 < 2; r4++) {
      long idx0 = alu0 + r4 * 48;
      acc5 = acc5 + *(f32x16 *)&data1[idx0];
      acc6 = acc6 + *(f32x16 *)&data1[idx0 + 16];
      acc7 = acc7 + *(f32x16 *)&data1[idx0 + 32];
    }
    acc4 = val0 + acc5;
    acc4 = acc4 + acc6;
    acc4 = acc4 + acc7;
    *(f32x16 *)&acc2[0] = acc4;
    for (long r16 = 0; r16 < 16; r16++) {
      acc3 = acc3 + acc2[r16];
    }
    float alu1 = data1[alu0 + 96] + data1[alu0 + 97] + data1[alu0 + 98] + data1[alu0 + 99];
    data0[i0] = acc3 + alu1;
  }
}

// kernel 1: e_32, launch ((1,), None)
void e_32(void **bufs, const long *vars, long begin, long end) {
  float *restrict data0 = bufs[0];
  const float *restrict data1 = bufs[1];
  #pragma omp simd
  for (long v0 = 0; v0 < 32; v0++) {
    data0[v0] = data1[v0] / 100.0f;
  }
}

// kernel 2: r_32_100, launch ((1,), None)
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

void r_32_100(void **bufs, const long *vars, long begin, long end) {
  float *restrict data0 = bufs[0];
  const float *restrict data1 = bufs[1];
  const float *restrict data2 = bufs[2];
  float acc3;
  float acc2[16] __attribute__((aligned(64)));
  f32x16 acc4;
  f32x16 acc5;
  f32x16 acc6;
  f32x16 acc7;
  for (long i0 = 0; i0 < 32; i0++) {
    acc3 = 0.0f;
    acc4 = (f32x16)(0.0f - (f32x16){});
    f32x16 val0 = acc4;
    acc5 = (f32x16)(0.0f - (f32x16){});
    long alu0 = i0 * 100;
    float alu1 = data2[i0] / 100.0f;
    f32x16 vec0 = (f32x16)(alu1 - (f32x16){});
    acc6 = (f32x16)(0.0f - (f32x16){});
    acc7 = (f32x16)(0.0f - (f32x16){});
    for (long r4 = 0; r4 < 2; r4++) {
      long idx0 = alu0 + r4 * 48;
      f32x16 alu2 = *(f32x16 *)&data1[idx0] - vec0;
      acc5 = mulacc_f32x16(alu2, alu2, acc5);
      f32x16 alu3 = *(f32x16 *)&data1[idx0 + 16] - vec0;
      acc6 = mulacc_f32x16(alu3, alu3, acc6);
      f32x16 alu4 = *(f32x16 *)&data1[idx0 + 32] - vec0;
      acc7 = mulacc_f32x16(alu4, alu4, acc7);
    }
    acc4 = val0 + acc5;
    acc4 = acc4 + acc6;
    acc4 = acc4 + acc7;
    *(f32x16 *)&acc2[0] = acc4;
    for (long r16 = 0; r16 < 16; r16++) {
      acc3 = acc3 + acc2[r16];
    }
    float alu5 = data1[alu0 + 96] - alu1;
    float alu6 = data1[alu0 + 97] - alu1;
    float alu7 = data1[alu0 + 98] - alu1;
    float alu8 = data1[alu0 + 99] - alu1;
    data0[i0] = (acc3 + (alu5 * alu5 + alu6 * alu6 + alu7 * alu7 + alu8 * alu8)) / 99.0f;
  }
}
