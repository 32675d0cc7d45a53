// kernel 0: r_64_64_64, launch ((2, 2, 1), (8, 8, 1))
#include <cuda_pipeline_primitives.h>

extern "C" __global__ void __launch_bounds__(64)
r_64_64_64(
    float *__restrict__ data0,
    const float *__restrict__ data1,
    const float *__restrict__ data2) {
  __align__(16) float acc2[16];
  __shared__ __align__(16) float local0[1152];
  __shared__ __align__(16) float local1[1152];
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
  int alu3 = lidx1 & 1;
  int alu4 = alu3 * 288;
  int alu5 = lidx0 * 36;
  int alu6 = lidx1 >> 1;
  int idx1 = alu4 + alu5 + alu6;
  int alu7 = alu0 + alu6 * 64;
  int alu8 = alu3 * 8;
  int idx2 = alu7 + alu8 + lidx0;
  __pipeline_memcpy_async(&local0[idx1], &data1[idx2], 4);
  __pipeline_memcpy_async(&local0[idx1 + 4], &data1[idx2 + 256], 4);
  __pipeline_memcpy_async(&local0[idx1 + 8], &data1[idx2 + 512], 4);
  __pipeline_memcpy_async(&local0[idx1 + 12], &data1[idx2 + 768], 4);
  __pipeline_memcpy_async(&local0[idx1 + 16], &data1[idx2 + 1024], 4);
  __pipeline_memcpy_async(&local0[idx1 + 20], &data1[idx2 + 1280], 4);
  __pipeline_memcpy_async(&local0[idx1 + 24], &data1[idx2 + 1536], 4);
  __pipeline_memcpy_async(&local0[idx1 + 28], &data1[idx2 + 1792], 4);
  int alu9 = lidx1 * 36;
  int idx3 = alu9 + alu2;
  int alu10 = lidx1 * 64;
  int idx4 = alu10 + alu1 + alu2;
  __pipeline_memcpy_async(&local1[idx3], &data2[idx4], 16);
  __pipeline_memcpy_async(&local1[idx3 + 288], &data2[idx4 + 512], 16);
  int alu11 = lidx1 * 4;
  for (int r7 = 0; r7 < 4; r7++) {
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();
    int alu12 = ((r7 + 1) & 1) * 576;
    int idx5 = alu12 + alu4 + alu5 + alu6;
    int alu13 = alu7 + r7 * 16 + alu8 + lidx0;
    bool alu14 = r7 < 3;
    if (alu14) __pipeline_memcpy_async(&local0[idx5], &data1[alu13 + 16], 4);
    if (alu14) __pipeline_memcpy_async(&local0[idx5 + 4], &data1[alu13 + 272], 4);
    if (alu14) __pipeline_memcpy_async(&local0[idx5 + 8], &data1[alu13 + 528], 4);
    if (alu14) __pipeline_memcpy_async(&local0[idx5 + 12], &data1[alu13 + 784], 4);
    if (alu14) __pipeline_memcpy_async(&local0[idx5 + 16], &data1[alu13 + 1040], 4);
    if (alu14) __pipeline_memcpy_async(&local0[idx5 + 20], &data1[alu13 + 1296], 4);
    if (alu14) __pipeline_memcpy_async(&local0[idx5 + 24], &data1[alu13 + 1552], 4);
    if (alu14) __pipeline_memcpy_async(&local0[idx5 + 28], &data1[alu13 + 1808], 4);
    int idx6 = alu12 + alu9 + alu2;
    int alu15 = r7 * 1024 + alu10 + alu1 + alu2;
    if (alu14) __pipeline_memcpy_async(&local1[idx6], &data2[alu15 + 1024], 16);
    if (alu14) __pipeline_memcpy_async(&local1[idx6 + 288], &data2[alu15 + 1536], 16);
    int alu16 = (r7 & 1) * 576;
    for (int r8 = 0; r8 < 16; r8++) {
      int alu17 = alu16 + r8 * 36;
      float4 val0 = *(float4 *)&local0[alu17 + alu11];
      float alu18 = val0.x;
      float4 val1 = *(float4 *)&local1[alu17 + alu2];
      float alu19 = val1.x;
      acc2[0] = fmaf(alu18, alu19, acc2[0]);
      float alu20 = val0.y;
      acc2[4] = fmaf(alu20, alu19, acc2[4]);
      float alu21 = val0.z;
      acc2[8] = fmaf(alu21, alu19, acc2[8]);
      float alu22 = val0.w;
      acc2[12] = fmaf(alu22, alu19, acc2[12]);
      float alu23 = val1.y;
      acc2[1] = fmaf(alu18, alu23, acc2[1]);
      acc2[5] = fmaf(alu20, alu23, acc2[5]);
      acc2[9] = fmaf(alu21, alu23, acc2[9]);
      acc2[13] = fmaf(alu22, alu23, acc2[13]);
      float alu24 = val1.z;
      acc2[2] = fmaf(alu18, alu24, acc2[2]);
      acc2[6] = fmaf(alu20, alu24, acc2[6]);
      acc2[10] = fmaf(alu21, alu24, acc2[10]);
      acc2[14] = fmaf(alu22, alu24, acc2[14]);
      float alu25 = val1.w;
      acc2[3] = fmaf(alu18, alu25, acc2[3]);
      acc2[7] = fmaf(alu20, alu25, acc2[7]);
      acc2[11] = fmaf(alu21, alu25, acc2[11]);
      acc2[15] = fmaf(alu22, alu25, acc2[15]);
    }
  }
  *(float4 *)&data0[idx0] = *(float4 *)&acc2[0];
  *(float4 *)&data0[idx0 + 64] = *(float4 *)&acc2[4];
  *(float4 *)&data0[idx0 + 128] = *(float4 *)&acc2[8];
  *(float4 *)&data0[idx0 + 192] = *(float4 *)&acc2[12];
}

// kernel 1: r_64_64, launch ((64, 1, 1), (32, 1, 1))
extern "C" __global__ void __launch_bounds__(32)
r_64_64(
    float *__restrict__ data0,
    float *__restrict__ data1,
    float *__restrict__ data2,
    const float *__restrict__ data3) {
  float acc0;
  int gidx0 = blockIdx.x;
  int lidx0 = threadIdx.x;
  acc0 = 0.0f;
  int alu0 = gidx0 * 64;
  for (int r2 = 0; r2 < 2; r2++) {
    acc0 = acc0 + data3[alu0 + r2 * 32 + lidx0];
  }
  float val0 = acc0;
  float alu1 = __shfl_xor_sync(0xffffffffu, val0, 16);
  float alu2 = val0 + alu1;
  float alu3 = __shfl_xor_sync(0xffffffffu, alu2, 8);
  float alu4 = alu2 + alu3;
  float alu5 = __shfl_xor_sync(0xffffffffu, alu4, 4);
  float alu6 = alu4 + alu5;
  float alu7 = __shfl_xor_sync(0xffffffffu, alu6, 2);
  float alu8 = alu6 + alu7;
  float alu9 = __shfl_xor_sync(0xffffffffu, alu8, 1);
  float alu10 = alu8 + alu9;
  bool alu11 = lidx0 == 0;
  if (alu11) data0[gidx0] = expf(alu10);
  if (alu11) data1[gidx0] = alu10 * 2.0f;
  if (alu11) data2[gidx0] = alu10;
}
