// kernel 0: r_64_512, launch ((1,), None)
typedef float f32x4 __attribute__((vector_size(16), aligned(4), may_alias));
typedef float f32x8 __attribute__((vector_size(32), aligned(4), may_alias));
typedef float f32x16 __attribute__((vector_size(64), aligned(4), may_alias));

void r_64_512(void **bufs, const long *vars, long begin, long end) {
  float *restrict data0 = bufs[0];
  const float *restrict data1 = bufs[1];
  float acc4[4] __attribute__((aligned(64)));
  float acc3[8] __attribute__((aligned(64)));
  float acc2[16] __attribute__((aligned(64)));
  f32x16 acc5;
  f32x16 acc6;
  f32x16 acc7;
  f32x16 acc8;
  f32x16 acc9;
  for (long i0 = 0; i0 < 64; i0++) {
    acc5 = (f32x16)(0.0f - (f32x16){});
    f32x16 val0 = acc5;
    acc6 = (f32x16)(0.0f - (f32x16){});
    long alu0 = i0 * 512;
    acc7 = (f32x16)(0.0f - (f32x16){});
    acc8 = (f32x16)(0.0f - (f32x16){});
    acc9 = (f32x16)(0.0f - (f32x16){});
    for (long r2 = 0; r2 < 8; r2++) {
      long idx0 = alu0 + r2 * 64;
      acc6 = acc6 + *(f32x16 *)&data1[idx0];
      acc7 = acc7 + *(f32x16 *)&data1[idx0 + 16];
      acc8 = acc8 + *(f32x16 *)&data1[idx0 + 32];
      acc9 = acc9 + *(f32x16 *)&data1[idx0 + 48];
    }
    acc5 = val0 + acc6;
    acc5 = acc5 + acc7;
    acc5 = acc5 + acc8;
    acc5 = acc5 + acc9;
    *(f32x16 *)&acc2[0] = acc5;
    *(f32x8 *)&acc3[0] = *(f32x8 *)&acc2[0] + *(f32x8 *)&acc2[8];
    *(f32x4 *)&acc4[0] = *(f32x4 *)&acc3[0] + *(f32x4 *)&acc3[4];
    data0[i0] = acc4[0] + acc4[1] + acc4[2] + acc4[3];
  }
}
