// kernel 0: r_2_4_4_4_2_2, launch ((2, 1, 1), (4, 16, 1))
#include <metal_stdlib>
#pragma METAL fp contract(off)
using namespace metal;

kernel void r_2_4_4_4_2_2(
    device float *data0 [[buffer(0)]],
    device const float *data1 [[buffer(1)]],
    uint3 group_id [[threadgroup_position_in_grid]],
    uint3 local_id [[thread_position_in_threadgroup]]) {
  int gidx0 = group_id.x;
  int lidx1 = local_id.y;
  int lidx0 = local_id.x;
  int idx0 = gidx0 * 256 + lidx1 * 16 + lidx0 * 2;
  float2 val0 = *(device float2 *)&data1[idx0];
  float alu0 = val0.x;
  float alu1 = val0.y;
  float alu2 = alu1 != alu1 || alu1 > alu0 ? alu1 : alu0;
  float2 val1 = *(device float2 *)&data1[idx0 + 8];
  float alu3 = val1.x;
  float alu4 = alu3 != alu3 || alu3 > alu2 ? alu3 : alu2;
  float alu5 = val1.y;
  data0[gidx0 * 64 + lidx1 * 4 + lidx0] = alu5 != alu5 || alu5 > alu4 ? alu5 : alu4;
}
