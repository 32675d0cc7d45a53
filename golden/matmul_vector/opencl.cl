// kernel 0: r_300_200, launch ((2, 1, 1), (150, 1, 1))
#pragma OPENCL FP_CONTRACT OFF

__kernel __attribute__((reqd_work_group_size(150, 1, 1)))
void r_300_200(
    __global float *restrict data0,
    __global const float *restrict data1,
    __global const float *restrict data2) {
  float acc0;
  int gidx0 = get_group_id(0);
  int lidx0 = get_local_id(0);
  acc0 = 0.0f;
  int alu0 = gidx0 * 30000 + lidx0 * 200;
  for (int r2 = 0; r2 < 50; r2++) {
    int idx0 = r2 * 4;
    float4 val0 = vload4(0, &data1[alu0 + idx0]);
    float4 val1 = vload4(0, &data2[idx0]);
    float alu1 = val0.s0 * val1.s0 + val0.s1 * val1.s1 + val0.s2 * val1.s2 + val0.s3 * val1.s3;
    acc0 = acc0 + alu1;
  }
  data0[gidx0 * 150 + lidx0] = acc0;
}
