// kernel 0: r_64, launch ((1, 1, 1), (64, 1, 1))
#pragma OPENCL FP_CONTRACT OFF

__kernel __attribute__((reqd_work_group_size(64, 1, 1)))
void r_64(
    __global ushort *restrict data0,
    __global const ushort *restrict data1,
    __global const ushort *restrict data2) {
  float acc3;
  __local float local2[16];
  float acc1;
  __local float local0[64];
  int lidx0 = get_local_id(0);
  acc3 = 0.0f;
  acc1 = 0.0f;
  uint cast0 = (uint)data1[lidx0];
  uint alu0 = (cast0 & 32767) << 13;
  uint alu1 = (cast0 & 31744) == 31744 ? alu0 | 2139095040 : as_uint(as_float(alu0) * 5.192297e+33f);
  uint alu2 = as_uint(as_float(alu1 | ((cast0 & 32768) << 16)) * 2.0f);
  uint alu3 = alu2 & 2147483647;
  uint alu4 = alu3 < 1199570944 ? (alu3 + 3355447295u + ((alu3 >> 13) & 1)) >> 13 : (2139095040 < alu3 ? 32256u : 31744u);
  uint alu5 = (alu3 < 947912704 ? as_uint(as_float(alu3) + 0.5f) - 1056964608 : alu4) | ((alu2 >> 16) & 32768);
  uint cast1 = (uint)((ushort)alu5);
  uint alu6 = (cast1 & 32767) << 13;
  uint alu7 = (cast1 & 31744) == 31744 ? alu6 | 2139095040 : as_uint(as_float(alu6) * 5.192297e+33f);
  uint cast2 = (uint)data2[lidx0];
  uint alu8 = (cast2 & 32767) << 13;
  uint alu9 = (cast2 & 31744) == 31744 ? alu8 | 2139095040 : as_uint(as_float(alu8) * 5.192297e+33f);
  float alu10 = as_float(alu7 | ((cast1 & 32768) << 16)) + as_float(alu9 | ((cast2 & 32768) << 16));
  uint alu11 = as_uint(alu10);
  uint alu12 = alu11 & 2147483647;
  uint alu13 = alu12 < 1199570944 ? (alu12 + 3355447295u + ((alu12 >> 13) & 1)) >> 13 : (2139095040 < alu12 ? 32256u : 31744u);
  uint alu14 = (alu12 < 947912704 ? as_uint(as_float(alu12) + 0.5f) - 1056964608 : alu13) | ((alu11 >> 16) & 32768);
  uint cast3 = (uint)((ushort)alu14);
  uint alu15 = (cast3 & 32767) << 13;
  uint alu16 = (cast3 & 31744) == 31744 ? alu15 | 2139095040 : as_uint(as_float(alu15) * 5.192297e+33f);
  local0[lidx0] = as_float(alu16 | ((cast3 & 32768) << 16));
  barrier(CLK_LOCAL_MEM_FENCE);
  int alu17 = lidx0 & 15;
  for (int r4 = 0; r4 < 4; r4++) {
    acc1 = acc1 + local0[r4 * 16 + alu17];
  }
  if (lidx0 < 16) local2[lidx0] = acc1;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int r5 = 0; r5 < 16; r5++) {
    acc3 = acc3 + local2[r5];
  }
  uint alu18 = as_uint(acc3);
  uint alu19 = alu18 & 2147483647;
  uint alu20 = alu19 < 1199570944 ? (alu19 + 3355447295u + ((alu19 >> 13) & 1)) >> 13 : (2139095040 < alu19 ? 32256u : 31744u);
  uint alu21 = (alu19 < 947912704 ? as_uint(as_float(alu19) + 0.5f) - 1056964608 : alu20) | ((alu18 >> 16) & 32768);
  if (lidx0 == 0) data0[0] = (ushort)alu21;
}
