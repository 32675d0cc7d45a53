// kernel 0: e_18_6, launch ((2, 1, 1), (6, 9, 1))
#include <metal_stdlib>
#pragma METAL fp contract(off)
using namespace metal;

kernel void e_18_6(
    device float *data0 [[buffer(0)]],
    device const float *data1 [[buffer(1)]],
    uint3 group_id [[threadgroup_position_in_grid]],
    uint3 local_id [[thread_position_in_threadgroup]]) {
  int gidx0 = group_id.x;
  int lidx1 = local_id.y;
  int lidx0 = local_id.x;
  data0[gidx0 * 54 + lidx1 * 6 + lidx0] = data1[lidx0 * 72 - gidx0 * 9 - lidx1 + 21] + 1.0f;
}
