// kernel 0: e_10_10, launch ((1, 1, 1), (10, 10, 1))
#pragma OPENCL FP_CONTRACT OFF

__kernel __attribute__((reqd_work_group_size(10, 10, 1)))
void e_10_10(__global float *restrict data0, __global const float *restrict data1) {
  int lidx1 = get_local_id(1);
  int lidx0 = get_local_id(0);
  int idx0 = lidx1 * 10 + lidx0;
  uchar alu0 = (2 <= lidx1) & (lidx1 < 5);
  uchar alu1 = lidx0 < 9;
  int alu2 = lidx0 & 1;
  uchar alu3 = alu2 < 1;
  float val0 = alu0 & (alu3 & alu1) ? data1[alu2 + (lidx0 >> 1) + lidx1 * 5 - 10] : 0.0f;
  data0[idx0] = alu0 & (alu1 & alu3) ? val0 : data0[idx0];
}
