// kernel 0: r_2_4_4_4_2_2, launch ((2, 1, 1), (4, 16, 1))
#pragma OPENCL FP_CONTRACT OFF

__kernel __attribute__((reqd_work_group_size(4, 16, 1)))
void r_2_4_4_4_2_2(__global float *restrict data0, __global const float *restrict data1) {
  int gidx0 = get_group_id(0);
  int lidx1 = get_local_id(1);
  int lidx0 = get_local_id(0);
  int idx0 = gidx0 * 256 + lidx1 * 16 + lidx0 * 2;
  float val0 = data1[idx0];
  float val1 = data1[idx0 + 1];
  float alu0 = val1 != val1 || val1 > val0 ? val1 : val0;
  float val2 = data1[idx0 + 8];
  float alu1 = val2 != val2 || val2 > alu0 ? val2 : alu0;
  float val3 = data1[idx0 + 9];
  data0[gidx0 * 64 + lidx1 * 4 + lidx0] = val3 != val3 || val3 > alu1 ? val3 : alu1;
}
