// kernel 0: r_64_128_96, launch ((32,), (1,))
#ifdef __FP_FAST_FMAF
#define mulacc_f32(a, b, c) __builtin_fmaf(a, b, c)
#else
#define mulacc_f32(a, b, c) ((a) * (b) + (c))
#endif

void r_64_128_96(void **bufs, const long *vars, long begin, long end) {
  float *restrict data0 = bufs[0];
  const float *restrict data1 = bufs[1];
  const float *restrict data2 = bufs[2];
  float acc0[256];
  for (long t7 = begin; t7 < end; t7++) {
    long alu0 = t7 >> 2;
    long alu1 = alu0 * 1024;
    long alu2 = (t7 & 3) * 32;
    #pragma GCC unroll 8
    for (long u8 = 0; u8 < 8; u8++) {
      long alu3 = u8 * 32;
      #pragma omp simd
      for (long v9 = 0; v9 < 32; v9++) {
        acc0[alu3 + v9] = 0.0f;
      }
    }
    long alu4 = alu0 * 768;
    for (long r2 = 0; r2 < 96; r2++) {
      long alu5 = r2 * 128 + alu2;
      #pragma GCC unroll 8
      for (long u10 = 0; u10 < 8; u10++) {
        long alu6 = u10 * 32;
        float val0 = data1[alu4 + u10 * 96 + r2];
        #pragma omp simd
        for (long v11 = 0; v11 < 32; v11++) {
          long idx0 = alu6 + v11;
          acc0[idx0] = mulacc_f32(val0, data2[alu5 + v11], acc0[idx0]);
        }
      }
    }
    #pragma GCC unroll 8
    for (long u4 = 0; u4 < 8; u4++) {
      long alu7 = alu1 + u4 * 128 + alu2;
      long alu8 = u4 * 32;
      #pragma omp simd
      for (long v6 = 0; v6 < 32; v6++) {
        data0[alu7 + v6] = acc0[alu8 + v6];
      }
    }
  }
}
