// kernel 0: e_7_13, launch ((1, 1, 1), (91, 1, 1))
#include <metal_stdlib>
#pragma METAL fp contract(off)
using namespace metal;

kernel void e_7_13(
    device float *data0 [[buffer(0)]],
    device const float *data1 [[buffer(1)]],
    device const float *data2 [[buffer(2)]],
    uint3 local_id [[thread_position_in_threadgroup]]) {
  int lidx0 = local_id.x;
  data0[lidx0] = data1[lidx0] * 2.0f + data2[lidx0];
}
