// kernel 0: r_32_64_48, launch ((1, 1, 1), (16, 8, 1))
#pragma OPENCL FP_CONTRACT OFF

__kernel __attribute__((reqd_work_group_size(16, 8, 1)))
void r_32_64_48(
    __global float *restrict data0,
    __global const ushort *restrict data1,
    __global const ushort *restrict data2,
    __global const float *restrict data3) {
  float acc0[16];
  int lidx1 = get_local_id(1);
  int lidx0 = get_local_id(0);
  int idx0 = lidx0 * 4;
  int idx1 = lidx1 * 256 + idx0;
  acc0[0] = 0.0f;
  acc0[4] = 0.0f;
  acc0[8] = 0.0f;
  acc0[12] = 0.0f;
  acc0[1] = 0.0f;
  acc0[5] = 0.0f;
  acc0[9] = 0.0f;
  acc0[13] = 0.0f;
  acc0[2] = 0.0f;
  acc0[6] = 0.0f;
  acc0[10] = 0.0f;
  acc0[14] = 0.0f;
  acc0[3] = 0.0f;
  acc0[7] = 0.0f;
  acc0[11] = 0.0f;
  acc0[15] = 0.0f;
  int alu0 = lidx1 * 192;
  for (int r2 = 0; r2 < 48; r2++) {
    int idx2 = alu0 + r2;
    uint cast0 = (uint)data1[idx2];
    uint alu1 = (cast0 & 32767) << 13;
    uint alu2 = (cast0 & 31744) == 31744 ? alu1 | 2139095040 : as_uint(as_float(alu1) * 5.192297e+33f);
    float alu3 = as_float(alu2 | ((cast0 & 32768) << 16));
    ushort4 val0 = vload4(0, &data2[r2 * 64 + idx0]);
    uint cast1 = (uint)val0.s0;
    uint alu4 = (cast1 & 32767) << 13;
    uint alu5 = (cast1 & 31744) == 31744 ? alu4 | 2139095040 : as_uint(as_float(alu4) * 5.192297e+33f);
    float alu6 = as_float(alu5 | ((cast1 & 32768) << 16));
    acc0[0] = fma(alu3, alu6, acc0[0]);
    uint cast2 = (uint)data1[idx2 + 48];
    uint alu7 = (cast2 & 32767) << 13;
    uint alu8 = (cast2 & 31744) == 31744 ? alu7 | 2139095040 : as_uint(as_float(alu7) * 5.192297e+33f);
    float alu9 = as_float(alu8 | ((cast2 & 32768) << 16));
    acc0[4] = fma(alu9, alu6, acc0[4]);
    uint cast3 = (uint)data1[idx2 + 96];
    uint alu10 = (cast3 & 32767) << 13;
    uint alu11 = (cast3 & 31744) == 31744 ? alu10 | 2139095040 : as_uint(as_float(alu10) * 5.192297e+33f);
    float alu12 = as_float(alu11 | ((cast3 & 32768) << 16));
    acc0[8] = fma(alu12, alu6, acc0[8]);
    uint cast4 = (uint)data1[idx2 + 144];
    uint alu13 = (cast4 & 32767) << 13;
    uint alu14 = (cast4 & 31744) == 31744 ? alu13 | 2139095040 : as_uint(as_float(alu13) * 5.192297e+33f);
    float alu15 = as_float(alu14 | ((cast4 & 32768) << 16));
    acc0[12] = fma(alu15, alu6, acc0[12]);
    uint cast5 = (uint)val0.s1;
    uint alu16 = (cast5 & 32767) << 13;
    uint alu17 = (cast5 & 31744) == 31744 ? alu16 | 2139095040 : as_uint(as_float(alu16) * 5.192297e+33f);
    float alu18 = as_float(alu17 | ((cast5 & 32768) << 16));
    acc0[1] = fma(alu3, alu18, acc0[1]);
    acc0[5] = fma(alu9, alu18, acc0[5]);
    acc0[9] = fma(alu12, alu18, acc0[9]);
    acc0[13] = fma(alu15, alu18, acc0[13]);
    uint cast6 = (uint)val0.s2;
    uint alu19 = (cast6 & 32767) << 13;
    uint alu20 = (cast6 & 31744) == 31744 ? alu19 | 2139095040 : as_uint(as_float(alu19) * 5.192297e+33f);
    float alu21 = as_float(alu20 | ((cast6 & 32768) << 16));
    acc0[2] = fma(alu3, alu21, acc0[2]);
    acc0[6] = fma(alu9, alu21, acc0[6]);
    acc0[10] = fma(alu12, alu21, acc0[10]);
    acc0[14] = fma(alu15, alu21, acc0[14]);
    uint cast7 = (uint)val0.s3;
    uint alu22 = (cast7 & 32767) << 13;
    uint alu23 = (cast7 & 31744) == 31744 ? alu22 | 2139095040 : as_uint(as_float(alu22) * 5.192297e+33f);
    float alu24 = as_float(alu23 | ((cast7 & 32768) << 16));
    acc0[3] = fma(alu3, alu24, acc0[3]);
    acc0[7] = fma(alu9, alu24, acc0[7]);
    acc0[11] = fma(alu12, alu24, acc0[11]);
    acc0[15] = fma(alu15, alu24, acc0[15]);
  }
  float4 val1 = vload4(0, &data3[idx0]);
  float alu25 = val1.s0;
  float alu26 = acc0[0] + alu25;
  float alu27 = val1.s1;
  float alu28 = acc0[1] + alu27;
  float alu29 = val1.s2;
  float alu30 = acc0[2] + alu29;
  float alu31 = val1.s3;
  float alu32 = acc0[3] + alu31;
  float4 vec0 = (float4)(alu26 <= 0.0f ? 0.0f : alu26, alu28 <= 0.0f ? 0.0f : alu28, alu30 <= 0.0f ? 0.0f : alu30, alu32 <= 0.0f ? 0.0f : alu32);
  vstore4(vec0, 0, &data0[idx1]);
  float alu33 = acc0[4] + alu25;
  float alu34 = acc0[5] + alu27;
  float alu35 = acc0[6] + alu29;
  float alu36 = acc0[7] + alu31;
  float4 vec1 = (float4)(alu33 <= 0.0f ? 0.0f : alu33, alu34 <= 0.0f ? 0.0f : alu34, alu35 <= 0.0f ? 0.0f : alu35, alu36 <= 0.0f ? 0.0f : alu36);
  vstore4(vec1, 0, &data0[idx1 + 64]);
  float alu37 = acc0[8] + alu25;
  float alu38 = acc0[9] + alu27;
  float alu39 = acc0[10] + alu29;
  float alu40 = acc0[11] + alu31;
  float4 vec2 = (float4)(alu37 <= 0.0f ? 0.0f : alu37, alu38 <= 0.0f ? 0.0f : alu38, alu39 <= 0.0f ? 0.0f : alu39, alu40 <= 0.0f ? 0.0f : alu40);
  vstore4(vec2, 0, &data0[idx1 + 128]);
  float alu41 = acc0[12] + alu25;
  float alu42 = acc0[13] + alu27;
  float alu43 = acc0[14] + alu29;
  float alu44 = acc0[15] + alu31;
  float4 vec3 = (float4)(alu41 <= 0.0f ? 0.0f : alu41, alu42 <= 0.0f ? 0.0f : alu42, alu43 <= 0.0f ? 0.0f : alu43, alu44 <= 0.0f ? 0.0f : alu44);
  vstore4(vec3, 0, &data0[idx1 + 192]);
}
