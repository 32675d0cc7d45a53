// kernel 0: e_8_12, launch ((1, 1, 1), (12, 8, 1))
#pragma OPENCL FP_CONTRACT OFF

__kernel __attribute__((reqd_work_group_size(12, 8, 1)))
void e_8_12(__global float *restrict data0, __global const float *restrict data1) {
  int lidx1 = get_local_id(1);
  int lidx0 = get_local_id(0);
  float val0 = (1 <= lidx1) & (lidx1 < 7) & (2 <= lidx0) ? data1[lidx0 + lidx1 * 10 - 12] : 0.0f;
  data0[lidx1 * 12 + lidx0] = val0 * 2.0f;
}
