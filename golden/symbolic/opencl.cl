// kernel 0: r_32_rows, launch ((1, 1, 1), (32, 1, 1))
#pragma OPENCL FP_CONTRACT OFF

__kernel __attribute__((reqd_work_group_size(32, 1, 1)))
void r_32_rows(
    __global float *restrict data0,
    __global const float *restrict data1,
    const long rows_) {
  float acc0;
  int lidx0 = get_local_id(0);
  acc0 = 0.0f;
  for (int r1 = 0; r1 < rows_; r1++) {
    acc0 = acc0 + data1[r1 * 32 + lidx0];
  }
  data0[lidx0] = acc0;
}
