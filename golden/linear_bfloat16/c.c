// kernel 0: r_20_24_40, launch ((1,), None)
typedef unsigned short u16x8 __attribute__((vector_size(16), aligned(2), may_alias));
typedef unsigned short u16x16 __attribute__((vector_size(32), aligned(2), may_alias));
typedef float f32x4 __attribute__((vector_size(16), aligned(4), may_alias));
typedef float f32x8 __attribute__((vector_size(32), aligned(4), may_alias));
typedef float f32x16 __attribute__((vector_size(64), aligned(4), may_alias));
#define f32_of_bf16(type, x) ({ \
  typedef unsigned wide __attribute__((vector_size(sizeof(type)))); \
  (type)(__builtin_convertvector(x, wide) << 16); })
#if 32 == 64 && defined __AVX512F__ && !defined __clang__
#define f32x8_of_bf16(x) ((f32x8)((unsigned __attribute__((vector_size(64))))__builtin_ia32_pmovzxwd512_mask((short __attribute__((vector_size(32))))(x), (int __attribute__((vector_size(64)))){}, -1) << 16))
#elif 32 == 32 && defined __AVX2__ && !defined __clang__
#define f32x8_of_bf16(x) ((f32x8)((unsigned __attribute__((vector_size(32))))__builtin_ia32_pmovzxwd256((short __attribute__((vector_size(16))))(x)) << 16))
#else
#define f32x8_of_bf16(x) f32_of_bf16(f32x8, x)
#endif
#if 64 == 64 && defined __AVX512F__ && !defined __clang__
#define f32x16_of_bf16(x) ((f32x16)((unsigned __attribute__((vector_size(64))))__builtin_ia32_pmovzxwd512_mask((short __attribute__((vector_size(32))))(x), (int __attribute__((vector_size(64)))){}, -1) << 16))
#elif 64 == 32 && defined __AVX2__ && !defined __clang__
#define f32x16_of_bf16(x) ((f32x16)((unsigned __attribute__((vector_size(32))))__builtin_ia32_pmovzxwd256((short __attribute__((vector_size(16))))(x)) << 16))
#else
#define f32x16_of_bf16(x) f32_of_bf16(f32x16, x)
#endif
#ifndef __has_builtin
#define __has_builtin(name) 0
#endif
#if __has_builtin(__builtin_elementwise_fma) && (defined __FMA__ || defined __ARM_FEATURE_FMA)
#define mulacc_f32x16(a, b, c) __builtin_elementwise_fma(a, b, c)
#elif 64 == 64 && defined __AVX512F__ && !defined __clang__
#define mulacc_f32x16(a, b, c) __builtin_ia32_vfmaddps512_mask(a, b, c, -1, 4)
#elif 64 == 32 && defined __FMA__ && !defined __clang__
#define mulacc_f32x16(a, b, c) __builtin_ia32_vfmaddps256(a, b, c)
#elif 64 == 16 && defined __FMA__ && !defined __clang__
#define mulacc_f32x16(a, b, c) __builtin_ia32_vfmaddps(a, b, c)
#else
#define mulacc_f32x16(a, b, c) ((a) * (b) + (c))
#endif

void r_20_24_40(void **bufs, const long *vars, long begin, long end) {
  float *restrict data0 = bufs[0];
  const unsigned short *restrict data1 = bufs[1];
  const unsigned short *restrict data2 = bufs[2];
  float acc3[64] __attribute__((aligned(64)));
  float acc2[128] __attribute__((aligned(64)));
  float acc1[256] __attribute__((aligned(64)));
  f32x16 acc6;
  f32x16 acc10;
  f32x16 acc14;
  f32x16 acc18;
  f32x16 acc7;
  f32x16 acc11;
  f32x16 acc15;
  f32x16 acc19;
  f32x16 acc8;
  f32x16 acc12;
  f32x16 acc16;
  f32x16 acc20;
  f32x16 acc9;
  f32x16 acc13;
  f32x16 acc17;
  f32x16 acc21;
  float acc5[64] __attribute__((aligned(64)));
  float acc4[128] __attribute__((aligned(64)));
  for (long i5 = 0; i5 < 5; i5++) {
    long alu0 = i5 * 96;
    long alu1 = i5 * 160;
    f32x8 cast0 = f32x8_of_bf16(*(u16x8 *)&data1[alu1 + 32]);
    f32x8 cast1 = f32x8_of_bf16(*(u16x8 *)&data1[alu1 + 72]);
    f32x8 cast2 = f32x8_of_bf16(*(u16x8 *)&data1[alu1 + 112]);
    f32x8 cast3 = f32x8_of_bf16(*(u16x8 *)&data1[alu1 + 152]);
    for (long i7 = 0; i7 < 6; i7++) {
      long idx0 = alu0 + i7 * 4;
      acc6 = (f32x16)(0.0f - (f32x16){});
      long alu2 = i7 * 160;
      acc10 = (f32x16)(0.0f - (f32x16){});
      acc14 = (f32x16)(0.0f - (f32x16){});
      acc18 = (f32x16)(0.0f - (f32x16){});
      acc7 = (f32x16)(0.0f - (f32x16){});
      acc11 = (f32x16)(0.0f - (f32x16){});
      acc15 = (f32x16)(0.0f - (f32x16){});
      acc19 = (f32x16)(0.0f - (f32x16){});
      acc8 = (f32x16)(0.0f - (f32x16){});
      acc12 = (f32x16)(0.0f - (f32x16){});
      acc16 = (f32x16)(0.0f - (f32x16){});
      acc20 = (f32x16)(0.0f - (f32x16){});
      acc9 = (f32x16)(0.0f - (f32x16){});
      acc13 = (f32x16)(0.0f - (f32x16){});
      acc17 = (f32x16)(0.0f - (f32x16){});
      acc21 = (f32x16)(0.0f - (f32x16){});
      for (long r9 = 0; r9 < 2; r9++) {
        long alu3 = r9 * 16;
        long idx1 = alu1 + alu3;
        f32x16 cast4 = f32x16_of_bf16(*(u16x16 *)&data1[idx1]);
        long idx2 = alu2 + alu3;
        f32x16 cast5 = f32x16_of_bf16(*(u16x16 *)&data2[idx2]);
        acc6 = mulacc_f32x16(cast4, cast5, acc6);
        f32x16 cast6 = f32x16_of_bf16(*(u16x16 *)&data1[idx1 + 40]);
        acc10 = mulacc_f32x16(cast6, cast5, acc10);
        f32x16 cast7 = f32x16_of_bf16(*(u16x16 *)&data1[idx1 + 80]);
        acc14 = mulacc_f32x16(cast7, cast5, acc14);
        f32x16 cast8 = f32x16_of_bf16(*(u16x16 *)&data1[idx1 + 120]);
        acc18 = mulacc_f32x16(cast8, cast5, acc18);
        f32x16 cast9 = f32x16_of_bf16(*(u16x16 *)&data2[idx2 + 40]);
        acc7 = mulacc_f32x16(cast4, cast9, acc7);
        acc11 = mulacc_f32x16(cast6, cast9, acc11);
        acc15 = mulacc_f32x16(cast7, cast9, acc15);
        acc19 = mulacc_f32x16(cast8, cast9, acc19);
        f32x16 cast10 = f32x16_of_bf16(*(u16x16 *)&data2[idx2 + 80]);
        acc8 = mulacc_f32x16(cast4, cast10, acc8);
        acc12 = mulacc_f32x16(cast6, cast10, acc12);
        acc16 = mulacc_f32x16(cast7, cast10, acc16);
        acc20 = mulacc_f32x16(cast8, cast10, acc20);
        f32x16 cast11 = f32x16_of_bf16(*(u16x16 *)&data2[idx2 + 120]);
        acc9 = mulacc_f32x16(cast4, cast11, acc9);
        acc13 = mulacc_f32x16(cast6, cast11, acc13);
        acc17 = mulacc_f32x16(cast7, cast11, acc17);
        acc21 = mulacc_f32x16(cast8, cast11, acc21);
      }
      *(f32x16 *)&acc1[0] = acc6;
      *(f32x16 *)&acc1[64] = acc10;
      *(f32x16 *)&acc1[128] = acc14;
      *(f32x16 *)&acc1[192] = acc18;
      *(f32x16 *)&acc1[16] = acc7;
      *(f32x16 *)&acc1[80] = acc11;
      *(f32x16 *)&acc1[144] = acc15;
      *(f32x16 *)&acc1[208] = acc19;
      *(f32x16 *)&acc1[32] = acc8;
      *(f32x16 *)&acc1[96] = acc12;
      *(f32x16 *)&acc1[160] = acc16;
      *(f32x16 *)&acc1[224] = acc20;
      *(f32x16 *)&acc1[48] = acc9;
      *(f32x16 *)&acc1[112] = acc13;
      *(f32x16 *)&acc1[176] = acc17;
      *(f32x16 *)&acc1[240] = acc21;
      *(f32x8 *)&acc2[0] = *(f32x8 *)&acc1[0] + *(f32x8 *)&acc1[8];
      *(f32x8 *)&acc2[32] = *(f32x8 *)&acc1[64] + *(f32x8 *)&acc1[72];
      *(f32x8 *)&acc2[64] = *(f32x8 *)&acc1[128] + *(f32x8 *)&acc1[136];
      *(f32x8 *)&acc2[96] = *(f32x8 *)&acc1[192] + *(f32x8 *)&acc1[200];
      *(f32x8 *)&acc2[8] = *(f32x8 *)&acc1[16] + *(f32x8 *)&acc1[24];
      *(f32x8 *)&acc2[40] = *(f32x8 *)&acc1[80] + *(f32x8 *)&acc1[88];
      *(f32x8 *)&acc2[72] = *(f32x8 *)&acc1[144] + *(f32x8 *)&acc1[152];
      *(f32x8 *)&acc2[104] = *(f32x8 *)&acc1[208] + *(f32x8 *)&acc1[216];
      *(f32x8 *)&acc2[16] = *(f32x8 *)&acc1[32] + *(f32x8 *)&acc1[40];
      *(f32x8 *)&acc2[48] = *(f32x8 *)&acc1[96] + *(f32x8 *)&acc1[104];
      *(f32x8 *)&acc2[80] = *(f32x8 *)&acc1[160] + *(f32x8 *)&acc1[168];
      *(f32x8 *)&acc2[112] = *(f32x8 *)&acc1[224] + *(f32x8 *)&acc1[232];
      *(f32x8 *)&acc2[24] = *(f32x8 *)&acc1[48] + *(f32x8 *)&acc1[56];
      *(f32x8 *)&acc2[56] = *(f32x8 *)&acc1[112] + *(f32x8 *)&acc1[120];
      *(f32x8 *)&acc2[88] = *(f32x8 *)&acc1[176] + *(f32x8 *)&acc1[184];
      *(f32x8 *)&acc2[120] = *(f32x8 *)&acc1[240] + *(f32x8 *)&acc1[248];
      *(f32x4 *)&acc3[0] = *(f32x4 *)&acc2[0] + *(f32x4 *)&acc2[4];
      *(f32x4 *)&acc3[16] = *(f32x4 *)&acc2[32] + *(f32x4 *)&acc2[36];
      *(f32x4 *)&acc3[32] = *(f32x4 *)&acc2[64] + *(f32x4 *)&acc2[68];
      *(f32x4 *)&acc3[48] = *(f32x4 *)&acc2[96] + *(f32x4 *)&acc2[100];
      *(f32x4 *)&acc3[4] = *(f32x4 *)&acc2[8] + *(f32x4 *)&acc2[12];
      *(f32x4 *)&acc3[20] = *(f32x4 *)&acc2[40] + *(f32x4 *)&acc2[44];
      *(f32x4 *)&acc3[36] = *(f32x4 *)&acc2[72] + *(f32x4 *)&acc2[76];
      *(f32x4 *)&acc3[52] = *(f32x4 *)&acc2[104] + *(f32x4 *)&acc2[108];
      *(f32x4 *)&acc3[8] = *(f32x4 *)&acc2[16] + *(f32x4 *)&acc2[20];
      *(f32x4 *)&acc3[24] = *(f32x4 *)&acc2[48] + *(f32x4 *)&acc2[52];
      *(f32x4 *)&acc3[40] = *(f32x4 *)&acc2[80] + *(f32x4 *)&acc2[84];
      *(f32x4 *)&acc3[56] = *(f32x4 *)&acc2[112] + *(f32x4 *)&acc2[116];
      *(f32x4 *)&acc3[12] = *(f32x4 *)&acc2[24] + *(f32x4 *)&acc2[28];
      *(f32x4 *)&acc3[28] = *(f32x4 *)&acc2[56] + *(f32x4 *)&acc2[60];
      *(f32x4 *)&acc3[44] = *(f32x4 *)&acc2[88] + *(f32x4 *)&acc2[92];
      *(f32x4 *)&acc3[60] = *(f32x4 *)&acc2[120] + *(f32x4 *)&acc2[124];
      float val0 = acc3[0];
      float val1 = acc3[1];
      float val2 = acc3[2];
      float val3 = acc3[3];
      f32x8 cast12 = f32x8_of_bf16(*(u16x8 *)&data2[alu2 + 32]);
      *(f32x8 *)&acc4[0] = cast0 * cast12;
      *(f32x8 *)&acc4[32] = cast1 * cast12;
      *(f32x8 *)&acc4[64] = cast2 * cast12;
      *(f32x8 *)&acc4[96] = cast3 * cast12;
      f32x8 cast13 = f32x8_of_bf16(*(u16x8 *)&data2[alu2 + 72]);
      *(f32x8 *)&acc4[8] = cast0 * cast13;
      *(f32x8 *)&acc4[40] = cast1 * cast13;
      *(f32x8 *)&acc4[72] = cast2 * cast13;
      *(f32x8 *)&acc4[104] = cast3 * cast13;
      f32x8 cast14 = f32x8_of_bf16(*(u16x8 *)&data2[alu2 + 112]);
      *(f32x8 *)&acc4[16] = cast0 * cast14;
      *(f32x8 *)&acc4[48] = cast1 * cast14;
      *(f32x8 *)&acc4[80] = cast2 * cast14;
      *(f32x8 *)&acc4[112] = cast3 * cast14;
      f32x8 cast15 = f32x8_of_bf16(*(u16x8 *)&data2[alu2 + 152]);
      *(f32x8 *)&acc4[24] = cast0 * cast15;
      *(f32x8 *)&acc4[56] = cast1 * cast15;
      *(f32x8 *)&acc4[88] = cast2 * cast15;
      *(f32x8 *)&acc4[120] = cast3 * cast15;
      *(f32x4 *)&acc5[0] = *(f32x4 *)&acc4[0] + *(f32x4 *)&acc4[4];
      *(f32x4 *)&acc5[16] = *(f32x4 *)&acc4[32] + *(f32x4 *)&acc4[36];
      *(f32x4 *)&acc5[32] = *(f32x4 *)&acc4[64] + *(f32x4 *)&acc4[68];
      *(f32x4 *)&acc5[48] = *(f32x4 *)&acc4[96] + *(f32x4 *)&acc4[100];
      *(f32x4 *)&acc5[4] = *(f32x4 *)&acc4[8] + *(f32x4 *)&acc4[12];
      *(f32x4 *)&acc5[20] = *(f32x4 *)&acc4[40] + *(f32x4 *)&acc4[44];
      *(f32x4 *)&acc5[36] = *(f32x4 *)&acc4[72] + *(f32x4 *)&acc4[76];
      *(f32x4 *)&acc5[52] = *(f32x4 *)&acc4[104] + *(f32x4 *)&acc4[108];
      *(f32x4 *)&acc5[8] = *(f32x4 *)&acc4[16] + *(f32x4 *)&acc4[20];
      *(f32x4 *)&acc5[24] = *(f32x4 *)&acc4[48] + *(f32x4 *)&acc4[52];
      *(f32x4 *)&acc5[40] = *(f32x4 *)&acc4[80] + *(f32x4 *)&acc4[84];
      *(f32x4 *)&acc5[56] = *(f32x4 *)&acc4[112] + *(f32x4 *)&acc4[116];
      *(f32x4 *)&acc5[12] = *(f32x4 *)&acc4[24] + *(f32x4 *)&acc4[28];
      *(f32x4 *)&acc5[28] = *(f32x4 *)&acc4[56] + *(f32x4 *)&acc4[60];
      *(f32x4 *)&acc5[44] = *(f32x4 *)&acc4[88] + *(f32x4 *)&acc4[92];
      *(f32x4 *)&acc5[60] = *(f32x4 *)&acc4[120] + *(f32x4 *)&acc4[124];
      float alu4 = val0 + val1 + val2 + val3 + (acc5[0] + acc5[1] + acc5[2] + acc5[3]);
      data0[idx0] = alu4 <= 0.0f ? 0.0f : alu4;
      float alu5 = acc3[16] + acc3[17] + acc3[18] + acc3[19] + (acc5[16] + acc5[17] + acc5[18] + acc5[19]);
      data0[idx0 + 24] = alu5 <= 0.0f ? 0.0f : alu5;
      float alu6 = acc3[32] + acc3[33] + acc3[34] + acc3[35] + (acc5[32] + acc5[33] + acc5[34] + acc5[35]);
      data0[idx0 + 48] = alu6 <= 0.0f ? 0.0f : alu6;
      float alu7 = acc3[48] + acc3[49] + acc3[50] + acc3[51] + (acc5[48] + acc5[49] + acc5[50] + acc5[51]);
      data0[idx0 + 72] = alu7 <= 0.0f ? 0.0f : alu7;
      float alu8 = acc3[4] + acc3[5] + acc3[6] + acc3[7] + (acc5[4] + acc5[5] + acc5[6] + acc5[7]);
      data0[idx0 + 1] = alu8 <= 0.0f ? 0.0f : alu8;
      float alu9 = acc3[20] + acc3[21] + acc3[22] + acc3[23] + (acc5[20] + acc5[21] + acc5[22] + acc5[23]);
      data0[idx0 + 25] = alu9 <= 0.0f ? 0.0f : alu9;
      float alu10 = acc3[36] + acc3[37] + acc3[38] + acc3[39] + (acc5[36] + acc5[37] + acc5[38] + acc5[39]);
      data0[idx0 + 49] = alu10 <= 0.0f ? 0.0f : alu10;
      float alu11 = acc3[52] + acc3[53] + acc3[54] + acc3[55] + (acc5[52] + acc5[53] + acc5[54] + acc5[55]);
      data0[idx0 + 73] = alu11 <= 0.0f ? 0.0f : alu11;
      float alu12 = acc3[8] + acc3[9] + acc3[10] + acc3[11] + (acc5[8] + acc5[9] + acc5[10] + acc5[11]);
      data0[idx0 + 2] = alu12 <= 0.0f ? 0.0f : alu12;
      float alu13 = acc3[24] + acc3[25] + acc3[26] + acc3[27] + (acc5[24] + acc5[25] + acc5[26] + acc5[27]);
      data0[idx0 + 26] = alu13 <= 0.0f ? 0.0f : alu13;
      float alu14 = acc3[40] + acc3[41] + acc3[42] + acc3[43] + (acc5[40] + acc5[41] + acc5[42] + acc5[43]);
      data0[idx0 + 50] = alu14 <= 0.0f ? 0.0f : alu14;
      float alu15 = acc3[56] + acc3[57] + acc3[58] + acc3[59] + (acc5[56] + acc5[57] + acc5[58] + acc5[59]);
      data0[idx0 + 74] = alu15 <= 0.0f ? 0.0f : alu15;
      float alu16 = acc3[12] + acc3[13] + acc3[14] + acc3[15] + (acc5[12] + acc5[13] + acc5[14] + acc5[15]);
      data0[idx0 + 3] = alu16 <= 0.0f ? 0.0f : alu16;
      float alu17 = acc3[28] + acc3[29] + acc3[30] + acc3[31] + (acc5[28] + acc5[29] + acc5[30] + acc5[31]);
      data0[idx0 + 27] = alu17 <= 0.0f ? 0.0f : alu17;
      float alu18 = acc3[44] + acc3[45] + acc3[46] + acc3[47] + (acc5[44] + acc5[45] + acc5[46] + acc5[47]);
      data0[idx0 + 51] = alu18 <= 0.0f ? 0.0f : alu18;
      float alu19 = acc3[60] + acc3[61] + acc3[62] + acc3[63] + (acc5[60] + acc5[61] + acc5[62] + acc5[63]);
      data0[idx0 + 75] = alu19 <= 0.0f ? 0.0f : alu19;
    }
  }
}
