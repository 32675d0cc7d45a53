// kernel 0: r_4_2_50_2_50_50, launch ((2, 1, 1), (25, 2, 4))
#include <metal_stdlib>
#pragma METAL fp contract(off)
using namespace metal;

kernel void r_4_2_50_2_50_50(
    device float *data0 [[buffer(0)]],
    device const float *data1 [[buffer(1)]],
    uint3 group_id [[threadgroup_position_in_grid]],
    uint3 local_id [[thread_position_in_threadgroup]]) {
  float acc0;
  float acc1;
  int lidx2 = local_id.z;
  int alu0 = lidx2 * 100;
  int lidx1 = local_id.y;
  int alu1 = alu0 + lidx1 * 50;
  int gidx0 = group_id.x;
  int alu2 = gidx0 * 25;
  int lidx0 = local_id.x;
  acc0 = 0.0f;
  for (int r4 = 0; r4 < 2; r4++) {
    bool alu3 = r4 < lidx1;
    int alu4 = alu0 + r4 * 50;
    for (int r6 = 0; r6 < 25; r6++) {
      float2 val0 = *(device float2 *)&data1[alu4 + r6 * 2];
      acc0 = acc0 + ((alu3 ? val0.x : 0.0f) + (alu3 ? val0.y : 0.0f));
    }
  }
  float val1 = acc0;
  acc1 = 0.0f;
  int alu5 = alu2 + lidx0;
  for (int r8 = 0; r8 < 25; r8++) {
    int alu6 = r8 * 2;
    float2 val2 = *(device float2 *)&data1[alu1 + alu6];
    acc1 = acc1 + ((alu5 < alu6 ? 0.0f : val2.x) + (alu5 < alu6 + 1 ? 0.0f : val2.y));
  }
  data0[alu1 + alu2 + lidx0] = val1 + acc1;
}
