// kernel 0: e_10_10, launch ((1, 1, 1), (25, 1, 1))
#pragma OPENCL FP_CONTRACT OFF

__kernel __attribute__((reqd_work_group_size(25, 1, 1)))
void e_10_10(__global float *restrict data0) {
  int lidx0 = get_local_id(0);
  int idx0 = lidx0 * 4;
  float4 val0 = vload4(0, &data0[idx0]);
  vstore4((float4)(val0.s0 + 1.0f, val0.s1 + 1.0f, val0.s2 + 1.0f, val0.s3 + 1.0f), 0, &data0[idx0]);
}
