// kernel 0: r_64_64_64, launch ((16,), (1,))
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
#ifdef __FP_FAST_FMAF
#define mulacc_f32(a, b, c) __builtin_fmaf(a, b, c)
#else
#define mulacc_f32(a, b, c) ((a) * (b) + (c))
#endif

void r_64_64_64(void **bufs, const long *vars, long begin, long end) {
  unsigned short *restrict data0 = bufs[0];
  const unsigned short *restrict data1 = bufs[1];
  const unsigned short *restrict data2 = bufs[2];
  float acc0[256];
  for (long t7 = begin; t7 < end; t7++) {
    long alu0 = (t7 >> 1) * 512;
    long alu1 = (t7 & 1) * 32;
    #pragma GCC unroll 8
    for (long u8 = 0; u8 < 8; u8++) {
      long alu2 = u8 * 32;
      #pragma omp simd
      for (long v9 = 0; v9 < 32; v9++) {
        acc0[alu2 + v9] = 0.0f;
      }
    }
    for (long r2 = 0; r2 < 64; r2++) {
      long alu3 = r2 * 64 + alu1;
      #pragma GCC unroll 8
      for (long u10 = 0; u10 < 8; u10++) {
        long alu4 = u10 * 32;
        unsigned int cast0 = (unsigned int)data1[alu0 + u10 * 64 + r2];
        unsigned int alu5 = (cast0 & 32767) << 13;
        unsigned int alu6 = (cast0 & 31744) == 31744 ? alu5 | 2139095040 : f32_as_u32(u32_as_f32(alu5) * 5.192297e+33f);
        float alu7 = u32_as_f32(alu6 | ((cast0 & 32768) << 16));
        #pragma omp simd
        for (long v11 = 0; v11 < 32; v11++) {
          long idx0 = alu4 + v11;
          unsigned int cast1 = (unsigned int)data2[alu3 + v11];
          unsigned int alu8 = (cast1 & 32767) << 13;
          unsigned int alu9 = (cast1 & 31744) == 31744 ? alu8 | 2139095040 : f32_as_u32(u32_as_f32(alu8) * 5.192297e+33f);
          acc0[idx0] = mulacc_f32(alu7, u32_as_f32(alu9 | ((cast1 & 32768) << 16)), acc0[idx0]);
        }
      }
    }
    #pragma GCC unroll 8
    for (long u4 = 0; u4 < 8; u4++) {
      long alu10 = alu0 + u4 * 64 + alu1;
      long alu11 = u4 * 32;
      #pragma omp simd
      for (long v6 = 0; v6 < 32; v6++) {
        unsigned int alu12 = f32_as_u32(acc0[alu11 + v6]);
        unsigned int alu13 = alu12 & 2147483647;
        unsigned int alu14 = alu13 < 1199570944 ? (alu13 + 3355447295u + ((alu13 >> 13) & 1)) >> 13 : (2139095040 < alu13 ? 32256u : 31744u);
        unsigned int alu15 = alu13 < 947912704 ? f32_as_u32(u32_as_f32(alu13) + 0.5f) - 1056964608 : alu14;
        data0[alu10 + v6] = (unsigned short)(alu15 | ((alu12 >> 16) & 32768));
      }
    }
  }
}
