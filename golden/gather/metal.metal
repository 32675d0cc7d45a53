// kernel 0: e_4_8, launch ((1, 1, 1), (2, 4, 1))
#include <metal_stdlib>
#pragma METAL fp contract(off)
using namespace metal;

kernel void e_4_8(
    device float *data0 [[buffer(0)]],
    device const int *data1 [[buffer(1)]],
    device const float *data2 [[buffer(2)]],
    uint3 local_id [[thread_position_in_threadgroup]]) {
  long lidx1 = local_id.y;
  long lidx0 = local_id.x;
  long alu0 = lidx0 * 4;
  long idx0 = lidx1 * 8 + alu0;
  int4 val0 = *(device int4 *)&data1[idx0];
  int alu1 = val0.x;
  uint cast0 = (uint)10;
  long cast1 = (long)(alu1 < 0 ? (int)((uint)alu1 + cast0) : alu1);
  int alu2 = val0.y;
  long cast2 = (long)(alu2 < 0 ? (int)((uint)alu2 + cast0) : alu2);
  int alu3 = val0.z;
  long cast3 = (long)(alu3 < 0 ? (int)((uint)alu3 + cast0) : alu3);
  int alu4 = val0.w;
  long cast4 = (long)(alu4 < 0 ? (int)((uint)alu4 + cast0) : alu4);
  float4 vec0 = float4((0 <= cast1) & (cast1 < 10) ? data2[cast1 * 8 + alu0] : 0.0f, (0 <= cast2) & (cast2 < 10) ? data2[cast2 * 8 + alu0 + 1] : 0.0f, (0 <= cast3) & (cast3 < 10) ? data2[cast3 * 8 + alu0 + 2] : 0.0f, (0 <= cast4) & (cast4 < 10) ? data2[cast4 * 8 + alu0 + 3] : 0.0f);
  *(device float4 *)&data0[idx0] = vec0;
}
