// kernel 0: e_10_10, launch ((1, 1, 1), (10, 10, 1))
#include <metal_stdlib>
#pragma METAL fp contract(off)
using namespace metal;

kernel void e_10_10(
    device float *data0 [[buffer(0)]],
    device const float *data1 [[buffer(1)]],
    uint3 local_id [[thread_position_in_threadgroup]]) {
  int lidx1 = local_id.y;
  int lidx0 = local_id.x;
  int idx0 = lidx1 * 10 + lidx0;
  bool alu0 = (2 <= lidx1) & (lidx1 < 5);
  bool alu1 = lidx0 < 9;
  int alu2 = lidx0 & 1;
  bool alu3 = alu2 < 1;
  float val0 = alu0 & (alu3 & alu1) ? data1[alu2 + (lidx0 >> 1) + lidx1 * 5 - 10] : 0.0f;
  data0[idx0] = alu0 & (alu1 & alu3) ? val0 : data0[idx0];
}
