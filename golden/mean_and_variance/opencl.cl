// kernel 0: r_32_100, launch ((1, 1, 1), (32, 1, 1))
#pragma OPENCL FP_CONTRACT OFF

__kernel __attribute__((reqd_work_group_size(32, 1, 1)))
void r_32_100(__global float *restrict data0, __global const float *restrict data1) {
  float acc0;
  int lidx0 = get_local_id(0);
  acc0 = 0.0f;
  int alu0 = lidx0 * 100;
  for (int r1 = 0; r1 < 100; r1++) {
    acc0 = acc0 + data1[alu0 + r1];
  }
  data0[lidx0] = acc0;
}

// kernel 1: e_32, launch ((1, 1, 1), (8, 1, 1))
#pragma OPENCL FP_CONTRACT OFF

__kernel __attribute__((reqd_work_group_size(8, 1, 1)))
void e_32(__global float *restrict data0, __global const float *restrict data1) {
  int lidx0 = get_local_id(0);
  int idx0 = lidx0 * 4;
  float4 val0 = vload4(0, &data1[idx0]);
  vstore4((float4)(val0.s0 / 100.0f, val0.s1 / 100.0f, val0.s2 / 100.0f, val0.s3 / 100.0f), 0, &data0[idx0]);
}

// kernel 2: r_32_100, launch ((1, 1, 1), (32, 1, 1))
#pragma OPENCL FP_CONTRACT OFF

__kernel __attribute__((reqd_work_group_size(32, 1, 1)))
void r_32_100(
    __global float *restrict data0,
    __global const float *restrict data1,
    __global const float *restrict data2) {
  float acc0;
  int lidx0 = get_local_id(0);
  acc0 = 0.0f;
  int alu0 = lidx0 * 100;
  float alu1 = data2[lidx0] / 100.0f;
  for (int r1 = 0; r1 < 100; r1++) {
    float alu2 = data1[alu0 + r1] - alu1;
    acc0 = fma(alu2, alu2, acc0);
  }
  data0[lidx0] = acc0 / 99.0f;
}
