// kernel 0: r_5_6_16_50, launch ((2, 1, 1), (16, 15, 1))
#pragma OPENCL FP_CONTRACT OFF

__kernel __attribute__((reqd_work_group_size(16, 15, 1)))
void r_5_6_16_50(
    __global float *restrict data0,
    __global const int *restrict data1,
    __global const float *restrict data2) {
  float acc0;
  long gidx0 = get_group_id(0);
  long lidx1 = get_local_id(1);
  long lidx0 = get_local_id(0);
  acc0 = 0.0f;
  long cast0 = (long)data1[gidx0 * 15 + lidx1];
  long alu0 = cast0 < 0 ? cast0 + 50 : cast0;
  for (long r3 = 0; r3 < 50; r3++) {
    acc0 = acc0 + (alu0 == r3 ? data2[r3 * 16 + lidx0] : 0.0f);
  }
  data0[gidx0 * 240 + lidx1 * 16 + lidx0] = acc0;
}
