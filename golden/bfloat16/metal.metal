// kernel 0: e_64, launch ((1, 1, 1), (16, 1, 1))
#include <metal_stdlib>
#pragma METAL fp contract(off)
using namespace metal;

kernel void e_64(
    device bfloat *data0 [[buffer(0)]],
    device const bfloat *data1 [[buffer(1)]],
    device const bfloat *data2 [[buffer(2)]],
    uint3 local_id [[thread_position_in_threadgroup]]) {
  int lidx0 = local_id.x;
  int idx0 = lidx0 * 4;
  bfloat4 val0 = *(device bfloat4 *)&data1[idx0];
  bfloat4 val1 = *(device bfloat4 *)&data2[idx0];
  bfloat cast0 = (bfloat)((float)((bfloat)((float)val0.x * 2.0f)) + (float)val1.x);
  bfloat cast1 = (bfloat)((float)((bfloat)((float)val0.y * 2.0f)) + (float)val1.y);
  bfloat cast2 = (bfloat)((float)((bfloat)((float)val0.z * 2.0f)) + (float)val1.z);
  bfloat cast3 = (bfloat)((float)((bfloat)((float)val0.w * 2.0f)) + (float)val1.w);
  bfloat4 vec0 = bfloat4((float)cast0 <= 0.0f ? bfloat(0.0f) : cast0, (float)cast1 <= 0.0f ? bfloat(0.0f) : cast1, (float)cast2 <= 0.0f ? bfloat(0.0f) : cast2, (float)cast3 <= 0.0f ? bfloat(0.0f) : cast3);
  *(device bfloat4 *)&data0[idx0] = vec0;
}
