// kernel 0: e_64_48, launch ((3, 1, 1), (256, 1, 1))
#include <metal_stdlib>
#pragma METAL fp contract(off)
using namespace metal;

kernel void e_64_48(
    device float *data0 [[buffer(0)]],
    device const float *data1 [[buffer(1)]],
    device const float *data2 [[buffer(2)]],
    uint3 group_id [[threadgroup_position_in_grid]],
    uint3 local_id [[thread_position_in_threadgroup]]) {
  int gidx0 = group_id.x;
  int lidx0 = local_id.x;
  int idx0 = gidx0 * 1024 + lidx0 * 4;
  float4 val0 = *(device float4 *)&data1[idx0];
  float alu0 = val0.x;
  float4 val1 = *(device float4 *)&data2[idx0];
  float alu1 = alu0 * val1.x + 1.0f;
  float alu2 = val0.y;
  float alu3 = alu2 * val1.y + 1.0f;
  float alu4 = val0.z;
  float alu5 = alu4 * val1.z + 1.0f;
  float alu6 = val0.w;
  float alu7 = alu6 * val1.w + 1.0f;
  float4 vec0 = float4((alu1 <= 0.0f ? 0.0f : alu1) - precise::sqrt(alu0), (alu3 <= 0.0f ? 0.0f : alu3) - precise::sqrt(alu2), (alu5 <= 0.0f ? 0.0f : alu5) - precise::sqrt(alu4), (alu7 <= 0.0f ? 0.0f : alu7) - precise::sqrt(alu6));
  *(device float4 *)&data0[idx0] = vec0;
}
