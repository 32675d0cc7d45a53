// kernel 0: r_4_7_16, launch ((1,), None)
void r_4_7_16(void **bufs, const long *vars, long begin, long end) {
  float *restrict data0 = bufs[0];
  const float *restrict data1 = bufs[1];
  for (long i0 = 0; i0 < 4; i0++) {
    long alu0 = i0 * 7;
    long alu1 = i0 * 100;
    for (long i1 = 0; i1 < 7; i1++) {
      long idx0 = i1 * 16 + alu1;
      unsigned char alu2 = i1 < 6;
      float alu3 = data1[idx0] + data1[idx0 + 1] + data1[idx0 + 2] + data1[idx0 + 3] + (alu2 ? data1[idx0 + 4] : 0.0f);
      float alu4 = alu3 + (alu2 ? data1[idx0 + 5] : 0.0f) + (alu2 ? data1[idx0 + 6] : 0.0f) + (alu2 ? data1[idx0 + 7] : 0.0f);
      float alu5 = alu4 + (alu2 ? data1[idx0 + 8] : 0.0f) + (alu2 ? data1[idx0 + 9] : 0.0f) + (alu2 ? data1[idx0 + 10] : 0.0f);
      float alu6 = alu5 + (alu2 ? data1[idx0 + 11] : 0.0f) + (alu2 ? data1[idx0 + 12] : 0.0f);
      float alu7 = alu6 + (alu2 ? data1[idx0 + 13] : 0.0f) + (alu2 ? data1[idx0 + 14] : 0.0f);
      data0[alu0 + i1] = alu7 + (alu2 ? data1[idx0 + 15] : 0.0f);
    }
  }
}

// kernel 1: r_4_7_7, launch ((1,), None)
void r_4_7_7(void **bufs, const long *vars, long begin, long end) {
  float *restrict data0 = bufs[0];
  const float *restrict data1 = bufs[1];
  for (long i0 = 0; i0 < 4; i0++) {
    long idx0 = i0 * 7;
    float val0 = data1[idx0];
    float val1 = data1[idx0 + 1];
    float val2 = data1[idx0 + 2];
    float val3 = data1[idx0 + 3];
    float val4 = data1[idx0 + 4];
    float val5 = data1[idx0 + 5];
    for (long i1 = 0; i1 < 7; i1++) {
      float alu0 = (i1 < 1 ? 0.0f : val0) + (i1 < 2 ? 0.0f : val1) + (i1 < 3 ? 0.0f : val2) + (i1 < 4 ? 0.0f : val3);
      data0[idx0 + i1] = alu0 + (i1 < 5 ? 0.0f : val4) + (i1 < 6 ? 0.0f : val5) + 0.0f;
    }
  }
}

// kernel 2: r_4_7_16_16, launch ((1,), None)
void r_4_7_16_16(void **bufs, const long *vars, long begin, long end) {
  float *restrict data0 = bufs[0];
  const float *restrict data1 = bufs[1];
  const float *restrict data2 = bufs[2];
  for (long i0 = 0; i0 < 4; i0++) {
    long alu0 = i0 * 112;
    long alu1 = i0 * 7;
    long alu2 = i0 * 100;
    for (long i1 = 0; i1 < 7; i1++) {
      long alu3 = i1 * 16;
      long alu4 = alu0 + alu3;
      float val0 = data1[alu1 + i1];
      long idx0 = alu3 + alu2;
      float val1 = data2[idx0];
      float val2 = data2[idx0 + 1];
      float val3 = data2[idx0 + 2];
      float val4 = data2[idx0 + 3];
      unsigned char alu5 = i1 < 6;
      float val5 = alu5 ? data2[idx0 + 4] : 0.0f;
      float val6 = alu5 ? data2[idx0 + 5] : 0.0f;
      float val7 = alu5 ? data2[idx0 + 6] : 0.0f;
      float val8 = alu5 ? data2[idx0 + 7] : 0.0f;
      float val9 = alu5 ? data2[idx0 + 8] : 0.0f;
      float val10 = alu5 ? data2[idx0 + 9] : 0.0f;
      float val11 = alu5 ? data2[idx0 + 10] : 0.0f;
      float val12 = alu5 ? data2[idx0 + 11] : 0.0f;
      float val13 = alu5 ? data2[idx0 + 12] : 0.0f;
      float val14 = alu5 ? data2[idx0 + 13] : 0.0f;
      float val15 = alu5 ? data2[idx0 + 14] : 0.0f;
      float val16 = alu5 ? data2[idx0 + 15] : 0.0f;
      #pragma omp simd
      for (long v2 = 0; v2 < 16; v2++) {
        float alu6 = val1 + (v2 < 1 ? 0.0f : val2) + (v2 < 2 ? 0.0f : val3) + (v2 < 3 ? 0.0f : val4);
        float alu7 = alu6 + (v2 < 4 ? 0.0f : val5) + (v2 < 5 ? 0.0f : val6) + (v2 < 6 ? 0.0f : val7);
        float alu8 = alu7 + (v2 < 7 ? 0.0f : val8) + (v2 < 8 ? 0.0f : val9) + (v2 < 9 ? 0.0f : val10);
        float alu9 = alu8 + (v2 < 10 ? 0.0f : val11) + (v2 < 11 ? 0.0f : val12) + (v2 < 12 ? 0.0f : val13);
        float alu10 = alu9 + (v2 < 13 ? 0.0f : val14) + (v2 < 14 ? 0.0f : val15) + (v2 < 15 ? 0.0f : val16);
        data0[alu4 + v2] = val0 + alu10;
      }
    }
  }
}

// kernel 3: e_4_100, launch ((1,), None)
void e_4_100(void **bufs, const long *vars, long begin, long end) {
  float *restrict data0 = bufs[0];
  const float *restrict data1 = bufs[1];
  for (long i0 = 0; i0 < 4; i0++) {
    long alu0 = i0 * 100;
    long alu1 = i0 * 112;
    #pragma omp simd
    for (long v1 = 0; v1 < 100; v1++) {
      data0[alu0 + v1] = data1[alu1 + v1];
    }
  }
}
