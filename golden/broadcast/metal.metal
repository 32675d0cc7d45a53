// kernel 0: e_32_64, launch ((2, 1, 1), (16, 16, 1))
#include <metal_stdlib>
#pragma METAL fp contract(off)
using namespace metal;

kernel void e_32_64(
    device float *data0 [[buffer(0)]],
    device const float *data1 [[buffer(1)]],
    device const float *data2 [[buffer(2)]],
    device const float *data3 [[buffer(3)]],
    uint3 group_id [[threadgroup_position_in_grid]],
    uint3 local_id [[thread_position_in_threadgroup]]) {
  int gidx0 = group_id.x;
  int lidx1 = local_id.y;
  int lidx0 = local_id.x;
  int idx0 = lidx0 * 4;
  float val0 = data1[gidx0 * 16 + lidx1];
  float4 val1 = *(device float4 *)&data2[idx0];
  float4 val2 = *(device float4 *)&data3[idx0];
  float4 vec0 = float4(val0 + val1.x * val2.x, val0 + val1.y * val2.y, val0 + val1.z * val2.z, val0 + val1.w * val2.w);
  *(device float4 *)&data0[gidx0 * 1024 + lidx1 * 64 + idx0] = vec0;
}
