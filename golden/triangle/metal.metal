// kernel 0: e_16_16, launch ((1, 1, 1), (4, 16, 1))
#include <metal_stdlib>
#pragma METAL fp contract(off)
using namespace metal;

kernel void e_16_16(
    device float *data0 [[buffer(0)]],
    device const float *data1 [[buffer(1)]],
    uint3 local_id [[thread_position_in_threadgroup]]) {
  int lidx1 = local_id.y;
  int lidx0 = local_id.x;
  int alu0 = lidx0 * 4;
  int idx0 = lidx1 * 16 + alu0;
  float4 val0 = *(device float4 *)&data1[idx0];
  float4 vec0 = float4(lidx1 < alu0 ? 0.0f : val0.x, lidx1 < alu0 + 1 ? 0.0f : val0.y, lidx1 < alu0 + 2 ? 0.0f : val0.z, lidx1 < alu0 + 3 ? 0.0f : val0.w);
  *(device float4 *)&data0[idx0] = vec0;
}
