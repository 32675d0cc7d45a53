// kernel 0: e_256, launch ((1, 1, 1), (64, 1, 1))
#include <metal_stdlib>
#pragma METAL fp contract(off)
using namespace metal;

kernel void e_256(
    device float *data0 [[buffer(0)]],
    device const float *data1 [[buffer(1)]],
    uint3 local_id [[thread_position_in_threadgroup]]) {
  int lidx0 = local_id.x;
  int idx0 = lidx0 * 4;
  float4 val0 = *(device float4 *)&data1[idx0];
  float alu0 = val0.x;
  float alu1 = val0.y;
  float alu2 = val0.z;
  float alu3 = val0.w;
  float4 vec0 = float4(precise::sin(alu0) + precise::cos(alu0), precise::sin(alu1) + precise::cos(alu1), precise::sin(alu2) + precise::cos(alu2), precise::sin(alu3) + precise::cos(alu3));
  *(device float4 *)&data0[idx0] = vec0;
}
