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
  for (long r2 = 0; r2 < 128; r2++) {
    long idx0 = r2 * 256;
    f32x16 alu0 = *(f32x16 *)&data1[idx0] + *(f32x16 *)&data1[idx0 + 64] + *(f32x16 *)&data1[idx0 + 128];
    acc1 = acc1 + (alu0 + *(f32x16 *)&data1[idx0 + 192]);
    f32x16 alu1 = *(f32x16 *)&data1[idx0 + 16] + *(f32x16 *)&data1[idx0 + 80] + *(f32x16 *)&data1[idx0 + 144];
    acc2 = acc2 + (alu1 + *(f32x16 *)&data1[idx0 + 208]);
    f32x16 alu2 = *(f32x16 *)&data1[idx0 + 32] + *(f32x16 *)&data1[idx0 + 96] + *(f32x16 *)&data1[idx0 + 160];
    acc3 = acc3 + (alu2 + *(f32x16 *)&data1[idx0 + 224]);
    f32x16 alu3 = *(f32x16 *)&data1[idx0 + 48] + *(f32x16 *)&data1[idx0 + 112] + *(f32x16 *)&data1[idx0 + 176];
    acc4 = acc4 + (alu3 + *(f32x16 *)&data1[idx0 + 240]);
  }
  *(f32x16 *)&data0[0] = acc1;
  *(f32x16 *)&data0[16] = acc2;
  *(f32x16 *)&data0[32] = acc3;
  *(f32x16 *)&data0[48] = acc4;
}
