// kernel 0: r_8192_8_16_40_40_40, launch ((128, 1, 1), (32, 4, 1))
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
static __device__ __forceinline__ void mma_f16(float *c, const __half *a, const __half *b) {
  unsigned x[4], y[2];
  memcpy(x, a, sizeof x);
  memcpy(y, b, sizeof y);
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 "
      "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
      : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
      : "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "r"(y[0]), "r"(y[1]));
}
static __device__ __forceinline__ void ldmatrix_x2_turned(void *to, const void *from) {
  unsigned x[2], at = (unsigned)__cvta_generic_to_shared(from);
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0, %1}, [%2];"
      : "=r"(x[0]), "=r"(x[1]) : "r"(at));
  memcpy(to, x, sizeof x);
}

extern "C" __global__ void __launch_bounds__(128)
r_8192_8_16_40_40_40(
    __half *__restrict__ data0,
    const __half *__restrict__ data1,
    const __half *__restrict__ data2,
    const __half *__restrict__ data3) {
  __align__(16) float acc11[2];
  __align__(16) float acc13[2];
  __shared__ __align__(16) __half local1[1024];
  __shared__ __align__(16) __half local2[512];
  __align__(16) float acc7[16];
  __align__(16) float acc6[16];
  __align__(16) float acc5[16];
  __align__(16) __half acc3[8];
  __shared__ __align__(16) __half local0[1024];
  __align__(16) __half acc4[16];
  __align__(16) float acc15[2];
  __align__(16) float acc16[2];
  __align__(16) float acc14[2];
  __align__(16) float acc12[4];
  __align__(16) float acc10[4];
  __align__(16) __half acc8[8];
  __align__(16) __half acc9[4];
  int gidx0 = blockIdx.x;
  int lidx1 = threadIdx.y;
  int lidx0 = threadIdx.x;
  int idx0 = gidx0 * 512 + lidx1 * 128 + lidx0 * 2;
  acc13[0] = 0.0f;
  acc13[1] = 0.0f;
  int alu0 = lidx1 * 32;
  int alu1 = lidx0 >> 4;
  int alu2 = alu1 * 16;
  int alu3 = lidx0 >> 3;
  int alu4 = (((lidx1 >> 1) + alu3) & 1) * 8;
  int alu5 = lidx0 & 7;
  int idx1 = alu0 + alu2 + alu4 + alu5;
  int idx2 = alu0 + lidx0;
  local1[idx1] = data2[idx2];
  int idx3 = idx2 + 128;
  local1[idx1 + 128] = data2[idx3];
  local1[idx1 + 256] = data2[idx2 + 256];
  local1[idx1 + 384] = data2[idx2 + 384];
  local2[idx2] = data3[idx2];
  local2[idx3] = data3[idx3];
  int alu6 = lidx1 * 256;
  int alu7 = lidx0 >> 1;
  __pipeline_memcpy_async(&local0[alu6 + alu7 * 16 + ((alu3 + lidx0) & 1) * 8], &data1[gidx0 * 1024 + alu6 + lidx0 * 8], 16);
  __pipeline_commit();
  __pipeline_wait_prior(0);
  __syncthreads();
  int alu8 = lidx0 & 15;
  int alu9 = lidx0 >> 2;
  ldmatrix_x4(&acc3[0], &local0[alu6 + alu8 * 16 + ((alu1 + alu9) & 1) * 8]);
  int alu10 = alu1 * 128;
  int alu11 = alu5 * 16;
  int alu12 = ((alu9 + alu3) & 1) * 8;
  bool alu13 = (lidx0 & 1) == 0;
  bool alu14 = (alu7 & 1) == 0;
  acc11[0] = -__int_as_float(0x7f800000);
  acc11[1] = -__int_as_float(0x7f800000);
  acc14[0] = -__int_as_float(0x7f800000);
  acc14[1] = -__int_as_float(0x7f800000);
  acc12[0] = 0.0f;
  acc12[2] = 0.0f;
  acc12[1] = 0.0f;
  acc12[3] = 0.0f;
  int alu15 = alu8 * 8;
  for (int r9 = 0; r9 < 2; r9++) {
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();
    int alu16 = r9 * 512;
    int alu17 = alu16 + alu0;
    int alu18 = alu17 + alu2 + alu4 + alu5;
    bool alu19 = r9 < 1;
    if (alu19) local1[alu18 + 512] = alu19 ? data2[alu17 + lidx0 + 512] : __float2half(0.0f);
    if (alu19) local1[alu18 + 640] = __float2half(0.0f);
    if (alu19) local1[alu18 + 768] = __float2half(0.0f);
    if (alu19) local1[alu18 + 896] = __float2half(0.0f);
    int alu20 = r9 * 256;
    int alu21 = alu20 + alu0 + lidx0;
    int idx4 = alu21 + 256;
    if (alu19) local2[idx4] = alu19 & (r9 * 8 + lidx1 < 2) ? data3[idx4] : __float2half(0.0f);
    if (alu19) local2[alu21 + 384] = __float2half(0.0f);
    acc5[0] = 0.0f;
    acc5[4] = 0.0f;
    acc5[8] = 0.0f;
    acc5[12] = 0.0f;
    acc5[1] = 0.0f;
    acc5[5] = 0.0f;
    acc5[9] = 0.0f;
    acc5[13] = 0.0f;
    acc5[2] = 0.0f;
    acc5[6] = 0.0f;
    acc5[10] = 0.0f;
    acc5[14] = 0.0f;
    acc5[3] = 0.0f;
    acc5[7] = 0.0f;
    acc5[11] = 0.0f;
    acc5[15] = 0.0f;
    int idx5 = alu16 + alu10 + alu11 + alu12;
    ldmatrix_x4(&acc4[0], &local1[idx5]);
    ldmatrix_x4(&acc4[8], &local1[idx5 + 256]);
    mma_f16(&acc5[0], &acc3[0], &acc4[0]);
    mma_f16(&acc5[4], &acc3[0], &acc4[4]);
    mma_f16(&acc5[8], &acc3[0], &acc4[8]);
    mma_f16(&acc5[12], &acc3[0], &acc4[12]);
    acc6[0] = acc5[0] * 0.25f;
    acc6[8] = acc5[2] * 0.25f;
    acc6[2] = acc5[4] * 0.25f;
    acc6[10] = acc5[6] * 0.25f;
    acc6[4] = acc5[8] * 0.25f;
    acc6[12] = acc5[10] * 0.25f;
    acc6[6] = acc5[12] * 0.25f;
    acc6[14] = acc5[14] * 0.25f;
    acc6[1] = acc5[1] * 0.25f;
    acc6[9] = acc5[3] * 0.25f;
    acc6[3] = acc5[5] * 0.25f;
    acc6[11] = acc5[7] * 0.25f;
    acc6[5] = acc5[9] * 0.25f;
    acc6[13] = acc5[11] * 0.25f;
    acc6[7] = acc5[13] * 0.25f;
    acc6[15] = acc5[15] * 0.25f;
    float val0 = acc6[0];
    float val1 = acc6[1];
    float alu22 = val1 != val1 || val1 > val0 ? val1 : val0;
    float alu23 = alu19 ? acc6[2] : -__int_as_float(0x7f800000);
    float alu24 = alu23 != alu23 || alu23 > alu22 ? alu23 : alu22;
    float alu25 = alu19 ? acc6[3] : -__int_as_float(0x7f800000);
    float alu26 = alu25 != alu25 || alu25 > alu24 ? alu25 : alu24;
    float alu27 = alu19 ? acc6[4] : -__int_as_float(0x7f800000);
    float alu28 = alu27 != alu27 || alu27 > alu26 ? alu27 : alu26;
    float alu29 = alu19 ? acc6[5] : -__int_as_float(0x7f800000);
    float alu30 = alu29 != alu29 || alu29 > alu28 ? alu29 : alu28;
    float alu31 = alu19 ? acc6[6] : -__int_as_float(0x7f800000);
    float alu32 = alu31 != alu31 || alu31 > alu30 ? alu31 : alu30;
    float alu33 = alu19 ? acc6[7] : -__int_as_float(0x7f800000);
    float alu34 = alu33 != alu33 || alu33 > alu32 ? alu33 : alu32;
    float alu35 = __shfl_xor_sync(0xffffffffu, alu34, 2);
    float alu36 = alu14 ? alu34 : alu35;
    float alu37 = alu14 ? alu35 : alu34;
    float alu38 = alu37 != alu37 || alu37 > alu36 ? alu37 : alu36;
    float alu39 = __shfl_xor_sync(0xffffffffu, alu38, 1);
    float alu40 = alu13 ? alu38 : alu39;
    float alu41 = alu13 ? alu39 : alu38;
    float alu42 = alu41 != alu41 || alu41 > alu40 ? alu41 : alu40;
    float alu43 = -3.4028235e+38f != -3.4028235e+38f || -3.4028235e+38f > alu42 ? -3.4028235e+38f : alu42;
    float alu44 = 3.4028235e+38f != 3.4028235e+38f || 3.4028235e+38f < alu43 ? 3.4028235e+38f : alu43;
    acc7[0] = expf(val0 - alu44);
    float val2 = acc6[8];
    float val3 = acc6[9];
    float alu45 = val3 != val3 || val3 > val2 ? val3 : val2;
    float alu46 = alu19 ? acc6[10] : -__int_as_float(0x7f800000);
    float alu47 = alu46 != alu46 || alu46 > alu45 ? alu46 : alu45;
    float alu48 = alu19 ? acc6[11] : -__int_as_float(0x7f800000);
    float alu49 = alu48 != alu48 || alu48 > alu47 ? alu48 : alu47;
    float alu50 = alu19 ? acc6[12] : -__int_as_float(0x7f800000);
    float alu51 = alu50 != alu50 || alu50 > alu49 ? alu50 : alu49;
    float alu52 = alu19 ? acc6[13] : -__int_as_float(0x7f800000);
    float alu53 = alu52 != alu52 || alu52 > alu51 ? alu52 : alu51;
    float alu54 = alu19 ? acc6[14] : -__int_as_float(0x7f800000);
    float alu55 = alu54 != alu54 || alu54 > alu53 ? alu54 : alu53;
    float alu56 = alu19 ? acc6[15] : -__int_as_float(0x7f800000);
    float alu57 = alu56 != alu56 || alu56 > alu55 ? alu56 : alu55;
    float alu58 = __shfl_xor_sync(0xffffffffu, alu57, 2);
    float alu59 = alu14 ? alu57 : alu58;
    float alu60 = alu14 ? alu58 : alu57;
    float alu61 = alu60 != alu60 || alu60 > alu59 ? alu60 : alu59;
    float alu62 = __shfl_xor_sync(0xffffffffu, alu61, 1);
    float alu63 = alu13 ? alu61 : alu62;
    float alu64 = alu13 ? alu62 : alu61;
    float alu65 = alu64 != alu64 || alu64 > alu63 ? alu64 : alu63;
    float alu66 = -3.4028235e+38f != -3.4028235e+38f || -3.4028235e+38f > alu65 ? -3.4028235e+38f : alu65;
    float alu67 = 3.4028235e+38f != 3.4028235e+38f || 3.4028235e+38f < alu66 ? 3.4028235e+38f : alu66;
    acc7[8] = expf(val2 - alu67);
    acc7[2] = expf(alu23 - alu44);
    acc7[10] = expf(alu46 - alu67);
    acc7[4] = expf(alu27 - alu44);
    acc7[12] = expf(alu50 - alu67);
    acc7[6] = expf(alu31 - alu44);
    acc7[14] = expf(alu54 - alu67);
    acc7[1] = expf(val1 - alu44);
    acc7[9] = expf(val3 - alu67);
    acc7[3] = expf(alu25 - alu44);
    acc7[11] = expf(alu48 - alu67);
    acc7[5] = expf(alu29 - alu44);
    acc7[13] = expf(alu52 - alu67);
    acc7[7] = expf(alu33 - alu44);
    acc7[15] = expf(alu56 - alu67);
    float val4 = acc11[0];
    acc15[0] = expf(val4 - (alu44 != alu44 || alu44 > val4 ? alu44 : val4));
    float val5 = acc11[1];
    acc15[1] = expf(val5 - (alu67 != alu67 || alu67 > val5 ? alu67 : val5));
    float val6 = acc11[0];
    acc11[0] = alu44 != alu44 || alu44 > val6 ? alu44 : val6;
    float val7 = acc11[1];
    acc11[1] = alu67 != alu67 || alu67 > val7 ? alu67 : val7;
    acc16[0] = expf(alu44 - acc11[0]);
    acc16[1] = expf(alu67 - acc11[1]);
    float val8 = acc14[0];
    acc14[0] = alu42 != alu42 || alu42 > val8 ? alu42 : val8;
    float val9 = acc14[1];
    acc14[1] = alu65 != alu65 || alu65 > val9 ? alu65 : val9;
    acc10[0] = 0.0f;
    acc10[1] = 0.0f;
    acc10[2] = 0.0f;
    acc10[3] = 0.0f;
    #pragma unroll 4
    for (int i38 = 0; i38 < 2; i38++) {
      int idx6 = i38 * 4;
      acc8[0] = __float2half(acc7[idx6]);
      acc8[2] = __float2half(acc7[idx6 + 8]);
      acc8[4] = __float2half(acc7[idx6 + 2]);
      acc8[6] = __float2half(acc7[idx6 + 10]);
      acc8[1] = __float2half(acc7[idx6 + 1]);
      acc8[3] = __float2half(acc7[idx6 + 9]);
      acc8[5] = __float2half(acc7[idx6 + 3]);
      acc8[7] = __float2half(acc7[idx6 + 11]);
      ldmatrix_x2_turned(&acc9[0], &local2[alu20 + i38 * 128 + alu15]);
      mma_f16(&acc10[0], &acc8[0], &acc9[0]);
    }
    float val10 = acc15[0];
    float val11 = acc16[0];
    acc12[0] = acc12[0] * val10 + acc10[0] * val11;
    float val12 = acc15[1];
    float val13 = acc16[1];
    acc12[2] = acc12[2] * val12 + acc10[2] * val13;
    acc12[1] = acc12[1] * val10 + acc10[1] * val11;
    acc12[3] = acc12[3] * val12 + acc10[3] * val13;
    float alu68 = acc7[0] + acc7[1] + acc7[2] + acc7[3] + acc7[4] + acc7[5] + acc7[6] + acc7[7];
    float alu69 = __shfl_xor_sync(0xffffffffu, alu68, 2);
    float alu70 = alu68 + alu69;
    float alu71 = __shfl_xor_sync(0xffffffffu, alu70, 1);
    acc13[0] = acc13[0] * val10 + (alu70 + alu71) * val11;
    float alu72 = acc7[8] + acc7[9] + acc7[10] + acc7[11] + acc7[12] + acc7[13] + acc7[14] + acc7[15];
    float alu73 = __shfl_xor_sync(0xffffffffu, alu72, 2);
    float alu74 = alu72 + alu73;
    float alu75 = __shfl_xor_sync(0xffffffffu, alu74, 1);
    acc13[1] = acc13[1] * val12 + (alu74 + alu75) * val13;
  }
  float alu76 = expf(acc11[0] - acc14[0]);
  float alu77 = alu76 * acc13[0];
  *(half_2 *)&data0[idx0] = make_half_2(__float2half(alu76 * acc12[0] / alu77), __float2half(alu76 * acc12[1] / alu77));
  float alu78 = expf(acc11[1] - acc14[1]);
  float alu79 = alu78 * acc13[1];
  *(half_2 *)&data0[idx0 + 64] = make_half_2(__float2half(alu78 * acc12[2] / alu79), __float2half(alu78 * acc12[3] / alu79));
}
