// kernel 0: e_8_8, launch ((1,), None)
typedef float f32x8 __attribute__((vector_size(32), aligned(4), may_alias));

void e_8_8(void **bufs, const long *vars, long begin, long end) {
  float *restrict data0 = bufs[0];
  const float *restrict data1 = bufs[1];
  const float *restrict data2 = bufs[2];
  const float *restrict data3 = bufs[3];
  for (long i0 = 0; i0 < 8; i0++) {
    long idx0 = i0 * 8;
    unsigned char alu0 = i0 < 7;
    f32x8 val0 = (4 <= i0) & alu0 ? *(f32x8 *)&data2[idx0 - 32] : (f32x8)(0.0f - (f32x8){});
    f32x8 alu1 = alu0 ? (f32x8)val0 : (f32x8)(7 <= i0 ? *(f32x8 *)&data3[idx0 - 56] : (f32x8)(0.0f - (f32x8){}));
    *(f32x8 *)&data0[idx0] = i0 < 4 ? *(f32x8 *)&data1[idx0] : (f32x8)alu1;
  }
}
