// kernel 0: r_5_6_16_50, launch ((2, 1, 1), (16, 15, 1))
#include <metal_stdlib>
using namespace metal;

kernel void r_5_6_16_50(
    device float *data0 [[buffer(0)]],
    device const int *data1 [[buffer(1)]],
    device const float *data2 [[buffer(2)]],
    uint3 group_id [[threadgroup_position_in_grid]],
    uint3 local_id [[thread_position_in_threadgroup]]) {
  float acc0;
  long gidx0 = group_id.x;
  long lidx1 = local_id.y;
  long lidx0 = local_id.x;
  acc0 = 0.0f;
  long cast0 = (long)data1[gidx0 * 15 + lidx1];
  long alu0 = cast0 < 0 ? cast0 + 50 : cast0;
  for (long r3 = 0; r3 < 50; r3++) {
    acc0 = acc0 + (alu0 == r3 ? data2[r3 * 16 + lidx0] : 0.0f);
  }
  data0[gidx0 * 240 + lidx1 * 16 + lidx0] = acc0;
}
