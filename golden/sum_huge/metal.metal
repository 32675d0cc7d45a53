// kernel 0: r_256_4096, launch ((256, 1, 1), (256, 1, 1))
#include <metal_stdlib>
#pragma METAL fp contract(off)
using namespace metal;

kernel void r_256_4096(
    device float *data0 [[buffer(0)]],
    device const float *data1 [[buffer(1)]],
    uint3 group_id [[threadgroup_position_in_grid]],
    uint3 local_id [[thread_position_in_threadgroup]]) {
  alignas(16) threadgroup float local1[8];
  float acc0;
  int gidx0 = group_id.x;
  int lidx0 = local_id.x;
  acc0 = 0.0f;
  int alu0 = gidx0 * 4096;
  int alu1 = lidx0 * 4;
  for (int r4 = 0; r4 < 4; r4++) {
    float4 val0 = *(device float4 *)&data1[alu0 + r4 * 1024 + alu1];
    acc0 = acc0 + (val0.x + val0.y + val0.z + val0.w);
  }
  float val1 = acc0;
  float alu2 = simd_shuffle_xor(val1, 16);
  float alu3 = val1 + alu2;
  float alu4 = simd_shuffle_xor(alu3, 8);
  float alu5 = alu3 + alu4;
  float alu6 = simd_shuffle_xor(alu5, 4);
  float alu7 = alu5 + alu6;
  float alu8 = simd_shuffle_xor(alu7, 2);
  float alu9 = alu7 + alu8;
  float alu10 = simd_shuffle_xor(alu9, 1);
  if ((lidx0 & 31) == 0) local1[lidx0 >> 5] = alu9 + alu10;
  threadgroup_barrier(mem_flags::mem_threadgroup);
  float val2 = local1[lidx0 & 7];
  float alu11 = simd_shuffle_xor(val2, 4);
  float alu12 = val2 + alu11;
  float alu13 = simd_shuffle_xor(alu12, 2);
  float alu14 = alu12 + alu13;
  float alu15 = simd_shuffle_xor(alu14, 1);
  if (lidx0 == 0) data0[gidx0] = alu14 + alu15;
}

// kernel 1: r_256, launch ((1, 1, 1), (256, 1, 1))
#include <metal_stdlib>
#pragma METAL fp contract(off)
using namespace metal;

kernel void r_256(
    device float *data0 [[buffer(0)]],
    device const float *data1 [[buffer(1)]],
    uint3 local_id [[thread_position_in_threadgroup]]) {
  alignas(16) threadgroup float local0[8];
  int lidx0 = local_id.x;
  float val0 = data1[lidx0];
  float alu0 = simd_shuffle_xor(val0, 16);
  float alu1 = val0 + alu0;
  float alu2 = simd_shuffle_xor(alu1, 8);
  float alu3 = alu1 + alu2;
  float alu4 = simd_shuffle_xor(alu3, 4);
  float alu5 = alu3 + alu4;
  float alu6 = simd_shuffle_xor(alu5, 2);
  float alu7 = alu5 + alu6;
  float alu8 = simd_shuffle_xor(alu7, 1);
  if ((lidx0 & 31) == 0) local0[lidx0 >> 5] = alu7 + alu8;
  threadgroup_barrier(mem_flags::mem_threadgroup);
  float val1 = local0[lidx0 & 7];
  float alu9 = simd_shuffle_xor(val1, 4);
  float alu10 = val1 + alu9;
  float alu11 = simd_shuffle_xor(alu10, 2);
  float alu12 = alu10 + alu11;
  float alu13 = simd_shuffle_xor(alu12, 1);
  if (lidx0 == 0) data0[0] = alu12 + alu13;
}
