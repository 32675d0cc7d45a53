// kernel 0: r_128_2_256, launch ((128, 1, 1), (256, 1, 1))
#include <metal_stdlib>
using namespace metal;

kernel void r_128_2_256(
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
  int alu0 = gidx0 * 512;
  for (int r4 = 0; r4 < 2; r4++) {
    acc0 = acc0 + data1[alu0 + r4 * 256 + lidx0];
  }
  local1[lidx0] = acc0;
  threadgroup_barrier(mem_flags::mem_threadgroup);
  int alu1 = lidx0 & 15;
  for (int r7 = 0; r7 < 16; r7++) {
    acc2 = acc2 + local1[r7 * 16 + alu1];
  }
  if (lidx0 < 16) local3[lidx0] = acc2;
  threadgroup_barrier(mem_flags::mem_threadgroup);
  for (int r8 = 0; r8 < 16; r8++) {
    acc4 = acc4 + local3[r8];
  }
  if (lidx0 == 0) data0[gidx0] = acc4;
}

// kernel 1: r_128, launch ((1, 1, 1), (1, 1, 1))
#include <metal_stdlib>
using namespace metal;

kernel void r_128(device float *data0 [[buffer(0)]], device const float *data1 [[buffer(1)]]) {
  float acc0;
  acc0 = 0.0f;
  for (int r0 = 0; r0 < 128; r0++) {
    acc0 = acc0 + data1[r0];
  }
  data0[0] = acc0;
}
