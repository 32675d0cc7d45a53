// kernel 0: r_16_10_10, launch ((1,), None)
typedef float f32x4 __attribute__((vector_size(16), aligned(4), may_alias));
typedef float f32x8 __attribute__((vector_size(32), aligned(4), may_alias));
typedef long i64x4 __attribute__((vector_size(32), aligned(8), may_alias));
typedef long i64x8 __attribute__((vector_size(64), aligned(8), may_alias));
static inline f32x4 max_f32x4(f32x4 a, f32x4 b) {
  __typeof__(a < b) takes = (b != b) | (b > a);
  return (f32x4)((takes & (__typeof__(takes))b) | (~takes & (__typeof__(takes))a));
}
static inline i64x4 min_i64x4(i64x4 a, i64x4 b) {
  __typeof__(a < b) takes = (b != b) | (b < a);
  return (i64x4)((takes & (__typeof__(takes))b) | (~takes & (__typeof__(takes))a));
}

void r_16_10_10(void **bufs, const long *vars, long begin, long end) {
  long *restrict data0 = bufs[0];
  const float *restrict data1 = bufs[1];
  long acc4[4] __attribute__((aligned(64)));
  long acc3[8] __attribute__((aligned(64)));
  long acc2[10] __attribute__((aligned(64)));
  float acc1[4] __attribute__((aligned(64)));
  float acc0[8] __attribute__((aligned(64)));
  for (long i0 = 0; i0 < 16; i0++) {
    long idx0 = i0 * 10;
    *(f32x8 *)&acc0[0] = *(f32x8 *)&data1[idx0];
    *(f32x4 *)&acc1[0] = max_f32x4(*(f32x4 *)&acc0[0], *(f32x4 *)&acc0[4]);
    float val0 = acc1[0];
    float val1 = acc1[1];
    float alu0 = val1 > val0 ? val1 : val1 != val1 ? val1 : val0;
    float val2 = acc1[2];
    float alu1 = val2 > alu0 ? val2 : val2 != val2 ? val2 : alu0;
    float val3 = acc1[3];
    float alu2 = val3 > alu1 ? val3 : val3 != val3 ? val3 : alu1;
    float val4 = data1[idx0 + 8];
    float val5 = data1[idx0 + 9];
    float alu3 = val5 > val4 ? val5 : val5 != val5 ? val5 : val4;
    float alu4 = alu3 > alu2 ? alu3 : alu3 != alu3 ? alu3 : alu2;
    #pragma omp simd
    for (long v3 = 0; v3 < 10; v3++) {
      float val6 = data1[idx0 + v3];
      acc2[v3] = (val6 == alu4) | (val6 != val6) ? v3 : 9223372036854775807L;
    }
    *(i64x8 *)&acc3[0] = *(i64x8 *)&acc2[0];
    *(i64x4 *)&acc4[0] = min_i64x4(*(i64x4 *)&acc3[0], *(i64x4 *)&acc3[4]);
    long val7 = acc4[0];
    long val8 = acc4[1];
    long alu5 = val7 < val8 ? val7 : val8;
    long val9 = acc4[2];
    long alu6 = alu5 < val9 ? alu5 : val9;
    long val10 = acc4[3];
    long alu7 = alu6 < val10 ? alu6 : val10;
    long val11 = acc2[8];
    long val12 = acc2[9];
    long alu8 = val11 < val12 ? val11 : val12;
    data0[i0] = alu7 < alu8 ? alu7 : alu8;
  }
}
