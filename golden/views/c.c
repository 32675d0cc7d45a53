// kernel 0: e_12_10, launch ((1,), None)
typedef float f32x8 __attribute__((vector_size(32), aligned(4), may_alias));

void e_12_10(void **bufs, const long *vars, long begin, long end) {
  float *restrict data0 = bufs[0];
  const float *restrict data1 = bufs[1];
  for (long i0 = 0; i0 < 12; i0++) {
    long idx0 = i0 * 10;
    f32x8 vec0 = ((f32x8){data1[i0], data1[i0 + 12], data1[i0 + 24], data1[i0 + 36], data1[i0 + 48], data1[i0 + 60], data1[i0 + 72], data1[i0 + 84]});
    *(f32x8 *)&data0[idx0] = vec0 + *(f32x8 *)&data1[idx0];
    for (long i2 = 0; i2 < 2; i2++) {
      long idx1 = idx0 + i2 + 8;
      data0[idx1] = data1[i2 * 12 + i0 + 96] + data1[idx1];
    }
  }
}

// kernel 1: e_6_10, launch ((1,), None)
typedef float f32x4 __attribute__((vector_size(16), aligned(4), may_alias));
typedef float f32x8 __attribute__((vector_size(32), aligned(4), may_alias));
typedef float f32x16 __attribute__((vector_size(64), aligned(4), may_alias));

void e_6_10(void **bufs, const long *vars, long begin, long end) {
  float *restrict data0 = bufs[0];
  const float *restrict data1 = bufs[1];
  for (long i3 = 0; i3 < 3; i3++) {
    long idx0 = i3 * 16;
    *(f32x16 *)&data0[idx0] = *(f32x16 *)&data1[idx0 + 30];
  }
  *(f32x8 *)&data0[48] = *(f32x8 *)&data1[78];
  *(f32x4 *)&data0[56] = *(f32x4 *)&data1[86];
}
