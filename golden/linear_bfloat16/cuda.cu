// kernel 0: r_20_24_40, launch ((1, 1, 1), (32, 1, 1))
#include <cuda_bf16.h>
static __device__ __forceinline__ void mma_bf16(float *c, const __nv_bfloat16 *a, const __nv_bfloat16 *b) {
  unsigned x[4], y[2];
  memcpy(x, a, sizeof x);
  memcpy(y, b, sizeof y);
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 "
      "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
      : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
      : "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "r"(y[0]), "r"(y[1]));
}

extern "C" __global__ void __launch_bounds__(32)
r_20_24_40(
    float *__restrict__ data0,
    const __nv_bfloat16 *__restrict__ data1,
    const __nv_bfloat16 *__restrict__ data2) {
  __align__(16) float acc2[24];
  __align__(16) __nv_bfloat16 acc0[16];
  __align__(16) __nv_bfloat16 acc1[12];
  int lidx0 = threadIdx.x;
  int alu0 = lidx0 >> 2;
  int alu1 = (lidx0 & 3) * 2;
  int idx0 = alu0 * 24 + alu1;
  acc2[0] = 0.0f;
  acc2[12] = 0.0f;
  acc2[4] = 0.0f;
  acc2[16] = 0.0f;
  acc2[8] = 0.0f;
  acc2[20] = 0.0f;
  acc2[1] = 0.0f;
  acc2[13] = 0.0f;
  acc2[5] = 0.0f;
  acc2[17] = 0.0f;
  acc2[9] = 0.0f;
  acc2[21] = 0.0f;
  acc2[2] = 0.0f;
  acc2[14] = 0.0f;
  acc2[6] = 0.0f;
  acc2[18] = 0.0f;
  acc2[10] = 0.0f;
  acc2[22] = 0.0f;
  acc2[3] = 0.0f;
  acc2[15] = 0.0f;
  acc2[7] = 0.0f;
  acc2[19] = 0.0f;
  acc2[11] = 0.0f;
  acc2[23] = 0.0f;
  int alu2 = alu0 * 40;
  bool alu3 = lidx0 < 16;
  for (int r11 = 0; r11 < 3; r11++) {
    int idx1 = alu2 + r11 * 16 + alu1;
    acc0[0] = data1[idx1];
    int idx2 = idx1 + 640;
    acc0[8] = alu3 ? data1[idx2] : __float2bfloat16(0.0f);
    int idx3 = idx1 + 1;
    acc0[1] = data1[idx3];
    int idx4 = idx1 + 641;
    acc0[9] = alu3 ? data1[idx4] : __float2bfloat16(0.0f);
    int idx5 = idx1 + 320;
    acc0[2] = data1[idx5];
    acc0[10] = __float2bfloat16(0.0f);
    int idx6 = idx1 + 321;
    acc0[3] = data1[idx6];
    acc0[11] = __float2bfloat16(0.0f);
    int idx7 = idx1 + 8;
    bool alu4 = r11 < 2;
    acc0[4] = alu4 ? data1[idx7] : __float2bfloat16(0.0f);
    int idx8 = idx1 + 648;
    bool alu5 = alu3 & alu4;
    acc0[12] = alu4 ? (alu5 ? data1[idx8] : __float2bfloat16(0.0f)) : __float2bfloat16(0.0f);
    int idx9 = idx1 + 9;
    acc0[5] = alu4 ? data1[idx9] : __float2bfloat16(0.0f);
    int idx10 = idx1 + 649;
    acc0[13] = alu4 ? (alu5 ? data1[idx10] : __float2bfloat16(0.0f)) : __float2bfloat16(0.0f);
    int idx11 = idx1 + 328;
    acc0[6] = alu4 ? data1[idx11] : __float2bfloat16(0.0f);
    acc0[14] = __float2bfloat16(0.0f);
    int idx12 = idx1 + 329;
    acc0[7] = alu4 ? data1[idx12] : __float2bfloat16(0.0f);
    acc0[15] = __float2bfloat16(0.0f);
    acc1[0] = data2[idx1];
    acc1[4] = data2[idx5];
    acc1[8] = data2[idx2];
    acc1[1] = data2[idx3];
    acc1[5] = data2[idx6];
    acc1[9] = data2[idx4];
    acc1[2] = alu4 ? data2[idx7] : __float2bfloat16(0.0f);
    acc1[6] = alu4 ? data2[idx11] : __float2bfloat16(0.0f);
    acc1[10] = alu4 ? data2[idx8] : __float2bfloat16(0.0f);
    acc1[3] = alu4 ? data2[idx9] : __float2bfloat16(0.0f);
    acc1[7] = alu4 ? data2[idx12] : __float2bfloat16(0.0f);
    acc1[11] = alu4 ? data2[idx10] : __float2bfloat16(0.0f);
    mma_bf16(&acc2[0], &acc0[0], &acc1[0]);
    mma_bf16(&acc2[12], &acc0[8], &acc1[0]);
    mma_bf16(&acc2[4], &acc0[0], &acc1[4]);
    mma_bf16(&acc2[16], &acc0[8], &acc1[4]);
    mma_bf16(&acc2[8], &acc0[0], &acc1[8]);
    mma_bf16(&acc2[20], &acc0[8], &acc1[8]);
  }
  float val0 = acc2[0];
  data0[idx0] = val0 <= 0.0f ? 0.0f : val0;
  float val1 = acc2[12];
  if (alu3) data0[idx0 + 384] = val1 <= 0.0f ? 0.0f : val1;
  float val2 = acc2[4];
  data0[idx0 + 8] = val2 <= 0.0f ? 0.0f : val2;
  float val3 = acc2[16];
  if (alu3) data0[idx0 + 392] = val3 <= 0.0f ? 0.0f : val3;
  float val4 = acc2[8];
  data0[idx0 + 16] = val4 <= 0.0f ? 0.0f : val4;
  float val5 = acc2[20];
  if (alu3) data0[idx0 + 400] = val5 <= 0.0f ? 0.0f : val5;
  float val6 = acc2[1];
  data0[idx0 + 1] = val6 <= 0.0f ? 0.0f : val6;
  float val7 = acc2[13];
  if (alu3) data0[idx0 + 385] = val7 <= 0.0f ? 0.0f : val7;
  float val8 = acc2[5];
  data0[idx0 + 9] = val8 <= 0.0f ? 0.0f : val8;
  float val9 = acc2[17];
  if (alu3) data0[idx0 + 393] = val9 <= 0.0f ? 0.0f : val9;
  float val10 = acc2[9];
  data0[idx0 + 17] = val10 <= 0.0f ? 0.0f : val10;
  float val11 = acc2[21];
  if (alu3) data0[idx0 + 401] = val11 <= 0.0f ? 0.0f : val11;
  float val12 = acc2[2];
  data0[idx0 + 192] = val12 <= 0.0f ? 0.0f : val12;
  float val13 = acc2[14];
  if (0) data0[0] = val13 <= 0.0f ? 0.0f : val13;
  float val14 = acc2[6];
  data0[idx0 + 200] = val14 <= 0.0f ? 0.0f : val14;
  float val15 = acc2[18];
  if (0) data0[0] = val15 <= 0.0f ? 0.0f : val15;
  float val16 = acc2[10];
  data0[idx0 + 208] = val16 <= 0.0f ? 0.0f : val16;
  float val17 = acc2[22];
  if (0) data0[0] = val17 <= 0.0f ? 0.0f : val17;
  float val18 = acc2[3];
  data0[idx0 + 193] = val18 <= 0.0f ? 0.0f : val18;
  float val19 = acc2[15];
  if (0) data0[0] = val19 <= 0.0f ? 0.0f : val19;
  float val20 = acc2[7];
  data0[idx0 + 201] = val20 <= 0.0f ? 0.0f : val20;
  float val21 = acc2[19];
  if (0) data0[0] = val21 <= 0.0f ? 0.0f : val21;
  float val22 = acc2[11];
  data0[idx0 + 209] = val22 <= 0.0f ? 0.0f : val22;
  float val23 = acc2[23];
  if (0) data0[0] = val23 <= 0.0f ? 0.0f : val23;
}
