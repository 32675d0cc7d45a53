// kernel 0: r_4_2_50_2_50_50, launch ((1,), None)
typedef float f32x16 __attribute__((vector_size(64), aligned(4), may_alias));

void r_4_2_50_2_50_50(void **bufs, const long *vars, long begin, long end) {
  float *restrict data0 = bufs[0];
  const float *restrict data1 = bufs[1];
  float acc2;
  float acc1[16] __attribute__((aligned(64)));
  f32x16 acc4;
  float acc3[50] __attribute__((aligned(64)));
  for (long i0 = 0; i0 < 4; i0++) {
    long idx0 = i0 * 100;
    f32x16 val0 = *(f32x16 *)&data1[idx0];
    f32x16 val1 = *(f32x16 *)&data1[idx0 + 16];
    f32x16 val2 = *(f32x16 *)&data1[idx0 + 32];
    float val3 = data1[idx0 + 48];
    float val4 = data1[idx0 + 49];
    for (long i1 = 0; i1 < 2; i1++) {
      long alu0 = idx0 + i1 * 50;
      acc2 = 0.0f;
      acc4 = (f32x16)(0.0f - (f32x16){});
      unsigned char alu1 = i1 < 1;
      f32x16 alu2 = (alu1 ? (f32x16)((f32x16)(0.0f - (f32x16){})) : (f32x16)val0) + (f32x16)(0.0f - (f32x16){});
      acc4 = acc4 + alu2;
      f32x16 alu3 = (alu1 ? (f32x16)((f32x16)(0.0f - (f32x16){})) : (f32x16)val1) + (f32x16)(0.0f - (f32x16){});
      acc4 = acc4 + alu3;
      f32x16 alu4 = (alu1 ? (f32x16)((f32x16)(0.0f - (f32x16){})) : (f32x16)val2) + (f32x16)(0.0f - (f32x16){});
      acc4 = acc4 + alu4;
      *(f32x16 *)&acc1[0] = acc4;
      for (long r14 = 0; r14 < 16; r14++) {
        acc2 = acc2 + acc1[r14];
      }
      float alu5 = acc2 + ((alu1 ? 0.0f : val3) + (alu1 ? 0.0f : val4) + 0.0f + 0.0f);
      for (long i21 = 0; i21 < 3; i21++) {
        *(f32x16 *)&acc3[i21 * 16] = (f32x16)(0.0f - (f32x16){});
      }
      for (long i22 = 0; i22 < 2; i22++) {
        acc3[i22 + 48] = 0.0f;
      }
      for (long r3 = 0; r3 < 50; r3++) {
        float val5 = data1[alu0 + r3];
        #pragma omp simd
        for (long v16 = 0; v16 < 50; v16++) {
          acc3[v16] = acc3[v16] + (v16 < r3 ? 0.0f : val5);
        }
      }
      #pragma omp simd
      for (long v2 = 0; v2 < 50; v2++) {
        data0[alu0 + v2] = alu5 + acc3[v2];
      }
    }
  }
}
