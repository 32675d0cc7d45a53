// kernel 0: e_10_10, launch ((1,), None)
typedef float f32x4 __attribute__((vector_size(16), aligned(4), may_alias));
typedef float f32x16 __attribute__((vector_size(64), aligned(4), may_alias));

void e_10_10(void **bufs, const long *vars, long begin, long end) {
  float *restrict data0 = bufs[0];
  for (long i3 = 0; i3 < 6; i3++) {
    long idx0 = i3 * 16;
    *(f32x16 *)&data0[idx0] = *(f32x16 *)&data0[idx0] + (f32x16)(1.0f - (f32x16){});
  }
  *(f32x4 *)&data0[96] = *(f32x4 *)&data0[96] + (f32x4)(1.0f - (f32x4){});
}
