// kernel 0: r_64_512, launch ((64, 1, 1), (256, 1, 1))
#include <metal_stdlib>
#pragma METAL fp contract(off)
using namespace metal;

kernel void r_64_512(
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
  for (int r2 = 0; r2 < 2; r2++) {
    acc0 = acc0 + data1[alu0 + r2 * 256 + lidx0];
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
