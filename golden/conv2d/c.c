// kernel 0: r_8_12_12_4_3_3, launch ((1,), None)
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

void r_8_12_12_4_3_3(void **bufs, const long *vars, long begin, long end) {
  float *restrict data0 = bufs[0];
  const float *restrict data1 = bufs[1];
  const float *restrict data2 = bufs[2];
  const float *restrict data3 = bufs[3];
  float acc3[1152] __attribute__((aligned(64)));
  f32x16 acc4;
  float acc1[5184] __attribute__((aligned(64)));
  float acc0[784] __attribute__((aligned(64)));
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
  f32x16 acc19;
  f32x16 acc20;
  f32x16 acc21;
  f32x16 acc22;
  f32x16 acc23;
  f32x16 acc24;
  f32x16 acc25;
  f32x16 acc26;
  f32x16 acc27;
  for (long i14 = 0; i14 < 4; i14++) {
    long alu0 = i14 * 196;
    long alu1 = i14 * 144;
    for (long i15 = 0; i15 < 14; i15++) {
      long alu2 = alu0 + i15 * 14;
      long alu3 = i15 * 12;
      unsigned char alu4 = (1 <= i15) & (i15 < 13);
      #pragma omp simd
      for (long v16 = 0; v16 < 14; v16++) {
        acc0[alu2 + v16] = alu4 & ((1 <= v16) & (v16 < 13)) ? data1[v16 + alu3 + alu1 - 13] : 0.0f;
      }
    }
  }
  for (long i17 = 0; i17 < 4; i17++) {
    long alu5 = i17 * 1296;
    long alu6 = i17 * 196;
    for (long i18 = 0; i18 < 3; i18++) {
      long alu7 = alu5 + i18 * 432;
      long alu8 = i18 * 14;
      for (long i19 = 0; i19 < 3; i19++) {
        long alu9 = alu7 + i19 * 144;
        for (long i20 = 0; i20 < 12; i20++) {
          long alu10 = alu9 + i20 * 12;
          long alu11 = alu6 + i20 * 14 + alu8;
          #pragma omp simd
          for (long v21 = 0; v21 < 12; v21++) {
            acc1[alu10 + v21] = acc0[alu11 + v21 + i19];
          }
        }
      }
    }
  }
  for (long i28 = 0; i28 < 3; i28++) {
    long idx0 = i28 * 48;
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
    acc19 = (f32x16)(0.0f - (f32x16){});
    acc20 = (f32x16)(0.0f - (f32x16){});
    acc21 = (f32x16)(0.0f - (f32x16){});
    acc22 = (f32x16)(0.0f - (f32x16){});
    acc23 = (f32x16)(0.0f - (f32x16){});
    acc24 = (f32x16)(0.0f - (f32x16){});
    acc25 = (f32x16)(0.0f - (f32x16){});
    acc26 = (f32x16)(0.0f - (f32x16){});
    acc27 = (f32x16)(0.0f - (f32x16){});
    for (long r3 = 0; r3 < 4; r3++) {
      long alu12 = r3 * 1296;
      long alu13 = r3 * 9;
      for (long r4 = 0; r4 < 3; r4++) {
        long alu14 = alu12 + r4 * 432;
        long alu15 = alu13 + r4 * 3;
        for (long r5 = 0; r5 < 3; r5++) {
          long idx1 = alu14 + r5 * 144 + idx0;
          f32x16 val0 = *(f32x16 *)&acc1[idx1];
          long idx2 = alu15 + r5;
          float val1 = data2[idx2];
          f32x16 vec0 = (f32x16)(val1 - (f32x16){});
          acc4 = mulacc_f32x16(val0, vec0, acc4);
          float val2 = data2[idx2 + 36];
          f32x16 vec1 = (f32x16)(val2 - (f32x16){});
          acc5 = mulacc_f32x16(val0, vec1, acc5);
          float val3 = data2[idx2 + 72];
          f32x16 vec2 = (f32x16)(val3 - (f32x16){});
          acc6 = mulacc_f32x16(val0, vec2, acc6);
          float val4 = data2[idx2 + 108];
          f32x16 vec3 = (f32x16)(val4 - (f32x16){});
          acc7 = mulacc_f32x16(val0, vec3, acc7);
          float val5 = data2[idx2 + 144];
          f32x16 vec4 = (f32x16)(val5 - (f32x16){});
          acc8 = mulacc_f32x16(val0, vec4, acc8);
          float val6 = data2[idx2 + 180];
          f32x16 vec5 = (f32x16)(val6 - (f32x16){});
          acc9 = mulacc_f32x16(val0, vec5, acc9);
          float val7 = data2[idx2 + 216];
          f32x16 vec6 = (f32x16)(val7 - (f32x16){});
          acc10 = mulacc_f32x16(val0, vec6, acc10);
          float val8 = data2[idx2 + 252];
          f32x16 vec7 = (f32x16)(val8 - (f32x16){});
          acc11 = mulacc_f32x16(val0, vec7, acc11);
          f32x16 val9 = *(f32x16 *)&acc1[idx1 + 16];
          acc12 = mulacc_f32x16(val9, vec0, acc12);
          acc13 = mulacc_f32x16(val9, vec1, acc13);
          acc14 = mulacc_f32x16(val9, vec2, acc14);
          acc15 = mulacc_f32x16(val9, vec3, acc15);
          acc16 = mulacc_f32x16(val9, vec4, acc16);
          acc17 = mulacc_f32x16(val9, vec5, acc17);
          acc18 = mulacc_f32x16(val9, vec6, acc18);
          acc19 = mulacc_f32x16(val9, vec7, acc19);
          f32x16 val10 = *(f32x16 *)&acc1[idx1 + 32];
          acc20 = mulacc_f32x16(val10, vec0, acc20);
          acc21 = mulacc_f32x16(val10, vec1, acc21);
          acc22 = mulacc_f32x16(val10, vec2, acc22);
          acc23 = mulacc_f32x16(val10, vec3, acc23);
          acc24 = mulacc_f32x16(val10, vec4, acc24);
          acc25 = mulacc_f32x16(val10, vec5, acc25);
          acc26 = mulacc_f32x16(val10, vec6, acc26);
          acc27 = mulacc_f32x16(val10, vec7, acc27);
        }
      }
    }
    *(f32x16 *)&acc3[idx0] = acc4;
    *(f32x16 *)&acc3[idx0 + 144] = acc5;
    *(f32x16 *)&acc3[idx0 + 288] = acc6;
    *(f32x16 *)&acc3[idx0 + 432] = acc7;
    *(f32x16 *)&acc3[idx0 + 576] = acc8;
    *(f32x16 *)&acc3[idx0 + 720] = acc9;
    *(f32x16 *)&acc3[idx0 + 864] = acc10;
    *(f32x16 *)&acc3[idx0 + 1008] = acc11;
    *(f32x16 *)&acc3[idx0 + 16] = acc12;
    *(f32x16 *)&acc3[idx0 + 160] = acc13;
    *(f32x16 *)&acc3[idx0 + 304] = acc14;
    *(f32x16 *)&acc3[idx0 + 448] = acc15;
    *(f32x16 *)&acc3[idx0 + 592] = acc16;
    *(f32x16 *)&acc3[idx0 + 736] = acc17;
    *(f32x16 *)&acc3[idx0 + 880] = acc18;
    *(f32x16 *)&acc3[idx0 + 1024] = acc19;
    *(f32x16 *)&acc3[idx0 + 32] = acc20;
    *(f32x16 *)&acc3[idx0 + 176] = acc21;
    *(f32x16 *)&acc3[idx0 + 320] = acc22;
    *(f32x16 *)&acc3[idx0 + 464] = acc23;
    *(f32x16 *)&acc3[idx0 + 608] = acc24;
    *(f32x16 *)&acc3[idx0 + 752] = acc25;
    *(f32x16 *)&acc3[idx0 + 896] = acc26;
    *(f32x16 *)&acc3[idx0 + 1040] = acc27;
  }
  for (long i23 = 0; i23 < 8; i23++) {
    long alu16 = i23 * 144;
    float val11 = data3[i23];
    for (long i7 = 0; i7 < 12; i7++) {
      long alu17 = alu16 + i7 * 12;
      #pragma omp simd
      for (long v9 = 0; v9 < 12; v9++) {
        long idx3 = alu17 + v9;
        float alu18 = acc3[idx3] + val11;
        data0[idx3] = alu18 <= 0.0f ? 0.0f : alu18;
      }
    }
  }
}
