// kernel 0: r_32_256_256_256, launch ((32, 1, 1), (256, 1, 1))
#include <metal_stdlib>
#pragma METAL fp contract(off)
using namespace metal;

kernel void r_32_256_256_256(
    device float *data0 [[buffer(0)]],
    device const float *data1 [[buffer(1)]],
    uint3 group_id [[threadgroup_position_in_grid]],
    uint3 local_id [[thread_position_in_threadgroup]]) {
  alignas(16) threadgroup float local0[8];
  alignas(16) threadgroup float local1[8];
  int gidx0 = group_id.x;
  int lidx0 = local_id.x;
  int idx0 = gidx0 * 256 + lidx0;
  float val0 = data1[idx0];
  int idx1 = lidx0 >> 5;
  float alu0 = simd_shuffle_xor(val0, 16);
  float alu1 = val0 + alu0;
  float alu2 = simd_shuffle_xor(alu1, 8);
  float alu3 = alu1 + alu2;
  float alu4 = simd_shuffle_xor(alu3, 4);
  float alu5 = alu3 + alu4;
  float alu6 = simd_shuffle_xor(alu5, 2);
  float alu7 = alu5 + alu6;
  float alu8 = simd_shuffle_xor(alu7, 1);
  bool alu9 = (lidx0 & 31) == 0;
  if (alu9) local0[idx1] = alu7 + alu8;
  threadgroup_barrier(mem_flags::mem_threadgroup);
  int idx2 = lidx0 & 7;
  float val1 = local0[idx2];
  float alu10 = simd_shuffle_xor(val1, 4);
  float alu11 = val1 + alu10;
  float alu12 = simd_shuffle_xor(alu11, 2);
  float alu13 = alu11 + alu12;
  float alu14 = simd_shuffle_xor(alu13, 1);
  float alu15 = val0 - (alu13 + alu14) / 256.0f;
  float alu16 = alu15 * alu15;
  float alu17 = simd_shuffle_xor(alu16, 16);
  float alu18 = alu16 + alu17;
  float alu19 = simd_shuffle_xor(alu18, 8);
  float alu20 = alu18 + alu19;
  float alu21 = simd_shuffle_xor(alu20, 4);
  float alu22 = alu20 + alu21;
  float alu23 = simd_shuffle_xor(alu22, 2);
  float alu24 = alu22 + alu23;
  float alu25 = simd_shuffle_xor(alu24, 1);
  if (alu9) local1[idx1] = alu24 + alu25;
  threadgroup_barrier(mem_flags::mem_threadgroup);
  float val2 = local1[idx2];
  float alu26 = simd_shuffle_xor(val2, 4);
  float alu27 = val2 + alu26;
  float alu28 = simd_shuffle_xor(alu27, 2);
  float alu29 = alu27 + alu28;
  float alu30 = simd_shuffle_xor(alu29, 1);
  data0[idx0] = alu15 * (1.0f / precise::sqrt((alu29 + alu30) / 256.0f + 1e-05f));
}
