// kernel 0: e_8_12, launch ((1, 1, 1), (3, 8, 1))
#pragma OPENCL FP_CONTRACT OFF

__kernel __attribute__((reqd_work_group_size(3, 8, 1)))
void e_8_12(__global float *restrict data0, __global const float *restrict data1) {
  int lidx1 = get_local_id(1);
  int lidx0 = get_local_id(0);
  int alu0 = lidx0 * 4;
  int alu1 = alu0 + lidx1 * 10;
  uchar alu2 = (1 <= lidx1) & (lidx1 < 7);
  uchar alu3 = alu2 & (1 <= lidx0);
  float4 vec0 = (float4)((alu3 ? data1[alu1 - 12] : 0.0f) * 2.0f, (alu3 ? data1[alu1 - 11] : 0.0f) * 2.0f, (alu2 ? data1[alu1 - 10] : 0.0f) * 2.0f, (alu2 ? data1[alu1 - 9] : 0.0f) * 2.0f);
  vstore4(vec0, 0, &data0[lidx1 * 12 + alu0]);
}
