// kernel 0: r_4_8_10, launch ((1, 1, 1), (8, 4, 1))
#include <metal_stdlib>
using namespace metal;

kernel void r_4_8_10(
    device float *data0 [[buffer(0)]],
    device const int *data1 [[buffer(1)]],
    device const float *data2 [[buffer(2)]],
    uint3 local_id [[thread_position_in_threadgroup]]) {
  long lidx1 = local_id.y;
  long lidx0 = local_id.x;
  long idx0 = lidx1 * 8 + lidx0;
  long cast0 = (long)data1[idx0];
  long alu0 = cast0 < 0 ? cast0 + 10 : cast0;
  float alu1 = (alu0 == 0 ? data2[lidx0] : 0.0f) + (alu0 == 1 ? data2[lidx0 + 8] : 0.0f);
  float alu2 = alu1 + (alu0 == 2 ? data2[lidx0 + 16] : 0.0f) + (alu0 == 3 ? data2[lidx0 + 24] : 0.0f);
  float alu3 = alu2 + (alu0 == 4 ? data2[lidx0 + 32] : 0.0f) + (alu0 == 5 ? data2[lidx0 + 40] : 0.0f);
  float alu4 = alu3 + (alu0 == 6 ? data2[lidx0 + 48] : 0.0f) + (alu0 == 7 ? data2[lidx0 + 56] : 0.0f);
  data0[idx0] = alu4 + (alu0 == 8 ? data2[lidx0 + 64] : 0.0f) + (alu0 == 9 ? data2[lidx0 + 72] : 0.0f);
}
