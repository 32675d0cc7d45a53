// kernel 0: e_7_13, launch ((1,), None)
typedef float f32x8 __attribute__((vector_size(32), aligned(4), may_alias));
typedef float f32x16 __attribute__((vector_size(64), aligned(4), may_alias));

void e_7_13(void **bufs, const long *vars, long begin, long end) {
  float *restrict data0 = bufs[0];
  const float *restrict data1 = bufs[1];
  const float *restrict data2 = bufs[2];
  for (long i3 = 0; i3 < 5; i3++) {
    long idx0 = i3 * 16;
    *(f32x16 *)&data0[idx0] = *(f32x16 *)&data1[idx0] * (f32x16)(2.0f - (f32x16){}) + *(f32x16 *)&data2[idx0];
  }
  *(f32x8 *)&data0[80] = *(f32x8 *)&data1[80] * (f32x8)(2.0f - (f32x8){}) + *(f32x8 *)&data2[80];
  for (long i4 = 0; i4 < 3; i4++) {
    long idx1 = i4 + 88;
    data0[idx1] = data1[idx1] * 2.0f + data2[idx1];
  }
}
