// kernel 0: e_64, launch ((1, 1, 1), (16, 1, 1))
#pragma OPENCL FP_CONTRACT OFF

__kernel __attribute__((reqd_work_group_size(16, 1, 1)))
void e_64(
    __global ushort *restrict data0,
    __global const ushort *restrict data1,
    __global const ushort *restrict data2) {
  int lidx0 = get_local_id(0);
  int idx0 = lidx0 * 4;
  ushort4 val0 = vload4(0, &data1[idx0]);
  uint alu0 = as_uint(as_float((uint)val0.s0 << 16) * 2.0f);
  uint alu1 = alu0 >> 16;
  uint alu2 = 2139095040 < (alu0 & 2147483647) ? alu1 | 64 : (alu0 + 32767 + (alu1 & 1)) >> 16;
  ushort4 val1 = vload4(0, &data2[idx0]);
  uint alu3 = as_uint(as_float(alu2 << 16) + as_float((uint)val1.s0 << 16));
  uint alu4 = alu3 >> 16;
  uint alu5 = 2139095040 < (alu3 & 2147483647) ? alu4 | 64 : (alu3 + 32767 + (alu4 & 1)) >> 16;
  uint alu6 = as_uint(as_float((uint)val0.s1 << 16) * 2.0f);
  uint alu7 = alu6 >> 16;
  uint alu8 = 2139095040 < (alu6 & 2147483647) ? alu7 | 64 : (alu6 + 32767 + (alu7 & 1)) >> 16;
  uint alu9 = as_uint(as_float(alu8 << 16) + as_float((uint)val1.s1 << 16));
  uint alu10 = alu9 >> 16;
  uint alu11 = 2139095040 < (alu9 & 2147483647) ? alu10 | 64 : (alu9 + 32767 + (alu10 & 1)) >> 16;
  uint alu12 = as_uint(as_float((uint)val0.s2 << 16) * 2.0f);
  uint alu13 = alu12 >> 16;
  uint alu14 = 2139095040 < (alu12 & 2147483647) ? alu13 | 64 : (alu12 + 32767 + (alu13 & 1)) >> 16;
  uint alu15 = as_uint(as_float(alu14 << 16) + as_float((uint)val1.s2 << 16));
  uint alu16 = alu15 >> 16;
  uint alu17 = 2139095040 < (alu15 & 2147483647) ? alu16 | 64 : (alu15 + 32767 + (alu16 & 1)) >> 16;
  uint alu18 = as_uint(as_float((uint)val0.s3 << 16) * 2.0f);
  uint alu19 = alu18 >> 16;
  uint alu20 = 2139095040 < (alu18 & 2147483647) ? alu19 | 64 : (alu18 + 32767 + (alu19 & 1)) >> 16;
  uint alu21 = as_uint(as_float(alu20 << 16) + as_float((uint)val1.s3 << 16));
  uint alu22 = alu21 >> 16;
  uint alu23 = 2139095040 < (alu21 & 2147483647) ? alu22 | 64 : (alu21 + 32767 + (alu22 & 1)) >> 16;
  ushort4 vec0 = (ushort4)(as_float(alu5 << 16) <= 0.0f ? 0x0000 : (ushort)alu5, as_float(alu11 << 16) <= 0.0f ? 0x0000 : (ushort)alu11, as_float(alu17 << 16) <= 0.0f ? 0x0000 : (ushort)alu17, as_float(alu23 << 16) <= 0.0f ? 0x0000 : (ushort)alu23);
  vstore4(vec0, 0, &data0[idx0]);
}
