// kernel 0: e_100, launch ((1, 1, 1), (25, 1, 1))
#pragma OPENCL FP_CONTRACT OFF

__kernel __attribute__((reqd_work_group_size(25, 1, 1)))
void e_100(__global float *restrict data0, __global const float *restrict data1) {
  int lidx0 = get_local_id(0);
  int idx0 = lidx0 * 4;
  float4 val0 = vload4(0, &data1[idx0]);
  float alu0 = val0.s0;
  int cast0 = alu0 >= -2147483648.0f ? alu0 < 2147483648.0f ? (int)alu0 : 2147483647 : alu0 < 0 ? (-2147483647 - 1) : 0;
  float alu1 = val0.s1;
  int cast1 = alu1 >= -2147483648.0f ? alu1 < 2147483648.0f ? (int)alu1 : 2147483647 : alu1 < 0 ? (-2147483647 - 1) : 0;
  float alu2 = val0.s2;
  int cast2 = alu2 >= -2147483648.0f ? alu2 < 2147483648.0f ? (int)alu2 : 2147483647 : alu2 < 0 ? (-2147483647 - 1) : 0;
  float alu3 = val0.s3;
  int cast3 = alu3 >= -2147483648.0f ? alu3 < 2147483648.0f ? (int)alu3 : 2147483647 : alu3 < 0 ? (-2147483647 - 1) : 0;
  float4 vec0 = (float4)((float)((uchar)cast0), (float)((uchar)cast1), (float)((uchar)cast2), (float)((uchar)cast3));
  vstore4(vec0, 0, &data0[idx0]);
}
