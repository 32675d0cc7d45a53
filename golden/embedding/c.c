// kernel 0: e_5_6_16, launch ((1,), None)
typedef float f32x16 __attribute__((vector_size(64), aligned(4), may_alias));

void e_5_6_16(void **bufs, const long *vars, long begin, long end) {
  float *restrict data0 = bufs[0];
  const int *restrict data1 = bufs[1];
  const float *restrict data2 = bufs[2];
  for (long i0 = 0; i0 < 5; i0++) {
    long alu0 = i0 * 96;
    long alu1 = i0 * 6;
    for (long i1 = 0; i1 < 6; i1++) {
      int val0 = data1[alu1 + i1];
      long cast0 = (long)(val0 < 0 ? val0 + 50 : val0);
      *(f32x16 *)&data0[alu0 + i1 * 16] = (0 <= cast0) & (cast0 < 50) ? *(f32x16 *)&data2[cast0 * 16] : (f32x16)(0.0f - (f32x16){});
    }
  }
}
