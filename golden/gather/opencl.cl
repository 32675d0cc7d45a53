// kernel 0: e_4_8, launch ((1, 1, 1), (2, 4, 1))
#pragma OPENCL FP_CONTRACT OFF

__kernel __attribute__((reqd_work_group_size(2, 4, 1)))
void e_4_8(
    __global float *restrict data0,
    __global const int *restrict data1,
    __global const float *restrict data2) {
  long lidx1 = get_local_id(1);
  long lidx0 = get_local_id(0);
  long alu0 = lidx0 * 4;
  long idx0 = lidx1 * 8 + alu0;
  int4 val0 = vload4(0, &data1[idx0]);
  int alu1 = val0.s0;
  uint cast0 = (uint)10;
  long cast1 = (long)(alu1 < 0 ? (int)((uint)alu1 + cast0) : alu1);
  int alu2 = val0.s1;
  long cast2 = (long)(alu2 < 0 ? (int)((uint)alu2 + cast0) : alu2);
  int alu3 = val0.s2;
  long cast3 = (long)(alu3 < 0 ? (int)((uint)alu3 + cast0) : alu3);
  int alu4 = val0.s3;
  long cast4 = (long)(alu4 < 0 ? (int)((uint)alu4 + cast0) : alu4);
  float4 vec0 = (float4)((0 <= cast1) & (cast1 < 10) ? data2[cast1 * 8 + alu0] : 0.0f, (0 <= cast2) & (cast2 < 10) ? data2[cast2 * 8 + alu0 + 1] : 0.0f, (0 <= cast3) & (cast3 < 10) ? data2[cast3 * 8 + alu0 + 2] : 0.0f, (0 <= cast4) & (cast4 < 10) ? data2[cast4 * 8 + alu0 + 3] : 0.0f);
  vstore4(vec0, 0, &data0[idx0]);
}
