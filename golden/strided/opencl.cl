// kernel 0: e_18_6, launch ((2, 1, 1), (6, 9, 1))
#pragma OPENCL FP_CONTRACT OFF

__kernel __attribute__((reqd_work_group_size(6, 9, 1)))
void e_18_6(__global float *restrict data0, __global const float *restrict data1) {
  int gidx0 = get_group_id(0);
  int lidx1 = get_local_id(1);
  int lidx0 = get_local_id(0);
  data0[gidx0 * 54 + lidx1 * 6 + lidx0] = data1[lidx0 * 72 - gidx0 * 9 - lidx1 + 21] + 1.0f;
}
