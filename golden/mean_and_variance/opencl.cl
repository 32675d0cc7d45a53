// kernel 0: r_32_100_100, launch ((1, 1, 1), (32, 1, 1))
#pragma OPENCL FP_CONTRACT OFF

__kernel __attribute__((reqd_work_group_size(32, 1, 1)))
void r_32_100_100(
    __global float *restrict data0,
    __global float *restrict data1,
    __global const float *restrict data2) {
  float acc0;
  float acc1;
  int lidx0 = get_local_id(0);
  acc0 = 0.0f;
  int alu0 = lidx0 * 100;
  for (int r1 = 0; r1 < 100; r1++) {
    acc0 = acc0 + data2[alu0 + r1];
  }
  float alu1 = acc0 / 100.0f;
  data0[lidx0] = alu1;
  acc1 = 0.0f;
  for (int r2 = 0; r2 < 100; r2++) {
    float alu2 = data2[alu0 + r2] - alu1;
    acc1 = fma(alu2, alu2, acc1);
  }
  data1[lidx0] = acc1 / 99.0f;
}
