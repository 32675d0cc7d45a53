// kernel 0: e_128, launch ((1, 1, 1), (32, 1, 1))
#include <metal_stdlib>
#pragma METAL fp contract(off)
using namespace metal;

kernel void e_128(
    device int *data0 [[buffer(0)]],
    device const int *data1 [[buffer(1)]],
    device const int *data2 [[buffer(2)]],
    uint3 local_id [[thread_position_in_threadgroup]]) {
  int lidx0 = local_id.x;
  int idx0 = lidx0 * 4;
  int4 val0 = *(device int4 *)&data2[idx0];
  int alu0 = val0.x;
  bool alu1 = alu0 == 0;
  int4 val1 = *(device int4 *)&data1[idx0];
  int alu2 = val1.x;
  bool alu3 = alu2 < 0;
  bool alu4 = alu0 < 0;
  uint cast0 = (uint)alu2;
  uint alu5 = alu3 ? 0 - cast0 : cast0;
  uint cast1 = (uint)alu0;
  uint alu6 = alu4 ? 0 - cast1 : cast1;
  uint alu7 = alu6 > 1 ? alu6 : 1;
  uint alu8 = alu5 / alu7;
  uint alu9 = alu5 % alu7;
  int alu10 = alu1 ? alu2 : (int)(alu3 ? 0 - alu9 : alu9);
  bool alu11 = (alu10 != 0) & ((alu10 ^ alu0) < 0);
  uint alu12 = (uint)(alu1 ? 0 : (int)(alu3 != alu4 ? 0 - alu8 : alu8)) - (uint)((int)(alu11 & (alu0 != 0)));
  uint cast2 = (uint)3;
  uint alu13 = (alu12 + ((uint)alu10 + (uint)(alu11 ? alu0 : 0))) * cast2 - (uint)(alu2 >> 2);
  int alu14 = val0.y;
  bool alu15 = alu14 == 0;
  int alu16 = val1.y;
  bool alu17 = alu16 < 0;
  bool alu18 = alu14 < 0;
  uint cast3 = (uint)alu16;
  uint alu19 = alu17 ? 0 - cast3 : cast3;
  uint cast4 = (uint)alu14;
  uint alu20 = alu18 ? 0 - cast4 : cast4;
  uint alu21 = alu20 > 1 ? alu20 : 1;
  uint alu22 = alu19 / alu21;
  uint alu23 = alu19 % alu21;
  int alu24 = alu15 ? alu16 : (int)(alu17 ? 0 - alu23 : alu23);
  bool alu25 = (alu24 != 0) & ((alu24 ^ alu14) < 0);
  uint alu26 = (uint)(alu15 ? 0 : (int)(alu17 != alu18 ? 0 - alu22 : alu22)) - (uint)((int)(alu25 & (alu14 != 0)));
  uint alu27 = (alu26 + ((uint)alu24 + (uint)(alu25 ? alu14 : 0))) * cast2 - (uint)(alu16 >> 2);
  int alu28 = val0.z;
  bool alu29 = alu28 == 0;
  int alu30 = val1.z;
  bool alu31 = alu30 < 0;
  bool alu32 = alu28 < 0;
  uint cast5 = (uint)alu30;
  uint alu33 = alu31 ? 0 - cast5 : cast5;
  uint cast6 = (uint)alu28;
  uint alu34 = alu32 ? 0 - cast6 : cast6;
  uint alu35 = alu34 > 1 ? alu34 : 1;
  uint alu36 = alu33 / alu35;
  uint alu37 = alu33 % alu35;
  int alu38 = alu29 ? alu30 : (int)(alu31 ? 0 - alu37 : alu37);
  bool alu39 = (alu38 != 0) & ((alu38 ^ alu28) < 0);
  uint alu40 = (uint)(alu29 ? 0 : (int)(alu31 != alu32 ? 0 - alu36 : alu36)) - (uint)((int)(alu39 & (alu28 != 0)));
  uint alu41 = (alu40 + ((uint)alu38 + (uint)(alu39 ? alu28 : 0))) * cast2 - (uint)(alu30 >> 2);
  int alu42 = val0.w;
  bool alu43 = alu42 == 0;
  int alu44 = val1.w;
  bool alu45 = alu44 < 0;
  bool alu46 = alu42 < 0;
  uint cast7 = (uint)alu44;
  uint alu47 = alu45 ? 0 - cast7 : cast7;
  uint cast8 = (uint)alu42;
  uint alu48 = alu46 ? 0 - cast8 : cast8;
  uint alu49 = alu48 > 1 ? alu48 : 1;
  uint alu50 = alu47 / alu49;
  uint alu51 = alu47 % alu49;
  int alu52 = alu43 ? alu44 : (int)(alu45 ? 0 - alu51 : alu51);
  bool alu53 = (alu52 != 0) & ((alu52 ^ alu42) < 0);
  uint alu54 = (uint)(alu43 ? 0 : (int)(alu45 != alu46 ? 0 - alu50 : alu50)) - (uint)((int)(alu53 & (alu42 != 0)));
  uint alu55 = (alu54 + ((uint)alu52 + (uint)(alu53 ? alu42 : 0))) * cast2 - (uint)(alu44 >> 2);
  *(device int4 *)&data0[idx0] = int4((int)alu13, (int)alu27, (int)alu41, (int)alu55);
}
