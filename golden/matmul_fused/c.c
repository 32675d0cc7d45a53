// kernel 0: r_32_32_64, launch ((1,), None)
typedef unsigned char b8x16 __attribute__((vector_size(16), aligned(1), may_alias));
typedef float f32x16 __attribute__((vector_size(64), aligned(4), may_alias));
#define lanes_as(x, type) ({ \
  __auto_type all = x; \
  typedef short halves __attribute__((vector_size(sizeof all / sizeof all[0] * 2))); \
  typedef int words __attribute__((vector_size(sizeof all / sizeof all[0] * 4))); \
  sizeof all[0] == 1 && sizeof(type) > sizeof(halves) \
    ? __builtin_convertvector(__builtin_convertvector(__builtin_convertvector(all, halves), words), type) \
    : sizeof all[0] > 2 && sizeof(type) < sizeof(halves) \
    ? __builtin_convertvector(__builtin_convertvector(__builtin_convertvector(all, words), halves), type) \
    : sizeof all != sizeof(type) && (sizeof all[0] == 8 || sizeof(type) > sizeof(words)) \
    ? __builtin_convertvector(__builtin_convertvector(all, words), type) \
    : __builtin_convertvector(all, type); })
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
typedef __typeof__((f32x16){} < (f32x16){}) where_mask_f32x16;
static inline f32x16 where_f32x16(where_mask_f32x16 takes, f32x16 yes, f32x16 no) {
  return (f32x16)((takes & (where_mask_f32x16)yes) | (~takes & (where_mask_f32x16)no));
}

void r_32_32_64(void **bufs, const long *vars, long begin, long end) {
  float *restrict data0 = bufs[0];
  const float *restrict data1 = bufs[1];
  const float *restrict data2 = bufs[2];
  const float *restrict data3 = bufs[3];
  f32x16 acc1;
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
  f32x16 val0 = *(f32x16 *)&data3[0];
  f32x16 val1 = *(f32x16 *)&data3[16];
  for (long i9 = 0; i9 < 2; i9++) {
    long alu0 = i9 * 512;
    long alu1 = i9 * 1024;
    for (long i10 = 0; i10 < 2; i10++) {
      long idx0 = alu0 + i10 * 256;
      acc1 = (f32x16)(0.0f - (f32x16){});
      long alu2 = alu1 + i10 * 512;
      acc2 = (f32x16)(0.0f - (f32x16){});
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
      for (long r2 = 0; r2 < 64; r2++) {
        long idx1 = alu2 + r2;
        float val2 = data1[idx1];
        f32x16 vec0 = (f32x16)(val2 - (f32x16){});
        long idx2 = r2 * 32;
        f32x16 val3 = *(f32x16 *)&data2[idx2];
        acc1 = mulacc_f32x16(vec0, val3, acc1);
        f32x16 val4 = *(f32x16 *)&data2[idx2 + 16];
        acc2 = mulacc_f32x16(vec0, val4, acc2);
        float val5 = data1[idx1 + 64];
        f32x16 vec1 = (f32x16)(val5 - (f32x16){});
        acc3 = mulacc_f32x16(vec1, val3, acc3);
        acc4 = mulacc_f32x16(vec1, val4, acc4);
        float val6 = data1[idx1 + 128];
        f32x16 vec2 = (f32x16)(val6 - (f32x16){});
        acc5 = mulacc_f32x16(vec2, val3, acc5);
        acc6 = mulacc_f32x16(vec2, val4, acc6);
        float val7 = data1[idx1 + 192];
        f32x16 vec3 = (f32x16)(val7 - (f32x16){});
        acc7 = mulacc_f32x16(vec3, val3, acc7);
        acc8 = mulacc_f32x16(vec3, val4, acc8);
        float val8 = data1[idx1 + 256];
        f32x16 vec4 = (f32x16)(val8 - (f32x16){});
        acc9 = mulacc_f32x16(vec4, val3, acc9);
        acc10 = mulacc_f32x16(vec4, val4, acc10);
        float val9 = data1[idx1 + 320];
        f32x16 vec5 = (f32x16)(val9 - (f32x16){});
        acc11 = mulacc_f32x16(vec5, val3, acc11);
        acc12 = mulacc_f32x16(vec5, val4, acc12);
        float val10 = data1[idx1 + 384];
        f32x16 vec6 = (f32x16)(val10 - (f32x16){});
        acc13 = mulacc_f32x16(vec6, val3, acc13);
        acc14 = mulacc_f32x16(vec6, val4, acc14);
        float val11 = data1[idx1 + 448];
        f32x16 vec7 = (f32x16)(val11 - (f32x16){});
        acc15 = mulacc_f32x16(vec7, val3, acc15);
        acc16 = mulacc_f32x16(vec7, val4, acc16);
      }
      f32x16 alu3 = acc1 + val0;
      f32x16 alu4 = where_f32x16(lanes_as(alu3 <= (f32x16)(0.0f - (f32x16){}), where_mask_f32x16), (f32x16)(0.0f - (f32x16){}), alu3);
      *(f32x16 *)&data0[idx0] = alu4;
      f32x16 alu5 = acc2 + val1;
      f32x16 alu6 = where_f32x16(lanes_as(alu5 <= (f32x16)(0.0f - (f32x16){}), where_mask_f32x16), (f32x16)(0.0f - (f32x16){}), alu5);
      *(f32x16 *)&data0[idx0 + 16] = alu6;
      f32x16 alu7 = acc3 + val0;
      f32x16 alu8 = where_f32x16(lanes_as(alu7 <= (f32x16)(0.0f - (f32x16){}), where_mask_f32x16), (f32x16)(0.0f - (f32x16){}), alu7);
      *(f32x16 *)&data0[idx0 + 32] = alu8;
      f32x16 alu9 = acc4 + val1;
      f32x16 alu10 = where_f32x16(lanes_as(alu9 <= (f32x16)(0.0f - (f32x16){}), where_mask_f32x16), (f32x16)(0.0f - (f32x16){}), alu9);
      *(f32x16 *)&data0[idx0 + 48] = alu10;
      f32x16 alu11 = acc5 + val0;
      f32x16 alu12 = where_f32x16(lanes_as(alu11 <= (f32x16)(0.0f - (f32x16){}), where_mask_f32x16), (f32x16)(0.0f - (f32x16){}), alu11);
      *(f32x16 *)&data0[idx0 + 64] = alu12;
      f32x16 alu13 = acc6 + val1;
      f32x16 alu14 = where_f32x16(lanes_as(alu13 <= (f32x16)(0.0f - (f32x16){}), where_mask_f32x16), (f32x16)(0.0f - (f32x16){}), alu13);
      *(f32x16 *)&data0[idx0 + 80] = alu14;
      f32x16 alu15 = acc7 + val0;
      f32x16 alu16 = where_f32x16(lanes_as(alu15 <= (f32x16)(0.0f - (f32x16){}), where_mask_f32x16), (f32x16)(0.0f - (f32x16){}), alu15);
      *(f32x16 *)&data0[idx0 + 96] = alu16;
      f32x16 alu17 = acc8 + val1;
      f32x16 alu18 = where_f32x16(lanes_as(alu17 <= (f32x16)(0.0f - (f32x16){}), where_mask_f32x16), (f32x16)(0.0f - (f32x16){}), alu17);
      *(f32x16 *)&data0[idx0 + 112] = alu18;
      f32x16 alu19 = acc9 + val0;
      f32x16 alu20 = where_f32x16(lanes_as(alu19 <= (f32x16)(0.0f - (f32x16){}), where_mask_f32x16), (f32x16)(0.0f - (f32x16){}), alu19);
      *(f32x16 *)&data0[idx0 + 128] = alu20;
      f32x16 alu21 = acc10 + val1;
      f32x16 alu22 = where_f32x16(lanes_as(alu21 <= (f32x16)(0.0f - (f32x16){}), where_mask_f32x16), (f32x16)(0.0f - (f32x16){}), alu21);
      *(f32x16 *)&data0[idx0 + 144] = alu22;
      f32x16 alu23 = acc11 + val0;
      f32x16 alu24 = where_f32x16(lanes_as(alu23 <= (f32x16)(0.0f - (f32x16){}), where_mask_f32x16), (f32x16)(0.0f - (f32x16){}), alu23);
      *(f32x16 *)&data0[idx0 + 160] = alu24;
      f32x16 alu25 = acc12 + val1;
      f32x16 alu26 = where_f32x16(lanes_as(alu25 <= (f32x16)(0.0f - (f32x16){}), where_mask_f32x16), (f32x16)(0.0f - (f32x16){}), alu25);
      *(f32x16 *)&data0[idx0 + 176] = alu26;
      f32x16 alu27 = acc13 + val0;
      f32x16 alu28 = where_f32x16(lanes_as(alu27 <= (f32x16)(0.0f - (f32x16){}), where_mask_f32x16), (f32x16)(0.0f - (f32x16){}), alu27);
      *(f32x16 *)&data0[idx0 + 192] = alu28;
      f32x16 alu29 = acc14 + val1;
      f32x16 alu30 = where_f32x16(lanes_as(alu29 <= (f32x16)(0.0f - (f32x16){}), where_mask_f32x16), (f32x16)(0.0f - (f32x16){}), alu29);
      *(f32x16 *)&data0[idx0 + 208] = alu30;
      f32x16 alu31 = acc15 + val0;
      f32x16 alu32 = where_f32x16(lanes_as(alu31 <= (f32x16)(0.0f - (f32x16){}), where_mask_f32x16), (f32x16)(0.0f - (f32x16){}), alu31);
      *(f32x16 *)&data0[idx0 + 224] = alu32;
      f32x16 alu33 = acc16 + val1;
      f32x16 alu34 = where_f32x16(lanes_as(alu33 <= (f32x16)(0.0f - (f32x16){}), where_mask_f32x16), (f32x16)(0.0f - (f32x16){}), alu33);
      *(f32x16 *)&data0[idx0 + 240] = alu34;
    }
  }
}
