// kernel 0: r_8_16_30, launch ((1, 1, 1), (16, 8, 1))
#include <metal_stdlib>
#pragma METAL fp contract(off)
using namespace metal;

kernel void r_8_16_30(
    device float *data0 [[buffer(0)]],
    device const float *data1 [[buffer(1)]],
    uint3 local_id [[thread_position_in_threadgroup]]) {
  float acc0;
  int lidx1 = local_id.y;
  int lidx0 = local_id.x;
  acc0 = -INFINITY;
  int alu0 = lidx1 * 480;
  for (int r2 = 0; r2 < 30; r2++) {
    float val0 = acc0;
    float val1 = data1[alu0 + r2 * 16 + lidx0];
    acc0 = val1 != val1 || val1 > val0 ? val1 : val0;
  }
  data0[lidx1 * 16 + lidx0] = acc0;
}
