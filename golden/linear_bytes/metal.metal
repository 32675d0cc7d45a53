// kernel 0: r_2_32_32_64, launch ((2, 1, 1), (8, 8, 1))
#include <metal_stdlib>
using namespace metal;

kernel void r_2_32_32_64(
    device float *data0 [[buffer(0)]],
    device const char *data1 [[buffer(1)]],
    device const char *data2 [[buffer(2)]],
    device const float *data3 [[buffer(3)]],
    uint3 group_id [[threadgroup_position_in_grid]],
    uint3 local_id [[thread_position_in_threadgroup]]) {
  int acc0[16];
  int gidx0 = group_id.x;
  int lidx1 = local_id.y;
  int lidx0 = local_id.x;
  int idx0 = lidx0 * 4;
  int idx1 = gidx0 * 1024 + lidx1 * 128 + idx0;
  acc0[0] = 0;
  acc0[4] = 0;
  acc0[8] = 0;
  acc0[12] = 0;
  acc0[1] = 0;
  acc0[5] = 0;
  acc0[9] = 0;
  acc0[13] = 0;
  acc0[2] = 0;
  acc0[6] = 0;
  acc0[10] = 0;
  acc0[14] = 0;
  acc0[3] = 0;
  acc0[7] = 0;
  acc0[11] = 0;
  acc0[15] = 0;
  int alu0 = gidx0 * 2048;
  int alu1 = alu0 + lidx1 * 256;
  for (int r3 = 0; r3 < 64; r3++) {
    int idx2 = alu1 + r3;
    int cast0 = (int)data1[idx2];
    char4 val0 = *(device char4 *)&data2[alu0 + r3 * 32 + idx0];
    int cast1 = (int)val0.x;
    acc0[0] = (int)((uint)acc0[0] + (uint)(cast0 * cast1));
    int cast2 = (int)data1[idx2 + 64];
    acc0[4] = (int)((uint)acc0[4] + (uint)(cast2 * cast1));
    int cast3 = (int)data1[idx2 + 128];
    acc0[8] = (int)((uint)acc0[8] + (uint)(cast3 * cast1));
    int cast4 = (int)data1[idx2 + 192];
    acc0[12] = (int)((uint)acc0[12] + (uint)(cast4 * cast1));
    int cast5 = (int)val0.y;
    acc0[1] = (int)((uint)acc0[1] + (uint)(cast0 * cast5));
    acc0[5] = (int)((uint)acc0[5] + (uint)(cast2 * cast5));
    acc0[9] = (int)((uint)acc0[9] + (uint)(cast3 * cast5));
    acc0[13] = (int)((uint)acc0[13] + (uint)(cast4 * cast5));
    int cast6 = (int)val0.z;
    acc0[2] = (int)((uint)acc0[2] + (uint)(cast0 * cast6));
    acc0[6] = (int)((uint)acc0[6] + (uint)(cast2 * cast6));
    acc0[10] = (int)((uint)acc0[10] + (uint)(cast3 * cast6));
    acc0[14] = (int)((uint)acc0[14] + (uint)(cast4 * cast6));
    int cast7 = (int)val0.w;
    acc0[3] = (int)((uint)acc0[3] + (uint)(cast0 * cast7));
    acc0[7] = (int)((uint)acc0[7] + (uint)(cast2 * cast7));
    acc0[11] = (int)((uint)acc0[11] + (uint)(cast3 * cast7));
    acc0[15] = (int)((uint)acc0[15] + (uint)(cast4 * cast7));
  }
  float4 val1 = *(device float4 *)&data3[idx0];
  float alu2 = val1.x;
  float alu3 = val1.y;
  float alu4 = val1.z;
  float alu5 = val1.w;
  float4 vec0 = float4((float)acc0[0] * alu2, (float)acc0[1] * alu3, (float)acc0[2] * alu4, (float)acc0[3] * alu5);
  *(device float4 *)&data0[idx1] = vec0;
  float4 vec1 = float4((float)acc0[4] * alu2, (float)acc0[5] * alu3, (float)acc0[6] * alu4, (float)acc0[7] * alu5);
  *(device float4 *)&data0[idx1 + 32] = vec1;
  float4 vec2 = float4((float)acc0[8] * alu2, (float)acc0[9] * alu3, (float)acc0[10] * alu4, (float)acc0[11] * alu5);
  *(device float4 *)&data0[idx1 + 64] = vec2;
  float4 vec3 = float4((float)acc0[12] * alu2, (float)acc0[13] * alu3, (float)acc0[14] * alu4, (float)acc0[15] * alu5);
  *(device float4 *)&data0[idx1 + 96] = vec3;
}
