// kernel 0: r_128_2_256, launch ((128, 1, 1), (256, 1, 1))
extern "C" __global__ void __launch_bounds__(256)
r_128_2_256(float *__restrict__ data0, const float *__restrict__ data1) {
  __shared__ __align__(16) float local1[8];
  float acc0;
  int gidx0 = blockIdx.x;
  int lidx0 = threadIdx.x;
  acc0 = 0.0f;
  int alu0 = gidx0 * 512;
  for (int r4 = 0; r4 < 2; r4++) {
    acc0 = acc0 + data1[alu0 + r4 * 256 + lidx0];
  }
  float val0 = acc0;
  float alu1 = __shfl_xor_sync(0xffffffffu, val0, 16);
  float alu2 = val0 + alu1;
  float alu3 = __shfl_xor_sync(0xffffffffu, alu2, 8);
  float alu4 = alu2 + alu3;
  float alu5 = __shfl_xor_sync(0xffffffffu, alu4, 4);
  float alu6 = alu4 + alu5;
  float alu7 = __shfl_xor_sync(0xffffffffu, alu6, 2);
  float alu8 = alu6 + alu7;
  float alu9 = __shfl_xor_sync(0xffffffffu, alu8, 1);
  if ((lidx0 & 31) == 0) local1[lidx0 >> 5] = alu8 + alu9;
  __syncthreads();
  float val1 = local1[lidx0 & 7];
  float alu10 = __shfl_xor_sync(0xffffffffu, val1, 4);
  float alu11 = val1 + alu10;
  float alu12 = __shfl_xor_sync(0xffffffffu, alu11, 2);
  float alu13 = alu11 + alu12;
  float alu14 = __shfl_xor_sync(0xffffffffu, alu13, 1);
  if (lidx0 == 0) data0[gidx0] = alu13 + alu14;
}

// kernel 1: r_128, launch ((1, 1, 1), (128, 1, 1))
extern "C" __global__ void __launch_bounds__(128)
r_128(float *__restrict__ data0, const float *__restrict__ data1) {
  __shared__ __align__(16) float local0[4];
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
  float val1 = local0[lidx0 & 3];
  float alu9 = __shfl_xor_sync(0xffffffffu, val1, 2);
  float alu10 = val1 + alu9;
  float alu11 = __shfl_xor_sync(0xffffffffu, alu10, 1);
  if (lidx0 == 0) data0[0] = alu10 + alu11;
}
