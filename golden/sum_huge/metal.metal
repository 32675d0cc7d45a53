// kernel 0: r_256_4096, launch ((256, 1, 1), (256, 1, 1))
#include <metal_stdlib>
using namespace metal;

kernel void r_256_4096(
    device float *data0 [[buffer(0)]],
    device const float *data1 [[buffer(1)]],
    uint3 group_id [[threadgroup_position_in_grid]],
    uint3 local_id [[thread_position_in_threadgroup]]) {
  float acc4;
  alignas(16) threadgroup float local3[16];
  float acc2;
  alignas(16) threadgroup float local1[256];
  float acc0;
  int gidx0 = group_id.x;
  int lidx0 = local_id.x;
  acc4 = 0.0f;
  acc2 = 0.0f;
  acc0 = 0.0f;
  int alu0 = gidx0 * 4096;
  for (int r2 = 0; r2 < 16; r2++) {
    acc0 = acc0 + data1[alu0 + r2 * 256 + lidx0];
  }
  local1[lidx0] = acc0;
  threadgroup_barrier(mem_flags::mem_threadgroup);
  int alu1 = lidx0 & 15;
  for (int r5 = 0; r5 < 16; r5++) {
    acc2 = acc2 + local1[r5 * 16 + alu1];
  }
  if (lidx0 < 16) local3[lidx0] = acc2;
  threadgroup_barrier(mem_flags::mem_threadgroup);
  for (int r6 = 0; r6 < 16; r6++) {
    acc4 = acc4 + local3[r6];
  }
  if (lidx0 == 0) data0[gidx0] = acc4;
}

// kernel 1: r_256, launch ((1, 1, 1), (1, 1, 1))
#include <metal_stdlib>
using namespace metal;

kernel void r_256(device float *data0 [[buffer(0)]], device const float *data1 [[buffer(1)]]) {
  float acc0;
  acc0 = 0.0f;
  for (int r0 = 0; r0 < 256; r0++) {
    acc0 = acc0 + data1[r0];
  }
  data0[0] = acc0;
}
