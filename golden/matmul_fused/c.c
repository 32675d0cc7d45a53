// kernel 0: r_32_32_64, launch ((1,), None)
typedef float f32x16 __attribute__((vector_size(64), aligned(4), may_alias));
#ifndef __has_builtin
#define __has_builtin(name) 0
#endif
#if __has_builtin(__builtin_elementwise_fma) && (defined __FMA__ || defined __ARM_FEATURE_FMA)
#define mulacc_f32x16(a, b, c) __builtin_elementwise_fma(a, b, c)
#define mulacc_f32x8(a, b, c) __builtin_elementwise_fma(a, b, c)
#define mulacc_f32x4(a, b, c) __builtin_elementwise_fma(a, b, c)
#elif defined __FMA__ && !defined __clang__
#ifdef __AVX512F__
#define mulacc_f32x16(a, b, c) __builtin_ia32_vfmaddps512_mask(a, b, c, -1, 4)
#else
#define mulacc_f32x16(a, b, c) ((a) * (b) + (c))
#endif
#define mulacc_f32x8(a, b, c) __builtin_ia32_vfmaddps256(a, b, c)
#define mulacc_f32x4(a, b, c) __builtin_ia32_vfmaddps(a, b, c)
#else
#define mulacc_f32x16(a, b, c) ((a) * (b) + (c))
#define mulacc_f32x8(a, b, c) ((a) * (b) + (c))
#define mulacc_f32x4(a, b, c) ((a) * (b) + (c))
#endif

void r_32_32_64(void **bufs, const long *vars, long begin, long end) {
  float *restrict data0 = bufs[0];
  const float *restrict data1 = bufs[1];
  const float *restrict data2 = bufs[2];
  const float *restrict data3 = bufs[3];
  float acc2[256] __attribute__((aligned(64)));
  f32x16 acc3;
  float acc0[2048] __attribute__((aligned(64)));
  f32x16 acc4;
  f32x16 acc5;
  f32x16 acc6;
  f32x16 acc7;
  f32x16 acc8;
  f32x16 acc9;
  f32x16 acc10;
  f32x16 acc11;
  f32x16 acc12;
  f32x16 acc13;
  f32x16 acc14;
  f32x16 acc15;
  f32x16 acc16;
  f32x16 acc17;
  f32x16 acc18;
  for (long i9 = 0; i9 < 2; i9++) {
    long alu0 = i9 * 512;
    long alu1 = i9 * 1024;
    for (long i10 = 0; i10 < 64; i10++) {
      long alu2 = i10 * 32;
      #pragma GCC unroll 2
      for (long u11 = 0; u11 < 2; u11++) {
        long idx0 = alu2 + u11 * 16;
        *(f32x16 *)&acc0[idx0] = *(f32x16 *)&data2[idx0];
      }
    }
    for (long i13 = 0; i13 < 2; i13++) {
      long alu3 = alu0 + i13 * 256;
      acc3 = (f32x16)(0.0f - (f32x16){});
      long alu4 = alu1 + i13 * 512;
      acc4 = (f32x16)(0.0f - (f32x16){});
      acc5 = (f32x16)(0.0f - (f32x16){});
      acc6 = (f32x16)(0.0f - (f32x16){});
      acc7 = (f32x16)(0.0f - (f32x16){});
      acc8 = (f32x16)(0.0f - (f32x16){});
      acc9 = (f32x16)(0.0f - (f32x16){});
      acc10 = (f32x16)(0.0f - (f32x16){});
      acc11 = (f32x16)(0.0f - (f32x16){});
      acc12 = (f32x16)(0.0f - (f32x16){});
      acc13 = (f32x16)(0.0f - (f32x16){});
      acc14 = (f32x16)(0.0f - (f32x16){});
      acc15 = (f32x16)(0.0f - (f32x16){});
      acc16 = (f32x16)(0.0f - (f32x16){});
      acc17 = (f32x16)(0.0f - (f32x16){});
      acc18 = (f32x16)(0.0f - (f32x16){});
      for (long r2 = 0; r2 < 64; r2++) {
        long idx1 = alu4 + r2;
        float val0 = data1[idx1];
        f32x16 vec0 = (f32x16)(val0 - (f32x16){});
        long idx2 = r2 * 32;
        f32x16 val1 = *(f32x16 *)&acc0[idx2];
        acc3 = mulacc_f32x16(vec0, val1, acc3);
        f32x16 val2 = *(f32x16 *)&acc0[idx2 + 16];
        acc4 = mulacc_f32x16(vec0, val2, acc4);
        float val3 = data1[idx1 + 64];
        f32x16 vec1 = (f32x16)(val3 - (f32x16){});
        acc5 = mulacc_f32x16(vec1, val1, acc5);
        acc6 = mulacc_f32x16(vec1, val2, acc6);
        float val4 = data1[idx1 + 128];
        f32x16 vec2 = (f32x16)(val4 - (f32x16){});
        acc7 = mulacc_f32x16(vec2, val1, acc7);
        acc8 = mulacc_f32x16(vec2, val2, acc8);
        float val5 = data1[idx1 + 192];
        f32x16 vec3 = (f32x16)(val5 - (f32x16){});
        acc9 = mulacc_f32x16(vec3, val1, acc9);
        acc10 = mulacc_f32x16(vec3, val2, acc10);
        float val6 = data1[idx1 + 256];
        f32x16 vec4 = (f32x16)(val6 - (f32x16){});
        acc11 = mulacc_f32x16(vec4, val1, acc11);
        acc12 = mulacc_f32x16(vec4, val2, acc12);
        float val7 = data1[idx1 + 320];
        f32x16 vec5 = (f32x16)(val7 - (f32x16){});
        acc13 = mulacc_f32x16(vec5, val1, acc13);
        acc14 = mulacc_f32x16(vec5, val2, acc14);
        float val8 = data1[idx1 + 384];
        f32x16 vec6 = (f32x16)(val8 - (f32x16){});
        acc15 = mulacc_f32x16(vec6, val1, acc15);
        acc16 = mulacc_f32x16(vec6, val2, acc16);
        float val9 = data1[idx1 + 448];
        f32x16 vec7 = (f32x16)(val9 - (f32x16){});
        acc17 = mulacc_f32x16(vec7, val1, acc17);
        acc18 = mulacc_f32x16(vec7, val2, acc18);
      }
      *(f32x16 *)&acc2[0] = acc3;
      *(f32x16 *)&acc2[16] = acc4;
      *(f32x16 *)&acc2[32] = acc5;
      *(f32x16 *)&acc2[48] = acc6;
      *(f32x16 *)&acc2[64] = acc7;
      *(f32x16 *)&acc2[80] = acc8;
      *(f32x16 *)&acc2[96] = acc9;
      *(f32x16 *)&acc2[112] = acc10;
      *(f32x16 *)&acc2[128] = acc11;
      *(f32x16 *)&acc2[144] = acc12;
      *(f32x16 *)&acc2[160] = acc13;
      *(f32x16 *)&acc2[176] = acc14;
      *(f32x16 *)&acc2[192] = acc15;
      *(f32x16 *)&acc2[208] = acc16;
      *(f32x16 *)&acc2[224] = acc17;
      *(f32x16 *)&acc2[240] = acc18;
      for (long i14 = 0; i14 < 8; i14++) {
        long alu5 = i14 * 32;
        long alu6 = alu3 + alu5;
        for (long i7 = 0; i7 < 2; i7++) {
          long alu7 = i7 * 16;
          long alu8 = alu6 + alu7;
          long alu9 = alu5 + alu7;
          #pragma omp simd
          for (long v8 = 0; v8 < 16; v8++) {
            float alu10 = acc2[alu9 + v8] + data3[alu7 + v8];
            data0[alu8 + v8] = alu10 <= 0.0f ? 0.0f : alu10;
          }
        }
      }
    }
  }
}
