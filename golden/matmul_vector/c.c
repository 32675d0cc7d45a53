// kernel 0: r_300_200, launch ((1,), None)
#ifdef __FP_FAST_FMAF
#define mulacc_f32(a, b, c) __builtin_fmaf(a, b, c)
#else
#define mulacc_f32(a, b, c) ((a) * (b) + (c))
#endif

void r_300_200(void **bufs, const long *vars, long begin, long end) {
  float *restrict data0 = bufs[0];
  const float *restrict data1 = bufs[1];
  const float *restrict data2 = bufs[2];
  float acc3;
  float acc2[16];
  float acc1[16];
  float acc0[64];
  float val0 = data2[192];
  float val1 = data2[193];
  float val2 = data2[194];
  float val3 = data2[195];
  float val4 = data2[196];
  float val5 = data2[197];
  float val6 = data2[198];
  float val7 = data2[199];
  for (long i0 = 0; i0 < 300; i0++) {
    acc3 = 0.0f;
    #pragma omp simd
    for (long v13 = 0; v13 < 16; v13++) {
      acc1[v13] = 0.0f;
    }
    #pragma GCC unroll 4
    for (long u8 = 0; u8 < 4; u8++) {
      long alu0 = u8 * 16;
      #pragma omp simd
      for (long v9 = 0; v9 < 16; v9++) {
        acc0[alu0 + v9] = 0.0f;
      }
    }
    long alu1 = i0 * 200;
    for (long r4 = 0; r4 < 3; r4++) {
      long alu2 = r4 * 64;
      long alu3 = alu1 + alu2;
      #pragma GCC unroll 4
      for (long u10 = 0; u10 < 4; u10++) {
        long alu4 = u10 * 16;
        long alu5 = alu3 + alu4;
        long alu6 = alu2 + alu4;
        #pragma omp simd
        for (long v11 = 0; v11 < 16; v11++) {
          long idx0 = alu4 + v11;
          acc0[idx0] = mulacc_f32(data1[alu5 + v11], data2[alu6 + v11], acc0[idx0]);
        }
      }
    }
    #pragma GCC unroll 4
    for (long u12 = 0; u12 < 4; u12++) {
      long alu7 = u12 * 16;
      #pragma omp simd
      for (long v14 = 0; v14 < 16; v14++) {
        acc1[v14] = acc1[v14] + acc0[alu7 + v14];
      }
    }
    #pragma omp simd
    for (long v15 = 0; v15 < 16; v15++) {
      acc2[v15] = acc1[v15];
    }
    for (long r16 = 0; r16 < 16; r16++) {
      acc3 = acc3 + acc2[r16];
    }
    float alu8 = data1[alu1 + 192] * val0 + data1[alu1 + 193] * val1 + data1[alu1 + 194] * val2;
    float alu9 = alu8 + data1[alu1 + 195] * val3 + data1[alu1 + 196] * val4 + data1[alu1 + 197] * val5;
    data0[i0] = acc3 + (alu9 + data1[alu1 + 198] * val6 + data1[alu1 + 199] * val7);
  }
}
