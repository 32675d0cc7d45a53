// kernel 0: e_8_12, launch ((1, 1, 1), (12, 8, 1))
#include <metal_stdlib>
using namespace metal;

kernel void e_8_12(
    device float *data0 [[buffer(0)]],
    device const float *data1 [[buffer(1)]],
    uint3 local_id [[thread_position_in_threadgroup]]) {
  int lidx1 = local_id.y;
  int lidx0 = local_id.x;
  float val0 = (1 <= lidx1) & (lidx1 < 7) & (2 <= lidx0) ? data1[lidx0 + lidx1 * 10 - 12] : 0.0f;
  data0[lidx1 * 12 + lidx0] = val0 * 2.0f;
}
