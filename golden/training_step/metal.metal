// kernel 0: r_7_3_5, launch ((1, 1, 1), (3, 7, 1))
#include <metal_stdlib>
using namespace metal;

kernel void r_7_3_5(
    device float *data0 [[buffer(0)]],
    device const float *data1 [[buffer(1)]],
    device const float *data2 [[buffer(2)]],
    device const float *data3 [[buffer(3)]],
    uint3 local_id [[thread_position_in_threadgroup]]) {
  int lidx1 = local_id.y;
  int lidx0 = local_id.x;
  int idx0 = lidx1 * 5;
  int idx1 = lidx0 * 5;
  float alu0 = data1[idx0] * data2[idx1] + data1[idx0 + 1] * data2[idx1 + 1] + data1[idx0 + 2] * data2[idx1 + 2];
  float alu1 = alu0 + data1[idx0 + 3] * data2[idx1 + 3] + data1[idx0 + 4] * data2[idx1 + 4];
  data0[lidx1 * 3 + lidx0] = precise::tanh(alu1 + data3[lidx0]);
}

// kernel 1: e_7_3, launch ((1, 1, 1), (21, 1, 1))
#include <metal_stdlib>
using namespace metal;

kernel void e_7_3(
    device float *data0 [[buffer(0)]],
    device const float *data1 [[buffer(1)]],
    device const float *data2 [[buffer(2)]],
    uint3 local_id [[thread_position_in_threadgroup]]) {
  int lidx0 = local_id.x;
  data0[lidx0] = data1[lidx0] - data2[lidx0];
}

// kernel 2: e_7_3, launch ((1, 1, 1), (21, 1, 1))
#include <metal_stdlib>
using namespace metal;

kernel void e_7_3(
    device float *data0 [[buffer(0)]],
    device const float *data1 [[buffer(1)]],
    uint3 local_id [[thread_position_in_threadgroup]]) {
  int lidx0 = local_id.x;
  float val0 = data1[lidx0];
  data0[lidx0] = val0 * val0;
}

// kernel 3: r_7_3, launch ((1, 1, 1), (1, 1, 1))
#include <metal_stdlib>
using namespace metal;

kernel void r_7_3(device float *data0 [[buffer(0)]], device const float *data1 [[buffer(1)]]) {
  float acc0;
  acc0 = 0.0f;
  for (int r2 = 0; r2 < 21; r2++) {
    acc0 = acc0 + data1[r2];
  }
  data0[0] = acc0 / 21.0f;
}

// kernel 4: e_7_3, launch ((1, 1, 1), (21, 1, 1))
#include <metal_stdlib>
using namespace metal;

kernel void e_7_3(
    device float *data0 [[buffer(0)]],
    device const float *data1 [[buffer(1)]],
    device const float *data2 [[buffer(2)]],
    uint3 local_id [[thread_position_in_threadgroup]]) {
  int lidx0 = local_id.x;
  float val0 = data2[lidx0];
  data0[lidx0] = data1[lidx0] * 0.04761905f * 2.0f * (1.0f - val0 * val0);
}

// kernel 5: r_3_5_7, launch ((1, 1, 1), (5, 3, 1))
#include <metal_stdlib>
using namespace metal;

kernel void r_3_5_7(
    device float *data0 [[buffer(0)]],
    device const float *data1 [[buffer(1)]],
    device const float *data2 [[buffer(2)]],
    uint3 local_id [[thread_position_in_threadgroup]]) {
  int lidx1 = local_id.y;
  int lidx0 = local_id.x;
  float alu0 = data1[lidx1] * data2[lidx0] + data1[lidx1 + 3] * data2[lidx0 + 5] + data1[lidx1 + 6] * data2[lidx0 + 10];
  float alu1 = alu0 + data1[lidx1 + 9] * data2[lidx0 + 15] + data1[lidx1 + 12] * data2[lidx0 + 20];
  data0[lidx1 * 5 + lidx0] = alu1 + data1[lidx1 + 15] * data2[lidx0 + 25] + data1[lidx1 + 18] * data2[lidx0 + 30];
}

// kernel 6: e_3_5, launch ((1, 1, 1), (15, 1, 1))
#include <metal_stdlib>
using namespace metal;

kernel void e_3_5(
    device float *data0 [[buffer(0)]],
    device const float *data1 [[buffer(1)]],
    device const float *data2 [[buffer(2)]],
    uint3 local_id [[thread_position_in_threadgroup]]) {
  int lidx0 = local_id.x;
  data0[lidx0] = data0[lidx0] - data1[0] * data2[lidx0];
}

// kernel 7: r_3_7, launch ((1, 1, 1), (3, 1, 1))
#include <metal_stdlib>
using namespace metal;

kernel void r_3_7(
    device float *data0 [[buffer(0)]],
    device const float *data1 [[buffer(1)]],
    uint3 local_id [[thread_position_in_threadgroup]]) {
  int lidx0 = local_id.x;
  float alu0 = data1[lidx0] + data1[lidx0 + 3] + data1[lidx0 + 6] + data1[lidx0 + 9] + data1[lidx0 + 12];
  data0[lidx0] = alu0 + data1[lidx0 + 15] + data1[lidx0 + 18];
}

// kernel 8: e_3, launch ((1, 1, 1), (3, 1, 1))
#include <metal_stdlib>
using namespace metal;

kernel void e_3(
    device float *data0 [[buffer(0)]],
    device const float *data1 [[buffer(1)]],
    device const float *data2 [[buffer(2)]],
    uint3 local_id [[thread_position_in_threadgroup]]) {
  int lidx0 = local_id.x;
  data0[lidx0] = data0[lidx0] - data1[0] * data2[lidx0];
}
