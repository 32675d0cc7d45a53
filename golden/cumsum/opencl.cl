// kernel 0: r_4_100_100, launch ((10, 1, 1), (10, 4, 1))
#pragma OPENCL FP_CONTRACT OFF

__kernel __attribute__((reqd_work_group_size(10, 4, 1)))
void r_4_100_100(__global float *restrict data0, __global const float *restrict data1) {
  float acc0;
  int lidx1 = get_local_id(1);
  int alu0 = lidx1 * 100;
  int gidx0 = get_group_id(0);
  int alu1 = gidx0 * 10;
  int lidx0 = get_local_id(0);
  acc0 = 0.0f;
  int alu2 = alu1 + lidx0;
  for (int r2 = 0; r2 < 100; r2++) {
    acc0 = acc0 + (alu2 < r2 ? 0.0f : data1[alu0 + r2]);
  }
  data0[alu0 + alu1 + lidx0] = acc0;
}
