// kernel 0: r_4_2_50_2_50_50, launch ((1,), None)
typedef unsigned char b8x16 __attribute__((vector_size(16), aligned(1), may_alias));
typedef float f32x4 __attribute__((vector_size(16), aligned(4), may_alias));
typedef float f32x8 __attribute__((vector_size(32), aligned(4), may_alias));
typedef float f32x16 __attribute__((vector_size(64), aligned(4), may_alias));
typedef int i32x16 __attribute__((vector_size(64), aligned(4), may_alias));
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
typedef __typeof__((f32x16){} < (f32x16){}) where_mask_f32x16;
static inline f32x16 where_f32x16(where_mask_f32x16 takes, f32x16 yes, f32x16 no) {
  return (f32x16)((takes & (where_mask_f32x16)yes) | (~takes & (where_mask_f32x16)no));
}

void r_4_2_50_2_50_50(void **bufs, const long *vars, long begin, long end) {
  float *restrict data0 = bufs[0];
  const float *restrict data1 = bufs[1];
  float acc3[4] __attribute__((aligned(64)));
  float acc2[8] __attribute__((aligned(64)));
  float acc1[16] __attribute__((aligned(64)));
  f32x16 acc5;
  float acc4[50] __attribute__((aligned(64)));
  i32x16 vec0 = ((i32x16){0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15});
  for (long i0 = 0; i0 < 4; i0++) {
    long idx0 = i0 * 100;
    f32x16 val0 = *(f32x16 *)&data1[idx0];
    f32x16 val1 = *(f32x16 *)&data1[idx0 + 16];
    f32x16 val2 = *(f32x16 *)&data1[idx0 + 32];
    float alu0 = data1[idx0 + 48] + data1[idx0 + 49];
    for (long i1 = 0; i1 < 2; i1++) {
      long alu1 = idx0 + i1 * 50;
      acc5 = (f32x16)(0.0f - (f32x16){});
      unsigned char alu2 = i1 < 1;
      f32x16 alu3 = (alu2 ? (f32x16)((f32x16)(0.0f - (f32x16){})) : (f32x16)val0) + (f32x16)(0.0f - (f32x16){});
      acc5 = acc5 + alu3;
      f32x16 alu4 = (alu2 ? (f32x16)((f32x16)(0.0f - (f32x16){})) : (f32x16)val1) + (f32x16)(0.0f - (f32x16){});
      acc5 = acc5 + alu4;
      f32x16 alu5 = (alu2 ? (f32x16)((f32x16)(0.0f - (f32x16){})) : (f32x16)val2) + (f32x16)(0.0f - (f32x16){});
      acc5 = acc5 + alu5;
      *(f32x16 *)&acc1[0] = acc5;
      *(f32x8 *)&acc2[0] = *(f32x8 *)&acc1[0] + *(f32x8 *)&acc1[8];
      *(f32x4 *)&acc3[0] = *(f32x4 *)&acc2[0] + *(f32x4 *)&acc2[4];
      float alu6 = acc3[0] + acc3[1] + acc3[2] + acc3[3] + ((alu2 ? 0.0f : alu0) + 0.0f);
      f32x16 vec1 = (f32x16)(alu6 - (f32x16){});
      for (long i24 = 0; i24 < 3; i24++) {
        *(f32x16 *)&acc4[i24 * 16] = (f32x16)(0.0f - (f32x16){});
      }
      for (long i25 = 0; i25 < 2; i25++) {
        acc4[i25 + 48] = 0.0f;
      }
      for (long r3 = 0; r3 < 50; r3++) {
        float val3 = data1[alu1 + r3];
        f32x16 vec2 = (f32x16)(val3 - (f32x16){});
        for (long i26 = 0; i26 < 3; i26++) {
          long idx1 = i26 * 16;
          long alu7 = r3 - idx1;
          long alu8 = alu7 < 16 ? alu7 : 16;
          int cast0 = (int)(alu8 > 0 ? alu8 : 0);
          f32x16 alu9 = where_f32x16(lanes_as(vec0 < (i32x16)(cast0 - (i32x16){}), where_mask_f32x16), (f32x16)(0.0f - (f32x16){}), vec2);
          *(f32x16 *)&acc4[idx1] = *(f32x16 *)&acc4[idx1] + alu9;
        }
        for (long i27 = 0; i27 < 2; i27++) {
          long idx2 = i27 + 48;
          acc4[idx2] = acc4[idx2] + (idx2 < r3 ? 0.0f : val3);
        }
      }
      for (long i28 = 0; i28 < 3; i28++) {
        long idx3 = i28 * 16;
        *(f32x16 *)&data0[alu1 + idx3] = vec1 + *(f32x16 *)&acc4[idx3];
      }
      for (long i29 = 0; i29 < 2; i29++) {
        data0[alu1 + i29 + 48] = alu6 + acc4[i29 + 48];
      }
    }
  }
}
