// kernel 0: e_64, launch ((1,), None)
static inline float u32_as_f32(unsigned int x) {
  float bits;
  __builtin_memcpy(&bits, &x, sizeof bits);
  return bits;
}
static inline unsigned int f32_as_u32(float x) {
  unsigned int bits;
  __builtin_memcpy(&bits, &x, sizeof bits);
  return bits;
}

void e_64(void **bufs, const long *vars, long begin, long end) {
  unsigned short *restrict data0 = bufs[0];
  const unsigned short *restrict data1 = bufs[1];
  const unsigned short *restrict data2 = bufs[2];
  #pragma omp simd
  for (long v0 = 0; v0 < 64; v0++) {
    unsigned int alu0 = f32_as_u32(u32_as_f32((unsigned int)data1[v0] << 16) * 2.0f);
    unsigned int alu1 = alu0 >> 16;
    unsigned int alu2 = 2139095040 < (alu0 & 2147483647) ? alu1 | 64 : (alu0 + 32767 + (alu1 & 1)) >> 16;
    unsigned int alu3 = f32_as_u32(u32_as_f32(alu2 << 16) + u32_as_f32((unsigned int)data2[v0] << 16));
    unsigned int alu4 = alu3 >> 16;
    unsigned int alu5 = 2139095040 < (alu3 & 2147483647) ? alu4 | 64 : (alu3 + 32767 + (alu4 & 1)) >> 16;
    data0[v0] = u32_as_f32(alu5 << 16) <= 0.0f ? 0x0000 : (unsigned short)alu5;
  }
}
