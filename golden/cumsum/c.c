// kernel 0: r_4_100_100, launch ((1,), None)
void r_4_100_100(void **bufs, const long *vars, long begin, long end) {
  float *restrict data0 = bufs[0];
  const float *restrict data1 = bufs[1];
  float acc0[100];
  for (long i0 = 0; i0 < 4; i0++) {
    long alu0 = i0 * 100;
    #pragma omp simd
    for (long v5 = 0; v5 < 100; v5++) {
      acc0[v5] = 0.0f;
    }
    for (long r3 = 0; r3 < 25; r3++) {
      long alu1 = r3 * 4;
      long idx0 = alu0 + alu1;
      float val0 = data1[idx0];
      long alu2 = alu1 + 1;
      float val1 = data1[idx0 + 1];
      long alu3 = alu1 + 2;
      float val2 = data1[idx0 + 2];
      long alu4 = alu1 + 3;
      float val3 = data1[idx0 + 3];
      #pragma omp simd
      for (long v6 = 0; v6 < 100; v6++) {
        float alu5 = (v6 < alu1 ? 0.0f : val0) + (v6 < alu2 ? 0.0f : val1) + (v6 < alu3 ? 0.0f : val2);
        acc0[v6] = acc0[v6] + (alu5 + (v6 < alu4 ? 0.0f : val3));
      }
    }
    #pragma omp simd
    for (long v1 = 0; v1 < 100; v1++) {
      data0[alu0 + v1] = acc0[v1];
    }
  }
}
