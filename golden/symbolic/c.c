// kernel 0: r_32_rows, launch ((1,), None)
typedef float f32x16 __attribute__((vector_size(64), aligned(4), may_alias));

void r_32_rows(void **bufs, const long *vars, long begin, long end) {
  float *restrict data0 = bufs[0];
  const float *restrict data1 = bufs[1];
  const long rows_ = vars[0];
  f32x16 acc1;
  f32x16 acc2;
  acc1 = (f32x16)(0.0f - (f32x16){});
  acc2 = (f32x16)(0.0f - (f32x16){});
  for (long r1 = 0; r1 < rows_; r1++) {
    long idx0 = r1 * 32;
    acc1 = acc1 + *(f32x16 *)&data1[idx0];
    acc2 = acc2 + *(f32x16 *)&data1[idx0 + 16];
  }
  *(f32x16 *)&data0[0] = acc1;
  *(f32x16 *)&data0[16] = acc2;
}
