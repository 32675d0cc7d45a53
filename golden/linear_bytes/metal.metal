// kernel 0: r_2_32_32_64, launch ((2, 1, 1), (8, 8, 1))
#include <metal_stdlib>
#pragma METAL fp contract(off)
using namespace metal;

kernel void r_2_32_32_64(
    device float *data0 [[buffer(0)]],
    device const char *data1 [[buffer(1)]],
    device const char *data2 [[buffer(2)]],
    device const float *data3 [[buffer(3)]],
    uint3 group_id [[threadgroup_position_in_grid]],
    uint3 local_id [[thread_position_in_threadgroup]]) {
  alignas(16) int acc2[16];
  alignas(16) threadgroup int local0[528];
  alignas(16) threadgroup int local1[576];
  int gidx0 = group_id.x;
  int lidx1 = local_id.y;
  int alu0 = lidx1 * 128;
  int lidx0 = local_id.x;
  int idx0 = lidx0 * 4;
  int idx1 = gidx0 * 1024 + alu0 + idx0;
  acc2[0] = 0;
  acc2[4] = 0;
  acc2[8] = 0;
  acc2[12] = 0;
  acc2[1] = 0;
  acc2[5] = 0;
  acc2[9] = 0;
  acc2[13] = 0;
  acc2[2] = 0;
  acc2[6] = 0;
  acc2[10] = 0;
  acc2[14] = 0;
  acc2[3] = 0;
  acc2[7] = 0;
  acc2[11] = 0;
  acc2[15] = 0;
  int alu1 = lidx0 & 3;
  int alu2 = lidx0 >> 2;
  int idx2 = alu1 * 132 + lidx1 * 2 + alu2;
  int alu3 = gidx0 * 2048;
  int alu4 = alu3 + alu0 + alu2 * 64;
  int alu5 = alu1 * 4;
  int idx3 = idx2 + 16;
  int idx4 = idx2 + 32;
  int idx5 = idx2 + 48;
  int idx6 = idx2 + 64;
  int idx7 = idx2 + 80;
  int idx8 = idx2 + 96;
  int idx9 = idx2 + 112;
  int idx10 = lidx1 * 36 + idx0;
  int alu6 = lidx1 * 32;
  int idx11 = idx10 + 288;
  int alu7 = lidx1 * 4;
  for (int r8 = 0; r8 < 4; r8++) {
    threadgroup_barrier(mem_flags::mem_threadgroup);
    int idx12 = alu4 + r8 * 16 + alu5;
    char4 val0 = *(device char4 *)&data1[idx12];
    local0[idx2] = (int)val0.x;
    char4 val1 = *(device char4 *)&data1[idx12 + 1024];
    local0[idx3] = (int)val1.x;
    local0[idx4] = (int)val0.y;
    local0[idx5] = (int)val1.y;
    local0[idx6] = (int)val0.z;
    local0[idx7] = (int)val1.z;
    local0[idx8] = (int)val0.w;
    local0[idx9] = (int)val1.w;
    int idx13 = alu3 + r8 * 512 + alu6 + idx0;
    char4 val2 = *(device char4 *)&data2[idx13];
    *(threadgroup int4 *)&local1[idx10] = int4((int)val2.x, (int)val2.y, (int)val2.z, (int)val2.w);
    char4 val3 = *(device char4 *)&data2[idx13 + 256];
    *(threadgroup int4 *)&local1[idx11] = int4((int)val3.x, (int)val3.y, (int)val3.z, (int)val3.w);
    threadgroup_barrier(mem_flags::mem_threadgroup);
    for (int r9 = 0; r9 < 16; r9++) {
      int4 val4 = *(threadgroup int4 *)&local0[(r9 >> 2) * 132 + (r9 & 3) * 32 + alu7];
      uint cast0 = (uint)val4.x;
      int4 val5 = *(threadgroup int4 *)&local1[r9 * 36 + idx0];
      uint cast1 = (uint)val5.x;
      acc2[0] = (int)((uint)acc2[0] + cast0 * cast1);
      uint cast2 = (uint)val4.y;
      acc2[4] = (int)((uint)acc2[4] + cast2 * cast1);
      uint cast3 = (uint)val4.z;
      acc2[8] = (int)((uint)acc2[8] + cast3 * cast1);
      uint cast4 = (uint)val4.w;
      acc2[12] = (int)((uint)acc2[12] + cast4 * cast1);
      uint cast5 = (uint)val5.y;
      acc2[1] = (int)((uint)acc2[1] + cast0 * cast5);
      acc2[5] = (int)((uint)acc2[5] + cast2 * cast5);
      acc2[9] = (int)((uint)acc2[9] + cast3 * cast5);
      acc2[13] = (int)((uint)acc2[13] + cast4 * cast5);
      uint cast6 = (uint)val5.z;
      acc2[2] = (int)((uint)acc2[2] + cast0 * cast6);
      acc2[6] = (int)((uint)acc2[6] + cast2 * cast6);
      acc2[10] = (int)((uint)acc2[10] + cast3 * cast6);
      acc2[14] = (int)((uint)acc2[14] + cast4 * cast6);
      uint cast7 = (uint)val5.w;
      acc2[3] = (int)((uint)acc2[3] + cast0 * cast7);
      acc2[7] = (int)((uint)acc2[7] + cast2 * cast7);
      acc2[11] = (int)((uint)acc2[11] + cast3 * cast7);
      acc2[15] = (int)((uint)acc2[15] + cast4 * cast7);
    }
  }
  float4 val6 = *(device float4 *)&data3[idx0];
  float alu8 = val6.x;
  float alu9 = val6.y;
  float alu10 = val6.z;
  float alu11 = val6.w;
  float4 vec0 = float4((float)acc2[0] * alu8, (float)acc2[1] * alu9, (float)acc2[2] * alu10, (float)acc2[3] * alu11);
  *(device float4 *)&data0[idx1] = vec0;
  float4 vec1 = float4((float)acc2[4] * alu8, (float)acc2[5] * alu9, (float)acc2[6] * alu10, (float)acc2[7] * alu11);
  *(device float4 *)&data0[idx1 + 32] = vec1;
  float4 vec2 = float4((float)acc2[8] * alu8, (float)acc2[9] * alu9, (float)acc2[10] * alu10, (float)acc2[11] * alu11);
  *(device float4 *)&data0[idx1 + 64] = vec2;
  float4 vec3 = float4((float)acc2[12] * alu8, (float)acc2[13] * alu9, (float)acc2[14] * alu10, (float)acc2[15] * alu11);
  *(device float4 *)&data0[idx1 + 96] = vec3;
}
