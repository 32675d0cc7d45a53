// kernel 0: e_10_10, launch ((1, 1, 1), (25, 1, 1))
#include <metal_stdlib>
#pragma METAL fp contract(off)
using namespace metal;

kernel void e_10_10(
    device float *data0 [[buffer(0)]],
    uint3 local_id [[thread_position_in_threadgroup]]) {
  int lidx0 = local_id.x;
  int idx0 = lidx0 * 4;
  float4 val0 = *(device float4 *)&data0[idx0];
  *(device float4 *)&data0[idx0] = float4(val0.x + 1.0f, val0.y + 1.0f, val0.z + 1.0f, val0.w + 1.0f);
}
