// kernel 0: r_8_12_12_4_3_3, launch ((1, 1, 1), (3, 12, 2))
#include <metal_stdlib>
#pragma METAL fp contract(off)
using namespace metal;

kernel void r_8_12_12_4_3_3(
    device float *data0 [[buffer(0)]],
    device const float *data1 [[buffer(1)]],
    device const float *data2 [[buffer(2)]],
    device const float *data3 [[buffer(3)]],
    uint3 local_id [[thread_position_in_threadgroup]]) {
  alignas(16) float acc0[16];
  int lidx2 = local_id.z;
  int lidx1 = local_id.y;
  int alu0 = lidx1 * 12;
  int lidx0 = local_id.x;
  int alu1 = lidx0 * 4;
  int idx0 = lidx2 * 576 + alu0 + alu1;
  acc0[0] = 0.0f;
  acc0[4] = 0.0f;
  acc0[8] = 0.0f;
  acc0[12] = 0.0f;
  acc0[1] = 0.0f;
  acc0[5] = 0.0f;
  acc0[9] = 0.0f;
  acc0[13] = 0.0f;
  acc0[2] = 0.0f;
  acc0[6] = 0.0f;
  acc0[10] = 0.0f;
  acc0[14] = 0.0f;
  acc0[3] = 0.0f;
  acc0[7] = 0.0f;
  acc0[11] = 0.0f;
  acc0[15] = 0.0f;
  int alu2 = lidx2 * 144;
  for (int r3 = 0; r3 < 4; r3++) {
    int alu3 = r3 * 144;
    int alu4 = alu2 + r3 * 9;
    for (int r4 = 0; r4 < 3; r4++) {
      int alu5 = r4 * 12;
      int alu6 = r4 + lidx1;
      bool alu7 = (1 <= alu6) & (alu6 < 13);
      int alu8 = alu4 + r4 * 3;
      for (int r5 = 0; r5 < 3; r5++) {
        int alu9 = r5 + alu1;
        int alu10 = alu9 + alu5 + alu0 + alu3;
        float val0 = alu7 & (1 <= alu9) ? data1[alu10 - 13] : 0.0f;
        int idx1 = alu8 + r5;
        float val1 = data2[idx1];
        acc0[0] = fma(val0, val1, acc0[0]);
        float val2 = data2[idx1 + 36];
        acc0[4] = fma(val0, val2, acc0[4]);
        float val3 = data2[idx1 + 72];
        acc0[8] = fma(val0, val3, acc0[8]);
        float val4 = data2[idx1 + 108];
        acc0[12] = fma(val0, val4, acc0[12]);
        float val5 = alu7 ? data1[alu10 - 12] : 0.0f;
        acc0[1] = fma(val5, val1, acc0[1]);
        acc0[5] = fma(val5, val2, acc0[5]);
        acc0[9] = fma(val5, val3, acc0[9]);
        acc0[13] = fma(val5, val4, acc0[13]);
        float val6 = alu7 ? data1[alu10 - 11] : 0.0f;
        acc0[2] = fma(val6, val1, acc0[2]);
        acc0[6] = fma(val6, val2, acc0[6]);
        acc0[10] = fma(val6, val3, acc0[10]);
        acc0[14] = fma(val6, val4, acc0[14]);
        float val7 = alu7 & (alu9 < 10) ? data1[alu10 - 10] : 0.0f;
        acc0[3] = fma(val7, val1, acc0[3]);
        acc0[7] = fma(val7, val2, acc0[7]);
        acc0[11] = fma(val7, val3, acc0[11]);
        acc0[15] = fma(val7, val4, acc0[15]);
      }
    }
  }
  int idx2 = lidx2 * 4;
  float val8 = data3[idx2];
  float alu11 = acc0[0] + val8;
  float alu12 = acc0[1] + val8;
  float alu13 = acc0[2] + val8;
  float alu14 = acc0[3] + val8;
  float4 vec0 = float4(alu11 <= 0.0f ? 0.0f : alu11, alu12 <= 0.0f ? 0.0f : alu12, alu13 <= 0.0f ? 0.0f : alu13, alu14 <= 0.0f ? 0.0f : alu14);
  *(device float4 *)&data0[idx0] = vec0;
  float val9 = data3[idx2 + 1];
  float alu15 = acc0[4] + val9;
  float alu16 = acc0[5] + val9;
  float alu17 = acc0[6] + val9;
  float alu18 = acc0[7] + val9;
  float4 vec1 = float4(alu15 <= 0.0f ? 0.0f : alu15, alu16 <= 0.0f ? 0.0f : alu16, alu17 <= 0.0f ? 0.0f : alu17, alu18 <= 0.0f ? 0.0f : alu18);
  *(device float4 *)&data0[idx0 + 144] = vec1;
  float val10 = data3[idx2 + 2];
  float alu19 = acc0[8] + val10;
  float alu20 = acc0[9] + val10;
  float alu21 = acc0[10] + val10;
  float alu22 = acc0[11] + val10;
  float4 vec2 = float4(alu19 <= 0.0f ? 0.0f : alu19, alu20 <= 0.0f ? 0.0f : alu20, alu21 <= 0.0f ? 0.0f : alu21, alu22 <= 0.0f ? 0.0f : alu22);
  *(device float4 *)&data0[idx0 + 288] = vec2;
  float val11 = data3[idx2 + 3];
  float alu23 = acc0[12] + val11;
  float alu24 = acc0[13] + val11;
  float alu25 = acc0[14] + val11;
  float alu26 = acc0[15] + val11;
  float4 vec3 = float4(alu23 <= 0.0f ? 0.0f : alu23, alu24 <= 0.0f ? 0.0f : alu24, alu25 <= 0.0f ? 0.0f : alu25, alu26 <= 0.0f ? 0.0f : alu26);
  *(device float4 *)&data0[idx0 + 432] = vec3;
}
