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
  for (int r2 = 0; r2 < 40; r2++) {
    int idx1 = alu0 + r2;
    float alu2 = as_float((uint)data1[idx1] << 16);
    int idx2 = alu1 + r2;
    float alu3 = as_float((uint)data2[idx2] << 16);
    acc0[0] = fma(alu2, alu3, acc0[0]);
    float alu4 = as_float((uint)data1[idx1 + 40] << 16);
    acc0[4] = fma(alu4, alu3, acc0[4]);
    float alu5 = as_float((uint)data1[idx1 + 80] << 16);
    acc0[8] = fma(alu5, alu3, acc0[8]);
    float alu6 = as_float((uint)data1[idx1 + 120] << 16);
    acc0[12] = fma(alu6, alu3, acc0[12]);
    float alu7 = as_float((uint)data2[idx2 + 40] << 16);
    acc0[1] = fma(alu2, alu7, acc0[1]);
    acc0[5] = fma(alu4, alu7, acc0[5]);
    acc0[9] = fma(alu5, alu7, acc0[9]);
    acc0[13] = fma(alu6, alu7, acc0[13]);
    float alu8 = as_float((uint)data2[idx2 + 80] << 16);
    acc0[2] = fma(alu2, alu8, acc0[2]);
    acc0[6] = fma(alu4, alu8, acc0[6]);
    acc0[10] = fma(alu5, alu8, acc0[10]);
    acc0[14] = fma(alu6, alu8, acc0[14]);
    float alu9 = as_float((uint)data2[idx2 + 120] << 16);
    acc0[3] = fma(alu2, alu9, acc0[3]);
    acc0[7] = fma(alu4, alu9, acc0[7]);
    acc0[11] = fma(alu5, alu9, acc0[11]);
    acc0[15] = fma(alu6, alu9, acc0[15]);
  }
  float val0 = acc0[0];
  float val1 = acc0[1];
  float val2 = acc0[2];
  float val3 = acc0[3];
  float4 vec0 = (float4)(val0 <= 0.0f ? 0.0f : val0, val1 <= 0.0f ? 0.0f : val1, val2 <= 0.0f ? 0.0f : val2, val3 <= 0.0f ? 0.0f : val3);
  vstore4(vec0, 0, &data0[idx0]);
  float val4 = acc0[4];
  float val5 = acc0[5];
  float val6 = acc0[6];
  float val7 = acc0[7];
  float4 vec1 = (float4)(val4 <= 0.0f ? 0.0f : val4, val5 <= 0.0f ? 0.0f : val5, val6 <= 0.0f ? 0.0f : val6, val7 <= 0.0f ? 0.0f : val7);
  vstore4(vec1, 0, &data0[idx0 + 24]);
  float val8 = acc0[8];
  float val9 = acc0[9];
  float val10 = acc0[10];
  float val11 = acc0[11];
  float4 vec2 = (float4)(val8 <= 0.0f ? 0.0f : val8, val9 <= 0.0f ? 0.0f : val9, val10 <= 0.0f ? 0.0f : val10, val11 <= 0.0f ? 0.0f : val11);
  vstore4(vec2, 0, &data0[idx0 + 48]);
  float val12 = acc0[12];
  float val13 = acc0[13];
  float val14 = acc0[14];
  float val15 = acc0[15];
  float4 vec3 = (float4)(val12 <= 0.0f ? 0.0f : val12, val13 <= 0.0f ? 0.0f : val13, val14 <= 0.0f ? 0.0f : val14, val15 <= 0.0f ? 0.0f : val15);
  vstore4(vec3, 0, &data0[idx0 + 72]);
}
