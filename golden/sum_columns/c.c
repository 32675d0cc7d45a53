// kernel 0: r_64_512, launch ((1,), None)
typedef float f32x16 __attribute__((vector_size(64), aligned(4), may_alias));

void r_64_512(void **bufs, const long *vars, long begin, long end) {
  float *restrict data0 = bufs[0];
  const float *restrict data1 = bufs[1];
  f32x16 acc1;
  f32x16 acc2;
  f32x16 acc3;
  f32x16 acc4;
  acc1 = (f32x16)(0.0f - (f32x16){});
  acc2 = (f32x16)(0.0f - (f32x16){});
  acc3 = (f32x16)(0.0f - (f32x16){});
  acc4 = (f32x16)(0.0f - (f32x16){});
  for (long r1 = 0; r1 < 512; r1++) {
    long idx0 = r1 * 64;
    acc1 = acc1 + *(f32x16 *)&data1[idx0];
    acc2 = acc2 + *(f32x16 *)&data1[idx0 + 16];
    acc3 = acc3 + *(f32x16 *)&data1[idx0 + 32];
    acc4 = acc4 + *(f32x16 *)&data1[idx0 + 48];
  }
  *(f32x16 *)&data0[0] = acc1;
  *(f32x16 *)&data0[16] = acc2;
  *(f32x16 *)&data0[32] = acc3;
  *(f32x16 *)&data0[48] = acc4;
}
