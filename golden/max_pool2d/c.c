// kernel 0: r_2_4_4_4_2_2, launch ((1,), None)
#define f32_is_nan(x) ({ int bits; __builtin_memcpy(&bits, &x, 4); (bits & 0x7fffffff) > 0x7f800000; })
static inline float max_f32(float a, float b) { return f32_is_nan(b) ? b : b > a ? b : a; }

void r_2_4_4_4_2_2(void **bufs, const long *vars, long begin, long end) {
  float *restrict data0 = bufs[0];
  const float *restrict data1 = bufs[1];
  for (long i7 = 0; i7 < 32; i7++) {
    long alu0 = i7 * 4;
    long alu1 = i7 * 16;
    for (long i3 = 0; i3 < 4; i3++) {
      long idx0 = alu1 + i3 * 2;
      data0[alu0 + i3] = max_f32(max_f32(max_f32(data1[idx0], data1[idx0 + 1]), data1[idx0 + 8]), data1[idx0 + 9]);
    }
  }
}
