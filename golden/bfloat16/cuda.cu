// kernel 0: e_64, launch ((1, 1, 1), (16, 1, 1))
#include <cuda_bf16.h>

extern "C" __global__ void __launch_bounds__(16)
e_64(
    __nv_bfloat16 *__restrict__ data0,
    const __nv_bfloat16 *__restrict__ data1,
    const __nv_bfloat16 *__restrict__ data2) {
  int lidx0 = threadIdx.x;
  int idx0 = lidx0 * 4;
  float alu0 = __bfloat162float(__float2bfloat16(__bfloat162float(data1[idx0]) * 2.0f)) + __bfloat162float(data2[idx0]);
  __nv_bfloat16 cast0 = __float2bfloat16(alu0);
  data0[idx0] = __bfloat162float(cast0) <= 0.0f ? __float2bfloat16(0.0f) : cast0;
  int idx1 = idx0 + 1;
  float alu1 = __bfloat162float(__float2bfloat16(__bfloat162float(data1[idx1]) * 2.0f)) + __bfloat162float(data2[idx1]);
  __nv_bfloat16 cast1 = __float2bfloat16(alu1);
  data0[idx1] = __bfloat162float(cast1) <= 0.0f ? __float2bfloat16(0.0f) : cast1;
  int idx2 = idx0 + 2;
  float alu2 = __bfloat162float(__float2bfloat16(__bfloat162float(data1[idx2]) * 2.0f)) + __bfloat162float(data2[idx2]);
  __nv_bfloat16 cast2 = __float2bfloat16(alu2);
  data0[idx2] = __bfloat162float(cast2) <= 0.0f ? __float2bfloat16(0.0f) : cast2;
  int idx3 = idx0 + 3;
  float alu3 = __bfloat162float(__float2bfloat16(__bfloat162float(data1[idx3]) * 2.0f)) + __bfloat162float(data2[idx3]);
  __nv_bfloat16 cast3 = __float2bfloat16(alu3);
  data0[idx3] = __bfloat162float(cast3) <= 0.0f ? __float2bfloat16(0.0f) : cast3;
}
