// kernel 0: e_64, launch ((1, 1, 1), (16, 1, 1))
#include <cuda_bf16.h>
struct __align__(8) bfloat_4 { __nv_bfloat16 x, y, z, w; };
static __device__ __forceinline__ bfloat_4 make_bfloat_4(__nv_bfloat16 x, __nv_bfloat16 y, __nv_bfloat16 z, __nv_bfloat16 w) {
  return {x, y, z, w};
}

extern "C" __global__ void __launch_bounds__(16)
e_64(
    __nv_bfloat16 *__restrict__ data0,
    const __nv_bfloat16 *__restrict__ data1,
    const __nv_bfloat16 *__restrict__ data2) {
  int lidx0 = threadIdx.x;
  int idx0 = lidx0 * 4;
  bfloat_4 val0 = *(bfloat_4 *)&data1[idx0];
  bfloat_4 val1 = *(bfloat_4 *)&data2[idx0];
  float alu0 = __bfloat162float(__float2bfloat16(__bfloat162float(val0.x) * 2.0f)) + __bfloat162float(val1.x);
  __nv_bfloat16 cast0 = __float2bfloat16(alu0);
  float alu1 = __bfloat162float(__float2bfloat16(__bfloat162float(val0.y) * 2.0f)) + __bfloat162float(val1.y);
  __nv_bfloat16 cast1 = __float2bfloat16(alu1);
  float alu2 = __bfloat162float(__float2bfloat16(__bfloat162float(val0.z) * 2.0f)) + __bfloat162float(val1.z);
  __nv_bfloat16 cast2 = __float2bfloat16(alu2);
  float alu3 = __bfloat162float(__float2bfloat16(__bfloat162float(val0.w) * 2.0f)) + __bfloat162float(val1.w);
  __nv_bfloat16 cast3 = __float2bfloat16(alu3);
  bfloat_4 vec0 = make_bfloat_4(__bfloat162float(cast0) <= 0.0f ? __float2bfloat16(0.0f) : cast0, __bfloat162float(cast1) <= 0.0f ? __float2bfloat16(0.0f) : cast1, __bfloat162float(cast2) <= 0.0f ? __float2bfloat16(0.0f) : cast2, __bfloat162float(cast3) <= 0.0f ? __float2bfloat16(0.0f) : cast3);
  *(bfloat_4 *)&data0[idx0] = vec0;
}
