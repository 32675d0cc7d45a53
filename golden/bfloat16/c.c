// kernel 0: e_64, launch ((1,), None)
static inline unsigned short bf16_as_u16(unsigned short x) {
  unsigned short bits;
  __builtin_memcpy(&bits, &x, sizeof bits);
  return bits;
}
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
static inline unsigned short u16_as_bf16(unsigned short x) {
  unsigned short bits;
  __builtin_memcpy(&bits, &x, sizeof bits);
  return bits;
}

void e_64(void **bufs, const long *vars, long begin, long end) {
  unsigned short *restrict data0 = bufs[0];
  const unsigned short *restrict data1 = bufs[1];
  const unsigned short *restrict data2 = bufs[2];
  float alu0 = u32_as_f32((unsigned int)0x4000 << 16);
  float alu1 = u32_as_f32((unsigned int)0x0000 << 16);
  #pragma omp simd
  for (long v0 = 0; v0 < 64; v0++) {
    unsigned int alu2 = f32_as_u32(u32_as_f32((unsigned int)data1[v0] << 16) * alu0);
    unsigned int alu3 = alu2 >> 16;
    unsigned int alu4 = 2139095040 < (alu2 & 2147483647) ? alu3 | 64 : (alu2 + 32767 + (alu3 & 1)) >> 16;
    float alu5 = u32_as_f32((unsigned int)((unsigned short)alu4) << 16) + u32_as_f32((unsigned int)data2[v0] << 16);
    unsigned int alu6 = f32_as_u32(alu5);
    unsigned int alu7 = alu6 >> 16;
    unsigned int alu8 = 2139095040 < (alu6 & 2147483647) ? alu7 | 64 : (alu6 + 32767 + (alu7 & 1)) >> 16;
    unsigned short alu9 = (unsigned short)alu8;
    data0[v0] = u32_as_f32((unsigned int)alu9 << 16) <= alu1 ? 0x0000 : alu9;
  }
}
