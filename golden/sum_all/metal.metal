// kernel 0: r_128_2_256, launch ((128, 1, 1), (256, 1, 1))
#include <metal_stdlib>
#pragma METAL fp contract(off)
using namespace metal;

kernel void r_128_2_256(
    device float *data0 [[buffer(0)]],
    device const float *data1 [[buffer(1)]],
    uint3 group_id [[threadgroup_position_in_grid]],
    uint3 local_id [[thread_position_in_threadgroup]]) {
  alignas(16) threadgroup float local1[8];
  float acc0;
  int gidx0 = group_id.x;
  int lidx0 = local_id.x;
  acc0 = 0.0f;
  int alu0 = gidx0 * 512;
  for (int r4 = 0; r4 < 2; r4++) {
    acc0 = acc0 + data1[alu0 + r4 * 256 + lidx0];
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
  if ((lidx0 & 31) == 0) local1[lidx0 >> 5] = alu8 + alu9;
  threadgroup_barrier(mem_flags::mem_threadgroup);
  float val1 = local1[lidx0 & 7];
  float alu10 = simd_shuffle_xor(val1, 4);
  float alu11 = val1 + alu10;
  float alu12 = simd_shuffle_xor(alu11, 2);
  float alu13 = alu11 + alu12;
  float alu14 = simd_shuffle_xor(alu13, 1);
  if (lidx0 == 0) data0[gidx0] = alu13 + alu14;
}

// kernel 1: r_128, launch ((1, 1, 1), (128, 1, 1))
#include <metal_stdlib>
#pragma METAL fp contract(off)
using namespace metal;

kernel void r_128(
    device float *data0 [[buffer(0)]],
    device const float *data1 [[buffer(1)]],
    uint3 local_id [[thread_position_in_threadgroup]]) {
  alignas(16) threadgroup float local0[4];
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
  float val1 = local0[lidx0 & 3];
  float alu9 = simd_shuffle_xor(val1, 2);
  float alu10 = val1 + alu9;
  float alu11 = simd_shuffle_xor(alu10, 1);
  if (lidx0 == 0) data0[0] = alu10 + alu11;
}
