// kernel 0: e_5_6_16, launch ((1, 1, 1), (4, 6, 5))
#pragma OPENCL FP_CONTRACT OFF

__kernel __attribute__((reqd_work_group_size(4, 6, 5)))
void e_5_6_16(
    __global float *restrict data0,
    __global const int *restrict data1,
    __global const float *restrict data2) {
  long lidx2 = get_local_id(2);
  long lidx1 = get_local_id(1);
  long lidx0 = get_local_id(0);
  long alu0 = lidx0 * 4;
  int val0 = data1[lidx2 * 6 + lidx1];
  long cast0 = (long)(val0 < 0 ? (int)((uint)val0 + (uint)50) : val0);
  uchar alu1 = (0 <= cast0) & (cast0 < 50);
  float4 val1 = alu1 ? vload4(0, &data2[cast0 * 16 + alu0]) : (float4)(0.0f, 0.0f, 0.0f, 0.0f);
  float4 vec0 = (float4)(alu1 ? val1.s0 : 0.0f, alu1 ? val1.s1 : 0.0f, alu1 ? val1.s2 : 0.0f, alu1 ? val1.s3 : 0.0f);
  vstore4(vec0, 0, &data0[lidx2 * 96 + lidx1 * 16 + alu0]);
}
