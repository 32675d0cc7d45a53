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
  float4 vec0 = (float4)(exp(alu0) + log(alu0) + tanh(alu0), exp(alu1) + log(alu1) + tanh(alu1), exp(alu2) + log(alu2) + tanh(alu2), exp(alu3) + log(alu3) + tanh(alu3));
  vstore4(vec0, 0, &data0[idx0]);
}
