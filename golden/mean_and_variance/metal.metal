// kernel 0: r_32_100_100, launch ((1, 1, 1), (32, 1, 1))
#include <metal_stdlib>
using namespace metal;

kernel void r_32_100_100(
    device float *data0 [[buffer(0)]],
    device float *data1 [[buffer(1)]],
    device const float *data2 [[buffer(2)]],
    uint3 local_id [[thread_position_in_threadgroup]]) {
  float acc0;
  float acc1;
  int lidx0 = local_id.x;
  acc0 = 0.0f;
  int alu0 = lidx0 * 100;
  for (int r1 = 0; r1 < 100; r1++) {
    acc0 = acc0 + data2[alu0 + r1];
  }
  float alu1 = acc0 / 100.0f;
  data0[lidx0] = alu1;
  acc1 = 0.0f;
  for (int r2 = 0; r2 < 100; r2++) {
    float alu2 = data2[alu0 + r2] - alu1;
    acc1 = fma(alu2, alu2, acc1);
  }
  data1[lidx0] = acc1 / 99.0f;
}
