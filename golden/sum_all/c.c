// kernel 0: r_128_2_256, launch ((1,), None)
typedef float f32x16 __attribute__((vector_size(64), aligned(4), may_alias));

void r_128_2_256(void **bufs, const long *vars, long begin, long end) {
  float *restrict data0 = bufs[0];
  const float *restrict data1 = bufs[1];
  float acc3;
  float acc2[16] __attribute__((aligned(64)));
  f32x16 acc4;
  f32x16 acc5;
  f32x16 acc6;
  f32x16 acc7;
  f32x16 acc8;
  for (long i0 = 0; i0 < 128; i0++) {
    acc3 = 0.0f;
    acc4 = (f32x16)(0.0f - (f32x16){});
    f32x16 val0 = acc4;
    acc5 = (f32x16)(0.0f - (f32x16){});
    long alu0 = i0 * 512;
    acc6 = (f32x16)(0.0f - (f32x16){});
    acc7 = (f32x16)(0.0f - (f32x16){});
    acc8 = (f32x16)(0.0f - (f32x16){});
    for (long r4 = 0; r4 < 8; r4++) {
      long idx0 = alu0 + r4 * 64;
      acc5 = acc5 + *(f32x16 *)&data1[idx0];
      acc6 = acc6 + *(f32x16 *)&data1[idx0 + 16];
      acc7 = acc7 + *(f32x16 *)&data1[idx0 + 32];
      acc8 = acc8 + *(f32x16 *)&data1[idx0 + 48];
    }
    acc4 = val0 + acc5;
    acc4 = acc4 + acc6;
    acc4 = acc4 + acc7;
    acc4 = acc4 + acc8;
    *(f32x16 *)&acc2[0] = acc4;
    for (long r16 = 0; r16 < 16; r16++) {
      acc3 = acc3 + acc2[r16];
    }
    data0[i0] = acc3;
  }
}

// kernel 1: r_128, launch ((1,), None)
typedef float f32x16 __attribute__((vector_size(64), aligned(4), may_alias));

void r_128(void **bufs, const long *vars, long begin, long end) {
  float *restrict data0 = bufs[0];
  const float *restrict data1 = bufs[1];
  float acc3;
  float acc2[16] __attribute__((aligned(64)));
  f32x16 acc4;
  f32x16 acc5;
  f32x16 acc6;
  f32x16 acc7;
  f32x16 acc8;
  acc3 = 0.0f;
  acc4 = (f32x16)(0.0f - (f32x16){});
  f32x16 val0 = acc4;
  acc5 = (f32x16)(0.0f - (f32x16){});
  acc6 = (f32x16)(0.0f - (f32x16){});
  acc7 = (f32x16)(0.0f - (f32x16){});
  acc8 = (f32x16)(0.0f - (f32x16){});
  for (long r1 = 0; r1 < 2; r1++) {
    long idx0 = r1 * 64;
    acc5 = acc5 + *(f32x16 *)&data1[idx0];
    acc6 = acc6 + *(f32x16 *)&data1[idx0 + 16];
    acc7 = acc7 + *(f32x16 *)&data1[idx0 + 32];
    acc8 = acc8 + *(f32x16 *)&data1[idx0 + 48];
  }
  acc4 = val0 + acc5;
  acc4 = acc4 + acc6;
  acc4 = acc4 + acc7;
  acc4 = acc4 + acc8;
  *(f32x16 *)&acc2[0] = acc4;
  for (long r13 = 0; r13 < 16; r13++) {
    acc3 = acc3 + acc2[r13];
  }
  data0[0] = acc3;
}
