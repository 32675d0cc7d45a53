// kernel 0: e_5_6_16, launch ((1, 1, 1), (4, 6, 5))
#include <metal_stdlib>
#pragma METAL fp contract(off)
using namespace metal;

kernel void e_5_6_16(
    device float *data0 [[buffer(0)]],
    device const int *data1 [[buffer(1)]],
    device const float *data2 [[buffer(2)]],
    uint3 local_id [[thread_position_in_threadgroup]]) {
  long lidx2 = local_id.z;
  long lidx1 = local_id.y;
  long lidx0 = local_id.x;
  long alu0 = lidx0 * 4;
  int val0 = data1[lidx2 * 6 + lidx1];
  long cast0 = (long)(val0 < 0 ? (int)((uint)val0 + (uint)50) : val0);
  bool alu1 = (0 <= cast0) & (cast0 < 50);
  float4 val1 = alu1 ? *(device float4 *)&data2[cast0 * 16 + alu0] : float4(0.0f, 0.0f, 0.0f, 0.0f);
  *(device float4 *)&data0[lidx2 * 96 + lidx1 * 16 + alu0] = float4(alu1 ? val1.x : 0.0f, alu1 ? val1.y : 0.0f, alu1 ? val1.z : 0.0f, alu1 ? val1.w : 0.0f);
}
