// kernel 0: e_4, launch ((1, 1, 1), (1, 1, 1))
#include <metal_stdlib>
#pragma METAL fp contract(off)
using namespace metal;

kernel void e_4(device float *data0 [[buffer(0)]], device const float *data1 [[buffer(1)]]) {
  float4 val0 = *(device float4 *)&data1[0];
  *(device float4 *)&data0[0] = float4(val0.x + 0.0f, val0.y + 0.0f, val0.z + 0.0f, val0.w + 0.0f);
}
