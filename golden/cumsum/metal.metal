// kernel 0: r_4_100_100, launch ((10, 1, 1), (10, 4, 1))
#include <metal_stdlib>
using namespace metal;

kernel void r_4_100_100(
    device float *data0 [[buffer(0)]],
    device const float *data1 [[buffer(1)]],
    uint3 group_id [[threadgroup_position_in_grid]],
    uint3 local_id [[thread_position_in_threadgroup]]) {
  float acc0;
  int lidx1 = local_id.y;
  int alu0 = lidx1 * 100;
  int gidx0 = group_id.x;
  int alu1 = gidx0 * 10;
  int lidx0 = local_id.x;
  acc0 = 0.0f;
  int alu2 = alu1 + lidx0;
  for (int r2 = 0; r2 < 100; r2++) {
    acc0 = acc0 + (alu2 < r2 ? 0.0f : data1[alu0 + r2]);
  }
  data0[alu0 + alu1 + lidx0] = acc0;
}
