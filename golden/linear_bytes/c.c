// kernel 0: r_2_32_32_64, launch ((4,), (1,))
typedef float f32x16 __attribute__((vector_size(64), aligned(4), may_alias));
typedef int i32x16 __attribute__((vector_size(64), aligned(4), may_alias));
typedef signed char i8x16 __attribute__((vector_size(16), aligned(1), may_alias));
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
static inline i32x16 i32x16_of_i8x16(i8x16 x) {
#if 64 == 64 && defined __AVX512F__ && !defined __clang__
  typedef char given __attribute__((vector_size(16)));
  typedef int words __attribute__((vector_size(64)));
  return __builtin_convertvector((words)__builtin_ia32_pmovsxbd512_mask((given)x, (words){}, -1), i32x16);
#else
  return lanes_as(x, i32x16);
#endif
}

void r_2_32_32_64(void **bufs, const long *vars, long begin, long end) {
  float *restrict data0 = bufs[0];
  const signed char *restrict data1 = bufs[1];
  const signed char *restrict data2 = bufs[2];
  const float *restrict data3 = bufs[3];
  i32x16 acc2;
  int acc0[2048] __attribute__((aligned(64)));
  i32x16 acc3;
  i32x16 acc4;
  i32x16 acc5;
  i32x16 acc6;
  i32x16 acc7;
  i32x16 acc8;
  i32x16 acc9;
  i32x16 acc10;
  i32x16 acc11;
  i32x16 acc12;
  i32x16 acc13;
  i32x16 acc14;
  i32x16 acc15;
  i32x16 acc16;
  i32x16 acc17;
  f32x16 val0 = *(f32x16 *)&data3[0];
  f32x16 val1 = *(f32x16 *)&data3[16];
  for (long t16 = begin; t16 < end; t16++) {
    long alu0 = t16 * 512;
    long alu1 = t16 * 1024;
    long alu2 = (t16 >> 1) * 2048;
    for (long i13 = 0; i13 < 64; i13++) {
      long alu3 = i13 * 32;
      long alu4 = alu2 + alu3;
      #pragma GCC unroll 2
      for (long u14 = 0; u14 < 2; u14++) {
        long alu5 = u14 * 16;
        *(i32x16 *)&acc0[alu3 + alu5] = i32x16_of_i8x16(*(i8x16 *)&data2[alu4 + alu5]);
      }
    }
    for (long i11 = 0; i11 < 2; i11++) {
      long idx0 = alu0 + i11 * 256;
      acc2 = (i32x16)(0 - (i32x16){});
      long alu6 = alu1 + i11 * 512;
      acc3 = (i32x16)(0 - (i32x16){});
      acc4 = (i32x16)(0 - (i32x16){});
      acc5 = (i32x16)(0 - (i32x16){});
      acc6 = (i32x16)(0 - (i32x16){});
      acc7 = (i32x16)(0 - (i32x16){});
      acc8 = (i32x16)(0 - (i32x16){});
      acc9 = (i32x16)(0 - (i32x16){});
      acc10 = (i32x16)(0 - (i32x16){});
      acc11 = (i32x16)(0 - (i32x16){});
      acc12 = (i32x16)(0 - (i32x16){});
      acc13 = (i32x16)(0 - (i32x16){});
      acc14 = (i32x16)(0 - (i32x16){});
      acc15 = (i32x16)(0 - (i32x16){});
      acc16 = (i32x16)(0 - (i32x16){});
      acc17 = (i32x16)(0 - (i32x16){});
      for (long r3 = 0; r3 < 64; r3++) {
        long idx1 = alu6 + r3;
        int cast0 = (int)data1[idx1];
        i32x16 vec0 = (i32x16)(cast0 - (i32x16){});
        long idx2 = r3 * 32;
        i32x16 val2 = *(i32x16 *)&acc0[idx2];
        acc2 = acc2 + vec0 * val2;
        i32x16 val3 = *(i32x16 *)&acc0[idx2 + 16];
        acc3 = acc3 + vec0 * val3;
        int cast1 = (int)data1[idx1 + 64];
        i32x16 vec1 = (i32x16)(cast1 - (i32x16){});
        acc4 = acc4 + vec1 * val2;
        acc5 = acc5 + vec1 * val3;
        int cast2 = (int)data1[idx1 + 128];
        i32x16 vec2 = (i32x16)(cast2 - (i32x16){});
        acc6 = acc6 + vec2 * val2;
        acc7 = acc7 + vec2 * val3;
        int cast3 = (int)data1[idx1 + 192];
        i32x16 vec3 = (i32x16)(cast3 - (i32x16){});
        acc8 = acc8 + vec3 * val2;
        acc9 = acc9 + vec3 * val3;
        int cast4 = (int)data1[idx1 + 256];
        i32x16 vec4 = (i32x16)(cast4 - (i32x16){});
        acc10 = acc10 + vec4 * val2;
        acc11 = acc11 + vec4 * val3;
        int cast5 = (int)data1[idx1 + 320];
        i32x16 vec5 = (i32x16)(cast5 - (i32x16){});
        acc12 = acc12 + vec5 * val2;
        acc13 = acc13 + vec5 * val3;
        int cast6 = (int)data1[idx1 + 384];
        i32x16 vec6 = (i32x16)(cast6 - (i32x16){});
        acc14 = acc14 + vec6 * val2;
        acc15 = acc15 + vec6 * val3;
        int cast7 = (int)data1[idx1 + 448];
        i32x16 vec7 = (i32x16)(cast7 - (i32x16){});
        acc16 = acc16 + vec7 * val2;
        acc17 = acc17 + vec7 * val3;
      }
      *(f32x16 *)&data0[idx0] = __builtin_convertvector(acc2, f32x16) * val0;
      *(f32x16 *)&data0[idx0 + 16] = __builtin_convertvector(acc3, f32x16) * val1;
      *(f32x16 *)&data0[idx0 + 32] = __builtin_convertvector(acc4, f32x16) * val0;
      *(f32x16 *)&data0[idx0 + 48] = __builtin_convertvector(acc5, f32x16) * val1;
      *(f32x16 *)&data0[idx0 + 64] = __builtin_convertvector(acc6, f32x16) * val0;
      *(f32x16 *)&data0[idx0 + 80] = __builtin_convertvector(acc7, f32x16) * val1;
      *(f32x16 *)&data0[idx0 + 96] = __builtin_convertvector(acc8, f32x16) * val0;
      *(f32x16 *)&data0[idx0 + 112] = __builtin_convertvector(acc9, f32x16) * val1;
      *(f32x16 *)&data0[idx0 + 128] = __builtin_convertvector(acc10, f32x16) * val0;
      *(f32x16 *)&data0[idx0 + 144] = __builtin_convertvector(acc11, f32x16) * val1;
      *(f32x16 *)&data0[idx0 + 160] = __builtin_convertvector(acc12, f32x16) * val0;
      *(f32x16 *)&data0[idx0 + 176] = __builtin_convertvector(acc13, f32x16) * val1;
      *(f32x16 *)&data0[idx0 + 192] = __builtin_convertvector(acc14, f32x16) * val0;
      *(f32x16 *)&data0[idx0 + 208] = __builtin_convertvector(acc15, f32x16) * val1;
      *(f32x16 *)&data0[idx0 + 224] = __builtin_convertvector(acc16, f32x16) * val0;
      *(f32x16 *)&data0[idx0 + 240] = __builtin_convertvector(acc17, f32x16) * val1;
    }
  }
}
