// kernel 0: e_4, launch ((1,), None)
typedef float f32x4 __attribute__((vector_size(16), aligned(4), may_alias));

void e_4(void **bufs, const long *vars, long begin, long end) {
  float *restrict data0 = bufs[0];
  const float *restrict data1 = bufs[1];
  *(f32x4 *)&data0[0] = *(f32x4 *)&data1[0] + (f32x4)(0.0f - (f32x4){});
}
