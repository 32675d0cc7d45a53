// kernel 0: r_32_100_100, launch ((32, 1, 1), (32, 1, 1))
#include <metal_stdlib>
#pragma METAL fp contract(off)
using namespace metal;

kernel void r_32_100_100(
    device float *data0 [[buffer(0)]],
    device float *data1 [[buffer(1)]],
    device const float *data2 [[buffer(2)]],
    uint3 group_id [[threadgroup_position_in_grid]],
    uint3 local_id [[thread_position_in_threadgroup]]) {
  float acc0;
  float acc1;
  int gidx0 = group_id.x;
  int lidx0 = local_id.x;
  acc0 = 0.0f;
  int alu0 = gidx0 * 100;
  for (int r3 = 0; r3 < 4; r3++) {
    int alu1 = r3 * 32;
    acc0 = acc0 + (alu1 + lidx0 < 100 ? data2[alu0 + alu1 + lidx0] : 0.0f);
  }
  float val0 = acc0;
  float alu2 = simd_shuffle_xor(val0, 16);
  float alu3 = val0 + alu2;
  float alu4 = simd_shuffle_xor(alu3, 8);
  float alu5 = alu3 + alu4;
  float alu6 = simd_shuffle_xor(alu5, 4);
  float alu7 = alu5 + alu6;
  float alu8 = simd_shuffle_xor(alu7, 2);
  float alu9 = alu7 + alu8;
  float alu10 = simd_shuffle_xor(alu9, 1);
  float alu11 = (alu9 + alu10) / 100.0f;
  bool alu12 = lidx0 == 0;
  if (alu12) data0[gidx0] = alu11;
  acc1 = 0.0f;
  for (int r5 = 0; r5 < 4; r5++) {
    int alu13 = r5 * 32;
    bool alu14 = alu13 + lidx0 < 100;
    float alu15 = (alu14 ? data2[alu0 + alu13 + lidx0] : 0.0f) - alu11;
    acc1 = acc1 + (alu14 ? alu15 * alu15 : 0.0f);
  }
  float val1 = acc1;
  float alu16 = simd_shuffle_xor(val1, 16);
  float alu17 = val1 + alu16;
  float alu18 = simd_shuffle_xor(alu17, 8);
  float alu19 = alu17 + alu18;
  float alu20 = simd_shuffle_xor(alu19, 4);
  float alu21 = alu19 + alu20;
  float alu22 = simd_shuffle_xor(alu21, 2);
  float alu23 = alu21 + alu22;
  float alu24 = simd_shuffle_xor(alu23, 1);
  if (alu12) data1[gidx0] = (alu23 + alu24) / 99.0f;
}
