// kernel 0: r_32_32_64, launch ((1,), None)
#ifdef __FP_FAST_FMAF
#define mulacc_f32(a, b, c) __builtin_fmaf(a, b, c)
#else
#define mulacc_f32(a, b, c) ((a) * (b) + (c))
#endif

void r_32_32_64(void **bufs, const long *vars, long begin, long end) {
  float *restrict data0 = bufs[0];
  const float *restrict data1 = bufs[1];
  const float *restrict data2 = bufs[2];
  const float *restrict data3 = bufs[3];
  float acc0[256];
  for (long i3 = 0; i3 < 4; i3++) {
    long alu0 = i3 * 256;
    #pragma GCC unroll 8
    for (long u5 = 0; u5 < 8; u5++) {
      long alu1 = u5 * 32;
      #pragma omp simd
      for (long v6 = 0; v6 < 32; v6++) {
        acc0[alu1 + v6] = 0.0f;
      }
    }
    long alu2 = i3 * 512;
    for (long r2 = 0; r2 < 64; r2++) {
      long alu3 = r2 * 32;
      #pragma GCC unroll 8
      for (long u7 = 0; u7 < 8; u7++) {
        long alu4 = u7 * 32;
        float val0 = data1[alu2 + u7 * 64 + r2];
        #pragma omp simd
        for (long v8 = 0; v8 < 32; v8++) {
          long idx0 = alu4 + v8;
          acc0[idx0] = mulacc_f32(val0, data2[alu3 + v8], acc0[idx0]);
        }
      }
    }
    #pragma GCC unroll 8
    for (long u4 = 0; u4 < 8; u4++) {
      long alu5 = u4 * 32;
      long alu6 = alu0 + alu5;
      #pragma omp simd
      for (long v1 = 0; v1 < 32; v1++) {
        float alu7 = acc0[alu5 + v1] + data3[v1];
        data0[alu6 + v1] = alu7 <= 0.0f ? 0.0f : alu7;
      }
    }
  }
}
