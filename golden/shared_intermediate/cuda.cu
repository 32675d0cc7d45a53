// kernel 0: r_64_64_64, launch ((2, 2, 1), (8, 8, 1))
extern "C" __global__ void __launch_bounds__(64)
r_64_64_64(
    float *__restrict__ data0,
    const float *__restrict__ data1,
    const float *__restrict__ data2) {
  __align__(16) float acc2[16];
  __shared__ __align__(16) float local0[528];
  __shared__ __align__(16) float local1[576];
  int gidx1 = blockIdx.y;
  int alu0 = gidx1 * 2048;
  int lidx1 = threadIdx.y;
  int gidx0 = blockIdx.x;
  int alu1 = gidx0 * 32;
  int lidx0 = threadIdx.x;
  int alu2 = lidx0 * 4;
  int idx0 = alu0 + lidx1 * 256 + alu1 + alu2;
  acc2[0] = 0.0f;
  acc2[4] = 0.0f;
  acc2[8] = 0.0f;
  acc2[12] = 0.0f;
  acc2[1] = 0.0f;
  acc2[5] = 0.0f;
  acc2[9] = 0.0f;
  acc2[13] = 0.0f;
  acc2[2] = 0.0f;
  acc2[6] = 0.0f;
  acc2[10] = 0.0f;
  acc2[14] = 0.0f;
  acc2[3] = 0.0f;
  acc2[7] = 0.0f;
  acc2[11] = 0.0f;
  acc2[15] = 0.0f;
  int alu3 = lidx0 & 3;
  int alu4 = lidx0 >> 2;
  int idx1 = alu3 * 132 + lidx1 * 2 + alu4;
  int alu5 = alu0 + lidx1 * 128 + alu4 * 64;
  int alu6 = alu3 * 4;
  int idx2 = idx1 + 16;
  int idx3 = idx1 + 32;
  int idx4 = idx1 + 48;
  int idx5 = idx1 + 64;
  int idx6 = idx1 + 80;
  int idx7 = idx1 + 96;
  int idx8 = idx1 + 112;
  int idx9 = lidx1 * 36 + alu2;
  int alu7 = lidx1 * 64;
  int idx10 = idx9 + 288;
  int alu8 = lidx1 * 4;
  for (int r7 = 0; r7 < 4; r7++) {
    __syncthreads();
    int idx11 = alu5 + r7 * 16 + alu6;
    float4 val0 = *(float4 *)&data1[idx11];
    local0[idx1] = val0.x;
    float4 val1 = *(float4 *)&data1[idx11 + 1024];
    local0[idx2] = val1.x;
    local0[idx3] = val0.y;
    local0[idx4] = val1.y;
    local0[idx5] = val0.z;
    local0[idx6] = val1.z;
    local0[idx7] = val0.w;
    local0[idx8] = val1.w;
    int idx12 = r7 * 1024 + alu7 + alu1 + alu2;
    *(float4 *)&local1[idx9] = *(float4 *)&data2[idx12];
    *(float4 *)&local1[idx10] = *(float4 *)&data2[idx12 + 512];
    __syncthreads();
    for (int r8 = 0; r8 < 16; r8++) {
      float4 val2 = *(float4 *)&local0[(r8 >> 2) * 132 + (r8 & 3) * 32 + alu8];
      float alu9 = val2.x;
      float4 val3 = *(float4 *)&local1[r8 * 36 + alu2];
      float alu10 = val3.x;
      acc2[0] = fmaf(alu9, alu10, acc2[0]);
      float alu11 = val2.y;
      acc2[4] = fmaf(alu11, alu10, acc2[4]);
      float alu12 = val2.z;
      acc2[8] = fmaf(alu12, alu10, acc2[8]);
      float alu13 = val2.w;
      acc2[12] = fmaf(alu13, alu10, acc2[12]);
      float alu14 = val3.y;
      acc2[1] = fmaf(alu9, alu14, acc2[1]);
      acc2[5] = fmaf(alu11, alu14, acc2[5]);
      acc2[9] = fmaf(alu12, alu14, acc2[9]);
      acc2[13] = fmaf(alu13, alu14, acc2[13]);
      float alu15 = val3.z;
      acc2[2] = fmaf(alu9, alu15, acc2[2]);
      acc2[6] = fmaf(alu11, alu15, acc2[6]);
      acc2[10] = fmaf(alu12, alu15, acc2[10]);
      acc2[14] = fmaf(alu13, alu15, acc2[14]);
      float alu16 = val3.w;
      acc2[3] = fmaf(alu9, alu16, acc2[3]);
      acc2[7] = fmaf(alu11, alu16, acc2[7]);
      acc2[11] = fmaf(alu12, alu16, acc2[11]);
      acc2[15] = fmaf(alu13, alu16, acc2[15]);
    }
  }
  *(float4 *)&data0[idx0] = *(float4 *)&acc2[0];
  *(float4 *)&data0[idx0 + 64] = *(float4 *)&acc2[4];
  *(float4 *)&data0[idx0 + 128] = *(float4 *)&acc2[8];
  *(float4 *)&data0[idx0 + 192] = *(float4 *)&acc2[12];
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
