// kernel 0: e_256, launch ((1, 1, 1), (64, 1, 1))
#pragma OPENCL FP_CONTRACT OFF

__kernel __attribute__((reqd_work_group_size(64, 1, 1)))
void e_256(__global float *restrict data0, __global const float *restrict data1) {
  int lidx0 = get_local_id(0);
  int idx0 = lidx0 * 4;
  float4 val0 = vload4(0, &data1[idx0]);
  float alu0 = val0.s0;
  float alu1 = val0.s1;
  float alu2 = val0.s2;
  float alu3 = val0.s3;
  float4 vec0 = (float4)(sin(alu0) + cos(alu0), sin(alu1) + cos(alu1), sin(alu2) + cos(alu2), sin(alu3) + cos(alu3));
  vstore4(vec0, 0, &data0[idx0]);
}
