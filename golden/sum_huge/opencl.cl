// kernel 0: r_256_4096, launch ((256, 1, 1), (256, 1, 1))
#pragma OPENCL FP_CONTRACT OFF

__kernel __attribute__((reqd_work_group_size(256, 1, 1)))
void r_256_4096(__global float *restrict data0, __global const float *restrict data1) {
  float acc2;
  __local float local1[256];
  float acc0;
  int gidx0 = get_group_id(0);
  int lidx0 = get_local_id(0);
  acc2 = 0.0f;
  acc0 = 0.0f;
  int alu0 = gidx0 * 4096;
  for (int r2 = 0; r2 < 16; r2++) {
    acc0 = acc0 + data1[alu0 + r2 * 256 + lidx0];
  }
  local1[lidx0] = acc0;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int r4 = 0; r4 < 256; r4++) {
    acc2 = acc2 + local1[r4];
  }
  if (lidx0 == 0) data0[gidx0] = acc2;
}

// kernel 1: r_256, launch ((1, 1, 1), (1, 1, 1))
#pragma OPENCL FP_CONTRACT OFF

__kernel void r_256(__global float *restrict data0, __global const float *restrict data1) {
  float acc0;
  acc0 = 0.0f;
  for (int r0 = 0; r0 < 256; r0++) {
    acc0 = acc0 + data1[r0];
  }
  data0[0] = acc0;
}
