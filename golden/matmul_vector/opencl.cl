// kernel 0: r_300_200, launch ((2, 1, 1), (150, 1, 1))
#pragma OPENCL FP_CONTRACT OFF

__kernel __attribute__((reqd_work_group_size(150, 1, 1)))
void r_300_200(
    __global float *restrict data0,
    __global const float *restrict data1,
    __global const float *restrict data2) {
  float acc0;
  int gidx0 = get_group_id(0);
  int lidx0 = get_local_id(0);
  acc0 = 0.0f;
  int alu0 = gidx0 * 30000 + lidx0 * 200;
  for (int r1 = 0; r1 < 200; r1++) {
    acc0 = fma(data1[alu0 + r1], data2[r1], acc0);
  }
  data0[gidx0 * 150 + lidx0] = acc0;
}
