// kernel 0: r_128_2_256, launch ((128, 1, 1), (256, 1, 1))
#pragma OPENCL FP_CONTRACT OFF

__kernel __attribute__((reqd_work_group_size(256, 1, 1)))
void r_128_2_256(__global float *restrict data0, __global const float *restrict data1) {
  float acc2;
  __local float local1[256];
  float acc0;
  int gidx0 = get_group_id(0);
  int lidx0 = get_local_id(0);
  acc2 = 0.0f;
  acc0 = 0.0f;
  int alu0 = gidx0 * 512;
  for (int r4 = 0; r4 < 2; r4++) {
    acc0 = acc0 + data1[alu0 + r4 * 256 + lidx0];
  }
  local1[lidx0] = acc0;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int r6 = 0; r6 < 256; r6++) {
    acc2 = acc2 + local1[r6];
  }
  if (lidx0 == 0) data0[gidx0] = acc2;
}

// kernel 1: r_128, launch ((1, 1, 1), (1, 1, 1))
#pragma OPENCL FP_CONTRACT OFF

__kernel void r_128(__global float *restrict data0, __global const float *restrict data1) {
  float acc0;
  acc0 = 0.0f;
  for (int r0 = 0; r0 < 128; r0++) {
    acc0 = acc0 + data1[r0];
  }
  data0[0] = acc0;
}
