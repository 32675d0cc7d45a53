// kernel 0: r_64, launch ((1, 1, 1), (1, 1, 1))
#include <metal_stdlib>
using namespace metal;

kernel void r_64(
    device half *data0 [[buffer(0)]],
    device const half *data1 [[buffer(1)]],
    device const half *data2 [[buffer(2)]]) {
  float acc0;
  acc0 = 0.0f;
  for (int r0 = 0; r0 < 64; r0++) {
    float cast0 = (float)((half)((float)((half)((float)data1[r0] * 2.0f)) + (float)data2[r0]));
    acc0 = acc0 + cast0;
  }
  data0[0] = (half)acc0;
}
