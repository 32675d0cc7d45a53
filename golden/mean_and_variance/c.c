// kernel 0: r_32_100, launch ((1,), None)
void r_32_100(void **bufs, const long *vars, long begin, long end) {
  float *restrict data0 = bufs[0];
  const float *restrict data1 = bufs[1];
  float acc3;
  float acc2[16];
  float acc1[16];
  float acc0[48];
  for (long i0 = 0; i0 < 32; i0++) {
    acc3 = 0.0f;
    #pragma omp simd
    for (long v13 = 0; v13 < 16; v13++) {
      acc1[v13] = 0.0f;
    }
    #pragma GCC unroll 3
    for (long u8 = 0; u8 < 3; u8++) {
      long alu0 = u8 * 16;
      #pragma omp simd
      for (long v9 = 0; v9 < 16; v9++) {
        acc0[alu0 + v9] = 0.0f;
      }
    }
    long alu1 = i0 * 100;
    for (long r4 = 0; r4 < 2; r4++) {
      long alu2 = alu1 + r4 * 48;
      #pragma GCC unroll 3
      for (long u10 = 0; u10 < 3; u10++) {
        long alu3 = u10 * 16;
        long alu4 = alu2 + alu3;
        #pragma omp simd
        for (long v11 = 0; v11 < 16; v11++) {
          long idx0 = alu3 + v11;
          acc0[idx0] = acc0[idx0] + data1[alu4 + v11];
        }
      }
    }
    #pragma GCC unroll 3
    for (long u12 = 0; u12 < 3; u12++) {
      long alu5 = u12 * 16;
      #pragma omp simd
      for (long v14 = 0; v14 < 16; v14++) {
        acc1[v14] = acc1[v14] + acc0[alu5 + v14];
      }
    }
    #pragma omp simd
    for (long v15 = 0; v15 < 16; v15++) {
      acc2[v15] = acc1[v15];
    }
    for (long r16 = 0; r16 < 16; r16++) {
      acc3 = acc3 + acc2[r16];
    }
    float alu6 = data1[alu1 + 96] + data1[alu1 + 97] + data1[alu1 + 98] + data1[alu1 + 99];
    data0[i0] = acc3 + alu6;
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
  float acc3;
  float acc2[16];
  float acc1[16];
  float acc0[48];
  for (long i0 = 0; i0 < 32; i0++) {
    acc3 = 0.0f;
    #pragma omp simd
    for (long v13 = 0; v13 < 16; v13++) {
      acc1[v13] = 0.0f;
    }
    #pragma GCC unroll 3
    for (long u8 = 0; u8 < 3; u8++) {
      long alu0 = u8 * 16;
      #pragma omp simd
      for (long v9 = 0; v9 < 16; v9++) {
        acc0[alu0 + v9] = 0.0f;
      }
    }
    long alu1 = i0 * 100;
    float alu2 = data2[i0] / 100.0f;
    for (long r4 = 0; r4 < 2; r4++) {
      long alu3 = alu1 + r4 * 48;
      #pragma GCC unroll 3
      for (long u10 = 0; u10 < 3; u10++) {
        long alu4 = u10 * 16;
        long alu5 = alu3 + alu4;
        #pragma omp simd
        for (long v11 = 0; v11 < 16; v11++) {
          long idx0 = alu4 + v11;
          float alu6 = data1[alu5 + v11] - alu2;
          acc0[idx0] = mulacc_f32(alu6, alu6, acc0[idx0]);
        }
      }
    }
    #pragma GCC unroll 3
    for (long u12 = 0; u12 < 3; u12++) {
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
    float alu8 = data1[alu1 + 96] - alu2;
    float alu9 = data1[alu1 + 97] - alu2;
    float alu10 = data1[alu1 + 98] - alu2;
    float alu11 = data1[alu1 + 99] - alu2;
    data0[i0] = (acc3 + (alu8 * alu8 + alu9 * alu9 + alu10 * alu10 + alu11 * alu11)) / 99.0f;
  }
}
