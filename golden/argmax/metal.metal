// kernel 0: r_16_10_10, launch ((1, 1, 1), (16, 1, 1))
#include <metal_stdlib>
#pragma METAL fp contract(off)
using namespace metal;

kernel void r_16_10_10(
    device long *data0 [[buffer(0)]],
    device const float *data1 [[buffer(1)]],
    uint3 local_id [[thread_position_in_threadgroup]]) {
  int lidx0 = local_id.x;
  int idx0 = lidx0 * 10;
  float2 val0 = *(device float2 *)&data1[idx0];
  float alu0 = val0.x;
  float alu1 = val0.y;
  float alu2 = alu1 != alu1 || alu1 > alu0 ? alu1 : alu0;
  float2 val1 = *(device float2 *)&data1[idx0 + 2];
  float alu3 = val1.x;
  float alu4 = alu3 != alu3 || alu3 > alu2 ? alu3 : alu2;
  float alu5 = val1.y;
  float alu6 = alu5 != alu5 || alu5 > alu4 ? alu5 : alu4;
  float2 val2 = *(device float2 *)&data1[idx0 + 4];
  float alu7 = val2.x;
  float alu8 = alu7 != alu7 || alu7 > alu6 ? alu7 : alu6;
  float alu9 = val2.y;
  float alu10 = alu9 != alu9 || alu9 > alu8 ? alu9 : alu8;
  float2 val3 = *(device float2 *)&data1[idx0 + 6];
  float alu11 = val3.x;
  float alu12 = alu11 != alu11 || alu11 > alu10 ? alu11 : alu10;
  float alu13 = val3.y;
  float alu14 = alu13 != alu13 || alu13 > alu12 ? alu13 : alu12;
  float2 val4 = *(device float2 *)&data1[idx0 + 8];
  float alu15 = val4.x;
  float alu16 = alu15 != alu15 || alu15 > alu14 ? alu15 : alu14;
  float alu17 = val4.y;
  float alu18 = alu17 != alu17 || alu17 > alu16 ? alu17 : alu16;
  int alu19 = (alu0 == alu18) | (alu0 != alu0) ? 0 : 2147483647;
  int alu20 = (alu1 == alu18) | (alu1 != alu1) ? 1 : 2147483647;
  int alu21 = alu19 < alu20 ? alu19 : alu20;
  int alu22 = (alu3 == alu18) | (alu3 != alu3) ? 2 : 2147483647;
  int alu23 = alu21 < alu22 ? alu21 : alu22;
  int alu24 = (alu5 == alu18) | (alu5 != alu5) ? 3 : 2147483647;
  int alu25 = alu23 < alu24 ? alu23 : alu24;
  int alu26 = (alu7 == alu18) | (alu7 != alu7) ? 4 : 2147483647;
  int alu27 = alu25 < alu26 ? alu25 : alu26;
  int alu28 = (alu9 == alu18) | (alu9 != alu9) ? 5 : 2147483647;
  int alu29 = alu27 < alu28 ? alu27 : alu28;
  int alu30 = (alu11 == alu18) | (alu11 != alu11) ? 6 : 2147483647;
  int alu31 = alu29 < alu30 ? alu29 : alu30;
  int alu32 = (alu13 == alu18) | (alu13 != alu13) ? 7 : 2147483647;
  int alu33 = alu31 < alu32 ? alu31 : alu32;
  int alu34 = (alu15 == alu18) | (alu15 != alu15) ? 8 : 2147483647;
  int alu35 = alu33 < alu34 ? alu33 : alu34;
  int alu36 = (alu17 == alu18) | (alu17 != alu17) ? 9 : 2147483647;
  data0[lidx0] = (long)(alu35 < alu36 ? alu35 : alu36);
}
