// kernel 0: e_64, launch ((1, 1, 1), (16, 1, 1))
#include <cuda_bf16.h>

extern "C" __global__ void __launch_bounds__(16)
e_64(
    __nv_bfloat16 *__restrict__ data0,
    const __nv_bfloat16 *__restrict__ data1,
    const __nv_bfloat16 *__restrict__ data2) {
  int lidx0 = threadIdx.x;
  int idx0 = lidx0 * 4;
  float cast0 = __bfloat162float(__float2bfloat16(2.0f));
  float cast1 = __bfloat162float(__float2bfloat16(__bfloat162float(data1[idx0]) * cast0));
  __nv_bfloat16 cast2 = __float2bfloat16(cast1 + __bfloat162float(data2[idx0]));
  float cast3 = __bfloat162float(__float2bfloat16(0.0f));
  data0[idx0] = __bfloat162float(cast2) <= cast3 ? __float2bfloat16(0.0f) : cast2;
  int idx1 = idx0 + 1;
  float cast4 = __bfloat162float(__float2bfloat16(__bfloat162float(data1[idx1]) * cast0));
  __nv_bfloat16 cast5 = __float2bfloat16(cast4 + __bfloat162float(data2[idx1]));
  data0[idx1] = __bfloat162float(cast5) <= cast3 ? __float2bfloat16(0.0f) : cast5;
  int idx2 = idx0 + 2;
  float cast6 = __bfloat162float(__float2bfloat16(__bfloat162float(data1[idx2]) * cast0));
  __nv_bfloat16 cast7 = __float2bfloat16(cast6 + __bfloat162float(data2[idx2]));
  data0[idx2] = __bfloat162float(cast7) <= cast3 ? __float2bfloat16(0.0f) : cast7;
  int idx3 = idx0 + 3;
  float cast8 = __bfloat162float(__float2bfloat16(__bfloat162float(data1[idx3]) * cast0));
  __nv_bfloat16 cast9 = __float2bfloat16(cast8 + __bfloat162float(data2[idx3]));
  data0[idx3] = __bfloat162float(cast9) <= cast3 ? __float2bfloat16(0.0f) : cast9;
}
