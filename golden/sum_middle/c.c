// kernel 0: r_8_16_30, launch ((1,), None)
typedef float f32x16 __attribute__((vector_size(64), aligned(4), may_alias));
static inline f32x16 max_f32x16(f32x16 a, f32x16 b) {
  __typeof__(a < b) takes = b != b;
#if 64 == 64 && defined __AVX512F__ && defined __clang__
  a = __builtin_ia32_maxps512(b, a, 4);
#elif 64 == 64 && defined __AVX512F__
  a = __builtin_ia32_maxps512_mask(b, a, b, -1, 4);
#elif 64 == 32 && defined __AVX__
  a = __builtin_ia32_maxps256(b, a);
#elif 64 == 16 && defined __SSE2__
  a = __builtin_ia32_maxps(b, a);
#else
  takes |= b > a;
#endif
  return (f32x16)((takes & (__typeof__(takes))b) | (~takes & (__typeof__(takes))a));
}

void r_8_16_30(void **bufs, const long *vars, long begin, long end) {
  float *restrict data0 = bufs[0];
  const float *restrict data1 = bufs[1];
  f32x16 acc1;
  for (long i0 = 0; i0 < 8; i0++) {
    acc1 = (f32x16)(-__builtin_inff() - (f32x16){});
    long alu0 = i0 * 480;
    for (long r2 = 0; r2 < 30; r2++) {
      acc1 = max_f32x16(acc1, *(f32x16 *)&data1[alu0 + r2 * 16]);
    }
    *(f32x16 *)&data0[i0 * 16] = acc1;
  }
}
