// kernel 0: r_7_3_5, launch ((1, 1, 1), (3, 7, 1))
#include <metal_stdlib>
#pragma METAL fp contract(off)
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

// kernel 1: r_7_3, launch ((1, 1, 1), (1, 1, 1))
#include <metal_stdlib>
#pragma METAL fp contract(off)
using namespace metal;

kernel void r_7_3(
    device float *data0 [[buffer(0)]],
    device const float *data1 [[buffer(1)]],
    device const float *data2 [[buffer(2)]]) {
  float acc0;
  acc0 = 0.0f;
  for (int r2 = 0; r2 < 21; r2++) {
    float alu0 = data1[r2] - data2[r2];
    acc0 = fma(alu0, alu0, acc0);
  }
  data0[0] = acc0 / 21.0f;
}

// kernel 2: r_3_5_7, launch ((1, 1, 1), (5, 3, 1))
#include <metal_stdlib>
#pragma METAL fp contract(off)
using namespace metal;

kernel void r_3_5_7(
    device float *data0 [[buffer(0)]],
    device const float *data1 [[buffer(1)]],
    device const float *data2 [[buffer(2)]],
    device const float *data3 [[buffer(3)]],
    uint3 local_id [[thread_position_in_threadgroup]]) {
  int lidx1 = local_id.y;
  int lidx0 = local_id.x;
  float val0 = data1[lidx1];
  float alu0 = (val0 - data2[lidx1]) * 0.04761905f * 2.0f * (1.0f - val0 * val0) * data3[lidx0];
  int idx0 = lidx1 + 3;
  float val1 = data1[idx0];
  float alu1 = (val1 - data2[idx0]) * 0.04761905f * 2.0f * (1.0f - val1 * val1) * data3[lidx0 + 5];
  int idx1 = lidx1 + 6;
  float val2 = data1[idx1];
  float alu2 = (val2 - data2[idx1]) * 0.04761905f * 2.0f * (1.0f - val2 * val2) * data3[lidx0 + 10];
  int idx2 = lidx1 + 9;
  float val3 = data1[idx2];
  float alu3 = (val3 - data2[idx2]) * 0.04761905f * 2.0f * (1.0f - val3 * val3) * data3[lidx0 + 15];
  int idx3 = lidx1 + 12;
  float val4 = data1[idx3];
  float alu4 = (val4 - data2[idx3]) * 0.04761905f * 2.0f * (1.0f - val4 * val4) * data3[lidx0 + 20];
  int idx4 = lidx1 + 15;
  float val5 = data1[idx4];
  float alu5 = (val5 - data2[idx4]) * 0.04761905f * 2.0f * (1.0f - val5 * val5) * data3[lidx0 + 25];
  int idx5 = lidx1 + 18;
  float val6 = data1[idx5];
  float alu6 = (val6 - data2[idx5]) * 0.04761905f * 2.0f * (1.0f - val6 * val6) * data3[lidx0 + 30];
  data0[lidx1 * 5 + lidx0] = alu0 + alu1 + alu2 + alu3 + alu4 + alu5 + alu6;
}

// kernel 3: e_3_5, launch ((1, 1, 1), (15, 1, 1))
#include <metal_stdlib>
#pragma METAL fp contract(off)
using namespace metal;

kernel void e_3_5(
    device float *data0 [[buffer(0)]],
    device const float *data1 [[buffer(1)]],
    device const float *data2 [[buffer(2)]],
    uint3 local_id [[thread_position_in_threadgroup]]) {
  int lidx0 = local_id.x;
  data0[lidx0] = data0[lidx0] - data1[0] * data2[lidx0];
}

// kernel 4: r_3_7, launch ((1, 1, 1), (3, 1, 1))
#include <metal_stdlib>
#pragma METAL fp contract(off)
using namespace metal;

kernel void r_3_7(
    device float *data0 [[buffer(0)]],
    device float *data1 [[buffer(1)]],
    device const float *data2 [[buffer(2)]],
    device const float *data3 [[buffer(3)]],
    device const float *data4 [[buffer(4)]],
    uint3 local_id [[thread_position_in_threadgroup]]) {
  int lidx0 = local_id.x;
  float val0 = data2[lidx0];
  int idx0 = lidx0 + 3;
  float val1 = data2[idx0];
  float alu0 = (val0 - data3[lidx0]) * 0.04761905f * 2.0f * (1.0f - val0 * val0) + (val1 - data3[idx0]) * 0.04761905f * 2.0f * (1.0f - val1 * val1);
  int idx1 = lidx0 + 6;
  float val2 = data2[idx1];
  int idx2 = lidx0 + 9;
  float val3 = data2[idx2];
  float alu1 = alu0 + (val2 - data3[idx1]) * 0.04761905f * 2.0f * (1.0f - val2 * val2) + (val3 - data3[idx2]) * 0.04761905f * 2.0f * (1.0f - val3 * val3);
  int idx3 = lidx0 + 12;
  float val4 = data2[idx3];
  int idx4 = lidx0 + 15;
  float val5 = data2[idx4];
  float alu2 = alu1 + (val4 - data3[idx3]) * 0.04761905f * 2.0f * (1.0f - val4 * val4) + (val5 - data3[idx4]) * 0.04761905f * 2.0f * (1.0f - val5 * val5);
  int idx5 = lidx0 + 18;
  float val6 = data2[idx5];
  float alu3 = alu2 + (val6 - data3[idx5]) * 0.04761905f * 2.0f * (1.0f - val6 * val6);
  data0[lidx0] = alu3;
  data1[lidx0] = data1[lidx0] - data4[0] * alu3;
}
