// kernel 0: e_8_12, launch ((1,), None)
typedef float f32x8 __attribute__((vector_size(32), aligned(4), may_alias));

void e_8_12(void **bufs, const long *vars, long begin, long end) {
  float *restrict data0 = bufs[0];
  const float *restrict data1 = bufs[1];
  for (long i0 = 0; i0 < 8; i0++) {
    long alu0 = i0 * 12;
    for (long i2 = 0; i2 < 2; i2++) {
      data0[alu0 + i2] = 0.0f;
    }
    long alu1 = i0 * 10;
    unsigned char alu2 = (1 <= i0) & (i0 < 7);
    *(f32x8 *)&data0[alu0 + 2] = (alu2 ? *(f32x8 *)&data1[alu1 - 10] : (f32x8)(0.0f - (f32x8){})) * (f32x8)(2.0f - (f32x8){});
    for (long i3 = 0; i3 < 2; i3++) {
      data0[alu0 + i3 + 10] = (alu2 ? data1[i3 + alu1 - 2] : 0.0f) * 2.0f;
    }
  }
}
