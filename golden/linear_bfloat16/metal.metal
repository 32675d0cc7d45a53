// kernel 0: r_20_24_40, launch ((1, 1, 1), (32, 1, 1))
#include <metal_stdlib>
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
  float acc2[18];
  bfloat acc0[6];
  bfloat acc1[6];
  int lidx0 = local_id.x;
  int alu0 = (lidx0 >> 1) & 3;
  int alu1 = alu0 * 24;
  int alu2 = lidx0 >> 4;
  int alu3 = lidx0 & 1;
  int alu4 = alu3 * 2;
  int alu5 = lidx0 >> 3;
  int alu6 = alu5 & 1;
  int alu7 = alu6 * 4;
  int idx0 = alu1 + alu2 * 96 + alu4 + alu7;
  acc2[0] = 0.0f;
  acc2[6] = 0.0f;
  acc2[12] = 0.0f;
  acc2[2] = 0.0f;
  acc2[8] = 0.0f;
  acc2[14] = 0.0f;
  acc2[4] = 0.0f;
  acc2[10] = 0.0f;
  acc2[16] = 0.0f;
  acc2[1] = 0.0f;
  acc2[7] = 0.0f;
  acc2[13] = 0.0f;
  acc2[3] = 0.0f;
  acc2[9] = 0.0f;
  acc2[15] = 0.0f;
  acc2[5] = 0.0f;
  acc2[11] = 0.0f;
  acc2[17] = 0.0f;
  int alu8 = alu0 * 40;
  int alu9 = alu8 + alu2 * 160;
  int alu10 = alu5 * 4;
  bool alu11 = lidx0 < 16;
  int alu12 = alu3 * 80 + alu6 * 160;
  int alu13 = alu2 * 4;
  for (int r11 = 0; r11 < 5; r11++) {
    int alu14 = r11 * 8;
    int idx1 = alu9 + alu14 + alu4 + alu7;
    acc0[0] = data1[idx1];
    acc0[2] = data1[idx1 + 320];
    int alu15 = alu8 + alu14 + alu4 + alu10;
    acc0[4] = alu11 ? data1[alu15 + 640] : bfloat(0.0f);
    acc0[1] = data1[idx1 + 1];
    acc0[3] = data1[idx1 + 321];
    acc0[5] = alu11 ? data1[alu15 + 641] : bfloat(0.0f);
    int idx2 = alu12 + alu14 + alu0 + alu13;
    acc1[0] = data2[idx2];
    acc1[2] = data2[idx2 + 320];
    acc1[4] = data2[idx2 + 640];
    acc1[1] = data2[idx2 + 40];
    acc1[3] = data2[idx2 + 360];
    acc1[5] = data2[idx2 + 680];
    mma_bf16(&acc2[0], &acc0[0], &acc1[0]);
    mma_bf16(&acc2[6], &acc0[2], &acc1[0]);
    mma_bf16(&acc2[12], &acc0[4], &acc1[0]);
    mma_bf16(&acc2[2], &acc0[0], &acc1[2]);
    mma_bf16(&acc2[8], &acc0[2], &acc1[2]);
    mma_bf16(&acc2[14], &acc0[4], &acc1[2]);
    mma_bf16(&acc2[4], &acc0[0], &acc1[4]);
    mma_bf16(&acc2[10], &acc0[2], &acc1[4]);
    mma_bf16(&acc2[16], &acc0[4], &acc1[4]);
  }
  float val0 = acc2[0];
  data0[idx0] = val0 <= 0.0f ? 0.0f : val0;
  float val1 = acc2[6];
  data0[idx0 + 192] = val1 <= 0.0f ? 0.0f : val1;
  int alu16 = alu1 + alu4 + alu10;
  float val2 = acc2[12];
  if (alu11) data0[alu16 + 384] = val2 <= 0.0f ? 0.0f : val2;
  float val3 = acc2[2];
  data0[idx0 + 8] = val3 <= 0.0f ? 0.0f : val3;
  float val4 = acc2[8];
  data0[idx0 + 200] = val4 <= 0.0f ? 0.0f : val4;
  float val5 = acc2[14];
  if (alu11) data0[alu16 + 392] = val5 <= 0.0f ? 0.0f : val5;
  float val6 = acc2[4];
  data0[idx0 + 16] = val6 <= 0.0f ? 0.0f : val6;
  float val7 = acc2[10];
  data0[idx0 + 208] = val7 <= 0.0f ? 0.0f : val7;
  float val8 = acc2[16];
  if (alu11) data0[alu16 + 400] = val8 <= 0.0f ? 0.0f : val8;
  float val9 = acc2[1];
  data0[idx0 + 1] = val9 <= 0.0f ? 0.0f : val9;
  float val10 = acc2[7];
  data0[idx0 + 193] = val10 <= 0.0f ? 0.0f : val10;
  float val11 = acc2[13];
  if (alu11) data0[alu16 + 385] = val11 <= 0.0f ? 0.0f : val11;
  float val12 = acc2[3];
  data0[idx0 + 9] = val12 <= 0.0f ? 0.0f : val12;
  float val13 = acc2[9];
  data0[idx0 + 201] = val13 <= 0.0f ? 0.0f : val13;
  float val14 = acc2[15];
  if (alu11) data0[alu16 + 393] = val14 <= 0.0f ? 0.0f : val14;
  float val15 = acc2[5];
  data0[idx0 + 17] = val15 <= 0.0f ? 0.0f : val15;
  float val16 = acc2[11];
  data0[idx0 + 209] = val16 <= 0.0f ? 0.0f : val16;
  float val17 = acc2[17];
  if (alu11) data0[alu16 + 401] = val17 <= 0.0f ? 0.0f : val17;
}
