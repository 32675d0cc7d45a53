// kernel 0: e_12_10, launch ((1, 1, 1), (10, 12, 1))
#include <metal_stdlib>
#pragma METAL fp contract(off)
using namespace metal;

kernel void e_12_10(
    device float *data0 [[buffer(0)]],
    device const float *data1 [[buffer(1)]],
    uint3 local_id [[thread_position_in_threadgroup]]) {
  int lidx1 = local_id.y;
  int lidx0 = local_id.x;
  int idx0 = lidx1 * 10 + lidx0;
  data0[idx0] = data1[lidx0 * 12 + lidx1] + data1[idx0];
}

// kernel 1: e_6_10, launch ((1, 1, 1), (15, 1, 1))
#include <metal_stdlib>
#pragma METAL fp contract(off)
using namespace metal;

kernel void e_6_10(
    device float *data0 [[buffer(0)]],
    device const float *data1 [[buffer(1)]],
    uint3 local_id [[thread_position_in_threadgroup]]) {
  int lidx0 = local_id.x;
  int idx0 = lidx0 * 4;
  *(device float4 *)&data0[idx0] = float4(data1[idx0 + 30], data1[idx0 + 31], data1[idx0 + 32], data1[idx0 + 33]);
}
