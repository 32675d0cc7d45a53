// kernel 0: r_4_8_10, launch ((1, 1, 1), (8, 4, 1))
#pragma OPENCL FP_CONTRACT OFF

__kernel __attribute__((reqd_work_group_size(8, 4, 1)))
void r_4_8_10(
    __global float *restrict data0,
    __global const int *restrict data1,
    __global const float *restrict data2) {
  long lidx1 = get_local_id(1);
  long lidx0 = get_local_id(0);
  long idx0 = lidx1 * 8 + lidx0;
  long cast0 = (long)data1[idx0];
  long alu0 = cast0 < 0 ? cast0 + 10 : cast0;
  float alu1 = (alu0 == 0 ? data2[lidx0] : 0.0f) + (alu0 == 1 ? data2[lidx0 + 8] : 0.0f);
  float alu2 = alu1 + (alu0 == 2 ? data2[lidx0 + 16] : 0.0f) + (alu0 == 3 ? data2[lidx0 + 24] : 0.0f);
  float alu3 = alu2 + (alu0 == 4 ? data2[lidx0 + 32] : 0.0f) + (alu0 == 5 ? data2[lidx0 + 40] : 0.0f);
  float alu4 = alu3 + (alu0 == 6 ? data2[lidx0 + 48] : 0.0f) + (alu0 == 7 ? data2[lidx0 + 56] : 0.0f);
  data0[idx0] = alu4 + (alu0 == 8 ? data2[lidx0 + 64] : 0.0f) + (alu0 == 9 ? data2[lidx0 + 72] : 0.0f);
}
