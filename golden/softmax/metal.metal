// kernel 0: r_32_128_128_128, launch ((32, 1, 1), (32, 1, 1))
#include <metal_stdlib>
#pragma METAL fp contract(off)
using namespace metal;

kernel void r_32_128_128_128(
    device float *data0 [[buffer(0)]],
    device const float *data1 [[buffer(1)]],
    uint3 group_id [[threadgroup_position_in_grid]],
    uint3 local_id [[thread_position_in_threadgroup]]) {
  int gidx0 = group_id.x;
  int lidx0 = local_id.x;
  int idx0 = gidx0 * 128 + lidx0 * 4;
  float4 val0 = *(device float4 *)&data1[idx0];
  float alu0 = val0.x;
  bool alu1 = (lidx0 & 1) == 0;
  bool alu2 = ((lidx0 >> 1) & 1) == 0;
  bool alu3 = ((lidx0 >> 2) & 1) == 0;
  bool alu4 = ((lidx0 >> 3) & 1) == 0;
  bool alu5 = lidx0 < 16;
  float alu6 = val0.y;
  float alu7 = alu6 != alu6 || alu6 > alu0 ? alu6 : alu0;
  float alu8 = val0.z;
  float alu9 = alu8 != alu8 || alu8 > alu7 ? alu8 : alu7;
  float alu10 = val0.w;
  float alu11 = alu10 != alu10 || alu10 > alu9 ? alu10 : alu9;
  float alu12 = simd_shuffle_xor(alu11, 16);
  float alu13 = alu5 ? alu11 : alu12;
  float alu14 = alu5 ? alu12 : alu11;
  float alu15 = alu14 != alu14 || alu14 > alu13 ? alu14 : alu13;
  float alu16 = simd_shuffle_xor(alu15, 8);
  float alu17 = alu4 ? alu15 : alu16;
  float alu18 = alu4 ? alu16 : alu15;
  float alu19 = alu18 != alu18 || alu18 > alu17 ? alu18 : alu17;
  float alu20 = simd_shuffle_xor(alu19, 4);
  float alu21 = alu3 ? alu19 : alu20;
  float alu22 = alu3 ? alu20 : alu19;
  float alu23 = alu22 != alu22 || alu22 > alu21 ? alu22 : alu21;
  float alu24 = simd_shuffle_xor(alu23, 2);
  float alu25 = alu2 ? alu23 : alu24;
  float alu26 = alu2 ? alu24 : alu23;
  float alu27 = alu26 != alu26 || alu26 > alu25 ? alu26 : alu25;
  float alu28 = simd_shuffle_xor(alu27, 1);
  float alu29 = alu1 ? alu27 : alu28;
  float alu30 = alu1 ? alu28 : alu27;
  float alu31 = alu30 != alu30 || alu30 > alu29 ? alu30 : alu29;
  float alu32 = precise::exp(alu0 - alu31);
  float alu33 = precise::exp(alu6 - alu31);
  float alu34 = precise::exp(alu8 - alu31);
  float alu35 = precise::exp(alu10 - alu31);
  float alu36 = alu32 + alu33 + alu34 + alu35;
  float alu37 = simd_shuffle_xor(alu36, 16);
  float alu38 = alu36 + alu37;
  float alu39 = simd_shuffle_xor(alu38, 8);
  float alu40 = alu38 + alu39;
  float alu41 = simd_shuffle_xor(alu40, 4);
  float alu42 = alu40 + alu41;
  float alu43 = simd_shuffle_xor(alu42, 2);
  float alu44 = alu42 + alu43;
  float alu45 = simd_shuffle_xor(alu44, 1);
  float alu46 = 1.0f / (alu44 + alu45);
  *(device float4 *)&data0[idx0] = float4(alu32 * alu46, alu33 * alu46, alu34 * alu46, alu35 * alu46);
}
