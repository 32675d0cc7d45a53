// kernel 0: r_2_5_5_4, launch ((1, 1, 1), (5, 5, 2))
#include <metal_stdlib>
#pragma METAL fp contract(off)
using namespace metal;

kernel void r_2_5_5_4(
    device float *data0 [[buffer(0)]],
    device const float *data1 [[buffer(1)]],
    device const float *data2 [[buffer(2)]],
    uint3 local_id [[thread_position_in_threadgroup]]) {
  int lidx2 = local_id.z;
  int lidx1 = local_id.y;
  int lidx0 = local_id.x;
  int alu0 = lidx2 * 20;
  float4 val0 = *(device float4 *)&data1[alu0 + lidx1 * 4];
  float4 val1 = *(device float4 *)&data2[alu0 + lidx0 * 4];
  data0[lidx2 * 25 + lidx1 * 5 + lidx0] = (val0.x * val1.x + val0.y * val1.y + val0.z * val1.z + val0.w * val1.w) / 2.0f;
}

// kernel 1: r_2_5_4_5_5_5, launch ((1, 1, 1), (4, 5, 2))
#include <metal_stdlib>
#pragma METAL fp contract(off)
using namespace metal;

kernel void r_2_5_4_5_5_5(
    device float *data0 [[buffer(0)]],
    device const float *data1 [[buffer(1)]],
    device const float *data2 [[buffer(2)]],
    uint3 local_id [[thread_position_in_threadgroup]]) {
  int lidx2 = local_id.z;
  int alu0 = lidx2 * 20;
  int lidx1 = local_id.y;
  int lidx0 = local_id.x;
  int idx0 = lidx2 * 25 + lidx1 * 5;
  float val0 = data1[idx0];
  float val1 = data1[idx0 + 1];
  float alu1 = val1 != val1 || val1 > val0 ? val1 : val0;
  float val2 = data1[idx0 + 2];
  float alu2 = val2 != val2 || val2 > alu1 ? val2 : alu1;
  float val3 = data1[idx0 + 3];
  float alu3 = val3 != val3 || val3 > alu2 ? val3 : alu2;
  float val4 = data1[idx0 + 4];
  float alu4 = val4 != val4 || val4 > alu3 ? val4 : alu3;
  float alu5 = precise::exp(val0 - alu4);
  float alu6 = precise::exp(val1 - alu4);
  float alu7 = precise::exp(val2 - alu4);
  float alu8 = precise::exp(val3 - alu4);
  float alu9 = precise::exp(val4 - alu4);
  float alu10 = 1.0f / (alu5 + alu6 + alu7 + alu8 + alu9);
  int idx1 = alu0 + lidx0;
  float alu11 = alu5 * alu10 * data2[idx1] + alu6 * alu10 * data2[idx1 + 4] + alu7 * alu10 * data2[idx1 + 8];
  data0[alu0 + lidx1 * 4 + lidx0] = alu11 + alu8 * alu10 * data2[idx1 + 12] + alu9 * alu10 * data2[idx1 + 16];
}
