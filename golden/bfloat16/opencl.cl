// kernel 0: e_64, launch ((1, 1, 1), (16, 1, 1))
#pragma OPENCL FP_CONTRACT OFF

__kernel __attribute__((reqd_work_group_size(16, 1, 1)))
void e_64(
    __global ushort *restrict data0,
    __global const ushort *restrict data1,
    __global const ushort *restrict data2) {
  int lidx0 = get_local_id(0);
  int idx0 = lidx0 * 4;
  float alu0 = as_float((uint)0x4000 << 16);
  uint alu1 = as_uint(as_float((uint)data1[idx0] << 16) * alu0);
  uint alu2 = alu1 >> 16;
  uint alu3 = 2139095040 < (alu1 & 2147483647) ? alu2 | 64 : (alu1 + 32767 + (alu2 & 1)) >> 16;
  uint alu4 = as_uint(as_float((uint)((ushort)alu3) << 16) + as_float((uint)data2[idx0] << 16));
  uint alu5 = alu4 >> 16;
  uint alu6 = 2139095040 < (alu4 & 2147483647) ? alu5 | 64 : (alu4 + 32767 + (alu5 & 1)) >> 16;
  ushort alu7 = (ushort)alu6;
  float alu8 = as_float((uint)0x0000 << 16);
  data0[idx0] = as_float((uint)alu7 << 16) <= alu8 ? 0x0000 : alu7;
  int idx1 = idx0 + 1;
  uint alu9 = as_uint(as_float((uint)data1[idx1] << 16) * alu0);
  uint alu10 = alu9 >> 16;
  uint alu11 = 2139095040 < (alu9 & 2147483647) ? alu10 | 64 : (alu9 + 32767 + (alu10 & 1)) >> 16;
  float alu12 = as_float((uint)((ushort)alu11) << 16) + as_float((uint)data2[idx1] << 16);
  uint alu13 = as_uint(alu12);
  uint alu14 = alu13 >> 16;
  uint alu15 = 2139095040 < (alu13 & 2147483647) ? alu14 | 64 : (alu13 + 32767 + (alu14 & 1)) >> 16;
  ushort alu16 = (ushort)alu15;
  data0[idx1] = as_float((uint)alu16 << 16) <= alu8 ? 0x0000 : alu16;
  int idx2 = idx0 + 2;
  uint alu17 = as_uint(as_float((uint)data1[idx2] << 16) * alu0);
  uint alu18 = alu17 >> 16;
  uint alu19 = 2139095040 < (alu17 & 2147483647) ? alu18 | 64 : (alu17 + 32767 + (alu18 & 1)) >> 16;
  float alu20 = as_float((uint)((ushort)alu19) << 16) + as_float((uint)data2[idx2] << 16);
  uint alu21 = as_uint(alu20);
  uint alu22 = alu21 >> 16;
  uint alu23 = 2139095040 < (alu21 & 2147483647) ? alu22 | 64 : (alu21 + 32767 + (alu22 & 1)) >> 16;
  ushort alu24 = (ushort)alu23;
  data0[idx2] = as_float((uint)alu24 << 16) <= alu8 ? 0x0000 : alu24;
  int idx3 = idx0 + 3;
  uint alu25 = as_uint(as_float((uint)data1[idx3] << 16) * alu0);
  uint alu26 = alu25 >> 16;
  uint alu27 = 2139095040 < (alu25 & 2147483647) ? alu26 | 64 : (alu25 + 32767 + (alu26 & 1)) >> 16;
  float alu28 = as_float((uint)((ushort)alu27) << 16) + as_float((uint)data2[idx3] << 16);
  uint alu29 = as_uint(alu28);
  uint alu30 = alu29 >> 16;
  uint alu31 = 2139095040 < (alu29 & 2147483647) ? alu30 | 64 : (alu29 + 32767 + (alu30 & 1)) >> 16;
  ushort alu32 = (ushort)alu31;
  data0[idx3] = as_float((uint)alu32 << 16) <= alu8 ? 0x0000 : alu32;
}
