// kernel 0: r_32_64_48, launch ((2, 1, 1), (32, 2, 2))
#include <cuda_fp16.h>
#include <cuda_pipeline_primitives.h>
static __device__ __forceinline__ void ldmatrix_x4(void *to, const void *from) {
  unsigned x[4], at = (unsigned)__cvta_generic_to_shared(from);
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
      : "=r"(x[0]), "=r"(x[1]), "=r"(x[2]), "=r"(x[3]) : "r"(at));
  memcpy(to, x, sizeof x);
}
static __device__ __forceinline__ void ldmatrix_x4_turned(void *to, const void *from) {
  unsigned x[4], at = (unsigned)__cvta_generic_to_shared(from);
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
      : "=r"(x[0]), "=r"(x[1]), "=r"(x[2]), "=r"(x[3]) : "r"(at));
  memcpy(to, x, sizeof x);
}
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
  __shared__ __align__(16) __half local0[2048];
  __shared__ __align__(16) __half local1[2048];
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
  int alu7 = lidx2 * 512;
  int alu8 = lidx1 * 256;
  int alu9 = alu1 * 32;
  int alu10 = (((lidx0 >> 3) + lidx0) & 3) * 8;
  int idx1 = alu7 + alu8 + alu9 + alu10;
  int alu11 = lidx2 * 768 + lidx1 * 384 + alu1 * 48;
  int alu12 = alu5 * 8;
  __pipeline_memcpy_async(&local0[idx1], &data1[alu11 + alu12], 16);
  int alu13 = lidx1 * 512;
  __pipeline_memcpy_async(&local1[idx1], &data2[alu0 + alu13 + alu2 + alu3 + alu12], 16);
  int alu14 = (lidx0 & 15) * 32;
  int alu15 = lidx0 >> 4;
  int alu16 = lidx0 >> 1;
  int alu17 = ((lidx1 * 2 + alu15 + alu16) & 3) * 8;
  for (int r7 = 0; r7 < 2; r7++) {
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();
    int alu18 = r7 * 1024;
    int alu19 = alu18 + alu7;
    int idx2 = alu19 + alu8 + alu9 + alu10 + 1024;
    bool alu20 = r7 < 1;
    if (alu20) __pipeline_memcpy_async(&local0[idx2], &data1[alu11 + r7 * 32 + alu12 + 32], 16, alu20 & (r7 * 4 + alu5 < 2) ? 0 : 16);
    if (alu20) __pipeline_memcpy_async(&local1[idx2], &data2[r7 * 2048 + alu0 + alu13 + alu2 + alu3 + alu12 + 2048], 16, alu20 & (r7 * 2 + lidx2 < 1) ? 0 : 16);
    int alu21 = alu19 + alu14;
    for (int r25 = 0; r25 < 2; r25++) {
      ldmatrix_x4(&acc2[0], &local0[alu21 + ((r25 * 2 + alu15 + alu16) & 3) * 8]);
      ldmatrix_x4_turned(&acc3[0], &local1[alu18 + r25 * 512 + alu14 + alu17]);
      mma_f16(&acc4[0], &acc2[0], &acc3[0]);
      mma_f16(&acc4[4], &acc2[0], &acc3[4]);
    }
  }
  int idx3 = alu3 + alu4 + alu6;
  float2 val0 = *(float2 *)&data3[idx3];
  float alu22 = val0.x;
  float alu23 = acc4[0] + alu22;
  float alu24 = val0.y;
  float alu25 = acc4[1] + alu24;
  *(float2 *)&data0[idx0] = make_float2(alu23 <= 0.0f ? 0.0f : alu23, alu25 <= 0.0f ? 0.0f : alu25);
  float2 val1 = *(float2 *)&data3[idx3 + 8];
  float alu26 = val1.x;
  float alu27 = acc4[4] + alu26;
  float alu28 = val1.y;
  float alu29 = acc4[5] + alu28;
  *(float2 *)&data0[idx0 + 8] = make_float2(alu27 <= 0.0f ? 0.0f : alu27, alu29 <= 0.0f ? 0.0f : alu29);
  float alu30 = acc4[2] + alu22;
  float alu31 = acc4[3] + alu24;
  *(float2 *)&data0[idx0 + 512] = make_float2(alu30 <= 0.0f ? 0.0f : alu30, alu31 <= 0.0f ? 0.0f : alu31);
  float alu32 = acc4[6] + alu26;
  float alu33 = acc4[7] + alu28;
  *(float2 *)&data0[idx0 + 520] = make_float2(alu32 <= 0.0f ? 0.0f : alu32, alu33 <= 0.0f ? 0.0f : alu33);
}
