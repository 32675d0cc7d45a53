// kernel 0: r_32_64_48, launch ((2, 1, 1), (32, 2, 2))
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
r_32_64_48(
    float *__restrict__ data0,
    const __half *__restrict__ data1,
    const __half *__restrict__ data2,
    const float *__restrict__ data3) {
  __align__(16) float acc4[8];
  __align__(16) __half acc2[8];
  __shared__ __align__(16) __half local0[1280];
  __shared__ __align__(16) __half local1[1280];
  __align__(16) __half acc3[8];
  int lidx2 = threadIdx.z;
  int alu0 = lidx2 * 1024;
  int lidx0 = threadIdx.x;
  int alu1 = lidx0 >> 2;
  int alu2 = alu1 * 64;
  int gidx0 = blockIdx.x;
  int alu3 = gidx0 * 32;
  int lidx1 = threadIdx.y;
  int alu4 = lidx1 * 16;
  int alu5 = lidx0 & 3;
  int alu6 = alu5 * 2;
  int idx0 = alu0 + alu2 + alu3 + alu4 + alu6;
  acc4[0] = 0.0f;
  acc4[4] = 0.0f;
  acc4[1] = 0.0f;
  acc4[5] = 0.0f;
  acc4[2] = 0.0f;
  acc4[6] = 0.0f;
  acc4[3] = 0.0f;
  acc4[7] = 0.0f;
  int alu7 = lidx2 * 640;
  int alu8 = alu1 * 40;
  int alu9 = alu5 * 8;
  int idx1 = alu7 + lidx1 * 320 + alu8 + alu9;
  int alu10 = lidx2 * 768 + lidx1 * 384 + alu1 * 48;
  int alu11 = lidx1 * 512;
  int alu12 = alu7 + alu8;
  int alu13 = alu5 * 80;
  for (int r7 = 0; r7 < 2; r7++) {
    __syncthreads();
    *(uint4 *)&local0[idx1] = r7 * 4 + alu5 < 6 ? *(uint4 *)&data1[alu10 + r7 * 32 + alu9] : uint4();
    *(uint4 *)&local1[idx1] = r7 * 2 + lidx2 < 3 ? *(uint4 *)&data2[r7 * 2048 + alu0 + alu11 + alu2 + alu3 + alu9] : uint4();
    __syncthreads();
    for (int r25 = 0; r25 < 2; r25++) {
      int idx2 = alu12 + r25 * 16 + alu6;
      *(unsigned *)&acc2[0] = *(unsigned *)&local0[idx2];
      *(unsigned *)&acc2[2] = *(unsigned *)&local0[idx2 + 320];
      *(unsigned *)&acc2[4] = *(unsigned *)&local0[idx2 + 8];
      *(unsigned *)&acc2[6] = *(unsigned *)&local0[idx2 + 328];
      int idx3 = r25 * 640 + alu13 + alu4 + alu1;
      acc3[0] = local1[idx3];
      acc3[4] = local1[idx3 + 8];
      acc3[2] = local1[idx3 + 320];
      acc3[6] = local1[idx3 + 328];
      acc3[1] = local1[idx3 + 40];
      acc3[5] = local1[idx3 + 48];
      acc3[3] = local1[idx3 + 360];
      acc3[7] = local1[idx3 + 368];
      mma_f16(&acc4[0], &acc2[0], &acc3[0]);
      mma_f16(&acc4[4], &acc2[0], &acc3[4]);
    }
  }
  int idx4 = alu3 + alu4 + alu6;
  float2 val0 = *(float2 *)&data3[idx4];
  float alu14 = val0.x;
  float alu15 = acc4[0] + alu14;
  float alu16 = val0.y;
  float alu17 = acc4[1] + alu16;
  *(float2 *)&data0[idx0] = make_float2(alu15 <= 0.0f ? 0.0f : alu15, alu17 <= 0.0f ? 0.0f : alu17);
  float2 val1 = *(float2 *)&data3[idx4 + 8];
  float alu18 = val1.x;
  float alu19 = acc4[4] + alu18;
  float alu20 = val1.y;
  float alu21 = acc4[5] + alu20;
  *(float2 *)&data0[idx0 + 8] = make_float2(alu19 <= 0.0f ? 0.0f : alu19, alu21 <= 0.0f ? 0.0f : alu21);
  float alu22 = acc4[2] + alu14;
  float alu23 = acc4[3] + alu16;
  *(float2 *)&data0[idx0 + 512] = make_float2(alu22 <= 0.0f ? 0.0f : alu22, alu23 <= 0.0f ? 0.0f : alu23);
  float alu24 = acc4[6] + alu18;
  float alu25 = acc4[7] + alu20;
  *(float2 *)&data0[idx0 + 520] = make_float2(alu24 <= 0.0f ? 0.0f : alu24, alu25 <= 0.0f ? 0.0f : alu25);
}
