// kernel 0: r_32_32_64, launch ((1,), None)
typedef float f32x16 __attribute__((vector_size(64), aligned(4), may_alias));
#if defined __AVX512F__
#define mulacc_f32x16(a, b, c) __builtin_ia32_vfmaddps512_mask(a, b, c, -1, 4)
#else
#define mulacc_f32x16(a, b, c) ((a) * (b) + (c))
#endif
#if defined __FMA__
#define mulacc_f32x8(a, b, c) __builtin_ia32_vfmaddps256(a, b, c)
#define mulacc_f32x4(a, b, c) __builtin_ia32_vfmaddps(a, b, c)
#else
#define mulacc_f32x8(a, b, c) ((a) * (b) + (c))
#define mulacc_f32x4(a, b, c) ((a) * (b) + (c))
#endif

void r_32_32_64(void **bufs, const long *vars, long begin, long end) {
  float *restrict data0 = bufs[0];
  const float *restrict data1 = bufs[1];
  const float *restrict data2 = bufs[2];
  const float *restrict data3 = bufs[3];
  float acc1[256];
  f32x16 acc2;
  f32x16 acc3;
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
  for (long i3 = 0; i3 < 4; i3++) {
    long alu0 = i3 * 256;
    acc2 = (f32x16)(0.0f - (f32x16){});
    long alu1 = i3 * 512;
    acc3 = (f32x16)(0.0f - (f32x16){});
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
    for (long r2 = 0; r2 < 64; r2++) {
      long idx0 = alu1 + r2;
      float val0 = data1[idx0];
      f32x16 vec0 = (f32x16)(val0 - (f32x16){});
      long idx1 = r2 * 32;
      f32x16 val1 = *(f32x16 *)&data2[idx1];
      acc2 = mulacc_f32x16(vec0, val1, acc2);
      f32x16 val2 = *(f32x16 *)&data2[idx1 + 16];
      acc3 = mulacc_f32x16(vec0, val2, acc3);
      float val3 = data1[idx0 + 64];
      f32x16 vec1 = (f32x16)(val3 - (f32x16){});
      acc4 = mulacc_f32x16(vec1, val1, acc4);
      acc5 = mulacc_f32x16(vec1, val2, acc5);
      float val4 = data1[idx0 + 128];
      f32x16 vec2 = (f32x16)(val4 - (f32x16){});
      acc6 = mulacc_f32x16(vec2, val1, acc6);
      acc7 = mulacc_f32x16(vec2, val2, acc7);
      float val5 = data1[idx0 + 192];
      f32x16 vec3 = (f32x16)(val5 - (f32x16){});
      acc8 = mulacc_f32x16(vec3, val1, acc8);
      acc9 = mulacc_f32x16(vec3, val2, acc9);
      float val6 = data1[idx0 + 256];
      f32x16 vec4 = (f32x16)(val6 - (f32x16){});
      acc10 = mulacc_f32x16(vec4, val1, acc10);
      acc11 = mulacc_f32x16(vec4, val2, acc11);
      float val7 = data1[idx0 + 320];
      f32x16 vec5 = (f32x16)(val7 - (f32x16){});
      acc12 = mulacc_f32x16(vec5, val1, acc12);
      acc13 = mulacc_f32x16(vec5, val2, acc13);
      float val8 = data1[idx0 + 384];
      f32x16 vec6 = (f32x16)(val8 - (f32x16){});
      acc14 = mulacc_f32x16(vec6, val1, acc14);
      acc15 = mulacc_f32x16(vec6, val2, acc15);
      float val9 = data1[idx0 + 448];
      f32x16 vec7 = (f32x16)(val9 - (f32x16){});
      acc16 = mulacc_f32x16(vec7, val1, acc16);
      acc17 = mulacc_f32x16(vec7, val2, acc17);
    }
    *(f32x16 *)&acc1[0] = acc2;
    *(f32x16 *)&acc1[16] = acc3;
    *(f32x16 *)&acc1[32] = acc4;
    *(f32x16 *)&acc1[48] = acc5;
    *(f32x16 *)&acc1[64] = acc6;
    *(f32x16 *)&acc1[80] = acc7;
    *(f32x16 *)&acc1[96] = acc8;
    *(f32x16 *)&acc1[112] = acc9;
    *(f32x16 *)&acc1[128] = acc10;
    *(f32x16 *)&acc1[144] = acc11;
    *(f32x16 *)&acc1[160] = acc12;
    *(f32x16 *)&acc1[176] = acc13;
    *(f32x16 *)&acc1[192] = acc14;
    *(f32x16 *)&acc1[208] = acc15;
    *(f32x16 *)&acc1[224] = acc16;
    *(f32x16 *)&acc1[240] = acc17;
    #pragma GCC unroll 8
    for (long u4 = 0; u4 < 8; u4++) {
      long alu2 = u4 * 32;
      long alu3 = alu0 + alu2;
      #pragma omp simd
      for (long v1 = 0; v1 < 32; v1++) {
        float alu4 = acc1[alu2 + v1] + data3[v1];
        data0[alu3 + v1] = alu4 <= 0.0f ? 0.0f : alu4;
      }
    }
  }
}
