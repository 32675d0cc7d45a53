// kernel 0: e_8_8, launch ((1, 1, 1), (2, 8, 1))
#pragma OPENCL FP_CONTRACT OFF

__kernel __attribute__((reqd_work_group_size(2, 8, 1)))
void e_8_8(
    __global float *restrict data0,
    __global const float *restrict data1,
    __global const float *restrict data2,
    __global const float *restrict data3) {
  int lidx1 = get_local_id(1);
  int lidx0 = get_local_id(0);
  int idx0 = lidx1 * 8 + lidx0 * 4;
  uchar alu0 = lidx1 < 4;
  float4 val0 = alu0 ? vload4(0, &data1[idx0]) : (float4)(0.0f, 0.0f, 0.0f, 0.0f);
  uchar alu1 = lidx1 < 7;
  uchar alu2 = (4 <= lidx1) & alu1;
  float4 val1 = alu2 ? vload4(0, &data2[idx0 - 32]) : (float4)(0.0f, 0.0f, 0.0f, 0.0f);
  float4 val2 = 7 <= lidx1 ? vload4(0, &data3[idx0 - 56]) : (float4)(0.0f, 0.0f, 0.0f, 0.0f);
  float4 vec0 = (float4)(alu0 ? val0.s0 : (alu1 ? (alu2 ? val1.s0 : 0.0f) : val2.s0), alu0 ? val0.s1 : (alu1 ? (alu2 ? val1.s1 : 0.0f) : val2.s1), alu0 ? val0.s2 : (alu1 ? (alu2 ? val1.s2 : 0.0f) : val2.s2), alu0 ? val0.s3 : (alu1 ? (alu2 ? val1.s3 : 0.0f) : val2.s3));
  vstore4(vec0, 0, &data0[idx0]);
}
