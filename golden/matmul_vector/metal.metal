// kernel 0: r_300_200, launch ((150, 1, 1), (32, 2, 1))
#include <metal_stdlib>
#pragma METAL fp contract(off)
using namespace metal;

kernel void r_300_200(
    device float *data0 [[buffer(0)]],
    device const float *data1 [[buffer(1)]],
    device const float *data2 [[buffer(2)]],
    uint3 group_id [[threadgroup_position_in_grid]],
    uint3 local_id [[thread_position_in_threadgroup]]) {
  float acc0;
  int gidx0 = group_id.x;
  int lidx1 = local_id.y;
  int lidx0 = local_id.x;
  acc0 = 0.0f;
  int alu0 = gidx0 * 400 + lidx1 * 200;
  int alu1 = lidx0 * 4;
  for (int r4 = 0; r4 < 2; r4++) {
    int alu2 = r4 * 128;
    bool alu3 = r4 * 32 + lidx0 < 50;
    float4 val0 = alu3 ? *(device float4 *)&data1[alu0 + alu2 + alu1] : float4(0.0f, 0.0f, 0.0f, 0.0f);
    float4 val1 = alu3 ? *(device float4 *)&data2[alu2 + alu1] : float4(0.0f, 0.0f, 0.0f, 0.0f);
    acc0 = acc0 + (val0.x * val1.x + val0.y * val1.y + val0.z * val1.z + val0.w * val1.w);
  }
  float val2 = acc0;
  float alu4 = simd_shuffle_xor(val2, 16);
  float alu5 = val2 + alu4;
  float alu6 = simd_shuffle_xor(alu5, 8);
  float alu7 = alu5 + alu6;
  float alu8 = simd_shuffle_xor(alu7, 4);
  float alu9 = alu7 + alu8;
  float alu10 = simd_shuffle_xor(alu9, 2);
  float alu11 = alu9 + alu10;
  float alu12 = simd_shuffle_xor(alu11, 1);
  if (lidx0 == 0) data0[gidx0 * 2 + lidx1] = alu11 + alu12;
}
