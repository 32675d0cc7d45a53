// kernel 0: r_32_100, launch ((1, 1, 1), (32, 1, 1))
#include <metal_stdlib>
using namespace metal;

kernel void r_32_100(
    device float *data0 [[buffer(0)]],
    device const float *data1 [[buffer(1)]],
    uint3 local_id [[thread_position_in_threadgroup]]) {
  float acc0;
  int lidx0 = local_id.x;
  acc0 = 0.0f;
  int alu0 = lidx0 * 100;
  for (int r1 = 0; r1 < 100; r1++) {
    acc0 = acc0 + data1[alu0 + r1];
  }
  data0[lidx0] = acc0;
}

// kernel 1: e_32, launch ((1, 1, 1), (8, 1, 1))
#include <metal_stdlib>
using namespace metal;

kernel void e_32(
    device float *data0 [[buffer(0)]],
    device const float *data1 [[buffer(1)]],
    uint3 local_id [[thread_position_in_threadgroup]]) {
  int lidx0 = local_id.x;
  int idx0 = lidx0 * 4;
  float4 val0 = *(device float4 *)&data1[idx0];
  *(device float4 *)&data0[idx0] = float4(val0.x / 100.0f, val0.y / 100.0f, val0.z / 100.0f, val0.w / 100.0f);
}

// kernel 2: r_32_100, launch ((1, 1, 1), (32, 1, 1))
#include <metal_stdlib>
using namespace metal;

kernel void r_32_100(
    device float *data0 [[buffer(0)]],
    device const float *data1 [[buffer(1)]],
    device const float *data2 [[buffer(2)]],
    uint3 local_id [[thread_position_in_threadgroup]]) {
  float acc0;
  int lidx0 = local_id.x;
  acc0 = 0.0f;
  int alu0 = lidx0 * 100;
  float alu1 = data2[lidx0] / 100.0f;
  for (int r1 = 0; r1 < 100; r1++) {
    float alu2 = data1[alu0 + r1] - alu1;
    acc0 = fma(alu2, alu2, acc0);
  }
  data0[lidx0] = acc0 / 99.0f;
}
