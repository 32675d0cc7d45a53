// kernel 0: r_64_64_64, launch ((2, 2, 1), (32, 2, 2))
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

kernel void r_64_64_64(
    device half *data0 [[buffer(0)]],
    device const half *data1 [[buffer(1)]],
    device const half *data2 [[buffer(2)]],
    uint3 group_id [[threadgroup_position_in_grid]],
    uint3 local_id [[thread_position_in_threadgroup]]) {
  alignas(16) float acc4[8];
  alignas(16) half acc2[4];
  alignas(16) threadgroup half local0[1280];
  alignas(16) threadgroup half local1[1280];
  alignas(16) half acc3[4];
  int gidx1 = group_id.y;
  int lidx2 = local_id.z;
  int alu0 = lidx2 * 1024;
  int alu1 = gidx1 * 2048 + alu0;
  int lidx0 = local_id.x;
  int alu2 = (lidx0 >> 1) & 3;
  int alu3 = lidx0 >> 4;
  int gidx0 = group_id.x;
  int alu4 = gidx0 * 32;
  int lidx1 = local_id.y;
  int alu5 = lidx1 * 16;
  int alu6 = (lidx0 & 1) * 2;
  int alu7 = ((lidx0 >> 3) & 1) * 4;
  int idx0 = alu1 + alu2 * 64 + alu3 * 256 + alu4 + alu5 + alu6 + alu7;
  acc4[0] = 0.0f;
  acc4[4] = 0.0f;
  acc4[2] = 0.0f;
  acc4[6] = 0.0f;
  acc4[1] = 0.0f;
  acc4[5] = 0.0f;
  acc4[3] = 0.0f;
  acc4[7] = 0.0f;
  int alu8 = lidx2 * 640;
  int alu9 = lidx0 >> 2;
  int alu10 = (lidx0 & 3) * 8;
  int idx1 = alu8 + lidx1 * 320 + alu9 * 40 + alu10;
  int alu11 = lidx1 * 512;
  int alu12 = alu9 * 64;
  int alu13 = alu1 + alu11 + alu12;
  int alu14 = alu2 * 40;
  int alu15 = alu3 * 160;
  int alu16 = alu8 + alu14 + alu15;
  for (int r7 = 0; r7 < 2; r7++) {
    threadgroup_barrier(mem_flags::mem_threadgroup);
    *(threadgroup uint4 *)&local0[idx1] = *(device uint4 *)&data1[alu13 + r7 * 32 + alu10];
    *(threadgroup uint4 *)&local1[idx1] = *(device uint4 *)&data2[r7 * 2048 + alu0 + alu11 + alu12 + alu4 + alu10];
    threadgroup_barrier(mem_flags::mem_threadgroup);
    for (int r25 = 0; r25 < 4; r25++) {
      int idx2 = alu16 + r25 * 8 + alu6 + alu7;
      *(thread half2 *)&acc2[0] = *(threadgroup half2 *)&local0[idx2];
      *(thread half2 *)&acc2[2] = *(threadgroup half2 *)&local0[idx2 + 320];
      int idx3 = r25 * 320 + alu14 + alu15 + alu5 + alu6 + alu7;
      *(thread half2 *)&acc3[0] = *(threadgroup half2 *)&local1[idx3];
      *(thread half2 *)&acc3[2] = *(threadgroup half2 *)&local1[idx3 + 8];
      mma_f16(&acc4[0], &acc2[0], &acc3[0]);
      mma_f16(&acc4[4], &acc2[2], &acc3[0]);
      mma_f16(&acc4[2], &acc2[0], &acc3[2]);
      mma_f16(&acc4[6], &acc2[2], &acc3[2]);
    }
  }
  *(device half2 *)&data0[idx0] = half2((half)acc4[0], (half)acc4[1]);
  *(device half2 *)&data0[idx0 + 512] = half2((half)acc4[4], (half)acc4[5]);
  *(device half2 *)&data0[idx0 + 8] = half2((half)acc4[2], (half)acc4[3]);
  *(device half2 *)&data0[idx0 + 520] = half2((half)acc4[6], (half)acc4[7]);
}
