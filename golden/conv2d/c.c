// kernel 0: r_8_12_12_4_3_3, launch ((1,), None)
#ifdef __FP_FAST_FMAF
#define mulacc_f32(a, b, c) __builtin_fmaf(a, b, c)
#else
#define mulacc_f32(a, b, c) ((a) * (b) + (c))
#endif

void r_8_12_12_4_3_3(void **bufs, const long *vars, long begin, long end) {
  float *restrict data0 = bufs[0];
  const float *restrict data1 = bufs[1];
  const float *restrict data2 = bufs[2];
  const float *restrict data3 = bufs[3];
  float acc0[96] __attribute__((aligned(64)));
  for (long i1 = 0; i1 < 12; i1++) {
    long alu0 = i1 * 12;
    #pragma GCC unroll 8
    for (long u6 = 0; u6 < 8; u6++) {
      long alu1 = u6 * 12;
      #pragma omp simd
      for (long v7 = 0; v7 < 12; v7++) {
        acc0[alu1 + v7] = 0.0f;
      }
    }
    for (long r3 = 0; r3 < 4; r3++) {
      long alu2 = r3 * 144;
      long alu3 = r3 * 9;
      for (long r4 = 0; r4 < 3; r4++) {
        long alu4 = r4 * 12;
        long alu5 = r4 + i1;
        unsigned char alu6 = (1 <= alu5) & (alu5 < 13);
        long alu7 = r4 * 3;
        for (long r5 = 0; r5 < 3; r5++) {
          #pragma GCC unroll 8
          for (long u8 = 0; u8 < 8; u8++) {
            long alu8 = u8 * 12;
            float val0 = data2[u8 * 36 + alu3 + alu7 + r5];
            #pragma omp simd
            for (long v9 = 0; v9 < 12; v9++) {
              long idx0 = alu8 + v9;
              long alu9 = r5 + v9;
              float val1 = alu6 & ((1 <= alu9) & (alu9 < 13)) ? data1[alu9 + alu4 + alu0 + alu2 - 13] : 0.0f;
              acc0[idx0] = mulacc_f32(val1, val0, acc0[idx0]);
            }
          }
        }
      }
    }
    #pragma GCC unroll 8
    for (long u0 = 0; u0 < 8; u0++) {
      long alu10 = u0 * 144 + alu0;
      long alu11 = u0 * 12;
      float val2 = data3[u0];
      #pragma omp simd
      for (long v2 = 0; v2 < 12; v2++) {
        float alu12 = acc0[alu11 + v2] + val2;
        data0[alu10 + v2] = alu12 <= 0.0f ? 0.0f : alu12;
      }
    }
  }
}
