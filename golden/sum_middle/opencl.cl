// kernel 0: r_8_16_30, launch ((1, 1, 1), (16, 8, 1))
#pragma OPENCL FP_CONTRACT OFF

__kernel __attribute__((reqd_work_group_size(16, 8, 1)))
void r_8_16_30(__global float *restrict data0, __global const float *restrict data1) {
  float acc0;
  int lidx1 = get_local_id(1);
  int lidx0 = get_local_id(0);
  acc0 = -INFINITY;
  int alu0 = lidx1 * 480;
  for (int r2 = 0; r2 < 30; r2++) {
    float val0 = acc0;
    float val1 = data1[alu0 + r2 * 16 + lidx0];
    acc0 = val1 != val1 || val1 > val0 ? val1 : val0;
  }
  data0[lidx1 * 16 + lidx0] = acc0;
}
