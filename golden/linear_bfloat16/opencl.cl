// kernel 0: r_20_24_40, launch ((1, 1, 1), (6, 5, 1))
#pragma OPENCL FP_CONTRACT OFF

__kernel __attribute__((reqd_work_group_size(6, 5, 1)))
void r_20_24_40(
    __global float *restrict data0,
    __global const ushort *restrict data1,
    __global const ushort *restrict data2) {
  float acc0[16];
  int lidx1 = get_local_id(1);
  int lidx0 = get_local_id(0);
  int idx0 = lidx1 * 96 + lidx0 * 4;
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
  int alu0 = lidx1 * 160;
  int alu1 = lidx0 * 160;
  for (int r3 = 0; r3 < 10; r3++) {
    int alu2 = r3 * 4;
    int idx1 = alu0 + alu2;
    ushort4 val0 = vload4(0, &data1[idx1]);
    float alu3 = as_float((uint)val0.s0 << 16);
    int idx2 = alu1 + alu2;
    ushort4 val1 = vload4(0, &data2[idx2]);
    float alu4 = as_float((uint)val1.s0 << 16);
    float alu5 = as_float((uint)val0.s1 << 16);
    float alu6 = as_float((uint)val1.s1 << 16);
    float alu7 = as_float((uint)val0.s2 << 16);
    float alu8 = as_float((uint)val1.s2 << 16);
    float alu9 = as_float((uint)val0.s3 << 16);
    float alu10 = as_float((uint)val1.s3 << 16);
    acc0[0] = acc0[0] + (alu3 * alu4 + alu5 * alu6 + alu7 * alu8 + alu9 * alu10);
    ushort4 val2 = vload4(0, &data1[idx1 + 40]);
    float alu11 = as_float((uint)val2.s0 << 16);
    float alu12 = as_float((uint)val2.s1 << 16);
    float alu13 = as_float((uint)val2.s2 << 16);
    float alu14 = as_float((uint)val2.s3 << 16);
    acc0[4] = acc0[4] + (alu11 * alu4 + alu12 * alu6 + alu13 * alu8 + alu14 * alu10);
    ushort4 val3 = vload4(0, &data1[idx1 + 80]);
    float alu15 = as_float((uint)val3.s0 << 16);
    float alu16 = as_float((uint)val3.s1 << 16);
    float alu17 = as_float((uint)val3.s2 << 16);
    float alu18 = as_float((uint)val3.s3 << 16);
    acc0[8] = acc0[8] + (alu15 * alu4 + alu16 * alu6 + alu17 * alu8 + alu18 * alu10);
    ushort4 val4 = vload4(0, &data1[idx1 + 120]);
    float alu19 = as_float((uint)val4.s0 << 16);
    float alu20 = as_float((uint)val4.s1 << 16);
    float alu21 = as_float((uint)val4.s2 << 16);
    float alu22 = as_float((uint)val4.s3 << 16);
    acc0[12] = acc0[12] + (alu19 * alu4 + alu20 * alu6 + alu21 * alu8 + alu22 * alu10);
    ushort4 val5 = vload4(0, &data2[idx2 + 40]);
    float alu23 = as_float((uint)val5.s0 << 16);
    float alu24 = as_float((uint)val5.s1 << 16);
    float alu25 = as_float((uint)val5.s2 << 16);
    float alu26 = as_float((uint)val5.s3 << 16);
    acc0[1] = acc0[1] + (alu3 * alu23 + alu5 * alu24 + alu7 * alu25 + alu9 * alu26);
    acc0[5] = acc0[5] + (alu11 * alu23 + alu12 * alu24 + alu13 * alu25 + alu14 * alu26);
    acc0[9] = acc0[9] + (alu15 * alu23 + alu16 * alu24 + alu17 * alu25 + alu18 * alu26);
    acc0[13] = acc0[13] + (alu19 * alu23 + alu20 * alu24 + alu21 * alu25 + alu22 * alu26);
    ushort4 val6 = vload4(0, &data2[idx2 + 80]);
    float alu27 = as_float((uint)val6.s0 << 16);
    float alu28 = as_float((uint)val6.s1 << 16);
    float alu29 = as_float((uint)val6.s2 << 16);
    float alu30 = as_float((uint)val6.s3 << 16);
    acc0[2] = acc0[2] + (alu3 * alu27 + alu5 * alu28 + alu7 * alu29 + alu9 * alu30);
    acc0[6] = acc0[6] + (alu11 * alu27 + alu12 * alu28 + alu13 * alu29 + alu14 * alu30);
    acc0[10] = acc0[10] + (alu15 * alu27 + alu16 * alu28 + alu17 * alu29 + alu18 * alu30);
    acc0[14] = acc0[14] + (alu19 * alu27 + alu20 * alu28 + alu21 * alu29 + alu22 * alu30);
    ushort4 val7 = vload4(0, &data2[idx2 + 120]);
    float alu31 = as_float((uint)val7.s0 << 16);
    float alu32 = as_float((uint)val7.s1 << 16);
    float alu33 = as_float((uint)val7.s2 << 16);
    float alu34 = as_float((uint)val7.s3 << 16);
    acc0[3] = acc0[3] + (alu3 * alu31 + alu5 * alu32 + alu7 * alu33 + alu9 * alu34);
    acc0[7] = acc0[7] + (alu11 * alu31 + alu12 * alu32 + alu13 * alu33 + alu14 * alu34);
    acc0[11] = acc0[11] + (alu15 * alu31 + alu16 * alu32 + alu17 * alu33 + alu18 * alu34);
    acc0[15] = acc0[15] + (alu19 * alu31 + alu20 * alu32 + alu21 * alu33 + alu22 * alu34);
  }
  float val8 = acc0[0];
  float val9 = acc0[1];
  float val10 = acc0[2];
  float val11 = acc0[3];
  float4 vec0 = (float4)(val8 <= 0.0f ? 0.0f : val8, val9 <= 0.0f ? 0.0f : val9, val10 <= 0.0f ? 0.0f : val10, val11 <= 0.0f ? 0.0f : val11);
  vstore4(vec0, 0, &data0[idx0]);
  float val12 = acc0[4];
  float val13 = acc0[5];
  float val14 = acc0[6];
  float val15 = acc0[7];
  float4 vec1 = (float4)(val12 <= 0.0f ? 0.0f : val12, val13 <= 0.0f ? 0.0f : val13, val14 <= 0.0f ? 0.0f : val14, val15 <= 0.0f ? 0.0f : val15);
  vstore4(vec1, 0, &data0[idx0 + 24]);
  float val16 = acc0[8];
  float val17 = acc0[9];
  float val18 = acc0[10];
  float val19 = acc0[11];
  float4 vec2 = (float4)(val16 <= 0.0f ? 0.0f : val16, val17 <= 0.0f ? 0.0f : val17, val18 <= 0.0f ? 0.0f : val18, val19 <= 0.0f ? 0.0f : val19);
  vstore4(vec2, 0, &data0[idx0 + 48]);
  float val20 = acc0[12];
  float val21 = acc0[13];
  float val22 = acc0[14];
  float val23 = acc0[15];
  float4 vec3 = (float4)(val20 <= 0.0f ? 0.0f : val20, val21 <= 0.0f ? 0.0f : val21, val22 <= 0.0f ? 0.0f : val22, val23 <= 0.0f ? 0.0f : val23);
  vstore4(vec3, 0, &data0[idx0 + 72]);
}
