// kernel 0: e_32_64, launch ((1,), None)
typedef float f32x16 __attribute__((vector_size(64), aligned(4), may_alias));

void e_32_64(void **bufs, const long *vars, long begin, long end) {
  float *restrict data0 = bufs[0];
  const float *restrict data1 = bufs[1];
  const float *restrict data2 = bufs[2];
  const float *restrict data3 = bufs[3];
  for (long i0 = 0; i0 < 32; i0++) {
    long alu0 = i0 * 64;
    float val0 = data1[i0];
    f32x16 vec0 = (f32x16)(val0 - (f32x16){});
    for (long i2 = 0; i2 < 4; i2++) {
      long idx0 = i2 * 16;
      *(f32x16 *)&data0[alu0 + idx0] = vec0 + *(f32x16 *)&data2[idx0] * (*(f32x16 *)&data3[idx0]);
    }
  }
}
