// kernel 0: r_32_256_256_256, launch ((1,), None)
#ifdef __FP_FAST_FMAF
#define mulacc_f32(a, b, c) __builtin_fmaf(a, b, c)
#else
#define mulacc_f32(a, b, c) ((a) * (b) + (c))
#endif

void r_32_256_256_256(void **bufs, const long *vars, long begin, long end) {
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
    long alu0 = i0 * 256;
    acc3 = 0.0f;
    #pragma omp simd
    for (long v17 = 0; v17 < 16; v17++) {
      acc1[v17] = 0.0f;
    }
    #pragma GCC unroll 4
    for (long u12 = 0; u12 < 4; u12++) {
      long alu1 = u12 * 16;
      #pragma omp simd
      for (long v13 = 0; v13 < 16; v13++) {
        acc0[alu1 + v13] = 0.0f;
      }
    }
    for (long r4 = 0; r4 < 4; r4++) {
      long alu2 = alu0 + r4 * 64;
      #pragma GCC unroll 4
      for (long u14 = 0; u14 < 4; u14++) {
        long alu3 = u14 * 16;
        long alu4 = alu2 + alu3;
        #pragma omp simd
        for (long v15 = 0; v15 < 16; v15++) {
          long idx0 = alu3 + v15;
          acc0[idx0] = acc0[idx0] + data1[alu4 + v15];
        }
      }
    }
    #pragma GCC unroll 4
    for (long u16 = 0; u16 < 4; u16++) {
      long alu5 = u16 * 16;
      #pragma omp simd
      for (long v18 = 0; v18 < 16; v18++) {
        acc1[v18] = acc1[v18] + acc0[alu5 + v18];
      }
    }
    #pragma omp simd
    for (long v19 = 0; v19 < 16; v19++) {
      acc2[v19] = acc1[v19];
    }
    for (long r20 = 0; r20 < 16; r20++) {
      acc3 = acc3 + acc2[r20];
    }
    float alu6 = acc3 / 256.0f;
    acc7 = 0.0f;
    #pragma omp simd
    for (long v26 = 0; v26 < 16; v26++) {
      acc5[v26] = 0.0f;
    }
    #pragma GCC unroll 4
    for (long u21 = 0; u21 < 4; u21++) {
      long alu7 = u21 * 16;
      #pragma omp simd
      for (long v22 = 0; v22 < 16; v22++) {
        acc4[alu7 + v22] = 0.0f;
      }
    }
    for (long r8 = 0; r8 < 4; r8++) {
      long alu8 = alu0 + r8 * 64;
      #pragma GCC unroll 4
      for (long u23 = 0; u23 < 4; u23++) {
        long alu9 = u23 * 16;
        long alu10 = alu8 + alu9;
        #pragma omp simd
        for (long v24 = 0; v24 < 16; v24++) {
          long idx1 = alu9 + v24;
          float alu11 = data1[alu10 + v24] - alu6;
          acc4[idx1] = mulacc_f32(alu11, alu11, acc4[idx1]);
        }
      }
    }
    #pragma GCC unroll 4
    for (long u25 = 0; u25 < 4; u25++) {
      long alu12 = u25 * 16;
      #pragma omp simd
      for (long v27 = 0; v27 < 16; v27++) {
        acc5[v27] = acc5[v27] + acc4[alu12 + v27];
      }
    }
    #pragma omp simd
    for (long v28 = 0; v28 < 16; v28++) {
      acc6[v28] = acc5[v28];
    }
    for (long r29 = 0; r29 < 16; r29++) {
      acc7 = acc7 + acc6[r29];
    }
    float alu13 = 1.0f / __builtin_sqrtf(acc7 / 256.0f + 1e-05f);
    #pragma omp simd
    for (long v1 = 0; v1 < 256; v1++) {
      long idx2 = alu0 + v1;
      data0[idx2] = (data1[idx2] - alu6) * alu13;
    }
  }
}
