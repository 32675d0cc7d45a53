// kernel 0: e_100, launch ((1,), None)
typedef float f32x4 __attribute__((vector_size(16), aligned(4), may_alias));
typedef float f32x8 __attribute__((vector_size(32), aligned(4), may_alias));
typedef long i64x4 __attribute__((vector_size(32), aligned(8), may_alias));
typedef long i64x8 __attribute__((vector_size(64), aligned(8), may_alias));

void e_100(void **bufs, const long *vars, long begin, long end) {
  float *restrict data0 = bufs[0];
  i64x8 vec0 = ((i64x8){0L, 1L, 2L, 3L, 4L, 5L, 6L, 7L});
  for (long i1 = 0; i1 < 12; i1++) {
    long idx0 = i1 * 8;
    *(f32x8 *)&data0[idx0] = __builtin_convertvector((i64x8)(idx0 - (i64x8){}) + vec0, f32x8) * (f32x8)(0.5f - (f32x8){});
  }
  f32x4 cast0 = __builtin_convertvector((i64x4)(96L - (i64x4){}) + ((i64x4){0L, 1L, 2L, 3L}), f32x4);
  *(f32x4 *)&data0[96] = cast0 * (f32x4)(0.5f - (f32x4){});
}
