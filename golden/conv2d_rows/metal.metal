// kernel 0: r_2_8_18_18_64_3_3, launch ((18, 2, 1), (32, 2, 1))
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

kernel void r_2_8_18_18_64_3_3(
    device float *data0 [[buffer(0)]],
    device const float *data1 [[buffer(1)]],
    device const float *data2 [[buffer(2)]],
    uint3 group_id [[threadgroup_position_in_grid]],
    uint3 local_id [[thread_position_in_threadgroup]]) {
  alignas(16) float acc4[4];
  alignas(16) float acc2[2];
  alignas(16) threadgroup float local0[192];
  alignas(16) threadgroup float local1[576];
  alignas(16) float acc3[4];
  int gidx1 = group_id.y;
  int lidx0 = local_id.x;
  int alu0 = (lidx0 >> 1) & 3;
  int alu1 = lidx0 >> 4;
  int gidx0 = group_id.x;
  int lidx1 = local_id.y;
  int alu2 = lidx1 * 16;
  int alu3 = lidx0 & 1;
  int alu4 = alu3 * 2;
  int alu5 = (lidx0 >> 3) & 1;
  int alu6 = alu5 * 4;
  int idx0 = gidx1 * 2592 + alu0 * 324 + alu1 * 1296 + gidx0 * 18 + alu2 + alu4 + alu6;
  acc4[0] = 0.0f;
  acc4[2] = 0.0f;
  acc4[1] = 0.0f;
  acc4[3] = 0.0f;
  int alu7 = lidx0 & 15;
  int idx1 = alu7 * 12 + lidx1 * 2 + alu1;
  int alu8 = lidx1 * 1152 + alu1 * 576;
  int alu9 = alu7 * 9;
  int idx2 = idx1 + 4;
  int idx3 = lidx1 * 36 + lidx0;
  int alu10 = gidx1 * 25600;
  int alu11 = lidx1 * 400;
  int alu12 = gidx0 * 20;
  bool alu13 = lidx0 < 18;
  int idx4 = idx3 + 72;
  int idx5 = idx3 + 144;
  int idx6 = idx3 + 216;
  int idx7 = idx3 + 288;
  int idx8 = idx3 + 360;
  int idx9 = idx3 + 432;
  int idx10 = idx3 + 504;
  int alu14 = alu3 * 24;
  int alu15 = alu5 * 48;
  int alu16 = alu1 * 4;
  int alu17 = alu0 * 36;
  int alu18 = alu1 * 144;
  for (int r11 = 0; r11 < 4; r11++) {
    int alu19 = alu8 + r11 * 144 + alu9;
    int alu20 = alu10 + r11 * 6400 + alu11;
    for (int r5 = 0; r5 < 3; r5++) {
      int alu21 = alu19 + r5 * 3;
      int alu22 = alu20 + r5 * 20 + alu12;
      for (int r6 = 0; r6 < 3; r6++) {
        threadgroup_barrier(mem_flags::mem_threadgroup);
        int idx11 = alu21 + r6;
        local0[idx1] = data2[idx11];
        local0[idx2] = data2[idx11 + 2304];
        int idx12 = alu22 + r6 + lidx0;
        local1[idx3] = alu13 ? data1[idx12] : 0.0f;
        local1[idx4] = alu13 ? data1[idx12 + 800] : 0.0f;
        local1[idx5] = alu13 ? data1[idx12 + 1600] : 0.0f;
        local1[idx6] = alu13 ? data1[idx12 + 2400] : 0.0f;
        local1[idx7] = alu13 ? data1[idx12 + 3200] : 0.0f;
        local1[idx8] = alu13 ? data1[idx12 + 4000] : 0.0f;
        local1[idx9] = alu13 ? data1[idx12 + 4800] : 0.0f;
        local1[idx10] = alu13 ? data1[idx12 + 5600] : 0.0f;
        threadgroup_barrier(mem_flags::mem_threadgroup);
        for (int r25 = 0; r25 < 2; r25++) {
          int idx13 = r25 * 96 + alu14 + alu15 + alu0 + alu16;
          acc2[0] = local0[idx13];
          acc2[1] = local0[idx13 + 12];
          int idx14 = r25 * 288 + alu17 + alu18 + alu2 + alu4 + alu6;
          *(thread float2 *)&acc3[0] = *(threadgroup float2 *)&local1[idx14];
          *(thread float2 *)&acc3[2] = *(threadgroup float2 *)&local1[idx14 + 8];
          mma_f32(&acc4[0], &acc2[0], &acc3[0]);
          mma_f32(&acc4[2], &acc2[0], &acc3[2]);
        }
      }
    }
  }
  bool alu23 = lidx1 * 8 + alu3 + alu5 * 2 < 9;
  if (alu23) data0[idx0] = acc4[0];
  bool alu24 = lidx1 < 1;
  if (alu24) data0[idx0 + 8] = acc4[2];
  if (alu23) data0[idx0 + 1] = acc4[1];
  if (alu24) data0[idx0 + 9] = acc4[3];
}
