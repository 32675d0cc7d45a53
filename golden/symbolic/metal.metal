// kernel 0: r_32_rows, launch ((1, 1, 1), (32, 1, 1))
#include <metal_stdlib>
#pragma METAL fp contract(off)
using namespace metal;

kernel void r_32_rows(
    device float *data0 [[buffer(0)]],
    device const float *data1 [[buffer(1)]],
    constant long &rows_ [[buffer(2)]],
    uint3 local_id [[thread_position_in_threadgroup]]) {
  float acc0;
  int lidx0 = local_id.x;
  acc0 = 0.0f;
  for (int r1 = 0; r1 < rows_; r1++) {
    acc0 = acc0 + data1[r1 * 32 + lidx0];
  }
  data0[lidx0] = acc0;
}
