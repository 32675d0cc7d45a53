// kernel 0: r_64_512, launch ((8, 1, 1), (8, 16, 1))
#include <metal_stdlib>
#pragma METAL fp contract(off)
using namespace metal;

kernel void r_64_512(
    device float *data0 [[buffer(0)]],
    device const float *data1 [[buffer(1)]],
    uint3 group_id [[threadgroup_position_in_grid]],
    uint3 local_id [[thread_position_in_threadgroup]]) {
  float acc2;
  alignas(16) threadgroup float local1[128];
  float acc0;
  int gidx0 = group_id.x;
  int alu0 = gidx0 * 8;
  int lidx0 = local_id.x;
  int lidx1 = local_id.y;
  acc2 = 0.0f;
  acc0 = 0.0f;
  int alu1 = lidx1 * 64;
  for (int r2 = 0; r2 < 32; r2++) {
    acc0 = acc0 + data1[r2 * 1024 + alu1 + alu0 + lidx0];
  }
  local1[lidx1 * 8 + lidx0] = acc0;
  threadgroup_barrier(mem_flags::mem_threadgroup);
  for (int r6 = 0; r6 < 16; r6++) {
    acc2 = acc2 + local1[r6 * 8 + lidx0];
  }
  if (lidx1 == 0) data0[alu0 + lidx0] = acc2;
}
