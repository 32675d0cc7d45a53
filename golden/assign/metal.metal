// kernel 0: e_10_10, launch ((1, 1, 1), (25, 1, 1))
#include <metal_stdlib>
using namespace metal;

kernel void e_10_10(
    device float *data0 [[buffer(0)]],
    uint3 local_id [[thread_position_in_threadgroup]]) {
  int lidx0 = local_id.x;
  int idx0 = lidx0 * 4;
  float4 vec0 = float4(data0[idx0] + 1.0f, data0[idx0 + 1] + 1.0f, data0[idx0 + 2] + 1.0f, data0[idx0 + 3] + 1.0f);
  *(device float4 *)&data0[idx0] = vec0;
}
