// kernel 0: r_256_4096, launch ((256, 1, 1), (256, 1, 1))
extern "C" __global__ void __launch_bounds__(256)
r_256_4096(float *__restrict__ data0, const float *__restrict__ data1) {
  __shared__ __align__(16) float local1[8];
  float acc0;
  int gidx0 = blockIdx.x;
  int lidx0 = threadIdx.x;
  acc0 = 0.0f;
  int alu0 = gidx0 * 4096;
  int alu1 = lidx0 * 4;
  for (int r4 = 0; r4 < 4; r4++) {
    float4 val0 = *(float4 *)&data1[alu0 + r4 * 1024 + alu1];
    acc0 = acc0 + (val0.x + val0.y + val0.z + val0.w);
  }
  float val1 = acc0;
  float alu2 = __shfl_xor_sync(0xffffffffu, val1, 16);
  float alu3 = val1 + alu2;
  float alu4 = __shfl_xor_sync(0xffffffffu, alu3, 8);
  float alu5 = alu3 + alu4;
  float alu6 = __shfl_xor_sync(0xffffffffu, alu5, 4);
  float alu7 = alu5 + alu6;
  float alu8 = __shfl_xor_sync(0xffffffffu, alu7, 2);
  float alu9 = alu7 + alu8;
  float alu10 = __shfl_xor_sync(0xffffffffu, alu9, 1);
  if ((lidx0 & 31) == 0) local1[lidx0 >> 5] = alu9 + alu10;
  __syncthreads();
  float val2 = local1[lidx0 & 7];
  float alu11 = __shfl_xor_sync(0xffffffffu, val2, 4);
  float alu12 = val2 + alu11;
  float alu13 = __shfl_xor_sync(0xffffffffu, alu12, 2);
  float alu14 = alu12 + alu13;
  float alu15 = __shfl_xor_sync(0xffffffffu, alu14, 1);
  if (lidx0 == 0) data0[gidx0] = alu14 + alu15;
}

// kernel 1: r_256, launch ((1, 1, 1), (256, 1, 1))
extern "C" __global__ void __launch_bounds__(256)
r_256(float *__restrict__ data0, const float *__restrict__ data1) {
  __shared__ __align__(16) float local0[8];
  int lidx0 = threadIdx.x;
  float val0 = data1[lidx0];
  float alu0 = __shfl_xor_sync(0xffffffffu, val0, 16);
  float alu1 = val0 + alu0;
  float alu2 = __shfl_xor_sync(0xffffffffu, alu1, 8);
  float alu3 = alu1 + alu2;
  float alu4 = __shfl_xor_sync(0xffffffffu, alu3, 4);
  float alu5 = alu3 + alu4;
  float alu6 = __shfl_xor_sync(0xffffffffu, alu5, 2);
  float alu7 = alu5 + alu6;
  float alu8 = __shfl_xor_sync(0xffffffffu, alu7, 1);
  if ((lidx0 & 31) == 0) local0[lidx0 >> 5] = alu7 + alu8;
  __syncthreads();
  float val1 = local0[lidx0 & 7];
  float alu9 = __shfl_xor_sync(0xffffffffu, val1, 4);
  float alu10 = val1 + alu9;
  float alu11 = __shfl_xor_sync(0xffffffffu, alu10, 2);
  float alu12 = alu10 + alu11;
  float alu13 = __shfl_xor_sync(0xffffffffu, alu12, 1);
  if (lidx0 == 0) data0[0] = alu12 + alu13;
}
