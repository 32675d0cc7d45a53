// kernel 0: r_32_32_64, launch ((1, 1, 1), (8, 8, 1))
#include <cuda_pipeline_primitives.h>

extern "C" __global__ void __launch_bounds__(64)
r_32_32_64(
    float *__restrict__ data0,
    const float *__restrict__ data1,
    const float *__restrict__ data2,
    const float *__restrict__ data3) {
  __align__(16) float acc2[16];
  __shared__ __align__(16) float local0[1152];
  __shared__ __align__(16) float local1[1152];
  int lidx1 = threadIdx.y;
  int lidx0 = threadIdx.x;
  int idx0 = lidx0 * 4;
  int idx1 = lidx1 * 128 + idx0;
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
  int alu0 = lidx1 & 1;
  int alu1 = alu0 * 288;
  int alu2 = lidx0 * 36;
  int alu3 = lidx1 >> 1;
  int idx2 = alu1 + alu2 + alu3;
  int alu4 = alu3 * 64;
  int alu5 = alu0 * 8;
  int idx3 = alu4 + alu5 + lidx0;
  __pipeline_memcpy_async(&local0[idx2], &data1[idx3], 4);
  __pipeline_memcpy_async(&local0[idx2 + 4], &data1[idx3 + 256], 4);
  __pipeline_memcpy_async(&local0[idx2 + 8], &data1[idx3 + 512], 4);
  __pipeline_memcpy_async(&local0[idx2 + 12], &data1[idx3 + 768], 4);
  __pipeline_memcpy_async(&local0[idx2 + 16], &data1[idx3 + 1024], 4);
  __pipeline_memcpy_async(&local0[idx2 + 20], &data1[idx3 + 1280], 4);
  __pipeline_memcpy_async(&local0[idx2 + 24], &data1[idx3 + 1536], 4);
  __pipeline_memcpy_async(&local0[idx2 + 28], &data1[idx3 + 1792], 4);
  int alu6 = lidx1 * 36;
  int idx4 = alu6 + idx0;
  int alu7 = lidx1 * 32;
  int idx5 = alu7 + idx0;
  __pipeline_memcpy_async(&local1[idx4], &data2[idx5], 16);
  __pipeline_memcpy_async(&local1[idx4 + 288], &data2[idx5 + 256], 16);
  int alu8 = lidx1 * 4;
  for (int r7 = 0; r7 < 4; r7++) {
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();
    int alu9 = ((r7 + 1) & 1) * 576;
    int idx6 = alu9 + alu1 + alu2 + alu3;
    int alu10 = alu4 + r7 * 16 + alu5 + lidx0;
    bool alu11 = r7 < 3;
    if (alu11) __pipeline_memcpy_async(&local0[idx6], &data1[alu10 + 16], 4);
    if (alu11) __pipeline_memcpy_async(&local0[idx6 + 4], &data1[alu10 + 272], 4);
    if (alu11) __pipeline_memcpy_async(&local0[idx6 + 8], &data1[alu10 + 528], 4);
    if (alu11) __pipeline_memcpy_async(&local0[idx6 + 12], &data1[alu10 + 784], 4);
    if (alu11) __pipeline_memcpy_async(&local0[idx6 + 16], &data1[alu10 + 1040], 4);
    if (alu11) __pipeline_memcpy_async(&local0[idx6 + 20], &data1[alu10 + 1296], 4);
    if (alu11) __pipeline_memcpy_async(&local0[idx6 + 24], &data1[alu10 + 1552], 4);
    if (alu11) __pipeline_memcpy_async(&local0[idx6 + 28], &data1[alu10 + 1808], 4);
    int idx7 = alu9 + alu6 + idx0;
    int alu12 = r7 * 512 + alu7 + idx0;
    if (alu11) __pipeline_memcpy_async(&local1[idx7], &data2[alu12 + 512], 16);
    if (alu11) __pipeline_memcpy_async(&local1[idx7 + 288], &data2[alu12 + 768], 16);
    int alu13 = (r7 & 1) * 576;
    for (int r8 = 0; r8 < 16; r8++) {
      int alu14 = alu13 + r8 * 36;
      float4 val0 = *(float4 *)&local0[alu14 + alu8];
      float alu15 = val0.x;
      float4 val1 = *(float4 *)&local1[alu14 + idx0];
      float alu16 = val1.x;
      acc2[0] = fmaf(alu15, alu16, acc2[0]);
      float alu17 = val0.y;
      acc2[4] = fmaf(alu17, alu16, acc2[4]);
      float alu18 = val0.z;
      acc2[8] = fmaf(alu18, alu16, acc2[8]);
      float alu19 = val0.w;
      acc2[12] = fmaf(alu19, alu16, acc2[12]);
      float alu20 = val1.y;
      acc2[1] = fmaf(alu15, alu20, acc2[1]);
      acc2[5] = fmaf(alu17, alu20, acc2[5]);
      acc2[9] = fmaf(alu18, alu20, acc2[9]);
      acc2[13] = fmaf(alu19, alu20, acc2[13]);
      float alu21 = val1.z;
      acc2[2] = fmaf(alu15, alu21, acc2[2]);
      acc2[6] = fmaf(alu17, alu21, acc2[6]);
      acc2[10] = fmaf(alu18, alu21, acc2[10]);
      acc2[14] = fmaf(alu19, alu21, acc2[14]);
      float alu22 = val1.w;
      acc2[3] = fmaf(alu15, alu22, acc2[3]);
      acc2[7] = fmaf(alu17, alu22, acc2[7]);
      acc2[11] = fmaf(alu18, alu22, acc2[11]);
      acc2[15] = fmaf(alu19, alu22, acc2[15]);
    }
  }
  float4 val2 = *(float4 *)&data3[idx0];
  float alu23 = val2.x;
  float alu24 = acc2[0] + alu23;
  float alu25 = val2.y;
  float alu26 = acc2[1] + alu25;
  float alu27 = val2.z;
  float alu28 = acc2[2] + alu27;
  float alu29 = val2.w;
  float alu30 = acc2[3] + alu29;
  float4 vec0 = make_float4(alu24 <= 0.0f ? 0.0f : alu24, alu26 <= 0.0f ? 0.0f : alu26, alu28 <= 0.0f ? 0.0f : alu28, alu30 <= 0.0f ? 0.0f : alu30);
  *(float4 *)&data0[idx1] = vec0;
  float alu31 = acc2[4] + alu23;
  float alu32 = acc2[5] + alu25;
  float alu33 = acc2[6] + alu27;
  float alu34 = acc2[7] + alu29;
  float4 vec1 = make_float4(alu31 <= 0.0f ? 0.0f : alu31, alu32 <= 0.0f ? 0.0f : alu32, alu33 <= 0.0f ? 0.0f : alu33, alu34 <= 0.0f ? 0.0f : alu34);
  *(float4 *)&data0[idx1 + 32] = vec1;
  float alu35 = acc2[8] + alu23;
  float alu36 = acc2[9] + alu25;
  float alu37 = acc2[10] + alu27;
  float alu38 = acc2[11] + alu29;
  float4 vec2 = make_float4(alu35 <= 0.0f ? 0.0f : alu35, alu36 <= 0.0f ? 0.0f : alu36, alu37 <= 0.0f ? 0.0f : alu37, alu38 <= 0.0f ? 0.0f : alu38);
  *(float4 *)&data0[idx1 + 64] = vec2;
  float alu39 = acc2[12] + alu23;
  float alu40 = acc2[13] + alu25;
  float alu41 = acc2[14] + alu27;
  float alu42 = acc2[15] + alu29;
  float4 vec3 = make_float4(alu39 <= 0.0f ? 0.0f : alu39, alu40 <= 0.0f ? 0.0f : alu40, alu41 <= 0.0f ? 0.0f : alu41, alu42 <= 0.0f ? 0.0f : alu42);
  *(float4 *)&data0[idx1 + 96] = vec3;
}
