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
  float acc3;
  float acc2[16];
  float acc1[16];
  float acc0[64];
  float acc7;
  float acc6[16];
  float acc5[16];
  float acc4[64];
  for (long i0 = 0; i0 < 32; i0++) {
    long alu0 = i0 * 128;
    acc3 = -__builtin_inff();
    #pragma omp simd
    for (long v17 = 0; v17 < 16; v17++) {
      acc1[v17] = -__builtin_inff();
    }
    #pragma GCC unroll 4
    for (long u12 = 0; u12 < 4; u12++) {
      long alu1 = u12 * 16;
      #pragma omp simd
      for (long v13 = 0; v13 < 16; v13++) {
        acc0[alu1 + v13] = -__builtin_inff();
      }
    }
    for (long r4 = 0; r4 < 2; r4++) {
      long alu2 = alu0 + r4 * 64;
      #pragma GCC unroll 4
      for (long u14 = 0; u14 < 4; u14++) {
        long alu3 = u14 * 16;
        long alu4 = alu2 + alu3;
        #pragma omp simd
        for (long v15 = 0; v15 < 16; v15++) {
          long idx0 = alu3 + v15;
          float val0 = acc0[idx0];
          float val1 = data1[alu4 + v15];
          acc0[idx0] = val1 != val1 || val1 > val0 ? val1 : val0;
        }
      }
    }
    #pragma GCC unroll 4
    for (long u16 = 0; u16 < 4; u16++) {
      long alu5 = u16 * 16;
      #pragma omp simd
      for (long v18 = 0; v18 < 16; v18++) {
        float val2 = acc1[v18];
        float val3 = acc0[alu5 + v18];
        acc1[v18] = val3 != val3 || val3 > val2 ? val3 : val2;
      }
    }
    #pragma omp simd
    for (long v19 = 0; v19 < 16; v19++) {
      acc2[v19] = acc1[v19];
    }
    for (long r20 = 0; r20 < 16; r20++) {
      float val4 = acc3;
      float val5 = acc2[r20];
      acc3 = val5 != val5 || val5 > val4 ? val5 : val4;
    }
    float val6 = acc3;
    acc7 = 0.0f;
    #pragma omp simd
    for (long v26 = 0; v26 < 16; v26++) {
      acc5[v26] = 0.0f;
    }
    #pragma GCC unroll 4
    for (long u21 = 0; u21 < 4; u21++) {
      long alu6 = u21 * 16;
      #pragma omp simd
      for (long v22 = 0; v22 < 16; v22++) {
        acc4[alu6 + v22] = 0.0f;
      }
    }
    for (long r8 = 0; r8 < 2; r8++) {
      long alu7 = alu0 + r8 * 64;
      #pragma GCC unroll 4
      for (long u23 = 0; u23 < 4; u23++) {
        long alu8 = u23 * 16;
        long alu9 = alu7 + alu8;
        #pragma omp simd
        for (long v24 = 0; v24 < 16; v24++) {
          long idx1 = alu8 + v24;
          float alu10 = data1[alu9 + v24] - val6;
          float alu11 = 89.0f < alu10 ? 89.0f : alu10;
          float alu12 = alu11 < -104.0f ? -104.0f : alu11;
          int alu13 = f32_as_i32(mulacc_f32(alu12, 1.442695f, 12582912.0f)) - 1262485504;
          float cast0 = (float)alu13;
          float alu14 = mulacc_f32(cast0, 0.00021219444f, mulacc_f32(cast0, -0.6933594f, alu12));
          float alu15 = mulacc_f32(alu14, mulacc_f32(alu14, 0.0013821024f, 0.00836867f), 0.041668262f);
          float alu16 = mulacc_f32(alu14 * alu14, mulacc_f32(alu14, mulacc_f32(alu14, alu15, 0.16666521f), 0.49999994f), alu14);
          int alu17 = alu13 >> 1;
          float alu18 = (1.0f + alu16) * i32_as_f32((alu17 + 127) << 23) * i32_as_f32((alu13 - alu17 + 127) << 23);
          acc4[idx1] = acc4[idx1] + alu18;
        }
      }
    }
    #pragma GCC unroll 4
    for (long u25 = 0; u25 < 4; u25++) {
      long alu19 = u25 * 16;
      #pragma omp simd
      for (long v27 = 0; v27 < 16; v27++) {
        acc5[v27] = acc5[v27] + acc4[alu19 + v27];
      }
    }
    #pragma omp simd
    for (long v28 = 0; v28 < 16; v28++) {
      acc6[v28] = acc5[v28];
    }
    for (long r29 = 0; r29 < 16; r29++) {
      acc7 = acc7 + acc6[r29];
    }
    float val7 = acc7;
    #pragma omp simd
    for (long v1 = 0; v1 < 128; v1++) {
      long idx2 = alu0 + v1;
      float alu20 = data1[idx2] - val6;
      float alu21 = 89.0f < alu20 ? 89.0f : alu20;
      float alu22 = alu21 < -104.0f ? -104.0f : alu21;
      int alu23 = f32_as_i32(mulacc_f32(alu22, 1.442695f, 12582912.0f)) - 1262485504;
      float cast1 = (float)alu23;
      float alu24 = mulacc_f32(cast1, 0.00021219444f, mulacc_f32(cast1, -0.6933594f, alu22));
      float alu25 = mulacc_f32(alu24, mulacc_f32(alu24, 0.0013821024f, 0.00836867f), 0.041668262f);
      float alu26 = mulacc_f32(alu24 * alu24, mulacc_f32(alu24, mulacc_f32(alu24, alu25, 0.16666521f), 0.49999994f), alu24);
      int alu27 = alu23 >> 1;
      float alu28 = (1.0f + alu26) * i32_as_f32((alu27 + 127) << 23) * i32_as_f32((alu23 - alu27 + 127) << 23);
      data0[idx2] = alu28 / val7;
    }
  }
}
