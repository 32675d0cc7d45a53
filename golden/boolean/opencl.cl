// kernel 0: e_8_16, launch ((1, 1, 1), (32, 1, 1))
#pragma OPENCL FP_CONTRACT OFF

__kernel __attribute__((reqd_work_group_size(32, 1, 1)))
void e_8_16(
    __global uchar *restrict data0,
    __global const float *restrict data1,
    __global const float *restrict data2) {
  int lidx0 = get_local_id(0);
  int idx0 = lidx0 * 4;
  float4 val0 = vload4(0, &data1[idx0]);
  float alu0 = val0.s0;
  float4 val1 = vload4(0, &data2[idx0]);
  float alu1 = val1.s0;
  float alu2 = val0.s1;
  float alu3 = val1.s1;
  float alu4 = val0.s2;
  float alu5 = val1.s2;
  float alu6 = val0.s3;
  float alu7 = val1.s3;
  uchar4 vec0 = (uchar4)(((alu0 < alu1) & (alu0 != 0.0f)) | (1.0f <= alu1), ((alu2 < alu3) & (alu2 != 0.0f)) | (1.0f <= alu3), ((alu4 < alu5) & (alu4 != 0.0f)) | (1.0f <= alu5), ((alu6 < alu7) & (alu6 != 0.0f)) | (1.0f <= alu7));
  vstore4(vec0, 0, &data0[idx0]);
}
