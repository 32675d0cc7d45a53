// kernel 0: r_32_32_64, launch ((1, 1, 1), (8, 8, 1))
#pragma OPENCL FP_CONTRACT OFF

__kernel __attribute__((reqd_work_group_size(8, 8, 1)))
void r_32_32_64(
    __global float *restrict data0,
    __global const float *restrict data1,
    __global const float *restrict data2,
    __global const float *restrict data3) {
  float acc0[16];
  int lidx1 = get_local_id(1);
  int lidx0 = get_local_id(0);
  int idx0 = lidx0 * 4;
  int idx1 = lidx1 * 128 + idx0;
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
  int alu0 = lidx1 * 256;
  for (int r2 = 0; r2 < 64; r2++) {
    int idx2 = alu0 + r2;
    float val0 = data1[idx2];
    float4 val1 = vload4(0, &data2[r2 * 32 + idx0]);
    float alu1 = val1.s0;
    acc0[0] = fma(val0, alu1, acc0[0]);
    float val2 = data1[idx2 + 64];
    acc0[4] = fma(val2, alu1, acc0[4]);
    float val3 = data1[idx2 + 128];
    acc0[8] = fma(val3, alu1, acc0[8]);
    float val4 = data1[idx2 + 192];
    acc0[12] = fma(val4, alu1, acc0[12]);
    float alu2 = val1.s1;
    acc0[1] = fma(val0, alu2, acc0[1]);
    acc0[5] = fma(val2, alu2, acc0[5]);
    acc0[9] = fma(val3, alu2, acc0[9]);
    acc0[13] = fma(val4, alu2, acc0[13]);
    float alu3 = val1.s2;
    acc0[2] = fma(val0, alu3, acc0[2]);
    acc0[6] = fma(val2, alu3, acc0[6]);
    acc0[10] = fma(val3, alu3, acc0[10]);
    acc0[14] = fma(val4, alu3, acc0[14]);
    float alu4 = val1.s3;
    acc0[3] = fma(val0, alu4, acc0[3]);
    acc0[7] = fma(val2, alu4, acc0[7]);
    acc0[11] = fma(val3, alu4, acc0[11]);
    acc0[15] = fma(val4, alu4, acc0[15]);
  }
  float4 val5 = vload4(0, &data3[idx0]);
  float alu5 = val5.s0;
  float alu6 = acc0[0] + alu5;
  float alu7 = val5.s1;
  float alu8 = acc0[1] + alu7;
  float alu9 = val5.s2;
  float alu10 = acc0[2] + alu9;
  float alu11 = val5.s3;
  float alu12 = acc0[3] + alu11;
  float4 vec0 = (float4)(alu6 <= 0.0f ? 0.0f : alu6, alu8 <= 0.0f ? 0.0f : alu8, alu10 <= 0.0f ? 0.0f : alu10, alu12 <= 0.0f ? 0.0f : alu12);
  vstore4(vec0, 0, &data0[idx1]);
  float alu13 = acc0[4] + alu5;
  float alu14 = acc0[5] + alu7;
  float alu15 = acc0[6] + alu9;
  float alu16 = acc0[7] + alu11;
  float4 vec1 = (float4)(alu13 <= 0.0f ? 0.0f : alu13, alu14 <= 0.0f ? 0.0f : alu14, alu15 <= 0.0f ? 0.0f : alu15, alu16 <= 0.0f ? 0.0f : alu16);
  vstore4(vec1, 0, &data0[idx1 + 32]);
  float alu17 = acc0[8] + alu5;
  float alu18 = acc0[9] + alu7;
  float alu19 = acc0[10] + alu9;
  float alu20 = acc0[11] + alu11;
  float4 vec2 = (float4)(alu17 <= 0.0f ? 0.0f : alu17, alu18 <= 0.0f ? 0.0f : alu18, alu19 <= 0.0f ? 0.0f : alu19, alu20 <= 0.0f ? 0.0f : alu20);
  vstore4(vec2, 0, &data0[idx1 + 64]);
  float alu21 = acc0[12] + alu5;
  float alu22 = acc0[13] + alu7;
  float alu23 = acc0[14] + alu9;
  float alu24 = acc0[15] + alu11;
  float4 vec3 = (float4)(alu21 <= 0.0f ? 0.0f : alu21, alu22 <= 0.0f ? 0.0f : alu22, alu23 <= 0.0f ? 0.0f : alu23, alu24 <= 0.0f ? 0.0f : alu24);
  vstore4(vec3, 0, &data0[idx1 + 96]);
}
