// kernel 0: e_16_16, launch ((1, 1, 1), (4, 16, 1))
#pragma OPENCL FP_CONTRACT OFF

__kernel __attribute__((reqd_work_group_size(4, 16, 1)))
void e_16_16(__global float *restrict data0, __global const float *restrict data1) {
  int lidx1 = get_local_id(1);
  int lidx0 = get_local_id(0);
  int alu0 = lidx0 * 4;
  int idx0 = lidx1 * 16 + alu0;
  float4 val0 = vload4(0, &data1[idx0]);
  float4 vec0 = (float4)(lidx1 < alu0 ? 0.0f : val0.s0, lidx1 < alu0 + 1 ? 0.0f : val0.s1, lidx1 < alu0 + 2 ? 0.0f : val0.s2, lidx1 < alu0 + 3 ? 0.0f : val0.s3);
  vstore4(vec0, 0, &data0[idx0]);
}
