// kernel 0: r_20_24_40, launch ((1, 1, 1), (32, 2, 2))
#include <metal_stdlib>
#pragma METAL fp contract(off)
using namespace metal;
static inline void mma_bf16(thread float *c, const thread bfloat *a, const thread bfloat *b) {
  simdgroup_matrix<bfloat, 8, 8> x, y;
  simdgroup_matrix<float, 8, 8> z;
  for (int i = 0; i < 2; i++) {
    x.thread_elements()[i] = a[i];
    y.thread_elements()[i] = b[i];
    z.thread_elements()[i] = c[i];
  }
  simdgroup_multiply_accumulate(z, x, y, z);
  for (int i = 0; i < 2; i++) c[i] = z.thread_elements()[i];
}

kernel void r_20_24_40(
    device float *data0 [[buffer(0)]],
    device const bfloat *data1 [[buffer(1)]],
    device const bfloat *data2 [[buffer(2)]],
    uint3 local_id [[thread_position_in_threadgroup]]) {
  alignas(16) float acc4[8];
  alignas(16) bfloat acc2[4];
  alignas(16) threadgroup bfloat local0[1280];
  alignas(16) threadgroup bfloat local1[1280];
  alignas(16) bfloat acc3[4];
  int lidx2 = local_id.z;
  int lidx0 = local_id.x;
  int alu0 = (lidx0 >> 1) & 3;
  int alu1 = lidx0 >> 4;
  int lidx1 = local_id.y;
  int alu2 = lidx0 & 1;
  int alu3 = alu2 * 2;
  int alu4 = (lidx0 >> 3) & 1;
  int alu5 = alu4 * 4;
  int idx0 = lidx2 * 384 + alu0 * 24 + alu1 * 96 + lidx1 * 16 + alu3 + alu5;
  acc4[0] = 0.0f;
  acc4[4] = 0.0f;
  acc4[2] = 0.0f;
  acc4[6] = 0.0f;
  acc4[1] = 0.0f;
  acc4[5] = 0.0f;
  acc4[3] = 0.0f;
  acc4[7] = 0.0f;
  int alu6 = lidx2 * 640;
  int alu7 = lidx0 >> 2;
  int alu8 = alu6 + lidx1 * 320 + alu7 * 40;
  int alu9 = lidx0 & 3;
  int alu10 = alu9 * 8;
  int idx1 = alu8 + alu10;
  bool alu11 = lidx2 * 16 + lidx1 * 8 + alu7 < 20;
  bool alu12 = lidx2 * 2 + lidx1 < 3;
  int alu13 = alu6 + alu0 * 40 + alu1 * 160;
  int alu14 = lidx1 * 640 + alu2 * 80 + alu4 * 160;
  int alu15 = alu1 * 4;
  for (int r7 = 0; r7 < 2; r7++) {
    threadgroup_barrier(mem_flags::mem_threadgroup);
    int idx2 = alu8 + r7 * 32 + alu10;
    bool alu16 = r7 * 4 + alu9 < 5;
    *(threadgroup uint4 *)&local0[idx1] = alu11 & alu16 ? *(device uint4 *)&data1[idx2] : uint4(0);
    *(threadgroup uint4 *)&local1[idx1] = alu12 & alu16 ? *(device uint4 *)&data2[idx2] : uint4(0);
    threadgroup_barrier(mem_flags::mem_threadgroup);
    for (int r25 = 0; r25 < 4; r25++) {
      int alu17 = r25 * 8;
      int idx3 = alu13 + alu17 + alu3 + alu5;
      *(thread bfloat2 *)&acc2[0] = *(threadgroup bfloat2 *)&local0[idx3];
      *(thread bfloat2 *)&acc2[2] = *(threadgroup bfloat2 *)&local0[idx3 + 320];
      int idx4 = alu14 + alu17 + alu0 + alu15;
      acc3[0] = local1[idx4];
      acc3[2] = local1[idx4 + 320];
      acc3[1] = local1[idx4 + 40];
      acc3[3] = local1[idx4 + 360];
      mma_bf16(&acc4[0], &acc2[0], &acc3[0]);
      mma_bf16(&acc4[4], &acc2[2], &acc3[0]);
      mma_bf16(&acc4[2], &acc2[0], &acc3[2]);
      mma_bf16(&acc4[6], &acc2[2], &acc3[2]);
    }
  }
  float val0 = acc4[0];
  bool alu18 = lidx2 * 4 + alu1 < 5;
  if (alu18) data0[idx0] = val0 <= 0.0f ? 0.0f : val0;
  float val1 = acc4[4];
  bool alu19 = lidx2 < 1;
  if (alu19) data0[idx0 + 192] = val1 <= 0.0f ? 0.0f : val1;
  float val2 = acc4[2];
  bool alu20 = lidx1 < 1;
  bool alu21 = alu18 & alu20;
  if (alu21) data0[idx0 + 8] = val2 <= 0.0f ? 0.0f : val2;
  float val3 = acc4[6];
  bool alu22 = alu19 & alu20;
  if (alu22) data0[idx0 + 200] = val3 <= 0.0f ? 0.0f : val3;
  float val4 = acc4[1];
  if (alu18) data0[idx0 + 1] = val4 <= 0.0f ? 0.0f : val4;
  float val5 = acc4[5];
  if (alu19) data0[idx0 + 193] = val5 <= 0.0f ? 0.0f : val5;
  float val6 = acc4[3];
  if (alu21) data0[idx0 + 9] = val6 <= 0.0f ? 0.0f : val6;
  float val7 = acc4[7];
  if (alu22) data0[idx0 + 201] = val7 <= 0.0f ? 0.0f : val7;
}
