// kernel 0: r_64, launch ((1, 1, 1), (1, 1, 1))
#pragma OPENCL FP_CONTRACT OFF

__kernel void r_64(
    __global ushort *restrict data0,
    __global const ushort *restrict data1,
    __global const ushort *restrict data2) {
  float acc0;
  acc0 = 0.0f;
  uint cast0 = (uint)0x4000;
  uint alu0 = (cast0 & 32767) << 13;
  uint alu1 = (cast0 & 31744) == 31744 ? alu0 | 2139095040 : as_uint(as_float(alu0) * 5.192297e+33f);
  float alu2 = as_float(alu1 | ((cast0 & 32768) << 16));
  for (int r0 = 0; r0 < 64; r0++) {
    uint cast1 = (uint)data1[r0];
    uint alu3 = (cast1 & 32767) << 13;
    uint alu4 = (cast1 & 31744) == 31744 ? alu3 | 2139095040 : as_uint(as_float(alu3) * 5.192297e+33f);
    uint alu5 = as_uint(as_float(alu4 | ((cast1 & 32768) << 16)) * alu2);
    uint alu6 = alu5 & 2147483647;
    uint alu7 = alu6 < 1199570944 ? (alu6 + 3355447295u + ((alu6 >> 13) & 1)) >> 13 : (2139095040 < alu6 ? 32256u : 31744u);
    uint alu8 = (alu6 < 947912704 ? as_uint(as_float(alu6) + 0.5f) - 1056964608 : alu7) | ((alu5 >> 16) & 32768);
    uint cast2 = (uint)((ushort)alu8);
    uint alu9 = (cast2 & 32767) << 13;
    uint alu10 = (cast2 & 31744) == 31744 ? alu9 | 2139095040 : as_uint(as_float(alu9) * 5.192297e+33f);
    uint cast3 = (uint)data2[r0];
    uint alu11 = (cast3 & 32767) << 13;
    uint alu12 = (cast3 & 31744) == 31744 ? alu11 | 2139095040 : as_uint(as_float(alu11) * 5.192297e+33f);
    float alu13 = as_float(alu10 | ((cast2 & 32768) << 16)) + as_float(alu12 | ((cast3 & 32768) << 16));
    uint alu14 = as_uint(alu13);
    uint alu15 = alu14 & 2147483647;
    uint alu16 = alu15 < 1199570944 ? (alu15 + 3355447295u + ((alu15 >> 13) & 1)) >> 13 : (2139095040 < alu15 ? 32256u : 31744u);
    uint alu17 = (alu15 < 947912704 ? as_uint(as_float(alu15) + 0.5f) - 1056964608 : alu16) | ((alu14 >> 16) & 32768);
    uint cast4 = (uint)((ushort)alu17);
    uint alu18 = (cast4 & 32767) << 13;
    uint alu19 = (cast4 & 31744) == 31744 ? alu18 | 2139095040 : as_uint(as_float(alu18) * 5.192297e+33f);
    acc0 = acc0 + as_float(alu19 | ((cast4 & 32768) << 16));
  }
  uint alu20 = as_uint(acc0);
  uint alu21 = alu20 & 2147483647;
  uint alu22 = alu21 < 1199570944 ? (alu21 + 3355447295u + ((alu21 >> 13) & 1)) >> 13 : (2139095040 < alu21 ? 32256u : 31744u);
  uint alu23 = (alu21 < 947912704 ? as_uint(as_float(alu21) + 0.5f) - 1056964608 : alu22) | ((alu20 >> 16) & 32768);
  data0[0] = (ushort)alu23;
}
