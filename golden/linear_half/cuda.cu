// kernel 0: r_32_64_48, launch ((2, 1, 1), (32, 2, 2))
#include <cuda_fp16.h>
#include <cuda_pipeline_primitives.h>
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
  __shared__ __align__(16) __half local0[2560];
  __shared__ __align__(16) __half local1[2560];
  __align__(16) __half acc2[8];
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
  int alu8 = lidx1 * 320;
  int alu9 = alu1 * 40;
  int alu10 = alu5 * 8;
  int idx1 = alu7 + alu8 + alu9 + alu10;
  int alu11 = lidx2 * 768 + lidx1 * 384 + alu1 * 48;
  __pipeline_memcpy_async(&local0[idx1], &data1[alu11 + alu10], 16);
  int alu12 = lidx1 * 512;
  __pipeline_memcpy_async(&local1[idx1], &data2[alu0 + alu12 + alu2 + alu3 + alu10], 16);
  int alu13 = alu5 * 80;
  for (int r7 = 0; r7 < 2; r7++) {
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();
    int alu14 = r7 * 1280;
    int alu15 = alu14 + alu7;
    int idx2 = alu15 + alu8 + alu9 + alu10 + 1280;
    bool alu16 = r7 < 1;
    if (alu16) __pipeline_memcpy_async(&local0[idx2], &data1[alu11 + r7 * 32 + alu10 + 32], 16, alu16 & (r7 * 4 + alu5 < 2) ? 0 : 16);
    if (alu16) __pipeline_memcpy_async(&local1[idx2], &data2[r7 * 2048 + alu0 + alu12 + alu2 + alu3 + alu10 + 2048], 16, alu16 & (r7 * 2 + lidx2 < 1) ? 0 : 16);
    int alu17 = alu15 + alu9;
    for (int r25 = 0; r25 < 2; r25++) {
      int idx3 = alu17 + r25 * 16 + alu6;
      *(unsigned *)&acc2[0] = *(unsigned *)&local0[idx3];
      *(unsigned *)&acc2[2] = *(unsigned *)&local0[idx3 + 320];
      *(unsigned *)&acc2[4] = *(unsigned *)&local0[idx3 + 8];
      *(unsigned *)&acc2[6] = *(unsigned *)&local0[idx3 + 328];
      int idx4 = alu14 + r25 * 640 + alu13 + alu4 + alu1;
      acc3[0] = local1[idx4];
      acc3[4] = local1[idx4 + 8];
      acc3[2] = local1[idx4 + 320];
      acc3[6] = local1[idx4 + 328];
      acc3[1] = local1[idx4 + 40];
      acc3[5] = local1[idx4 + 48];
      acc3[3] = local1[idx4 + 360];
      acc3[7] = local1[idx4 + 368];
      mma_f16(&acc4[0], &acc2[0], &acc3[0]);
      mma_f16(&acc4[4], &acc2[0], &acc3[4]);
    }
  }
  int idx5 = alu3 + alu4 + alu6;
  float2 val0 = *(float2 *)&data3[idx5];
  float alu18 = val0.x;
  float alu19 = acc4[0] + alu18;
  float alu20 = val0.y;
  float alu21 = acc4[1] + alu20;
  *(float2 *)&data0[idx0] = make_float2(alu19 <= 0.0f ? 0.0f : alu19, alu21 <= 0.0f ? 0.0f : alu21);
  float2 val1 = *(float2 *)&data3[idx5 + 8];
  float alu22 = val1.x;
  float alu23 = acc4[4] + alu22;
  float alu24 = val1.y;
  float alu25 = acc4[5] + alu24;
  *(float2 *)&data0[idx0 + 8] = make_float2(alu23 <= 0.0f ? 0.0f : alu23, alu25 <= 0.0f ? 0.0f : alu25);
  float alu26 = acc4[2] + alu18;
  float alu27 = acc4[3] + alu20;
  *(float2 *)&data0[idx0 + 512] = make_float2(alu26 <= 0.0f ? 0.0f : alu26, alu27 <= 0.0f ? 0.0f : alu27);
  float alu28 = acc4[6] + alu22;
  float alu29 = acc4[7] + alu24;
  *(float2 *)&data0[idx0 + 520] = make_float2(alu28 <= 0.0f ? 0.0f : alu28, alu29 <= 0.0f ? 0.0f : alu29);
}
