// kernel 0: r_32_64_48, launch ((2, 1, 1), (32, 2, 2))
#include <metal_stdlib>
#pragma METAL fp contract(off)
using namespace metal;
static inline void mma_f16(thread float *c, const thread half *a, const thread half *b) {
  simdgroup_matrix<half, 8, 8> x, y;
  simdgroup_matrix<float, 8, 8> z;
  for (int i = 0; i < 2; i++) {
    x.thread_elements()[i] = a[i];
    y.thread_elements()[i] = b[i];
    z.thread_elements()[i] = c[i];
  }
  simdgroup_multiply_accumulate(z, x, y, z);
  for (int i = 0; i < 2; i++) c[i] = z.thread_elements()[i];
}

kernel void r_32_64_48(
    device float *data0 [[buffer(0)]],
    device const half *data1 [[buffer(1)]],
    device const half *data2 [[buffer(2)]],
    device const float *data3 [[buffer(3)]],
    uint3 group_id [[threadgroup_position_in_grid]],
    uint3 local_id [[thread_position_in_threadgroup]]) {
  alignas(16) float acc4[8];
  alignas(16) half acc2[4];
  alignas(16) threadgroup half local0[1280];
  alignas(16) threadgroup half local1[1280];
  alignas(16) half acc3[4];
  int lidx2 = local_id.z;
  int alu0 = lidx2 * 1024;
  int lidx0 = local_id.x;
  int alu1 = (lidx0 >> 1) & 3;
  int alu2 = lidx0 >> 4;
  int gidx0 = group_id.x;
  int alu3 = gidx0 * 32;
  int lidx1 = local_id.y;
  int alu4 = lidx1 * 16;
  int alu5 = (lidx0 & 1) * 2;
  int alu6 = ((lidx0 >> 3) & 1) * 4;
  int idx0 = alu0 + alu1 * 64 + alu2 * 256 + alu3 + alu4 + alu5 + alu6;
  acc4[0] = 0.0f;
  acc4[4] = 0.0f;
  acc4[2] = 0.0f;
  acc4[6] = 0.0f;
  acc4[1] = 0.0f;
  acc4[5] = 0.0f;
  acc4[3] = 0.0f;
  acc4[7] = 0.0f;
  int alu7 = lidx2 * 640;
  int alu8 = lidx0 >> 2;
  int alu9 = lidx0 & 3;
  int alu10 = alu9 * 8;
  int idx1 = alu7 + lidx1 * 320 + alu8 * 40 + alu10;
  int alu11 = lidx2 * 768 + lidx1 * 384 + alu8 * 48;
  int alu12 = lidx1 * 512;
  int alu13 = alu8 * 64;
  int alu14 = alu1 * 40;
  int alu15 = alu2 * 160;
  int alu16 = alu7 + alu14 + alu15;
  for (int r7 = 0; r7 < 2; r7++) {
    threadgroup_barrier(mem_flags::mem_threadgroup);
    *(threadgroup uint4 *)&local0[idx1] = r7 * 4 + alu9 < 6 ? *(device uint4 *)&data1[alu11 + r7 * 32 + alu10] : uint4(0);
    uint4 val0 = r7 * 2 + lidx2 < 3 ? *(device uint4 *)&data2[r7 * 2048 + alu0 + alu12 + alu13 + alu3 + alu10] : uint4(0);
    *(threadgroup uint4 *)&local1[idx1] = val0;
    threadgroup_barrier(mem_flags::mem_threadgroup);
    for (int r25 = 0; r25 < 4; r25++) {
      int idx2 = alu16 + r25 * 8 + alu5 + alu6;
      *(thread half2 *)&acc2[0] = *(threadgroup half2 *)&local0[idx2];
      *(thread half2 *)&acc2[2] = *(threadgroup half2 *)&local0[idx2 + 320];
      int idx3 = r25 * 320 + alu14 + alu15 + alu4 + alu5 + alu6;
      *(thread half2 *)&acc3[0] = *(threadgroup half2 *)&local1[idx3];
      *(thread half2 *)&acc3[2] = *(threadgroup half2 *)&local1[idx3 + 8];
      mma_f16(&acc4[0], &acc2[0], &acc3[0]);
      mma_f16(&acc4[4], &acc2[2], &acc3[0]);
      mma_f16(&acc4[2], &acc2[0], &acc3[2]);
      mma_f16(&acc4[6], &acc2[2], &acc3[2]);
    }
  }
  int idx4 = alu3 + alu4 + alu5 + alu6;
  float2 val1 = *(device float2 *)&data3[idx4];
  float alu17 = val1.x;
  float alu18 = acc4[0] + alu17;
  float alu19 = val1.y;
  float alu20 = acc4[1] + alu19;
  *(device float2 *)&data0[idx0] = float2(alu18 <= 0.0f ? 0.0f : alu18, alu20 <= 0.0f ? 0.0f : alu20);
  float alu21 = acc4[4] + alu17;
  float alu22 = acc4[5] + alu19;
  *(device float2 *)&data0[idx0 + 512] = float2(alu21 <= 0.0f ? 0.0f : alu21, alu22 <= 0.0f ? 0.0f : alu22);
  float2 val2 = *(device float2 *)&data3[idx4 + 8];
  float alu23 = val2.x;
  float alu24 = acc4[2] + alu23;
  float alu25 = val2.y;
  float alu26 = acc4[3] + alu25;
  *(device float2 *)&data0[idx0 + 8] = float2(alu24 <= 0.0f ? 0.0f : alu24, alu26 <= 0.0f ? 0.0f : alu26);
  float alu27 = acc4[6] + alu23;
  float alu28 = acc4[7] + alu25;
  *(device float2 *)&data0[idx0 + 520] = float2(alu27 <= 0.0f ? 0.0f : alu27, alu28 <= 0.0f ? 0.0f : alu28);
}
