// kernel 0: e_8_12, launch ((1, 1, 1), (3, 8, 1))
#include <metal_stdlib>
#pragma METAL fp contract(off)
using namespace metal;

kernel void e_8_12(
    device float *data0 [[buffer(0)]],
    device const float *data1 [[buffer(1)]],
    uint3 local_id [[thread_position_in_threadgroup]]) {
  int lidx1 = local_id.y;
  int lidx0 = local_id.x;
  int alu0 = lidx0 * 4;
  int alu1 = alu0 + lidx1 * 10;
  bool alu2 = (1 <= lidx1) & (lidx1 < 7);
  bool alu3 = alu2 & (1 <= lidx0);
  float4 vec0 = float4((alu3 ? data1[alu1 - 12] : 0.0f) * 2.0f, (alu3 ? data1[alu1 - 11] : 0.0f) * 2.0f, (alu2 ? data1[alu1 - 10] : 0.0f) * 2.0f, (alu2 ? data1[alu1 - 9] : 0.0f) * 2.0f);
  *(device float4 *)&data0[lidx1 * 12 + alu0] = vec0;
}
