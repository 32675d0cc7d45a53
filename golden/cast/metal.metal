// kernel 0: e_100, launch ((1, 1, 1), (25, 1, 1))
#include <metal_stdlib>
#pragma METAL fp contract(off)
using namespace metal;

kernel void e_100(
    device float *data0 [[buffer(0)]],
    device const float *data1 [[buffer(1)]],
    uint3 local_id [[thread_position_in_threadgroup]]) {
  int lidx0 = local_id.x;
  int idx0 = lidx0 * 4;
  float4 val0 = *(device float4 *)&data1[idx0];
  float alu0 = val0.x;
  int cast0 = alu0 >= -2147483648.0f ? alu0 < 2147483648.0f ? (int)alu0 : 2147483647 : alu0 < 0 ? (-2147483647 - 1) : 0;
  float alu1 = val0.y;
  int cast1 = alu1 >= -2147483648.0f ? alu1 < 2147483648.0f ? (int)alu1 : 2147483647 : alu1 < 0 ? (-2147483647 - 1) : 0;
  float alu2 = val0.z;
  int cast2 = alu2 >= -2147483648.0f ? alu2 < 2147483648.0f ? (int)alu2 : 2147483647 : alu2 < 0 ? (-2147483647 - 1) : 0;
  float alu3 = val0.w;
  int cast3 = alu3 >= -2147483648.0f ? alu3 < 2147483648.0f ? (int)alu3 : 2147483647 : alu3 < 0 ? (-2147483647 - 1) : 0;
  float4 vec0 = float4((float)((uchar)cast0), (float)((uchar)cast1), (float)((uchar)cast2), (float)((uchar)cast3));
  *(device float4 *)&data0[idx0] = vec0;
}
