// kernel 0: r_20_24_40, launch ((1, 1, 1), (32, 2, 2))
#include <cuda_bf16.h>
#include <cuda_pipeline_primitives.h>
static __device__ __forceinline__ void ldmatrix_x4(void *to, const void *from) {
  unsigned x[4], at = (unsigned)__cvta_generic_to_shared(from);
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
      : "=r"(x[0]), "=r"(x[1]), "=r"(x[2]), "=r"(x[3]) : "r"(at));
  memcpy(to, x, sizeof x);
}
static __device__ __forceinline__ void mma_bf16(float *c, const __nv_bfloat16 *a, const __nv_bfloat16 *b) {
  unsigned x[4], y[2];
  memcpy(x, a, sizeof x);
  memcpy(y, b, sizeof y);
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 "
      "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
      : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
      : "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "r"(y[0]), "r"(y[1]));
}

extern "C" __global__ void __launch_bounds__(128)
r_20_24_40(
    float *__restrict__ data0,
    const __nv_bfloat16 *__restrict__ data1,
    const __nv_bfloat16 *__restrict__ data2) {
  __align__(16) float acc4[8];
  __shared__ __align__(16) __nv_bfloat16 local0[2048];
  __shared__ __align__(16) __nv_bfloat16 local1[2048];
  __align__(16) __nv_bfloat16 acc2[8];
  __align__(16) __nv_bfloat16 acc3[8];
  int lidx2 = threadIdx.z;
  int lidx0 = threadIdx.x;
  int alu0 = lidx0 >> 2;
  int lidx1 = threadIdx.y;
  int alu1 = lidx0 & 3;
  int idx0 = lidx2 * 384 + alu0 * 24 + lidx1 * 16 + alu1 * 2;
  acc4[0] = 0.0f;
  acc4[4] = 0.0f;
  acc4[1] = 0.0f;
  acc4[5] = 0.0f;
  acc4[2] = 0.0f;
  acc4[6] = 0.0f;
  acc4[3] = 0.0f;
  acc4[7] = 0.0f;
  int alu2 = lidx2 * 512;
  int alu3 = lidx1 * 256;
  int alu4 = alu0 * 32;
  int alu5 = lidx0 >> 3;
  int alu6 = ((alu5 + lidx0) & 3) * 8;
  int idx1 = alu2 + alu3 + alu4 + alu6;
  int alu7 = lidx2 * 640 + lidx1 * 320 + alu0 * 40;
  int alu8 = alu1 * 8;
  int idx2 = alu7 + alu8;
  int alu9 = lidx2 * 16;
  bool alu10 = alu9 + lidx1 * 8 + alu0 < 20;
  __pipeline_memcpy_async(&local0[idx1], &data1[idx2], 16, alu10 ? 0 : 16);
  bool alu11 = lidx2 * 2 + lidx1 < 3;
  __pipeline_memcpy_async(&local1[idx1], &data2[idx2], 16, alu11 ? 0 : 16);
  int alu12 = (lidx0 & 15) * 32;
  int alu13 = lidx0 >> 4;
  int alu14 = lidx0 >> 1;
  int alu15 = lidx1 * 512;
  int alu16 = alu13 * 256;
  int alu17 = (lidx0 & 7) * 32;
  int alu18 = alu5 & 1;
  for (int r7 = 0; r7 < 2; r7++) {
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();
    int alu19 = r7 * 1024;
    int alu20 = alu19 + alu2;
    int idx3 = alu20 + alu3 + alu4 + alu6 + 1024;
    int idx4 = alu7 + r7 * 32 + alu8 + 32;
    bool alu21 = r7 < 1;
    bool alu22 = r7 * 4 + alu1 < 1;
    if (alu21) __pipeline_memcpy_async(&local0[idx3], &data1[idx4], 16, alu21 & (alu10 & alu22) ? 0 : 16);
    if (alu21) __pipeline_memcpy_async(&local1[idx3], &data2[idx4], 16, alu21 & (alu11 & alu22) ? 0 : 16);
    int alu23 = alu20 + alu12;
    int alu24 = alu19 + alu15 + alu16 + alu17;
    for (int r25 = 0; r25 < 2; r25++) {
      int alu25 = r25 * 2;
      ldmatrix_x4(&acc2[0], &local0[alu23 + ((alu25 + alu13 + alu14) & 3) * 8]);
      ldmatrix_x4(&acc3[0], &local1[alu24 + ((alu25 + alu18 + alu14) & 3) * 8]);
      mma_bf16(&acc4[0], &acc2[0], &acc3[0]);
      mma_bf16(&acc4[4], &acc2[0], &acc3[4]);
    }
  }
  float val0 = acc4[0];
  bool alu26 = alu9 + alu0 < 20;
  if (alu26) data0[idx0] = val0 <= 0.0f ? 0.0f : val0;
  float val1 = acc4[4];
  bool alu27 = lidx1 < 1;
  bool alu28 = alu26 & alu27;
  if (alu28) data0[idx0 + 8] = val1 <= 0.0f ? 0.0f : val1;
  float val2 = acc4[2];
  bool alu29 = lidx2 < 1;
  if (alu29) data0[idx0 + 192] = val2 <= 0.0f ? 0.0f : val2;
  float val3 = acc4[6];
  bool alu30 = alu29 & alu27;
  if (alu30) data0[idx0 + 200] = val3 <= 0.0f ? 0.0f : val3;
  float val4 = acc4[1];
  if (alu26) data0[idx0 + 1] = val4 <= 0.0f ? 0.0f : val4;
  float val5 = acc4[5];
  if (alu28) data0[idx0 + 9] = val5 <= 0.0f ? 0.0f : val5;
  float val6 = acc4[3];
  if (alu29) data0[idx0 + 193] = val6 <= 0.0f ? 0.0f : val6;
  float val7 = acc4[7];
  if (alu30) data0[idx0 + 201] = val7 <= 0.0f ? 0.0f : val7;
}
