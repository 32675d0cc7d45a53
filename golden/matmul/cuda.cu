// kernel 0: r_64_128_96, launch ((4, 2, 1), (8, 8, 1))
#include <cuda_pipeline_primitives.h>

extern "C" __global__ void __launch_bounds__(64)
r_64_128_96(
    float *__restrict__ data0,
    const float *__restrict__ data1,
    const float *__restrict__ data2) {
  __align__(16) float acc2[16];
  __shared__ __align__(16) float local0[1152];
  __shared__ __align__(16) float local1[1152];
  int gidx1 = blockIdx.y;
  int lidx1 = threadIdx.y;
  int gidx0 = blockIdx.x;
  int alu0 = gidx0 * 32;
  int lidx0 = threadIdx.x;
  int alu1 = lidx0 * 4;
  int idx0 = gidx1 * 4096 + lidx1 * 512 + alu0 + alu1;
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
  int alu2 = lidx1 & 1;
  int alu3 = alu2 * 288;
  int alu4 = lidx0 * 36;
  int alu5 = lidx1 >> 1;
  int idx1 = alu3 + alu4 + alu5;
  int alu6 = gidx1 * 3072 + alu5 * 96;
  int alu7 = alu2 * 8;
  int idx2 = alu6 + alu7 + lidx0;
  __pipeline_memcpy_async(&local0[idx1], &data1[idx2], 4);
  __pipeline_memcpy_async(&local0[idx1 + 4], &data1[idx2 + 384], 4);
  __pipeline_memcpy_async(&local0[idx1 + 8], &data1[idx2 + 768], 4);
  __pipeline_memcpy_async(&local0[idx1 + 12], &data1[idx2 + 1152], 4);
  __pipeline_memcpy_async(&local0[idx1 + 16], &data1[idx2 + 1536], 4);
  __pipeline_memcpy_async(&local0[idx1 + 20], &data1[idx2 + 1920], 4);
  __pipeline_memcpy_async(&local0[idx1 + 24], &data1[idx2 + 2304], 4);
  __pipeline_memcpy_async(&local0[idx1 + 28], &data1[idx2 + 2688], 4);
  int alu8 = lidx1 * 36;
  int idx3 = alu8 + alu1;
  int alu9 = lidx1 * 128;
  int idx4 = alu9 + alu0 + alu1;
  __pipeline_memcpy_async(&local1[idx3], &data2[idx4], 16);
  __pipeline_memcpy_async(&local1[idx3 + 288], &data2[idx4 + 1024], 16);
  int alu10 = lidx1 * 4;
  for (int r7 = 0; r7 < 6; r7++) {
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();
    int alu11 = ((r7 + 1) & 1) * 576;
    int idx5 = alu11 + alu3 + alu4 + alu5;
    int alu12 = alu6 + r7 * 16 + alu7 + lidx0;
    bool alu13 = r7 < 5;
    if (alu13) __pipeline_memcpy_async(&local0[idx5], &data1[alu12 + 16], 4);
    if (alu13) __pipeline_memcpy_async(&local0[idx5 + 4], &data1[alu12 + 400], 4);
    if (alu13) __pipeline_memcpy_async(&local0[idx5 + 8], &data1[alu12 + 784], 4);
    if (alu13) __pipeline_memcpy_async(&local0[idx5 + 12], &data1[alu12 + 1168], 4);
    if (alu13) __pipeline_memcpy_async(&local0[idx5 + 16], &data1[alu12 + 1552], 4);
    if (alu13) __pipeline_memcpy_async(&local0[idx5 + 20], &data1[alu12 + 1936], 4);
    if (alu13) __pipeline_memcpy_async(&local0[idx5 + 24], &data1[alu12 + 2320], 4);
    if (alu13) __pipeline_memcpy_async(&local0[idx5 + 28], &data1[alu12 + 2704], 4);
    int idx6 = alu11 + alu8 + alu1;
    int alu14 = r7 * 2048 + alu9 + alu0 + alu1;
    if (alu13) __pipeline_memcpy_async(&local1[idx6], &data2[alu14 + 2048], 16);
    if (alu13) __pipeline_memcpy_async(&local1[idx6 + 288], &data2[alu14 + 3072], 16);
    int alu15 = (r7 & 1) * 576;
    for (int r8 = 0; r8 < 16; r8++) {
      int alu16 = alu15 + r8 * 36;
      float4 val0 = *(float4 *)&local0[alu16 + alu10];
      float alu17 = val0.x;
      float4 val1 = *(float4 *)&local1[alu16 + alu1];
      float alu18 = val1.x;
      acc2[0] = fmaf(alu17, alu18, acc2[0]);
      float alu19 = val0.y;
      acc2[4] = fmaf(alu19, alu18, acc2[4]);
      float alu20 = val0.z;
      acc2[8] = fmaf(alu20, alu18, acc2[8]);
      float alu21 = val0.w;
      acc2[12] = fmaf(alu21, alu18, acc2[12]);
      float alu22 = val1.y;
      acc2[1] = fmaf(alu17, alu22, acc2[1]);
      acc2[5] = fmaf(alu19, alu22, acc2[5]);
      acc2[9] = fmaf(alu20, alu22, acc2[9]);
      acc2[13] = fmaf(alu21, alu22, acc2[13]);
      float alu23 = val1.z;
      acc2[2] = fmaf(alu17, alu23, acc2[2]);
      acc2[6] = fmaf(alu19, alu23, acc2[6]);
      acc2[10] = fmaf(alu20, alu23, acc2[10]);
      acc2[14] = fmaf(alu21, alu23, acc2[14]);
      float alu24 = val1.w;
      acc2[3] = fmaf(alu17, alu24, acc2[3]);
      acc2[7] = fmaf(alu19, alu24, acc2[7]);
      acc2[11] = fmaf(alu20, alu24, acc2[11]);
      acc2[15] = fmaf(alu21, alu24, acc2[15]);
    }
  }
  *(float4 *)&data0[idx0] = *(float4 *)&acc2[0];
  *(float4 *)&data0[idx0 + 128] = *(float4 *)&acc2[4];
  *(float4 *)&data0[idx0 + 256] = *(float4 *)&acc2[8];
  *(float4 *)&data0[idx0 + 384] = *(float4 *)&acc2[12];
}
