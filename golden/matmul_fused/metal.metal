// kernel 0: r_32_32_64, launch ((1, 1, 1), (32, 2, 2))
#include <metal_stdlib>
#pragma METAL fp contract(off)
using namespace metal;
static inline void mma_f32(thread float *c, const thread float *a, const thread float *b) {
  simdgroup_matrix<float, 8, 8> x, y;
  simdgroup_matrix<float, 8, 8> z;
  for (int i = 0; i < 2; i++) {
    x.thread_elements()[i] = a[i];
    y.thread_elements()[i] = b[i];
    z.thread_elements()[i] = c[i];
  }
  simdgroup_multiply_accumulate(z, x, y, z);
  for (int i = 0; i < 2; i++) c[i] = z.thread_elements()[i];
}

kernel void r_32_32_64(
    device float *data0 [[buffer(0)]],
    device const float *data1 [[buffer(1)]],
    device const float *data2 [[buffer(2)]],
    device const float *data3 [[buffer(3)]],
    uint3 local_id [[thread_position_in_threadgroup]]) {
  alignas(16) float acc4[8];
  alignas(16) float acc2[4];
  alignas(16) threadgroup float local0[640];
  alignas(16) threadgroup float local1[576];
  alignas(16) float acc3[4];
  int lidx2 = local_id.z;
  int lidx0 = local_id.x;
  int alu0 = (lidx0 >> 1) & 3;
  int alu1 = lidx0 >> 4;
  int lidx1 = local_id.y;
  int alu2 = lidx1 * 16;
  int alu3 = (lidx0 & 1) * 2;
  int alu4 = lidx0 >> 3;
  int alu5 = (alu4 & 1) * 4;
  int idx0 = lidx2 * 512 + alu0 * 32 + alu1 * 128 + alu2 + alu3 + alu5;
  acc4[0] = 0.0f;
  acc4[4] = 0.0f;
  acc4[2] = 0.0f;
  acc4[6] = 0.0f;
  acc4[1] = 0.0f;
  acc4[5] = 0.0f;
  acc4[3] = 0.0f;
  acc4[7] = 0.0f;
  int alu6 = lidx2 * 320;
  int alu7 = lidx0 >> 2;
  int alu8 = (lidx0 & 3) * 4;
  int idx1 = alu6 + lidx1 * 160 + alu7 * 20 + alu8;
  int alu9 = lidx2 * 1024 + lidx1 * 512 + alu7 * 64;
  int idx2 = lidx2 * 288 + lidx1 * 144 + alu4 * 36 + (lidx0 & 7) * 4;
  int alu10 = lidx2 * 256;
  int alu11 = lidx1 * 128;
  int alu12 = lidx0 * 4;
  int alu13 = alu6 + alu0 * 20 + alu1 * 80;
  int alu14 = alu0 * 36;
  int alu15 = alu1 * 144;
  for (int r7 = 0; r7 < 4; r7++) {
    threadgroup_barrier(mem_flags::mem_threadgroup);
    *(threadgroup float4 *)&local0[idx1] = *(device float4 *)&data1[alu9 + r7 * 16 + alu8];
    *(threadgroup float4 *)&local1[idx2] = *(device float4 *)&data2[r7 * 512 + alu10 + alu11 + alu12];
    threadgroup_barrier(mem_flags::mem_threadgroup);
    for (int r25 = 0; r25 < 2; r25++) {
      int idx3 = alu13 + r25 * 8 + alu3 + alu5;
      *(thread float2 *)&acc2[0] = *(threadgroup float2 *)&local0[idx3];
      *(thread float2 *)&acc2[2] = *(threadgroup float2 *)&local0[idx3 + 160];
      int idx4 = r25 * 288 + alu14 + alu15 + alu2 + alu3 + alu5;
      *(thread float2 *)&acc3[0] = *(threadgroup float2 *)&local1[idx4];
      *(thread float2 *)&acc3[2] = *(threadgroup float2 *)&local1[idx4 + 8];
      mma_f32(&acc4[0], &acc2[0], &acc3[0]);
      mma_f32(&acc4[4], &acc2[2], &acc3[0]);
      mma_f32(&acc4[2], &acc2[0], &acc3[2]);
      mma_f32(&acc4[6], &acc2[2], &acc3[2]);
    }
  }
  int idx5 = alu2 + alu3 + alu5;
  float2 val0 = *(device float2 *)&data3[idx5];
  float alu16 = val0.x;
  float alu17 = acc4[0] + alu16;
  float alu18 = val0.y;
  float alu19 = acc4[1] + alu18;
  *(device float2 *)&data0[idx0] = float2(alu17 <= 0.0f ? 0.0f : alu17, alu19 <= 0.0f ? 0.0f : alu19);
  float alu20 = acc4[4] + alu16;
  float alu21 = acc4[5] + alu18;
  *(device float2 *)&data0[idx0 + 256] = float2(alu20 <= 0.0f ? 0.0f : alu20, alu21 <= 0.0f ? 0.0f : alu21);
  float2 val1 = *(device float2 *)&data3[idx5 + 8];
  float alu22 = val1.x;
  float alu23 = acc4[2] + alu22;
  float alu24 = val1.y;
  float alu25 = acc4[3] + alu24;
  *(device float2 *)&data0[idx0 + 8] = float2(alu23 <= 0.0f ? 0.0f : alu23, alu25 <= 0.0f ? 0.0f : alu25);
  float alu26 = acc4[6] + alu22;
  float alu27 = acc4[7] + alu24;
  *(device float2 *)&data0[idx0 + 264] = float2(alu26 <= 0.0f ? 0.0f : alu26, alu27 <= 0.0f ? 0.0f : alu27);
}
