// kernel 0: e_10_10, launch ((1, 1, 1), (25, 1, 1))
#pragma OPENCL FP_CONTRACT OFF

__kernel __attribute__((reqd_work_group_size(25, 1, 1)))
void e_10_10(__global float *restrict data0) {
  int lidx0 = get_local_id(0);
  int idx0 = lidx0 * 4;
  float4 vec0 = (float4)(data0[idx0] + 1.0f, data0[idx0 + 1] + 1.0f, data0[idx0 + 2] + 1.0f, data0[idx0 + 3] + 1.0f);
  vstore4(vec0, 0, &data0[idx0]);
}
