// kernel 0: r_32_100_100, launch ((1, 1, 1), (32, 1, 1))
#pragma OPENCL FP_CONTRACT OFF

__kernel __attribute__((reqd_work_group_size(32, 1, 1)))
void r_32_100_100(
    __global float *restrict data0,
    __global float *restrict data1,
    __global const float *restrict data2) {
  float acc0;
  float acc1;
  int lidx0 = get_local_id(0);
  acc0 = 0.0f;
  int alu0 = lidx0 * 100;
  for (int r3 = 0; r3 < 25; r3++) {
    float4 val0 = vload4(0, &data2[alu0 + r3 * 4]);
    acc0 = acc0 + (val0.s0 + val0.s1 + val0.s2 + val0.s3);
  }
  float alu1 = acc0 / 100.0f;
  data0[lidx0] = alu1;
  acc1 = 0.0f;
  for (int r7 = 0; r7 < 25; r7++) {
    float4 val1 = vload4(0, &data2[alu0 + r7 * 4]);
    float alu2 = val1.s0 - alu1;
    float alu3 = val1.s1 - alu1;
    float alu4 = val1.s2 - alu1;
    float alu5 = val1.s3 - alu1;
    acc1 = acc1 + (alu2 * alu2 + alu3 * alu3 + alu4 * alu4 + alu5 * alu5);
  }
  data1[lidx0] = acc1 / 99.0f;
}
