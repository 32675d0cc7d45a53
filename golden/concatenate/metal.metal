// kernel 0: e_8_8, launch ((1, 1, 1), (2, 8, 1))
#include <metal_stdlib>
#pragma METAL fp contract(off)
using namespace metal;

kernel void e_8_8(
    device float *data0 [[buffer(0)]],
    device const float *data1 [[buffer(1)]],
    device const float *data2 [[buffer(2)]],
    device const float *data3 [[buffer(3)]],
    uint3 local_id [[thread_position_in_threadgroup]]) {
  int lidx1 = local_id.y;
  int lidx0 = local_id.x;
  int idx0 = lidx1 * 8 + lidx0 * 4;
  bool alu0 = lidx1 < 4;
  float4 val0 = alu0 ? *(device float4 *)&data1[idx0] : float4(0.0f, 0.0f, 0.0f, 0.0f);
  bool alu1 = lidx1 < 7;
  bool alu2 = (4 <= lidx1) & alu1;
  float4 val1 = alu2 ? *(device float4 *)&data2[idx0 - 32] : float4(0.0f, 0.0f, 0.0f, 0.0f);
  float4 val2 = 7 <= lidx1 ? *(device float4 *)&data3[idx0 - 56] : float4(0.0f, 0.0f, 0.0f, 0.0f);
  float4 vec0 = float4(alu0 ? val0.x : (alu1 ? (alu2 ? val1.x : 0.0f) : val2.x), alu0 ? val0.y : (alu1 ? (alu2 ? val1.y : 0.0f) : val2.y), alu0 ? val0.z : (alu1 ? (alu2 ? val1.z : 0.0f) : val2.z), alu0 ? val0.w : (alu1 ? (alu2 ? val1.w : 0.0f) : val2.w));
  *(device float4 *)&data0[idx0] = vec0;
}
