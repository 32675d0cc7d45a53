// kernel 0: e_4, launch ((1, 1, 1), (1, 1, 1))
#pragma OPENCL FP_CONTRACT OFF

__kernel void e_4(__global float *restrict data0, __global const float *restrict data1) {
  float4 val0 = vload4(0, &data1[0]);
  vstore4((float4)(val0.s0 + 0.0f, val0.s1 + 0.0f, val0.s2 + 0.0f, val0.s3 + 0.0f), 0, &data0[0]);
}
