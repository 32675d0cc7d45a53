// kernel 0: r_2_8_18_18_64_3_3, launch ((2,), (1,))
typedef float f32x4 __attribute__((vector_size(16), aligned(4), may_alias));
typedef float f32x16 __attribute__((vector_size(64), aligned(4), may_alias));
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

void r_2_8_18_18_64_3_3(void **bufs, const long *vars, long begin, long end) {
  float *restrict data0 = bufs[0];
  const float *restrict data1 = bufs[1];
  const float *restrict data2 = bufs[2];
  float acc2[3072] __attribute__((aligned(64)));
  f32x16 acc3;
  float acc0[28160] __attribute__((aligned(64)));
  f32x16 acc11;
  f32x16 acc19;
  f32x16 acc4;
  f32x16 acc12;
  f32x16 acc20;
  f32x16 acc5;
  f32x16 acc13;
  f32x16 acc21;
  f32x16 acc6;
  f32x16 acc14;
  f32x16 acc22;
  f32x16 acc7;
  f32x16 acc15;
  f32x16 acc23;
  f32x16 acc8;
  f32x16 acc16;
  f32x16 acc24;
  f32x16 acc9;
  f32x16 acc17;
  f32x16 acc25;
  f32x16 acc10;
  f32x16 acc18;
  f32x16 acc26;
  for (long t0 = begin; t0 < end; t0++) {
    long alu0 = t0 * 2592;
    long alu1 = t0 * 25600;
    for (long i15 = 0; i15 < 64; i15++) {
      long alu2 = i15 * 440;
      long alu3 = alu1 + i15 * 400;
      for (long i21 = 0; i21 < 22; i21++) {
        long idx0 = alu2 + i21 * 20;
        long idx1 = alu3 + (i21 < 19 ? i21 : 19) * 20;
        *(f32x16 *)&acc0[idx0] = *(f32x16 *)&data1[idx1];
        *(f32x4 *)&acc0[idx0 + 16] = *(f32x4 *)&data1[idx1 + 16];
      }
    }
    for (long i25 = 0; i25 < 8; i25++) {
      long idx2 = i25 * 48;
      acc3 = (f32x16)(0.0f - (f32x16){});
      acc11 = (f32x16)(0.0f - (f32x16){});
      acc19 = (f32x16)(0.0f - (f32x16){});
      acc4 = (f32x16)(0.0f - (f32x16){});
      acc12 = (f32x16)(0.0f - (f32x16){});
      acc20 = (f32x16)(0.0f - (f32x16){});
      acc5 = (f32x16)(0.0f - (f32x16){});
      acc13 = (f32x16)(0.0f - (f32x16){});
      acc21 = (f32x16)(0.0f - (f32x16){});
      acc6 = (f32x16)(0.0f - (f32x16){});
      acc14 = (f32x16)(0.0f - (f32x16){});
      acc22 = (f32x16)(0.0f - (f32x16){});
      acc7 = (f32x16)(0.0f - (f32x16){});
      acc15 = (f32x16)(0.0f - (f32x16){});
      acc23 = (f32x16)(0.0f - (f32x16){});
      acc8 = (f32x16)(0.0f - (f32x16){});
      acc16 = (f32x16)(0.0f - (f32x16){});
      acc24 = (f32x16)(0.0f - (f32x16){});
      acc9 = (f32x16)(0.0f - (f32x16){});
      acc17 = (f32x16)(0.0f - (f32x16){});
      acc25 = (f32x16)(0.0f - (f32x16){});
      acc10 = (f32x16)(0.0f - (f32x16){});
      acc18 = (f32x16)(0.0f - (f32x16){});
      acc26 = (f32x16)(0.0f - (f32x16){});
      for (long r4 = 0; r4 < 64; r4++) {
        long alu4 = r4 * 440 + idx2;
        long alu5 = r4 * 9;
        for (long r5 = 0; r5 < 3; r5++) {
          long alu6 = alu4 + r5 * 20;
          long alu7 = alu5 + r5 * 3;
          for (long r6 = 0; r6 < 3; r6++) {
            long idx3 = alu6 + r6;
            f32x16 val0 = *(f32x16 *)&acc0[idx3];
            long idx4 = alu7 + r6;
            float val1 = data2[idx4];
            f32x16 vec0 = (f32x16)(val1 - (f32x16){});
            acc3 = mulacc_f32x16(val0, vec0, acc3);
            f32x16 val2 = *(f32x16 *)&acc0[idx3 + 16];
            acc11 = mulacc_f32x16(val2, vec0, acc11);
            f32x16 val3 = *(f32x16 *)&acc0[idx3 + 32];
            acc19 = mulacc_f32x16(val3, vec0, acc19);
            float val4 = data2[idx4 + 576];
            f32x16 vec1 = (f32x16)(val4 - (f32x16){});
            acc4 = mulacc_f32x16(val0, vec1, acc4);
            acc12 = mulacc_f32x16(val2, vec1, acc12);
            acc20 = mulacc_f32x16(val3, vec1, acc20);
            float val5 = data2[idx4 + 1152];
            f32x16 vec2 = (f32x16)(val5 - (f32x16){});
            acc5 = mulacc_f32x16(val0, vec2, acc5);
            acc13 = mulacc_f32x16(val2, vec2, acc13);
            acc21 = mulacc_f32x16(val3, vec2, acc21);
            float val6 = data2[idx4 + 1728];
            f32x16 vec3 = (f32x16)(val6 - (f32x16){});
            acc6 = mulacc_f32x16(val0, vec3, acc6);
            acc14 = mulacc_f32x16(val2, vec3, acc14);
            acc22 = mulacc_f32x16(val3, vec3, acc22);
            float val7 = data2[idx4 + 2304];
            f32x16 vec4 = (f32x16)(val7 - (f32x16){});
            acc7 = mulacc_f32x16(val0, vec4, acc7);
            acc15 = mulacc_f32x16(val2, vec4, acc15);
            acc23 = mulacc_f32x16(val3, vec4, acc23);
            float val8 = data2[idx4 + 2880];
            f32x16 vec5 = (f32x16)(val8 - (f32x16){});
            acc8 = mulacc_f32x16(val0, vec5, acc8);
            acc16 = mulacc_f32x16(val2, vec5, acc16);
            acc24 = mulacc_f32x16(val3, vec5, acc24);
            float val9 = data2[idx4 + 3456];
            f32x16 vec6 = (f32x16)(val9 - (f32x16){});
            acc9 = mulacc_f32x16(val0, vec6, acc9);
            acc17 = mulacc_f32x16(val2, vec6, acc17);
            acc25 = mulacc_f32x16(val3, vec6, acc25);
            float val10 = data2[idx4 + 4032];
            f32x16 vec7 = (f32x16)(val10 - (f32x16){});
            acc10 = mulacc_f32x16(val0, vec7, acc10);
            acc18 = mulacc_f32x16(val2, vec7, acc18);
            acc26 = mulacc_f32x16(val3, vec7, acc26);
          }
        }
      }
      *(f32x16 *)&acc2[idx2] = acc3;
      *(f32x16 *)&acc2[idx2 + 16] = acc11;
      *(f32x16 *)&acc2[idx2 + 32] = acc19;
      *(f32x16 *)&acc2[idx2 + 384] = acc4;
      *(f32x16 *)&acc2[idx2 + 400] = acc12;
      *(f32x16 *)&acc2[idx2 + 416] = acc20;
      *(f32x16 *)&acc2[idx2 + 768] = acc5;
      *(f32x16 *)&acc2[idx2 + 784] = acc13;
      *(f32x16 *)&acc2[idx2 + 800] = acc21;
      *(f32x16 *)&acc2[idx2 + 1152] = acc6;
      *(f32x16 *)&acc2[idx2 + 1168] = acc14;
      *(f32x16 *)&acc2[idx2 + 1184] = acc22;
      *(f32x16 *)&acc2[idx2 + 1536] = acc7;
      *(f32x16 *)&acc2[idx2 + 1552] = acc15;
      *(f32x16 *)&acc2[idx2 + 1568] = acc23;
      *(f32x16 *)&acc2[idx2 + 1920] = acc8;
      *(f32x16 *)&acc2[idx2 + 1936] = acc16;
      *(f32x16 *)&acc2[idx2 + 1952] = acc24;
      *(f32x16 *)&acc2[idx2 + 2304] = acc9;
      *(f32x16 *)&acc2[idx2 + 2320] = acc17;
      *(f32x16 *)&acc2[idx2 + 2336] = acc25;
      *(f32x16 *)&acc2[idx2 + 2688] = acc10;
      *(f32x16 *)&acc2[idx2 + 2704] = acc18;
      *(f32x16 *)&acc2[idx2 + 2720] = acc26;
    }
    for (long i18 = 0; i18 < 8; i18++) {
      long alu8 = alu0 + i18 * 324;
      long alu9 = i18 * 384;
      for (long i8 = 0; i8 < 18; i8++) {
        long idx5 = alu8 + i8 * 18;
        long idx6 = alu9 + i8 * 20;
        *(f32x16 *)&data0[idx5] = *(f32x16 *)&acc2[idx6];
        for (long i36 = 0; i36 < 2; i36++) {
          data0[idx5 + i36 + 16] = acc2[idx6 + i36 + 16];
        }
      }
    }
  }
}
