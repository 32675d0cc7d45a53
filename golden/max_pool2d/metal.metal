// kernel 0: r_2_4_4_4_2_2, launch ((2, 1, 1), (4, 16, 1))
#include <metal_stdlib>
using namespace metal;

kernel void r_2_4_4_4_2_2(
    device float *data0 [[buffer(0)]],
    device const float *data1 [[buffer(1)]],
    uint3 group_id [[threadgroup_position_in_grid]],
    uint3 local_id [[thread_position_in_threadgroup]]) {
  int gidx0 = group_id.x;
  int lidx1 = local_id.y;
  int lidx0 = local_id.x;
  int idx0 = gidx0 * 256 + lidx1 * 16 + lidx0 * 2;
  float val0 = data1[idx0];
  float val1 = data1[idx0 + 1];
  float alu0 = val1 != val1 || val1 > val0 ? val1 : val0;
  float val2 = data1[idx0 + 8];
  float alu1 = val2 != val2 || val2 > alu0 ? val2 : alu0;
  float val3 = data1[idx0 + 9];
  data0[gidx0 * 64 + lidx1 * 4 + lidx0] = val3 != val3 || val3 > alu1 ? val3 : alu1;
}
