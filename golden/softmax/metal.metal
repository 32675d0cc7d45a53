// kernel 0: r_32_128_128_128, launch ((8, 2, 1), (16, 16, 1))
#include <metal_stdlib>
using namespace metal;

kernel void r_32_128_128_128(
    device float *data0 [[buffer(0)]],
    device const float *data1 [[buffer(1)]],
    uint3 group_id [[threadgroup_position_in_grid]],
    uint3 local_id [[thread_position_in_threadgroup]]) {
  float acc0;
  float acc1;
  int gidx1 = group_id.y;
  int lidx1 = local_id.y;
  int alu0 = gidx1 * 2048 + lidx1 * 128;
  int gidx0 = group_id.x;
  int lidx0 = local_id.x;
  int idx0 = alu0 + gidx0 * 16 + lidx0;
  float val0 = data1[idx0];
  acc0 = -INFINITY;
  for (int r3 = 0; r3 < 128; r3++) {
    float val1 = acc0;
    float val2 = data1[alu0 + r3];
    acc0 = val2 != val2 || val2 > val1 ? val2 : val1;
  }
  float val3 = acc0;
  acc1 = 0.0f;
  for (int r2 = 0; r2 < 128; r2++) {
    acc1 = acc1 + precise::exp(data1[alu0 + r2] - val3);
  }
  data0[idx0] = precise::exp(val0 - val3) * (1.0f / acc1);
}
