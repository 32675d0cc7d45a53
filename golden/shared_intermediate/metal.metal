// kernel 0: r_64_64_64, launch ((2, 2, 1), (32, 2, 2))
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

kernel void r_64_64_64(
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
  int alu0 = gidx1 * 2048 + lidx2 * 1024;
  int lidx0 = local_id.x;
  int alu1 = (lidx0 >> 1) & 3;
  int alu2 = lidx0 >> 4;
  int gidx0 = group_id.x;
  int alu3 = gidx0 * 32;
  int lidx1 = local_id.y;
  int alu4 = lidx1 * 16;
  int alu5 = (lidx0 & 1) * 2;
  int alu6 = lidx0 >> 3;
  int alu7 = (alu6 & 1) * 4;
  int idx0 = alu0 + alu1 * 64 + alu2 * 256 + alu3 + alu4 + alu5 + alu7;
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
  int alu11 = alu0 + lidx1 * 512 + alu9 * 64;
  int alu12 = (lidx0 & 7) * 4;
  int idx2 = lidx2 * 288 + lidx1 * 144 + alu6 * 36 + alu12;
  int alu13 = lidx2 * 512;
  int alu14 = lidx1 * 256;
  int alu15 = alu6 * 64;
  int alu16 = alu8 + alu1 * 20 + alu2 * 80;
  int alu17 = alu1 * 36;
  int alu18 = alu2 * 144;
  for (int r7 = 0; r7 < 4; r7++) {
    threadgroup_barrier(mem_flags::mem_threadgroup);
    *(threadgroup float4 *)&local0[idx1] = *(device float4 *)&data1[alu11 + r7 * 16 + alu10];
    *(threadgroup float4 *)&local1[idx2] = *(device float4 *)&data2[r7 * 1024 + alu13 + alu14 + alu15 + alu3 + alu12];
    threadgroup_barrier(mem_flags::mem_threadgroup);
    for (int r25 = 0; r25 < 2; r25++) {
      int idx3 = alu16 + r25 * 8 + alu5 + alu7;
      *(thread float2 *)&acc2[0] = *(threadgroup float2 *)&local0[idx3];
      *(thread float2 *)&acc2[2] = *(threadgroup float2 *)&local0[idx3 + 160];
      int idx4 = r25 * 288 + alu17 + alu18 + alu4 + alu5 + alu7;
      *(thread float2 *)&acc3[0] = *(threadgroup float2 *)&local1[idx4];
      *(thread float2 *)&acc3[2] = *(threadgroup float2 *)&local1[idx4 + 8];
      mma_f32(&acc4[0], &acc2[0], &acc3[0]);
      mma_f32(&acc4[4], &acc2[2], &acc3[0]);
      mma_f32(&acc4[2], &acc2[0], &acc3[2]);
      mma_f32(&acc4[6], &acc2[2], &acc3[2]);
    }
  }
  *(device float2 *)&data0[idx0] = *(thread float2 *)&acc4[0];
  *(device float2 *)&data0[idx0 + 512] = *(thread float2 *)&acc4[4];
  *(device float2 *)&data0[idx0 + 8] = *(thread float2 *)&acc4[2];
  *(device float2 *)&data0[idx0 + 520] = *(thread float2 *)&acc4[6];
}

// kernel 1: r_64_64, launch ((64, 1, 1), (32, 1, 1))
#include <metal_stdlib>
#pragma METAL fp contract(off)
using namespace metal;

kernel void r_64_64(
    device float *data0 [[buffer(0)]],
    device float *data1 [[buffer(1)]],
    device float *data2 [[buffer(2)]],
    device const float *data3 [[buffer(3)]],
    uint3 group_id [[threadgroup_position_in_grid]],
    uint3 local_id [[thread_position_in_threadgroup]]) {
  float acc0;
  int gidx0 = group_id.x;
  int lidx0 = local_id.x;
  acc0 = 0.0f;
  int alu0 = gidx0 * 64;
  for (int r2 = 0; r2 < 2; r2++) {
    acc0 = acc0 + data3[alu0 + r2 * 32 + lidx0];
  }
  float val0 = acc0;
  float alu1 = simd_shuffle_xor(val0, 16);
  float alu2 = val0 + alu1;
  float alu3 = simd_shuffle_xor(alu2, 8);
  float alu4 = alu2 + alu3;
  float alu5 = simd_shuffle_xor(alu4, 4);
  float alu6 = alu4 + alu5;
  float alu7 = simd_shuffle_xor(alu6, 2);
  float alu8 = alu6 + alu7;
  float alu9 = simd_shuffle_xor(alu8, 1);
  float alu10 = alu8 + alu9;
  bool alu11 = lidx0 == 0;
  if (alu11) data0[gidx0] = precise::exp(alu10);
  if (alu11) data1[gidx0] = alu10 * 2.0f;
  if (alu11) data2[gidx0] = alu10;
}
