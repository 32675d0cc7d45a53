// kernel 0: r_32_256_256_256, launch ((32, 1, 1), (256, 1, 1))
#include <metal_stdlib>
using namespace metal;

kernel void r_32_256_256_256(
    device float *data0 [[buffer(0)]],
    device const float *data1 [[buffer(1)]],
    uint3 group_id [[threadgroup_position_in_grid]],
    uint3 local_id [[thread_position_in_threadgroup]]) {
  float acc3;
  alignas(16) threadgroup float local2[16];
  float acc1;
  alignas(16) threadgroup float local0[256];
  float acc7;
  alignas(16) threadgroup float local6[16];
  float acc5;
  alignas(16) threadgroup float local4[256];
  int gidx0 = group_id.x;
  int lidx0 = local_id.x;
  int idx0 = gidx0 * 256 + lidx0;
  float val0 = data1[idx0];
  acc3 = 0.0f;
  acc1 = 0.0f;
  local0[lidx0] = val0;
  threadgroup_barrier(mem_flags::mem_threadgroup);
  int alu0 = lidx0 & 15;
  for (int r11 = 0; r11 < 16; r11++) {
    acc1 = acc1 + local0[r11 * 16 + alu0];
  }
  bool alu1 = lidx0 < 16;
  if (alu1) local2[lidx0] = acc1;
  threadgroup_barrier(mem_flags::mem_threadgroup);
  for (int r12 = 0; r12 < 16; r12++) {
    acc3 = acc3 + local2[r12];
  }
  float alu2 = val0 - acc3 / 256.0f;
  acc7 = 0.0f;
  acc5 = 0.0f;
  local4[lidx0] = alu2 * alu2;
  threadgroup_barrier(mem_flags::mem_threadgroup);
  for (int r14 = 0; r14 < 16; r14++) {
    acc5 = acc5 + local4[r14 * 16 + alu0];
  }
  if (alu1) local6[lidx0] = acc5;
  threadgroup_barrier(mem_flags::mem_threadgroup);
  for (int r15 = 0; r15 < 16; r15++) {
    acc7 = acc7 + local6[r15];
  }
  data0[idx0] = alu2 * (1.0f / precise::sqrt(acc7 / 256.0f + 1e-05f));
}
