// kernel 0: r_4_7_16, launch ((1, 1, 1), (7, 4, 1))
#include <metal_stdlib>
using namespace metal;

kernel void r_4_7_16(
    device float *data0 [[buffer(0)]],
    device const float *data1 [[buffer(1)]],
    uint3 local_id [[thread_position_in_threadgroup]]) {
  int lidx1 = local_id.y;
  int lidx0 = local_id.x;
  int idx0 = lidx0 * 16 + lidx1 * 100;
  bool alu0 = lidx0 < 6;
  float alu1 = data1[idx0] + data1[idx0 + 1] + data1[idx0 + 2] + data1[idx0 + 3] + (alu0 ? data1[idx0 + 4] : 0.0f);
  float alu2 = alu1 + (alu0 ? data1[idx0 + 5] : 0.0f) + (alu0 ? data1[idx0 + 6] : 0.0f) + (alu0 ? data1[idx0 + 7] : 0.0f);
  float alu3 = alu2 + (alu0 ? data1[idx0 + 8] : 0.0f) + (alu0 ? data1[idx0 + 9] : 0.0f) + (alu0 ? data1[idx0 + 10] : 0.0f);
  float alu4 = alu3 + (alu0 ? data1[idx0 + 11] : 0.0f) + (alu0 ? data1[idx0 + 12] : 0.0f);
  float alu5 = alu4 + (alu0 ? data1[idx0 + 13] : 0.0f) + (alu0 ? data1[idx0 + 14] : 0.0f);
  data0[lidx1 * 7 + lidx0] = alu5 + (alu0 ? data1[idx0 + 15] : 0.0f);
}

// kernel 1: r_4_7_7, launch ((1, 1, 1), (7, 4, 1))
#include <metal_stdlib>
using namespace metal;

kernel void r_4_7_7(
    device float *data0 [[buffer(0)]],
    device const float *data1 [[buffer(1)]],
    uint3 local_id [[thread_position_in_threadgroup]]) {
  int lidx1 = local_id.y;
  int idx0 = lidx1 * 7;
  int lidx0 = local_id.x;
  float alu0 = (lidx0 < 1 ? 0.0f : data1[idx0]) + (lidx0 < 2 ? 0.0f : data1[idx0 + 1]) + (lidx0 < 3 ? 0.0f : data1[idx0 + 2]);
  float alu1 = alu0 + (lidx0 < 4 ? 0.0f : data1[idx0 + 3]) + (lidx0 < 5 ? 0.0f : data1[idx0 + 4]);
  data0[idx0 + lidx0] = alu1 + (lidx0 < 6 ? 0.0f : data1[idx0 + 5]) + 0.0f;
}

// kernel 2: r_4_7_16_16, launch ((4, 1, 1), (16, 7, 1))
#include <metal_stdlib>
using namespace metal;

kernel void r_4_7_16_16(
    device float *data0 [[buffer(0)]],
    device const float *data1 [[buffer(1)]],
    device const float *data2 [[buffer(2)]],
    uint3 group_id [[threadgroup_position_in_grid]],
    uint3 local_id [[thread_position_in_threadgroup]]) {
  int gidx0 = group_id.x;
  int lidx1 = local_id.y;
  int alu0 = lidx1 * 16;
  int lidx0 = local_id.x;
  int idx0 = alu0 + gidx0 * 100;
  float alu1 = data2[idx0] + (lidx0 < 1 ? 0.0f : data2[idx0 + 1]) + (lidx0 < 2 ? 0.0f : data2[idx0 + 2]);
  bool alu2 = lidx1 < 6;
  float alu3 = alu1 + (lidx0 < 3 ? 0.0f : data2[idx0 + 3]) + (lidx0 < 4 ? 0.0f : (alu2 ? data2[idx0 + 4] : 0.0f));
  float alu4 = alu3 + (lidx0 < 5 ? 0.0f : (alu2 ? data2[idx0 + 5] : 0.0f)) + (lidx0 < 6 ? 0.0f : (alu2 ? data2[idx0 + 6] : 0.0f));
  float alu5 = alu4 + (lidx0 < 7 ? 0.0f : (alu2 ? data2[idx0 + 7] : 0.0f)) + (lidx0 < 8 ? 0.0f : (alu2 ? data2[idx0 + 8] : 0.0f));
  float alu6 = alu5 + (lidx0 < 9 ? 0.0f : (alu2 ? data2[idx0 + 9] : 0.0f)) + (lidx0 < 10 ? 0.0f : (alu2 ? data2[idx0 + 10] : 0.0f));
  float alu7 = alu6 + (lidx0 < 11 ? 0.0f : (alu2 ? data2[idx0 + 11] : 0.0f)) + (lidx0 < 12 ? 0.0f : (alu2 ? data2[idx0 + 12] : 0.0f));
  float alu8 = alu7 + (lidx0 < 13 ? 0.0f : (alu2 ? data2[idx0 + 13] : 0.0f)) + (lidx0 < 14 ? 0.0f : (alu2 ? data2[idx0 + 14] : 0.0f));
  data0[gidx0 * 112 + alu0 + lidx0] = data1[gidx0 * 7 + lidx1] + (alu8 + (lidx0 < 15 ? 0.0f : (alu2 ? data2[idx0 + 15] : 0.0f)));
}

// kernel 3: e_4_100, launch ((2, 1, 1), (16, 4, 1))
#include <metal_stdlib>
using namespace metal;

kernel void e_4_100(
    device float *data0 [[buffer(0)]],
    device const float *data1 [[buffer(1)]],
    uint3 group_id [[threadgroup_position_in_grid]],
    uint3 local_id [[thread_position_in_threadgroup]]) {
  int lidx1 = local_id.y;
  int gidx0 = group_id.x;
  int alu0 = gidx0 * 64;
  int lidx0 = local_id.x;
  int alu1 = lidx0 * 4;
  bool alu2 = gidx0 * 16 + lidx0 < 25;
  float4 val0 = alu2 ? *(device float4 *)&data1[lidx1 * 112 + alu0 + alu1] : float4(0.0f, 0.0f, 0.0f, 0.0f);
  if (alu2) *(device float4 *)&data0[lidx1 * 100 + alu0 + alu1] = float4(val0.x, val0.y, val0.z, val0.w);
}
