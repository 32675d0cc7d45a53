// kernel 0: e_32_64, launch ((2, 1, 1), (16, 16, 1))
#pragma OPENCL FP_CONTRACT OFF

__kernel __attribute__((reqd_work_group_size(16, 16, 1)))
void e_32_64(
    __global float *restrict data0,
    __global const float *restrict data1,
    __global const float *restrict data2,
    __global const float *restrict data3) {
  int gidx0 = get_group_id(0);
  int lidx1 = get_local_id(1);
  int lidx0 = get_local_id(0);
  int idx0 = lidx0 * 4;
  float val0 = data1[gidx0 * 16 + lidx1];
  float4 val1 = vload4(0, &data2[idx0]);
  float4 val2 = vload4(0, &data3[idx0]);
  float4 vec0 = (float4)(val0 + val1.s0 * val2.s0, val0 + val1.s1 * val2.s1, val0 + val1.s2 * val2.s2, val0 + val1.s3 * val2.s3);
  vstore4(vec0, 0, &data0[gidx0 * 1024 + lidx1 * 64 + idx0]);
}
