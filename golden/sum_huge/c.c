// kernel 0: r_256_4096, launch ((256,), (3,))
typedef float f32x16 __attribute__((vector_size(64), aligned(4), may_alias));

void r_256_4096(void **bufs, const long *vars, long begin, long end) {
  float *restrict data0 = bufs[0];
  const float *restrict data1 = bufs[1];
  float acc3;
  float acc2[16] __attribute__((aligned(64)));
  f32x16 acc4;
  f32x16 acc5;
  f32x16 acc6;
  f32x16 acc7;
  f32x16 acc8;
  for (long t0 = begin; t0 < end; t0++) {
    acc3 = 0.0f;
    acc4 = (f32x16)(0.0f - (f32x16){});
    f32x16 val0 = acc4;
    acc5 = (f32x16)(0.0f - (f32x16){});
    long alu0 = t0 * 4096;
    acc6 = (f32x16)(0.0f - (f32x16){});
    acc7 = (f32x16)(0.0f - (f32x16){});
    acc8 = (f32x16)(0.0f - (f32x16){});
    for (long r2 = 0; r2 < 64; r2++) {
      long idx0 = alu0 + r2 * 64;
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
    for (long r14 = 0; r14 < 16; r14++) {
      acc3 = acc3 + acc2[r14];
    }
    data0[t0] = acc3;
  }
}

// kernel 1: r_256, launch ((1,), None)
typedef float f32x16 __attribute__((vector_size(64), aligned(4), may_alias));

void r_256(void **bufs, const long *vars, long begin, long end) {
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
  for (long r1 = 0; r1 < 4; r1++) {
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
