// kernel 0: r_64, launch ((1, 1, 1), (64, 1, 1))
#include <metal_stdlib>
#pragma METAL fp contract(off)
using namespace metal;

kernel void r_64(
    device half *data0 [[buffer(0)]],
    device const half *data1 [[buffer(1)]],
    device const half *data2 [[buffer(2)]],
    uint3 local_id [[thread_position_in_threadgroup]]) {
  alignas(16) threadgroup float local0[2];
  int lidx0 = local_id.x;
  half cast0 = (half)((float)((half)((float)data1[lidx0] * 2.0f)) + (float)data2[lidx0]);
  float cast1 = (float)cast0;
  float alu0 = simd_shuffle_xor(cast1, 16);
  float alu1 = cast1 + alu0;
  float alu2 = simd_shuffle_xor(alu1, 8);
  float alu3 = alu1 + alu2;
  float alu4 = simd_shuffle_xor(alu3, 4);
  float alu5 = alu3 + alu4;
  float alu6 = simd_shuffle_xor(alu5, 2);
  float alu7 = alu5 + alu6;
  float alu8 = simd_shuffle_xor(alu7, 1);
  if ((lidx0 & 31) == 0) local0[lidx0 >> 5] = alu7 + alu8;
  threadgroup_barrier(mem_flags::mem_threadgroup);
  float val0 = local0[lidx0 & 1];
  float alu9 = simd_shuffle_xor(val0, 1);
  if (lidx0 == 0) data0[0] = (half)(val0 + alu9);
}
