// kernel 0: r_64, launch ((1, 1, 1), (64, 1, 1))
#include <cuda_fp16.h>

extern "C" __global__ void __launch_bounds__(64)
r_64(
    __half *__restrict__ data0,
    const __half *__restrict__ data1,
    const __half *__restrict__ data2) {
  __shared__ __align__(16) float local0[2];
  int lidx0 = threadIdx.x;
  float alu0 = __half2float(__float2half(__half2float(data1[lidx0]) * 2.0f)) + __half2float(data2[lidx0]);
  float cast0 = __half2float(__float2half(alu0));
  float alu1 = __shfl_xor_sync(0xffffffffu, cast0, 16);
  float alu2 = cast0 + alu1;
  float alu3 = __shfl_xor_sync(0xffffffffu, alu2, 8);
  float alu4 = alu2 + alu3;
  float alu5 = __shfl_xor_sync(0xffffffffu, alu4, 4);
  float alu6 = alu4 + alu5;
  float alu7 = __shfl_xor_sync(0xffffffffu, alu6, 2);
  float alu8 = alu6 + alu7;
  float alu9 = __shfl_xor_sync(0xffffffffu, alu8, 1);
  if ((lidx0 & 31) == 0) local0[lidx0 >> 5] = alu8 + alu9;
  __syncthreads();
  float val0 = local0[lidx0 & 1];
  float alu10 = __shfl_xor_sync(0xffffffffu, val0, 1);
  if (lidx0 == 0) data0[0] = __float2half(val0 + alu10);
}
