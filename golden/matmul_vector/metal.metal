// kernel 0: r_300_200, launch ((150, 1, 1), (32, 2, 1))
#include <metal_stdlib>
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
  for (int r2 = 0; r2 < 7; r2++) {
    int alu1 = r2 * 32;
    int idx0 = alu1 + lidx0;
    bool alu2 = idx0 < 200;
    acc0 = fma(alu2 ? data1[alu0 + alu1 + lidx0] : 0.0f, alu2 ? data2[idx0] : 0.0f, acc0);
  }
  float val0 = acc0;
  float alu3 = simd_shuffle_xor(val0, 16);
  float alu4 = val0 + alu3;
  float alu5 = simd_shuffle_xor(alu4, 8);
  float alu6 = alu4 + alu5;
  float alu7 = simd_shuffle_xor(alu6, 4);
  float alu8 = alu6 + alu7;
  float alu9 = simd_shuffle_xor(alu8, 2);
  float alu10 = alu8 + alu9;
  float alu11 = simd_shuffle_xor(alu10, 1);
  if (lidx0 == 0) data0[gidx0 * 2 + lidx1] = alu10 + alu11;
}
