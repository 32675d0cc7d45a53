// kernel 0: e_18_6, launch ((1,), None)
typedef float f32x4 __attribute__((vector_size(16), aligned(4), may_alias));

void e_18_6(void **bufs, const long *vars, long begin, long end) {
  float *restrict data0 = bufs[0];
  const float *restrict data1 = bufs[1];
  for (long i0 = 0; i0 < 18; i0++) {
    long idx0 = i0 * 6;
    f32x4 vec0 = ((f32x4){data1[21 - i0], data1[93 - i0], data1[165 - i0], data1[237 - i0]});
    *(f32x4 *)&data0[idx0] = vec0 + (f32x4)(1.0f - (f32x4){});
    for (long i2 = 0; i2 < 2; i2++) {
      data0[idx0 + i2 + 4] = data1[i2 * 72 - i0 + 309] + 1.0f;
    }
  }
}
