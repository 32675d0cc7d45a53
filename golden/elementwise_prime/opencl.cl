// kernel 0: e_7_13, launch ((1, 1, 1), (91, 1, 1))
#pragma OPENCL FP_CONTRACT OFF

__kernel __attribute__((reqd_work_group_size(91, 1, 1)))
void e_7_13(
    __global float *restrict data0,
    __global const float *restrict data1,
    __global const float *restrict data2) {
  int lidx0 = get_local_id(0);
  data0[lidx0] = data1[lidx0] * 2.0f + data2[lidx0];
}
