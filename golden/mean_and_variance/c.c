// kernel 0: r_32_100, launch ((1,), None)
void r_32_100(void **bufs, const long *vars, long begin, long end) {
  float *restrict data0 = bufs[0];
  const float *restrict data1 = bufs[1];
  float acc3[32] __attribute__((aligned(64)));
  float acc2[512] __attribute__((aligned(64)));
  float acc1[512] __attribute__((aligned(64)));
  float acc0[1536] __attribute__((aligned(64)));
  for (long i22 = 0; i22 < 32; i22++) {
    acc3[i22] = 0.0f;
  }
  #pragma omp simd
  for (long v15 = 0; v15 < 32; v15++) {
    long alu0 = v15 * 16;
    #pragma omp simd
    for (long v16 = 0; v16 < 16; v16++) {
      acc1[alu0 + v16] = 0.0f;
    }
  }
  #pragma GCC unroll 3
  for (long u8 = 0; u8 < 3; u8++) {
    long alu1 = u8 * 512;
    #pragma omp simd
    for (long v9 = 0; v9 < 32; v9++) {
      long alu2 = alu1 + v9 * 16;
      #pragma omp simd
      for (long v10 = 0; v10 < 16; v10++) {
        acc0[alu2 + v10] = 0.0f;
      }
    }
  }
  for (long r4 = 0; r4 < 2; r4++) {
    long alu3 = r4 * 48;
    #pragma GCC unroll 3
    for (long u11 = 0; u11 < 3; u11++) {
      long alu4 = u11 * 512;
      long alu5 = u11 * 16;
      #pragma omp simd
      for (long v12 = 0; v12 < 32; v12++) {
        long alu6 = alu4 + v12 * 16;
        long alu7 = v12 * 100 + alu3 + alu5;
        #pragma omp simd
        for (long v13 = 0; v13 < 16; v13++) {
          long idx0 = alu6 + v13;
          acc0[idx0] = acc0[idx0] + data1[alu7 + v13];
        }
      }
    }
  }
  #pragma GCC unroll 3
  for (long u14 = 0; u14 < 3; u14++) {
    long alu8 = u14 * 512;
    #pragma omp simd
    for (long v17 = 0; v17 < 32; v17++) {
      long alu9 = v17 * 16;
      long alu10 = alu8 + alu9;
      #pragma omp simd
      for (long v18 = 0; v18 < 16; v18++) {
        long idx1 = alu9 + v18;
        acc1[idx1] = acc1[idx1] + acc0[alu10 + v18];
      }
    }
  }
  #pragma omp simd
  for (long v19 = 0; v19 < 32; v19++) {
    long alu11 = v19 * 16;
    #pragma omp simd
    for (long v20 = 0; v20 < 16; v20++) {
      long idx2 = alu11 + v20;
      acc2[idx2] = acc1[idx2];
    }
  }
  for (long i23 = 0; i23 < 32; i23++) {
    long alu12 = i23 * 16;
    for (long r21 = 0; r21 < 16; r21++) {
      acc3[i23] = acc3[i23] + acc2[alu12 + r21];
    }
  }
  #pragma omp simd
  for (long v0 = 0; v0 < 32; v0++) {
    long alu13 = v0 * 100;
    float alu14 = data1[alu13 + 96] + data1[alu13 + 97] + data1[alu13 + 98] + data1[alu13 + 99];
    data0[v0] = acc3[v0] + alu14;
  }
}

// kernel 1: e_32, launch ((1,), None)
void e_32(void **bufs, const long *vars, long begin, long end) {
  float *restrict data0 = bufs[0];
  const float *restrict data1 = bufs[1];
  #pragma omp simd
  for (long v0 = 0; v0 < 32; v0++) {
    data0[v0] = data1[v0] / 100.0f;
  }
}

// kernel 2: r_32_100, launch ((1,), None)
#ifdef __FP_FAST_FMAF
#define mulacc_f32(a, b, c) __builtin_fmaf(a, b, c)
#else
#define mulacc_f32(a, b, c) ((a) * (b) + (c))
#endif

void r_32_100(void **bufs, const long *vars, long begin, long end) {
  float *restrict data0 = bufs[0];
  const float *restrict data1 = bufs[1];
  const float *restrict data2 = bufs[2];
  float acc3[32] __attribute__((aligned(64)));
  float acc2[512] __attribute__((aligned(64)));
  float acc1[512] __attribute__((aligned(64)));
  float acc0[1536] __attribute__((aligned(64)));
  for (long i22 = 0; i22 < 32; i22++) {
    acc3[i22] = 0.0f;
  }
  #pragma omp simd
  for (long v15 = 0; v15 < 32; v15++) {
    long alu0 = v15 * 16;
    #pragma omp simd
    for (long v16 = 0; v16 < 16; v16++) {
      acc1[alu0 + v16] = 0.0f;
    }
  }
  #pragma GCC unroll 3
  for (long u8 = 0; u8 < 3; u8++) {
    long alu1 = u8 * 512;
    #pragma omp simd
    for (long v9 = 0; v9 < 32; v9++) {
      long alu2 = alu1 + v9 * 16;
      #pragma omp simd
      for (long v10 = 0; v10 < 16; v10++) {
        acc0[alu2 + v10] = 0.0f;
      }
    }
  }
  for (long r4 = 0; r4 < 2; r4++) {
    long alu3 = r4 * 48;
    #pragma GCC unroll 3
    for (long u11 = 0; u11 < 3; u11++) {
      long alu4 = u11 * 512;
      long alu5 = u11 * 16;
      #pragma omp simd
      for (long v12 = 0; v12 < 32; v12++) {
        long alu6 = alu4 + v12 * 16;
        long alu7 = v12 * 100 + alu3 + alu5;
        float alu8 = data2[v12] / 100.0f;
        #pragma omp simd
        for (long v13 = 0; v13 < 16; v13++) {
          long idx0 = alu6 + v13;
          float alu9 = data1[alu7 + v13] - alu8;
          acc0[idx0] = mulacc_f32(alu9, alu9, acc0[idx0]);
        }
      }
    }
  }
  #pragma GCC unroll 3
  for (long u14 = 0; u14 < 3; u14++) {
    long alu10 = u14 * 512;
    #pragma omp simd
    for (long v17 = 0; v17 < 32; v17++) {
      long alu11 = v17 * 16;
      long alu12 = alu10 + alu11;
      #pragma omp simd
      for (long v18 = 0; v18 < 16; v18++) {
        long idx1 = alu11 + v18;
        acc1[idx1] = acc1[idx1] + acc0[alu12 + v18];
      }
    }
  }
  #pragma omp simd
  for (long v19 = 0; v19 < 32; v19++) {
    long alu13 = v19 * 16;
    #pragma omp simd
    for (long v20 = 0; v20 < 16; v20++) {
      long idx2 = alu13 + v20;
      acc2[idx2] = acc1[idx2];
    }
  }
  for (long i23 = 0; i23 < 32; i23++) {
    long alu14 = i23 * 16;
    for (long r21 = 0; r21 < 16; r21++) {
      acc3[i23] = acc3[i23] + acc2[alu14 + r21];
    }
  }
  #pragma omp simd
  for (long v0 = 0; v0 < 32; v0++) {
    long alu15 = v0 * 100;
    float alu16 = data2[v0] / 100.0f;
    float alu17 = data1[alu15 + 96] - alu16;
    float alu18 = data1[alu15 + 97] - alu16;
    float alu19 = data1[alu15 + 98] - alu16;
    float alu20 = data1[alu15 + 99] - alu16;
    float alu21 = acc3[v0] + (alu17 * alu17 + alu18 * alu18 + alu19 * alu19 + alu20 * alu20);
    data0[v0] = alu21 / 99.0f;
  }
}
