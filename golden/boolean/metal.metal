// kernel 0: e_8_16, launch ((1, 1, 1), (32, 1, 1))
#include <metal_stdlib>
#pragma METAL fp contract(off)
using namespace metal;

kernel void e_8_16(
    device bool *data0 [[buffer(0)]],
    device const float *data1 [[buffer(1)]],
    device const float *data2 [[buffer(2)]],
    uint3 local_id [[thread_position_in_threadgroup]]) {
  int lidx0 = local_id.x;
  int idx0 = lidx0 * 4;
  float4 val0 = *(device float4 *)&data1[idx0];
  float alu0 = val0.x;
  float4 val1 = *(device float4 *)&data2[idx0];
  float alu1 = val1.x;
  float alu2 = val0.y;
  float alu3 = val1.y;
  float alu4 = val0.z;
  float alu5 = val1.z;
  float alu6 = val0.w;
  float alu7 = val1.w;
  bool4 vec0 = bool4(((alu0 < alu1) & (alu0 != 0.0f)) | (1.0f <= alu1), ((alu2 < alu3) & (alu2 != 0.0f)) | (1.0f <= alu3), ((alu4 < alu5) & (alu4 != 0.0f)) | (1.0f <= alu5), ((alu6 < alu7) & (alu6 != 0.0f)) | (1.0f <= alu7));
  *(device bool4 *)&data0[idx0] = vec0;
}
