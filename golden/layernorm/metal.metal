// kernel 0: r_32_256_256_256, launch ((32, 1, 1), (256, 1, 1))
#include <metal_stdlib>
using namespace metal;

kernel void r_32_256_256_256(
    device float *data0 [[buffer(0)]],
    device const float *data1 [[buffer(1)]],
    uint3 group_id [[threadgroup_position_in_grid]],
    uint3 local_id [[thread_position_in_threadgroup]]) {
  float acc1;
  threadgroup float local0[256];
  float acc3;
  threadgroup float local2[256];
  int gidx0 = group_id.x;
  int lidx0 = local_id.x;
  int idx0 = gidx0 * 256 + lidx0;
  float val0 = data1[idx0];
  acc1 = 0.0f;
  local0[lidx0] = val0;
  threadgroup_barrier(mem_flags::mem_threadgroup);
  for (int r10 = 0; r10 < 256; r10++) {
    acc1 = acc1 + local0[r10];
  }
  float alu0 = val0 - acc1 / 256.0f;
  acc3 = 0.0f;
  local2[lidx0] = alu0 * alu0;
  threadgroup_barrier(mem_flags::mem_threadgroup);
  for (int r11 = 0; r11 < 256; r11++) {
    acc3 = acc3 + local2[r11];
  }
  data0[idx0] = alu0 * (1.0f / precise::sqrt(acc3 / 256.0f + 1e-05f));
}
