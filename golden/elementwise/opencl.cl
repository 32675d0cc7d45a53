// kernel 0: e_64_48, launch ((3, 1, 1), (256, 1, 1))
#pragma OPENCL FP_CONTRACT OFF

__kernel __attribute__((reqd_work_group_size(256, 1, 1)))
void e_64_48(
    __global float *restrict data0,
    __global const float *restrict data1,
    __global const float *restrict data2) {
  int gidx0 = get_group_id(0);
  int lidx0 = get_local_id(0);
  int idx0 = gidx0 * 1024 + lidx0 * 4;
  float4 val0 = vload4(0, &data1[idx0]);
  float alu0 = val0.s0;
  float4 val1 = vload4(0, &data2[idx0]);
  float alu1 = alu0 * val1.s0 + 1.0f;
  float alu2 = val0.s1;
  float alu3 = alu2 * val1.s1 + 1.0f;
  float alu4 = val0.s2;
  float alu5 = alu4 * val1.s2 + 1.0f;
  float alu6 = val0.s3;
  float alu7 = alu6 * val1.s3 + 1.0f;
  float4 vec0 = (float4)((alu1 <= 0.0f ? 0.0f : alu1) - sqrt(alu0), (alu3 <= 0.0f ? 0.0f : alu3) - sqrt(alu2), (alu5 <= 0.0f ? 0.0f : alu5) - sqrt(alu4), (alu7 <= 0.0f ? 0.0f : alu7) - sqrt(alu6));
  vstore4(vec0, 0, &data0[idx0]);
}
