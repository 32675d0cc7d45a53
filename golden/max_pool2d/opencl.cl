// kernel 0: r_2_4_4_4_2_2, launch ((2, 1, 1), (4, 16, 1))
#pragma OPENCL FP_CONTRACT OFF

__kernel __attribute__((reqd_work_group_size(4, 16, 1)))
void r_2_4_4_4_2_2(__global float *restrict data0, __global const float *restrict data1) {
  int gidx0 = get_group_id(0);
  int lidx1 = get_local_id(1);
  int lidx0 = get_local_id(0);
  int idx0 = gidx0 * 256 + lidx1 * 16 + lidx0 * 2;
  float2 val0 = vload2(0, &data1[idx0]);
  float alu0 = val0.s0;
  float alu1 = val0.s1;
  float alu2 = alu1 != alu1 || alu1 > alu0 ? alu1 : alu0;
  float2 val1 = vload2(0, &data1[idx0 + 8]);
  float alu3 = val1.s0;
  float alu4 = alu3 != alu3 || alu3 > alu2 ? alu3 : alu2;
  float alu5 = val1.s1;
  data0[gidx0 * 64 + lidx1 * 4 + lidx0] = alu5 != alu5 || alu5 > alu4 ? alu5 : alu4;
}
