// kernel 0: r_64_64_64, launch ((1, 1, 1), (16, 16, 1))
extern "C" __global__ void __launch_bounds__(256)
r_64_64_64(
    float *__restrict__ data0,
    const float *__restrict__ data1,
    const float *__restrict__ data2) {
  __align__(16) float acc0[16];
  int lidx1 = threadIdx.y;
  int alu0 = lidx1 * 256;
  int lidx0 = threadIdx.x;
  int alu1 = lidx0 * 4;
  int idx0 = alu0 + alu1;
  acc0[0] = 0.0f;
  acc0[4] = 0.0f;
  acc0[8] = 0.0f;
  acc0[12] = 0.0f;
  acc0[1] = 0.0f;
  acc0[5] = 0.0f;
  acc0[9] = 0.0f;
  acc0[13] = 0.0f;
  acc0[2] = 0.0f;
  acc0[6] = 0.0f;
  acc0[10] = 0.0f;
  acc0[14] = 0.0f;
  acc0[3] = 0.0f;
  acc0[7] = 0.0f;
  acc0[11] = 0.0f;
  acc0[15] = 0.0f;
  for (int r2 = 0; r2 < 64; r2++) {
    int idx1 = alu0 + r2;
    float val0 = data1[idx1];
    float4 val1 = *(float4 *)&data2[r2 * 64 + alu1];
    float alu2 = val1.x;
    acc0[0] = fmaf(val0, alu2, acc0[0]);
    float val2 = data1[idx1 + 64];
    acc0[4] = fmaf(val2, alu2, acc0[4]);
    float val3 = data1[idx1 + 128];
    acc0[8] = fmaf(val3, alu2, acc0[8]);
    float val4 = data1[idx1 + 192];
    acc0[12] = fmaf(val4, alu2, acc0[12]);
    float alu3 = val1.y;
    acc0[1] = fmaf(val0, alu3, acc0[1]);
    acc0[5] = fmaf(val2, alu3, acc0[5]);
    acc0[9] = fmaf(val3, alu3, acc0[9]);
    acc0[13] = fmaf(val4, alu3, acc0[13]);
    float alu4 = val1.z;
    acc0[2] = fmaf(val0, alu4, acc0[2]);
    acc0[6] = fmaf(val2, alu4, acc0[6]);
    acc0[10] = fmaf(val3, alu4, acc0[10]);
    acc0[14] = fmaf(val4, alu4, acc0[14]);
    float alu5 = val1.w;
    acc0[3] = fmaf(val0, alu5, acc0[3]);
    acc0[7] = fmaf(val2, alu5, acc0[7]);
    acc0[11] = fmaf(val3, alu5, acc0[11]);
    acc0[15] = fmaf(val4, alu5, acc0[15]);
  }
  *(float4 *)&data0[idx0] = make_float4(acc0[0], acc0[1], acc0[2], acc0[3]);
  *(float4 *)&data0[idx0 + 64] = make_float4(acc0[4], acc0[5], acc0[6], acc0[7]);
  *(float4 *)&data0[idx0 + 128] = make_float4(acc0[8], acc0[9], acc0[10], acc0[11]);
  *(float4 *)&data0[idx0 + 192] = make_float4(acc0[12], acc0[13], acc0[14], acc0[15]);
}

// kernel 1: r_64_64, launch ((1, 1, 1), (64, 1, 1))
extern "C" __global__ void __launch_bounds__(64)
r_64_64(
    float *__restrict__ data0,
    float *__restrict__ data1,
    float *__restrict__ data2,
    const float *__restrict__ data3) {
  float acc0;
  int lidx0 = threadIdx.x;
  acc0 = 0.0f;
  int alu0 = lidx0 * 64;
  for (int r1 = 0; r1 < 64; r1++) {
    acc0 = acc0 + data3[alu0 + r1];
  }
  float val0 = acc0;
  data0[lidx0] = expf(val0);
  data1[lidx0] = val0 * 2.0f;
  data2[lidx0] = val0;
}
