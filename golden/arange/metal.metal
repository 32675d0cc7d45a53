// kernel 0: e_100, launch ((1, 1, 1), (25, 1, 1))
#include <metal_stdlib>
#pragma METAL fp contract(off)
using namespace metal;

kernel void e_100(
    device float *data0 [[buffer(0)]],
    uint3 local_id [[thread_position_in_threadgroup]]) {
  int lidx0 = local_id.x;
  int idx0 = lidx0 * 4;
  float4 vec0 = float4((float)((long)idx0) * 0.5f, (float)((long)(idx0 + 1)) * 0.5f, (float)((long)(idx0 + 2)) * 0.5f, (float)((long)(idx0 + 3)) * 0.5f);
  *(device float4 *)&data0[idx0] = vec0;
}
