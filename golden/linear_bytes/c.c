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
  i32x16 acc3;
  int acc0[1024] __attribute__((aligned(64)));
  int acc1[2048] __attribute__((aligned(64)));
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
  i32x16 acc18;
  f32x16 val0 = *(f32x16 *)&data3[0];
  f32x16 val1 = *(f32x16 *)&data3[16];
  for (long t18 = begin; t18 < end; t18++) {
    long alu0 = t18 * 512;
    long alu1 = t18 * 1024;
    for (long i11 = 0; i11 < 16; i11++) {
      long alu2 = i11 * 64;
      long alu3 = alu1 + alu2;
      for (long i26 = 0; i26 < 4; i26++) {
        long alu4 = i26 * 16;
        *(i32x16 *)&acc0[alu2 + alu4] = i32x16_of_i8x16(*(i8x16 *)&data1[alu3 + alu4]);
      }
    }
    long alu5 = (t18 >> 1) * 2048;
    for (long i15 = 0; i15 < 64; i15++) {
      long alu6 = i15 * 32;
      long alu7 = alu5 + alu6;
      #pragma GCC unroll 2
      for (long u16 = 0; u16 < 2; u16++) {
        long alu8 = u16 * 16;
        *(i32x16 *)&acc1[alu6 + alu8] = i32x16_of_i8x16(*(i8x16 *)&data2[alu7 + alu8]);
      }
    }
    for (long i13 = 0; i13 < 2; i13++) {
      long idx0 = alu0 + i13 * 256;
      acc3 = (i32x16)(0 - (i32x16){});
      long alu9 = i13 * 512;
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
      acc18 = (i32x16)(0 - (i32x16){});
      for (long r3 = 0; r3 < 64; r3++) {
        long idx1 = alu9 + r3;
        int val2 = acc0[idx1];
        i32x16 vec0 = (i32x16)(val2 - (i32x16){});
        long idx2 = r3 * 32;
        i32x16 val3 = *(i32x16 *)&acc1[idx2];
        acc3 = acc3 + vec0 * val3;
        i32x16 val4 = *(i32x16 *)&acc1[idx2 + 16];
        acc4 = acc4 + vec0 * val4;
        int val5 = acc0[idx1 + 64];
        i32x16 vec1 = (i32x16)(val5 - (i32x16){});
        acc5 = acc5 + vec1 * val3;
        acc6 = acc6 + vec1 * val4;
        int val6 = acc0[idx1 + 128];
        i32x16 vec2 = (i32x16)(val6 - (i32x16){});
        acc7 = acc7 + vec2 * val3;
        acc8 = acc8 + vec2 * val4;
        int val7 = acc0[idx1 + 192];
        i32x16 vec3 = (i32x16)(val7 - (i32x16){});
        acc9 = acc9 + vec3 * val3;
        acc10 = acc10 + vec3 * val4;
        int val8 = acc0[idx1 + 256];
        i32x16 vec4 = (i32x16)(val8 - (i32x16){});
        acc11 = acc11 + vec4 * val3;
        acc12 = acc12 + vec4 * val4;
        int val9 = acc0[idx1 + 320];
        i32x16 vec5 = (i32x16)(val9 - (i32x16){});
        acc13 = acc13 + vec5 * val3;
        acc14 = acc14 + vec5 * val4;
        int val10 = acc0[idx1 + 384];
        i32x16 vec6 = (i32x16)(val10 - (i32x16){});
        acc15 = acc15 + vec6 * val3;
        acc16 = acc16 + vec6 * val4;
        int val11 = acc0[idx1 + 448];
        i32x16 vec7 = (i32x16)(val11 - (i32x16){});
        acc17 = acc17 + vec7 * val3;
        acc18 = acc18 + vec7 * val4;
      }
      *(f32x16 *)&data0[idx0] = __builtin_convertvector(acc3, f32x16) * val0;
      *(f32x16 *)&data0[idx0 + 16] = __builtin_convertvector(acc4, f32x16) * val1;
      *(f32x16 *)&data0[idx0 + 32] = __builtin_convertvector(acc5, f32x16) * val0;
      *(f32x16 *)&data0[idx0 + 48] = __builtin_convertvector(acc6, f32x16) * val1;
      *(f32x16 *)&data0[idx0 + 64] = __builtin_convertvector(acc7, f32x16) * val0;
      *(f32x16 *)&data0[idx0 + 80] = __builtin_convertvector(acc8, f32x16) * val1;
      *(f32x16 *)&data0[idx0 + 96] = __builtin_convertvector(acc9, f32x16) * val0;
      *(f32x16 *)&data0[idx0 + 112] = __builtin_convertvector(acc10, f32x16) * val1;
      *(f32x16 *)&data0[idx0 + 128] = __builtin_convertvector(acc11, f32x16) * val0;
      *(f32x16 *)&data0[idx0 + 144] = __builtin_convertvector(acc12, f32x16) * val1;
      *(f32x16 *)&data0[idx0 + 160] = __builtin_convertvector(acc13, f32x16) * val0;
      *(f32x16 *)&data0[idx0 + 176] = __builtin_convertvector(acc14, f32x16) * val1;
      *(f32x16 *)&data0[idx0 + 192] = __builtin_convertvector(acc15, f32x16) * val0;
      *(f32x16 *)&data0[idx0 + 208] = __builtin_convertvector(acc16, f32x16) * val1;
      *(f32x16 *)&data0[idx0 + 224] = __builtin_convertvector(acc17, f32x16) * val0;
      *(f32x16 *)&data0[idx0 + 240] = __builtin_convertvector(acc18, f32x16) * val1;
    }
  }
}
