// kernel 0: r_64_64_64, launch ((1, 1, 1), (32, 2, 2))
#include <cuda_fp16.h>
static __device__ __forceinline__ void mma_f16(float *c, const __half *a, const __half *b) {
  unsigned x[4], y[2];
  memcpy(x, a, sizeof x);
  memcpy(y, b, sizeof y);
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 "
      "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
      : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
      : "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "r"(y[0]), "r"(y[1]));
}

extern "C" __global__ void __launch_bounds__(128)
r_64_64_64(
    __half *__restrict__ data0,
    const __half *__restrict__ data1,
    const __half *__restrict__ data2) {
  __align__(16) float acc2[32];
  __align__(16) __half acc0[16];
  __align__(16) __half acc1[16];
  int lidx2 = threadIdx.z;
  int lidx0 = threadIdx.x;
  int alu0 = lidx0 >> 2;
  int alu1 = lidx2 * 2048 + alu0 * 64;
  int lidx1 = threadIdx.y;
  int alu2 = lidx1 * 32;
  int alu3 = lidx0 & 3;
  int alu4 = alu3 * 2;
  int idx0 = alu1 + alu2 + alu4;
  acc2[0] = 0.0f;
  acc2[16] = 0.0f;
  acc2[4] = 0.0f;
  acc2[20] = 0.0f;
  acc2[8] = 0.0f;
  acc2[24] = 0.0f;
  acc2[12] = 0.0f;
  acc2[28] = 0.0f;
  acc2[1] = 0.0f;
  acc2[17] = 0.0f;
  acc2[5] = 0.0f;
  acc2[21] = 0.0f;
  acc2[9] = 0.0f;
  acc2[25] = 0.0f;
  acc2[13] = 0.0f;
  acc2[29] = 0.0f;
  acc2[2] = 0.0f;
  acc2[18] = 0.0f;
  acc2[6] = 0.0f;
  acc2[22] = 0.0f;
  acc2[10] = 0.0f;
  acc2[26] = 0.0f;
  acc2[14] = 0.0f;
  acc2[30] = 0.0f;
  acc2[3] = 0.0f;
  acc2[19] = 0.0f;
  acc2[7] = 0.0f;
  acc2[23] = 0.0f;
  acc2[11] = 0.0f;
  acc2[27] = 0.0f;
  acc2[15] = 0.0f;
  acc2[31] = 0.0f;
  int alu5 = alu3 * 128;
  for (int r15 = 0; r15 < 4; r15++) {
    int idx1 = alu1 + r15 * 16 + alu4;
    acc0[0] = data1[idx1];
    acc0[8] = data1[idx1 + 1024];
    acc0[1] = data1[idx1 + 1];
    acc0[9] = data1[idx1 + 1025];
    acc0[2] = data1[idx1 + 512];
    acc0[10] = data1[idx1 + 1536];
    acc0[3] = data1[idx1 + 513];
    acc0[11] = data1[idx1 + 1537];
    acc0[4] = data1[idx1 + 8];
    acc0[12] = data1[idx1 + 1032];
    acc0[5] = data1[idx1 + 9];
    acc0[13] = data1[idx1 + 1033];
    acc0[6] = data1[idx1 + 520];
    acc0[14] = data1[idx1 + 1544];
    acc0[7] = data1[idx1 + 521];
    acc0[15] = data1[idx1 + 1545];
    int idx2 = r15 * 1024 + alu5 + alu2 + alu0;
    acc1[0] = data2[idx2];
    acc1[4] = data2[idx2 + 8];
    acc1[8] = data2[idx2 + 16];
    acc1[12] = data2[idx2 + 24];
    acc1[1] = data2[idx2 + 64];
    acc1[5] = data2[idx2 + 72];
    acc1[9] = data2[idx2 + 80];
    acc1[13] = data2[idx2 + 88];
    acc1[2] = data2[idx2 + 512];
    acc1[6] = data2[idx2 + 520];
    acc1[10] = data2[idx2 + 528];
    acc1[14] = data2[idx2 + 536];
    acc1[3] = data2[idx2 + 576];
    acc1[7] = data2[idx2 + 584];
    acc1[11] = data2[idx2 + 592];
    acc1[15] = data2[idx2 + 600];
    mma_f16(&acc2[0], &acc0[0], &acc1[0]);
    mma_f16(&acc2[16], &acc0[8], &acc1[0]);
    mma_f16(&acc2[4], &acc0[0], &acc1[4]);
    mma_f16(&acc2[20], &acc0[8], &acc1[4]);
    mma_f16(&acc2[8], &acc0[0], &acc1[8]);
    mma_f16(&acc2[24], &acc0[8], &acc1[8]);
    mma_f16(&acc2[12], &acc0[0], &acc1[12]);
    mma_f16(&acc2[28], &acc0[8], &acc1[12]);
  }
  data0[idx0] = __float2half(acc2[0]);
  data0[idx0 + 1024] = __float2half(acc2[16]);
  data0[idx0 + 8] = __float2half(acc2[4]);
  data0[idx0 + 1032] = __float2half(acc2[20]);
  data0[idx0 + 16] = __float2half(acc2[8]);
  data0[idx0 + 1040] = __float2half(acc2[24]);
  data0[idx0 + 24] = __float2half(acc2[12]);
  data0[idx0 + 1048] = __float2half(acc2[28]);
  data0[idx0 + 1] = __float2half(acc2[1]);
  data0[idx0 + 1025] = __float2half(acc2[17]);
  data0[idx0 + 9] = __float2half(acc2[5]);
  data0[idx0 + 1033] = __float2half(acc2[21]);
  data0[idx0 + 17] = __float2half(acc2[9]);
  data0[idx0 + 1041] = __float2half(acc2[25]);
  data0[idx0 + 25] = __float2half(acc2[13]);
  data0[idx0 + 1049] = __float2half(acc2[29]);
  data0[idx0 + 512] = __float2half(acc2[2]);
  data0[idx0 + 1536] = __float2half(acc2[18]);
  data0[idx0 + 520] = __float2half(acc2[6]);
  data0[idx0 + 1544] = __float2half(acc2[22]);
  data0[idx0 + 528] = __float2half(acc2[10]);
  data0[idx0 + 1552] = __float2half(acc2[26]);
  data0[idx0 + 536] = __float2half(acc2[14]);
  data0[idx0 + 1560] = __float2half(acc2[30]);
  data0[idx0 + 513] = __float2half(acc2[3]);
  data0[idx0 + 1537] = __float2half(acc2[19]);
  data0[idx0 + 521] = __float2half(acc2[7]);
  data0[idx0 + 1545] = __float2half(acc2[23]);
  data0[idx0 + 529] = __float2half(acc2[11]);
  data0[idx0 + 1553] = __float2half(acc2[27]);
  data0[idx0 + 537] = __float2half(acc2[15]);
  data0[idx0 + 1561] = __float2half(acc2[31]);
}
