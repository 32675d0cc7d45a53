// kernel 0: r_64_64_64, launch ((2, 2, 1), (32, 2, 2))
#include <cuda_fp16.h>
struct __align__(4) half_2 { __half x, y; };
static __device__ __forceinline__ half_2 make_half_2(__half x, __half y) {
  return {x, y};
}
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
r_64_64_64(
    __half *__restrict__ data0,
    const __half *__restrict__ data1,
    const __half *__restrict__ data2) {
  __align__(16) float acc4[8];
  __shared__ __align__(16) __half local0[2048];
  __shared__ __align__(16) __half local1[2048];
  __align__(16) __half acc2[8];
  __align__(16) __half acc3[8];
  int gidx1 = blockIdx.y;
  int lidx2 = threadIdx.z;
  int alu0 = lidx2 * 1024;
  int alu1 = gidx1 * 2048 + alu0;
  int lidx0 = threadIdx.x;
  int alu2 = lidx0 >> 2;
  int alu3 = alu2 * 64;
  int gidx0 = blockIdx.x;
  int alu4 = gidx0 * 32;
  int lidx1 = threadIdx.y;
  int alu5 = lidx0 & 3;
  int idx0 = alu1 + alu3 + alu4 + lidx1 * 16 + alu5 * 2;
  acc4[0] = 0.0f;
  acc4[4] = 0.0f;
  acc4[1] = 0.0f;
  acc4[5] = 0.0f;
  acc4[2] = 0.0f;
  acc4[6] = 0.0f;
  acc4[3] = 0.0f;
  acc4[7] = 0.0f;
  int alu6 = lidx2 * 512;
  int alu7 = lidx1 * 256;
  int alu8 = alu2 * 32;
  int alu9 = (((lidx0 >> 3) + lidx0) & 3) * 8;
  int idx1 = alu6 + alu7 + alu8 + alu9;
  int alu10 = lidx1 * 512;
  int alu11 = alu1 + alu10 + alu3;
  int alu12 = alu5 * 8;
  __pipeline_memcpy_async(&local0[idx1], &data1[alu11 + alu12], 16);
  __pipeline_memcpy_async(&local1[idx1], &data2[alu0 + alu10 + alu3 + alu4 + alu12], 16);
  int alu13 = (lidx0 & 15) * 32;
  int alu14 = lidx0 >> 4;
  int alu15 = lidx0 >> 1;
  int alu16 = ((lidx1 * 2 + alu14 + alu15) & 3) * 8;
  for (int r7 = 0; r7 < 2; r7++) {
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();
    int alu17 = r7 * 1024;
    int alu18 = alu17 + alu6;
    int idx2 = alu18 + alu7 + alu8 + alu9 + 1024;
    bool alu19 = r7 < 1;
    if (alu19) __pipeline_memcpy_async(&local0[idx2], &data1[alu11 + r7 * 32 + alu12 + 32], 16);
    if (alu19) __pipeline_memcpy_async(&local1[idx2], &data2[r7 * 2048 + alu0 + alu10 + alu3 + alu4 + alu12 + 2048], 16);
    int alu20 = alu18 + alu13;
    for (int r25 = 0; r25 < 2; r25++) {
      ldmatrix_x4(&acc2[0], &local0[alu20 + ((r25 * 2 + alu14 + alu15) & 3) * 8]);
      ldmatrix_x4_turned(&acc3[0], &local1[alu17 + r25 * 512 + alu13 + alu16]);
      mma_f16(&acc4[0], &acc2[0], &acc3[0]);
      mma_f16(&acc4[4], &acc2[0], &acc3[4]);
    }
  }
  *(half_2 *)&data0[idx0] = make_half_2(__float2half(acc4[0]), __float2half(acc4[1]));
  *(half_2 *)&data0[idx0 + 8] = make_half_2(__float2half(acc4[4]), __float2half(acc4[5]));
  *(half_2 *)&data0[idx0 + 512] = make_half_2(__float2half(acc4[2]), __float2half(acc4[3]));
  *(half_2 *)&data0[idx0 + 520] = make_half_2(__float2half(acc4[6]), __float2half(acc4[7]));
}
