// kernel 0: r_64, launch ((1, 1, 1), (1, 1, 1))
#include <cuda_fp16.h>

extern "C" __global__ void r_64(
    __half *__restrict__ data0,
    const __half *__restrict__ data1,
    const __half *__restrict__ data2) {
  float acc0;
  acc0 = 0.0f;
  for (int r0 = 0; r0 < 64; r0++) {
    float alu0 = __half2float(__float2half(__half2float(data1[r0]) * 2.0f)) + __half2float(data2[r0]);
    acc0 = acc0 + __half2float(__float2half(alu0));
  }
  data0[0] = __float2half(acc0);
}
