// kernel 0: r_32_128_128_128, launch ((1,), None)
#ifdef __FP_FAST_FMAF
#define mulacc_f32(a, b, c) __builtin_fmaf(a, b, c)
#else
#define mulacc_f32(a, b, c) ((a) * (b) + (c))
#endif
static inline int f32_as_i32(float x) {
  int bits;
  __builtin_memcpy(&bits, &x, sizeof bits);
  return bits;
}
static inline float i32_as_f32(int x) {
  float bits;
  __builtin_memcpy(&bits, &x, sizeof bits);
  return bits;
}

void r_32_128_128_128(void **bufs, const long *vars, long begin, long end) {
  float *restrict data0 = bufs[0];
  const float *restrict data1 = bufs[1];
  float acc4[128];
  float acc3;
  float acc2[16];
  float acc1[16];
  float acc0[64];
  float acc8;
  float acc7[16];
  float acc6[16];
  float acc5[64];
  for (long i0 = 0; i0 < 32; i0++) {
    long alu0 = i0 * 128;
    acc3 = -__builtin_inff();
    #pragma omp simd
    for (long v18 = 0; v18 < 16; v18++) {
      acc1[v18] = -__builtin_inff();
    }
    #pragma GCC unroll 4
    for (long u13 = 0; u13 < 4; u13++) {
      long alu1 = u13 * 16;
      #pragma omp simd
      for (long v14 = 0; v14 < 16; v14++) {
        acc0[alu1 + v14] = -__builtin_inff();
      }
    }
    for (long r5 = 0; r5 < 2; r5++) {
      long alu2 = alu0 + r5 * 64;
      #pragma GCC unroll 4
      for (long u15 = 0; u15 < 4; u15++) {
        long alu3 = u15 * 16;
        long alu4 = alu2 + alu3;
        #pragma omp simd
        for (long v16 = 0; v16 < 16; v16++) {
          long idx0 = alu3 + v16;
          float val0 = acc0[idx0];
          float val1 = data1[alu4 + v16];
          acc0[idx0] = val1 != val1 || val1 > val0 ? val1 : val0;
        }
      }
    }
    #pragma GCC unroll 4
    for (long u17 = 0; u17 < 4; u17++) {
      long alu5 = u17 * 16;
      #pragma omp simd
      for (long v19 = 0; v19 < 16; v19++) {
        float val2 = acc1[v19];
        float val3 = acc0[alu5 + v19];
        acc1[v19] = val3 != val3 || val3 > val2 ? val3 : val2;
      }
    }
    #pragma omp simd
    for (long v20 = 0; v20 < 16; v20++) {
      acc2[v20] = acc1[v20];
    }
    for (long r21 = 0; r21 < 16; r21++) {
      float val4 = acc3;
      float val5 = acc2[r21];
      acc3 = val5 != val5 || val5 > val4 ? val5 : val4;
    }
    float val6 = acc3;
    #pragma omp simd
    for (long v4 = 0; v4 < 128; v4++) {
      float alu6 = data1[alu0 + v4] - val6;
      float alu7 = 89.0f < alu6 ? 89.0f : alu6;
      float alu8 = alu7 < -104.0f ? -104.0f : alu7;
      int alu9 = f32_as_i32(mulacc_f32(alu8, 1.442695f, 12582912.0f)) - 1262485504;
      float cast0 = (float)alu9;
      float alu10 = mulacc_f32(cast0, 0.00021219444f, mulacc_f32(cast0, -0.6933594f, alu8));
      float alu11 = mulacc_f32(alu10, mulacc_f32(alu10, 0.0013821024f, 0.00836867f), 0.041668262f);
      float alu12 = mulacc_f32(alu10 * alu10, mulacc_f32(alu10, mulacc_f32(alu10, alu11, 0.16666521f), 0.49999994f), alu10);
      int alu13 = alu9 >> 1;
      acc4[v4] = (1.0f + alu12) * i32_as_f32((alu13 + 127) << 23) * i32_as_f32((alu9 - alu13 + 127) << 23);
    }
    acc8 = 0.0f;
    #pragma omp simd
    for (long v27 = 0; v27 < 16; v27++) {
      acc6[v27] = 0.0f;
    }
    #pragma GCC unroll 4
    for (long u22 = 0; u22 < 4; u22++) {
      long alu14 = u22 * 16;
      #pragma omp simd
      for (long v23 = 0; v23 < 16; v23++) {
        acc5[alu14 + v23] = 0.0f;
      }
    }
    for (long r9 = 0; r9 < 2; r9++) {
      long alu15 = r9 * 64;
      #pragma GCC unroll 4
      for (long u24 = 0; u24 < 4; u24++) {
        long alu16 = u24 * 16;
        long alu17 = alu15 + alu16;
        #pragma omp simd
        for (long v25 = 0; v25 < 16; v25++) {
          long idx1 = alu16 + v25;
          acc5[idx1] = acc5[idx1] + acc4[alu17 + v25];
        }
      }
    }
    #pragma GCC unroll 4
    for (long u26 = 0; u26 < 4; u26++) {
      long alu18 = u26 * 16;
      #pragma omp simd
      for (long v28 = 0; v28 < 16; v28++) {
        acc6[v28] = acc6[v28] + acc5[alu18 + v28];
      }
    }
    #pragma omp simd
    for (long v29 = 0; v29 < 16; v29++) {
      acc7[v29] = acc6[v29];
    }
    for (long r30 = 0; r30 < 16; r30++) {
      acc8 = acc8 + acc7[r30];
    }
    float val7 = acc8;
    #pragma omp simd
    for (long v1 = 0; v1 < 128; v1++) {
      data0[alu0 + v1] = acc4[v1] / val7;
    }
  }
}
