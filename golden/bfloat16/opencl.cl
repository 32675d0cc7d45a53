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
  uint alu3 = as_uint(as_float((uint)((ushort)alu2) << 16) + as_float((uint)val1.s0 << 16));
  uint alu4 = alu3 >> 16;
  uint alu5 = 2139095040 < (alu3 & 2147483647) ? alu4 | 64 : (alu3 + 32767 + (alu4 & 1)) >> 16;
  ushort alu6 = (ushort)alu5;
  uint alu7 = as_uint(as_float((uint)val0.s1 << 16) * 2.0f);
  uint alu8 = alu7 >> 16;
  uint alu9 = 2139095040 < (alu7 & 2147483647) ? alu8 | 64 : (alu7 + 32767 + (alu8 & 1)) >> 16;
  uint alu10 = as_uint(as_float((uint)((ushort)alu9) << 16) + as_float((uint)val1.s1 << 16));
  uint alu11 = alu10 >> 16;
  uint alu12 = 2139095040 < (alu10 & 2147483647) ? alu11 | 64 : (alu10 + 32767 + (alu11 & 1)) >> 16;
  ushort alu13 = (ushort)alu12;
  uint alu14 = as_uint(as_float((uint)val0.s2 << 16) * 2.0f);
  uint alu15 = alu14 >> 16;
  uint alu16 = 2139095040 < (alu14 & 2147483647) ? alu15 | 64 : (alu14 + 32767 + (alu15 & 1)) >> 16;
  uint alu17 = as_uint(as_float((uint)((ushort)alu16) << 16) + as_float((uint)val1.s2 << 16));
  uint alu18 = alu17 >> 16;
  uint alu19 = 2139095040 < (alu17 & 2147483647) ? alu18 | 64 : (alu17 + 32767 + (alu18 & 1)) >> 16;
  ushort alu20 = (ushort)alu19;
  uint alu21 = as_uint(as_float((uint)val0.s3 << 16) * 2.0f);
  uint alu22 = alu21 >> 16;
  uint alu23 = 2139095040 < (alu21 & 2147483647) ? alu22 | 64 : (alu21 + 32767 + (alu22 & 1)) >> 16;
  uint alu24 = as_uint(as_float((uint)((ushort)alu23) << 16) + as_float((uint)val1.s3 << 16));
  uint alu25 = alu24 >> 16;
  uint alu26 = 2139095040 < (alu24 & 2147483647) ? alu25 | 64 : (alu24 + 32767 + (alu25 & 1)) >> 16;
  ushort alu27 = (ushort)alu26;
  ushort4 vec0 = (ushort4)(as_float((uint)alu6 << 16) <= 0.0f ? 0x0000 : alu6, as_float((uint)alu13 << 16) <= 0.0f ? 0x0000 : alu13, as_float((uint)alu20 << 16) <= 0.0f ? 0x0000 : alu20, as_float((uint)alu27 << 16) <= 0.0f ? 0x0000 : alu27);
  vstore4(vec0, 0, &data0[idx0]);
}
