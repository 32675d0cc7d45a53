// kernel 0: r_8192_8_16_40_40_40, launch ((256, 1, 1), (32, 4, 1))
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

kernel void r_8192_8_16_40_40_40(
    device half *data0 [[buffer(0)]],
    device const half *data1 [[buffer(1)]],
    device const half *data2 [[buffer(2)]],
    device const half *data3 [[buffer(3)]],
    uint3 group_id [[threadgroup_position_in_grid]],
    uint3 local_id [[thread_position_in_threadgroup]]) {
  alignas(16) float acc6[10];
  alignas(16) float acc5[10];
  alignas(16) half acc3[2];
  alignas(16) threadgroup half local0[768];
  alignas(16) threadgroup half local1[960];
  alignas(16) threadgroup half local2[320];
  alignas(16) half acc4[10];
  alignas(16) float acc10[2];
  alignas(16) half acc8[2];
  alignas(16) float acc7[10];
  alignas(16) half acc9[2];
  int gidx0 = group_id.x;
  int lidx1 = local_id.y;
  int lidx0 = local_id.x;
  int alu0 = lidx0 >> 1;
  int alu1 = alu0 & 3;
  int alu2 = alu1 * 8;
  int alu3 = lidx0 >> 4;
  int alu4 = alu3 * 32;
  int alu5 = lidx0 & 1;
  int alu6 = alu5 * 2;
  int alu7 = (lidx0 >> 3) & 1;
  int alu8 = alu7 * 4;
  bool alu9 = alu5 == 0;
  bool alu10 = alu7 == 0;
  acc5[0] = 0.0f;
  acc5[2] = 0.0f;
  acc5[4] = 0.0f;
  acc5[6] = 0.0f;
  acc5[8] = 0.0f;
  acc5[1] = 0.0f;
  acc5[3] = 0.0f;
  acc5[5] = 0.0f;
  acc5[7] = 0.0f;
  acc5[9] = 0.0f;
  int idx0 = lidx1 * 384 + alu0 * 24 + alu5 * 8;
  int alu11 = lidx1 * 256;
  int alu12 = lidx0 * 8;
  bool alu13 = lidx1 < 2;
  if (alu13) *(threadgroup uint4 *)&local0[idx0] = alu13 ? *(device uint4 *)&data1[gidx0 * 512 + alu11 + alu12] : uint4(0);
  int idx1 = alu11 + alu12;
  int alu14 = lidx1 * 32 + lidx0;
  bool alu15 = alu14 < 80;
  if (alu15) *(threadgroup uint4 *)&local1[idx0] = alu15 ? *(device uint4 *)&data2[idx1] : uint4(0);
  bool alu16 = alu14 < 40;
  if (alu16) *(threadgroup uint4 *)&local2[idx1] = alu16 ? *(device uint4 *)&data3[idx1] : uint4(0);
  threadgroup_barrier(mem_flags::mem_threadgroup);
  int alu17 = lidx1 * 192 + alu1 * 24 + alu3 * 96;
  int alu18 = alu5 * 48 + alu7 * 96;
  int alu19 = alu3 * 4;
  for (int i40 = 0; i40 < 2; i40++) {
    int alu20 = i40 * 8;
    *(thread half2 *)&acc3[0] = *(threadgroup half2 *)&local0[alu17 + alu20 + alu6 + alu8];
    int idx2 = alu18 + alu20 + alu1 + alu19;
    acc4[0] = local1[idx2];
    acc4[2] = local1[idx2 + 192];
    acc4[4] = local1[idx2 + 384];
    acc4[6] = local1[idx2 + 576];
    acc4[8] = local1[idx2 + 768];
    acc4[1] = local1[idx2 + 24];
    acc4[3] = local1[idx2 + 216];
    acc4[5] = local1[idx2 + 408];
    acc4[7] = local1[idx2 + 600];
    acc4[9] = local1[idx2 + 792];
    mma_f16(&acc5[0], &acc3[0], &acc4[0]);
    mma_f16(&acc5[2], &acc3[0], &acc4[2]);
    mma_f16(&acc5[4], &acc3[0], &acc4[4]);
    mma_f16(&acc5[6], &acc3[0], &acc4[6]);
    mma_f16(&acc5[8], &acc3[0], &acc4[8]);
  }
  acc6[0] = acc5[0] * 0.25f;
  acc6[2] = acc5[2] * 0.25f;
  acc6[4] = acc5[4] * 0.25f;
  acc6[6] = acc5[6] * 0.25f;
  acc6[8] = acc5[8] * 0.25f;
  acc6[1] = acc5[1] * 0.25f;
  acc6[3] = acc5[3] * 0.25f;
  acc6[5] = acc5[5] * 0.25f;
  acc6[7] = acc5[7] * 0.25f;
  acc6[9] = acc5[9] * 0.25f;
  float val0 = acc6[0];
  float val1 = acc6[1];
  float alu21 = val1 != val1 || val1 > val0 ? val1 : val0;
  float val2 = acc6[2];
  float alu22 = val2 != val2 || val2 > alu21 ? val2 : alu21;
  float val3 = acc6[3];
  float alu23 = val3 != val3 || val3 > alu22 ? val3 : alu22;
  float val4 = acc6[4];
  float alu24 = val4 != val4 || val4 > alu23 ? val4 : alu23;
  float val5 = acc6[5];
  float alu25 = val5 != val5 || val5 > alu24 ? val5 : alu24;
  float val6 = acc6[6];
  float alu26 = val6 != val6 || val6 > alu25 ? val6 : alu25;
  float val7 = acc6[7];
  float alu27 = val7 != val7 || val7 > alu26 ? val7 : alu26;
  float val8 = acc6[8];
  float alu28 = val8 != val8 || val8 > alu27 ? val8 : alu27;
  float val9 = acc6[9];
  float alu29 = val9 != val9 || val9 > alu28 ? val9 : alu28;
  float alu30 = simd_shuffle_xor(alu29, 8);
  float alu31 = alu10 ? alu29 : alu30;
  float alu32 = alu10 ? alu30 : alu29;
  float alu33 = alu32 != alu32 || alu32 > alu31 ? alu32 : alu31;
  float alu34 = simd_shuffle_xor(alu33, 1);
  float alu35 = alu9 ? alu33 : alu34;
  float alu36 = alu9 ? alu34 : alu33;
  float alu37 = alu36 != alu36 || alu36 > alu35 ? alu36 : alu35;
  float alu38 = -3.4028235e+38f != -3.4028235e+38f || -3.4028235e+38f > alu37 ? -3.4028235e+38f : alu37;
  float alu39 = 3.4028235e+38f != 3.4028235e+38f || 3.4028235e+38f < alu38 ? 3.4028235e+38f : alu38;
  float alu40 = precise::exp(alu39 - alu37);
  float alu41 = precise::exp(alu39 - alu39);
  acc10[0] = 0.0f;
  acc10[1] = 0.0f;
  acc7[0] = precise::exp(val0 - alu39);
  acc7[2] = precise::exp(val2 - alu39);
  acc7[4] = precise::exp(val4 - alu39);
  acc7[6] = precise::exp(val6 - alu39);
  acc7[8] = precise::exp(val8 - alu39);
  acc7[1] = precise::exp(val1 - alu39);
  acc7[3] = precise::exp(val3 - alu39);
  acc7[5] = precise::exp(val5 - alu39);
  acc7[7] = precise::exp(val7 - alu39);
  acc7[9] = precise::exp(val9 - alu39);
  for (int i42 = 0; i42 < 5; i42++) {
    int idx3 = i42 * 2;
    acc8[0] = (half)acc7[idx3];
    acc8[1] = (half)acc7[idx3 + 1];
    *(thread half2 *)&acc9[0] = *(threadgroup half2 *)&local2[i42 * 64 + alu2 + alu4 + alu6 + alu8];
    mma_f16(&acc10[0], &acc8[0], &acc9[0]);
  }
  float alu42 = acc7[0] + acc7[1] + acc7[2] + acc7[3] + acc7[4] + acc7[5] + acc7[6] + acc7[7];
  float alu43 = alu42 + acc7[8] + acc7[9];
  float alu44 = simd_shuffle_xor(alu43, 8);
  float alu45 = alu43 + alu44;
  float alu46 = simd_shuffle_xor(alu45, 1);
  float alu47 = alu40 * (alu41 * (alu45 + alu46));
  *(device half2 *)&data0[gidx0 * 256 + lidx1 * 64 + alu2 + alu4 + alu6 + alu8] = half2((half)(alu40 * (alu41 * acc10[0]) / alu47), (half)(alu40 * (alu41 * acc10[1]) / alu47));
}
