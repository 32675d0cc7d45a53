// kernel 0: e_12_10, launch ((1, 1, 1), (10, 12, 1))
#pragma OPENCL FP_CONTRACT OFF

__kernel __attribute__((reqd_work_group_size(10, 12, 1)))
void e_12_10(__global float *restrict data0, __global const float *restrict data1) {
  int lidx1 = get_local_id(1);
  int lidx0 = get_local_id(0);
  int idx0 = lidx1 * 10 + lidx0;
  data0[idx0] = data1[lidx0 * 12 + lidx1] + data1[idx0];
}

// kernel 1: e_6_10, launch ((1, 1, 1), (15, 1, 1))
#pragma OPENCL FP_CONTRACT OFF

__kernel __attribute__((reqd_work_group_size(15, 1, 1)))
void e_6_10(__global float *restrict data0, __global const float *restrict data1) {
  int lidx0 = get_local_id(0);
  int idx0 = lidx0 * 4;
  vstore4((float4)(data1[idx0 + 30], data1[idx0 + 31], data1[idx0 + 32], data1[idx0 + 33]), 0, &data0[idx0]);
}
