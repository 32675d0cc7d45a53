// kernel 0: r_32_32_64, launch ((1,), None)
typedef unsigned char b8x16 __attribute__((vector_size(16), aligned(1), may_alias));
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
typedef __typeof__((f32x16){} < (f32x16){}) where_mask_f32x16;
static inline f32x16 where_f32x16(where_mask_f32x16 takes, f32x16 yes, f32x16 no) {
  return (f32x16)((takes & (where_mask_f32x16)yes) | (~takes & (where_mask_f32x16)no));
}

void r_32_32_64(void **bufs, const long *vars, long begin, long end) {
  float *restrict data0 = bufs[0];
  const float *restrict data1 = bufs[1];
  const float *restrict data2 = bufs[2];
  const float *restrict data3 = bufs[3];
  f32x16 acc2;
  float acc0[2048] __attribute__((aligned(64)));
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
  f32x16 val0 = *(f32x16 *)&data3[0];
  f32x16 val1 = *(f32x16 *)&data3[16];
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
      long idx1 = alu0 + i13 * 256;
      acc2 = (f32x16)(0.0f - (f32x16){});
      long alu3 = alu1 + i13 * 512;
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
        long idx2 = alu3 + r2;
        float val2 = data1[idx2];
        f32x16 vec0 = (f32x16)(val2 - (f32x16){});
        long idx3 = r2 * 32;
        f32x16 val3 = *(f32x16 *)&acc0[idx3];
        acc2 = mulacc_f32x16(vec0, val3, acc2);
        f32x16 val4 = *(f32x16 *)&acc0[idx3 + 16];
        acc3 = mulacc_f32x16(vec0, val4, acc3);
        float val5 = data1[idx2 + 64];
        f32x16 vec1 = (f32x16)(val5 - (f32x16){});
        acc4 = mulacc_f32x16(vec1, val3, acc4);
        acc5 = mulacc_f32x16(vec1, val4, acc5);
        float val6 = data1[idx2 + 128];
        f32x16 vec2 = (f32x16)(val6 - (f32x16){});
        acc6 = mulacc_f32x16(vec2, val3, acc6);
        acc7 = mulacc_f32x16(vec2, val4, acc7);
        float val7 = data1[idx2 + 192];
        f32x16 vec3 = (f32x16)(val7 - (f32x16){});
        acc8 = mulacc_f32x16(vec3, val3, acc8);
        acc9 = mulacc_f32x16(vec3, val4, acc9);
        float val8 = data1[idx2 + 256];
        f32x16 vec4 = (f32x16)(val8 - (f32x16){});
        acc10 = mulacc_f32x16(vec4, val3, acc10);
        acc11 = mulacc_f32x16(vec4, val4, acc11);
        float val9 = data1[idx2 + 320];
        f32x16 vec5 = (f32x16)(val9 - (f32x16){});
        acc12 = mulacc_f32x16(vec5, val3, acc12);
        acc13 = mulacc_f32x16(vec5, val4, acc13);
        float val10 = data1[idx2 + 384];
        f32x16 vec6 = (f32x16)(val10 - (f32x16){});
        acc14 = mulacc_f32x16(vec6, val3, acc14);
        acc15 = mulacc_f32x16(vec6, val4, acc15);
        float val11 = data1[idx2 + 448];
        f32x16 vec7 = (f32x16)(val11 - (f32x16){});
        acc16 = mulacc_f32x16(vec7, val3, acc16);
        acc17 = mulacc_f32x16(vec7, val4, acc17);
      }
      f32x16 alu4 = acc2 + val0;
      f32x16 alu5 = where_f32x16(__builtin_convertvector(alu4 <= (f32x16)(0.0f - (f32x16){}), where_mask_f32x16), (f32x16)(0.0f - (f32x16){}), alu4);
      *(f32x16 *)&data0[idx1] = alu5;
      f32x16 alu6 = acc3 + val1;
      f32x16 alu7 = where_f32x16(__builtin_convertvector(alu6 <= (f32x16)(0.0f - (f32x16){}), where_mask_f32x16), (f32x16)(0.0f - (f32x16){}), alu6);
      *(f32x16 *)&data0[idx1 + 16] = alu7;
      f32x16 alu8 = acc4 + val0;
      f32x16 alu9 = where_f32x16(__builtin_convertvector(alu8 <= (f32x16)(0.0f - (f32x16){}), where_mask_f32x16), (f32x16)(0.0f - (f32x16){}), alu8);
      *(f32x16 *)&data0[idx1 + 32] = alu9;
      f32x16 alu10 = acc5 + val1;
      f32x16 alu11 = where_f32x16(__builtin_convertvector(alu10 <= (f32x16)(0.0f - (f32x16){}), where_mask_f32x16), (f32x16)(0.0f - (f32x16){}), alu10);
      *(f32x16 *)&data0[idx1 + 48] = alu11;
      f32x16 alu12 = acc6 + val0;
      f32x16 alu13 = where_f32x16(__builtin_convertvector(alu12 <= (f32x16)(0.0f - (f32x16){}), where_mask_f32x16), (f32x16)(0.0f - (f32x16){}), alu12);
      *(f32x16 *)&data0[idx1 + 64] = alu13;
      f32x16 alu14 = acc7 + val1;
      f32x16 alu15 = where_f32x16(__builtin_convertvector(alu14 <= (f32x16)(0.0f - (f32x16){}), where_mask_f32x16), (f32x16)(0.0f - (f32x16){}), alu14);
      *(f32x16 *)&data0[idx1 + 80] = alu15;
      f32x16 alu16 = acc8 + val0;
      f32x16 alu17 = where_f32x16(__builtin_convertvector(alu16 <= (f32x16)(0.0f - (f32x16){}), where_mask_f32x16), (f32x16)(0.0f - (f32x16){}), alu16);
      *(f32x16 *)&data0[idx1 + 96] = alu17;
      f32x16 alu18 = acc9 + val1;
      f32x16 alu19 = where_f32x16(__builtin_convertvector(alu18 <= (f32x16)(0.0f - (f32x16){}), where_mask_f32x16), (f32x16)(0.0f - (f32x16){}), alu18);
      *(f32x16 *)&data0[idx1 + 112] = alu19;
      f32x16 alu20 = acc10 + val0;
      f32x16 alu21 = where_f32x16(__builtin_convertvector(alu20 <= (f32x16)(0.0f - (f32x16){}), where_mask_f32x16), (f32x16)(0.0f - (f32x16){}), alu20);
      *(f32x16 *)&data0[idx1 + 128] = alu21;
      f32x16 alu22 = acc11 + val1;
      f32x16 alu23 = where_f32x16(__builtin_convertvector(alu22 <= (f32x16)(0.0f - (f32x16){}), where_mask_f32x16), (f32x16)(0.0f - (f32x16){}), alu22);
      *(f32x16 *)&data0[idx1 + 144] = alu23;
      f32x16 alu24 = acc12 + val0;
      f32x16 alu25 = where_f32x16(__builtin_convertvector(alu24 <= (f32x16)(0.0f - (f32x16){}), where_mask_f32x16), (f32x16)(0.0f - (f32x16){}), alu24);
      *(f32x16 *)&data0[idx1 + 160] = alu25;
      f32x16 alu26 = acc13 + val1;
      f32x16 alu27 = where_f32x16(__builtin_convertvector(alu26 <= (f32x16)(0.0f - (f32x16){}), where_mask_f32x16), (f32x16)(0.0f - (f32x16){}), alu26);
      *(f32x16 *)&data0[idx1 + 176] = alu27;
      f32x16 alu28 = acc14 + val0;
      f32x16 alu29 = where_f32x16(__builtin_convertvector(alu28 <= (f32x16)(0.0f - (f32x16){}), where_mask_f32x16), (f32x16)(0.0f - (f32x16){}), alu28);
      *(f32x16 *)&data0[idx1 + 192] = alu29;
      f32x16 alu30 = acc15 + val1;
      f32x16 alu31 = where_f32x16(__builtin_convertvector(alu30 <= (f32x16)(0.0f - (f32x16){}), where_mask_f32x16), (f32x16)(0.0f - (f32x16){}), alu30);
      *(f32x16 *)&data0[idx1 + 208] = alu31;
      f32x16 alu32 = acc16 + val0;
      f32x16 alu33 = where_f32x16(__builtin_convertvector(alu32 <= (f32x16)(0.0f - (f32x16){}), where_mask_f32x16), (f32x16)(0.0f - (f32x16){}), alu32);
      *(f32x16 *)&data0[idx1 + 224] = alu33;
      f32x16 alu34 = acc17 + val1;
      f32x16 alu35 = where_f32x16(__builtin_convertvector(alu34 <= (f32x16)(0.0f - (f32x16){}), where_mask_f32x16), (f32x16)(0.0f - (f32x16){}), alu34);
      *(f32x16 *)&data0[idx1 + 240] = alu35;
    }
  }
}
