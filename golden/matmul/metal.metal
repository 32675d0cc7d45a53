// kernel 0: r_64_128_96, launch ((4, 2, 1), (32, 2, 2))
#include <metal_stdlib>
#pragma METAL fp contract(off)
using namespace metal;
static inline void mma_f32(thread float *c, const thread float *a, const thread float *b) {
  simdgroup_matrix<float, 8, 8> x, y;
  simdgroup_matrix<float, 8, 8> z;
  for (int i = 0; i < 2; i++) {
    x.thread_elements()[i] = a[i];
    y.thread_elements()[i] = b[i];
    z.thread_elements()[i] = c[i];
  }
  simdgroup_multiply_accumulate(z, x, y, z);
  for (int i = 0; i < 2; i++) c[i] = z.thread_elements()[i];
}

kernel void r_64_128_96(
    device float *data0 [[buffer(0)]],
    device const float *data1 [[buffer(1)]],
    device const float *data2 [[buffer(2)]],
    uint3 group_id [[threadgroup_position_in_grid]],
    uint3 local_id [[thread_position_in_threadgroup]]) {
  alignas(16) float acc4[8];
  alignas(16) float acc2[4];
  alignas(16) threadgroup float local0[640];
  alignas(16) threadgroup float local1[576];
  alignas(16) float acc3[4];
  int gidx1 = group_id.y;
  int lidx2 = local_id.z;
  int lidx0 = local_id.x;
  int alu0 = (lidx0 >> 1) & 3;
  int alu1 = lidx0 >> 4;
  int gidx0 = group_id.x;
  int alu2 = gidx0 * 32;
  int lidx1 = local_id.y;
  int alu3 = lidx1 * 16;
  int alu4 = (lidx0 & 1) * 2;
  int alu5 = gidx1 * 4096 + lidx2 * 2048 + alu0 * 128 + alu1 * 512 + alu2 + alu3 + alu4;
  int alu6 = lidx0 >> 3;
  int alu7 = (alu6 & 1) * 4;
  int idx0 = alu5 + alu7;
  acc4[0] = 0.0f;
  acc4[4] = 0.0f;
  acc4[2] = 0.0f;
  acc4[6] = 0.0f;
  acc4[1] = 0.0f;
  acc4[5] = 0.0f;
  acc4[3] = 0.0f;
  acc4[7] = 0.0f;
  int alu8 = lidx2 * 320;
  int alu9 = lidx0 >> 2;
  int alu10 = (lidx0 & 3) * 4;
  int idx1 = alu8 + lidx1 * 160 + alu9 * 20 + alu10;
  int alu11 = gidx1 * 3072 + lidx2 * 1536 + lidx1 * 768 + alu9 * 96;
  int alu12 = (lidx0 & 7) * 4;
  int idx2 = lidx2 * 288 + lidx1 * 144 + alu6 * 36 + alu12;
  int alu13 = lidx2 * 1024;
  int alu14 = lidx1 * 512;
  int alu15 = alu6 * 128;
  int alu16 = alu8 + alu0 * 20 + alu1 * 80;
  int alu17 = alu0 * 36;
  int alu18 = alu1 * 144;
  for (int r7 = 0; r7 < 6; r7++) {
    threadgroup_barrier(mem_flags::mem_threadgroup);
    *(threadgroup float4 *)&local0[idx1] = *(device float4 *)&data1[alu11 + r7 * 16 + alu10];
    *(threadgroup float4 *)&local1[idx2] = *(device float4 *)&data2[r7 * 2048 + alu13 + alu14 + alu15 + alu2 + alu12];
    threadgroup_barrier(mem_flags::mem_threadgroup);
    for (int r25 = 0; r25 < 2; r25++) {
      int idx3 = alu16 + r25 * 8 + alu4 + alu7;
      *(thread float2 *)&acc2[0] = *(threadgroup float2 *)&local0[idx3];
      *(thread float2 *)&acc2[2] = *(threadgroup float2 *)&local0[idx3 + 160];
      int idx4 = r25 * 288 + alu17 + alu18 + alu3 + alu4 + alu7;
      *(thread float2 *)&acc3[0] = *(threadgroup float2 *)&local1[idx4];
      *(thread float2 *)&acc3[2] = *(threadgroup float2 *)&local1[idx4 + 8];
      mma_f32(&acc4[0], &acc2[0], &acc3[0]);
      mma_f32(&acc4[4], &acc2[2], &acc3[0]);
      mma_f32(&acc4[2], &acc2[0], &acc3[2]);
      mma_f32(&acc4[6], &acc2[2], &acc3[2]);
    }
  }
  *(device float2 *)&data0[idx0] = *(thread float2 *)&acc4[0];
  *(device float2 *)&data0[idx0 + 1024] = *(thread float2 *)&acc4[4];
  *(device float2 *)&data0[idx0 + 8] = *(thread float2 *)&acc4[2];
  *(device float2 *)&data0[idx0 + 1032] = *(thread float2 *)&acc4[6];
}
