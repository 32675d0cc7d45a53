// kernel 0: r_300_200, launch ((2, 1, 1), (150, 1, 1))
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
  int lidx0 = local_id.x;
  acc0 = 0.0f;
  int alu0 = gidx0 * 30000 + lidx0 * 200;
  for (int r1 = 0; r1 < 200; r1++) {
    acc0 = fma(data1[alu0 + r1], data2[r1], acc0);
  }
  data0[gidx0 * 150 + lidx0] = acc0;
}
