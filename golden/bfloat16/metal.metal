// kernel 0: e_64, launch ((1, 1, 1), (16, 1, 1))
#include <metal_stdlib>
using namespace metal;

kernel void e_64(
    device bfloat *data0 [[buffer(0)]],
    device const bfloat *data1 [[buffer(1)]],
    device const bfloat *data2 [[buffer(2)]],
    uint3 local_id [[thread_position_in_threadgroup]]) {
  int lidx0 = local_id.x;
  int idx0 = lidx0 * 4;
  bfloat4 val0 = *(device bfloat4 *)&data1[idx0];
  float cast0 = (float)bfloat(2.0f);
  bfloat4 val1 = *(device bfloat4 *)&data2[idx0];
  bfloat cast1 = (bfloat)((float)((bfloat)((float)val0.x * cast0)) + (float)val1.x);
  float cast2 = (float)bfloat(0.0f);
  bfloat cast3 = (bfloat)((float)((bfloat)((float)val0.y * cast0)) + (float)val1.y);
  bfloat cast4 = (bfloat)((float)((bfloat)((float)val0.z * cast0)) + (float)val1.z);
  bfloat cast5 = (bfloat)((float)((bfloat)((float)val0.w * cast0)) + (float)val1.w);
  bfloat4 vec0 = bfloat4((float)cast1 <= cast2 ? bfloat(0.0f) : cast1, (float)cast3 <= cast2 ? bfloat(0.0f) : cast3, (float)cast4 <= cast2 ? bfloat(0.0f) : cast4, (float)cast5 <= cast2 ? bfloat(0.0f) : cast5);
  *(device bfloat4 *)&data0[idx0] = vec0;
}
