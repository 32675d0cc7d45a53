// kernel 0: e_256, launch ((1, 1, 1), (64, 1, 1))
#include <metal_stdlib>
using namespace metal;

kernel void e_256(
    device float *data0 [[buffer(0)]],
    device const float *data1 [[buffer(1)]],
    uint3 local_id [[thread_position_in_threadgroup]]) {
  int lidx0 = local_id.x;
  int idx0 = lidx0 * 4;
  float4 val0 = *(device float4 *)&data1[idx0];
  float alu0 = val0.x;
  float alu1 = precise::exp(alu0) + precise::log(alu0) + precise::sin(alu0) + precise::tanh(alu0);
  float alu2 = val0.y;
  float alu3 = precise::exp(alu2) + precise::log(alu2) + precise::sin(alu2) + precise::tanh(alu2);
  float alu4 = val0.z;
  float alu5 = precise::exp(alu4) + precise::log(alu4) + precise::sin(alu4) + precise::tanh(alu4);
  float alu6 = val0.w;
  float alu7 = precise::exp(alu6) + precise::log(alu6) + precise::sin(alu6) + precise::tanh(alu6);
  *(device float4 *)&data0[idx0] = float4(alu1, alu3, alu5, alu7);
}
