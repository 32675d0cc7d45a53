// kernel 0: r_64_512, launch ((64, 1, 1), (256, 1, 1))
#pragma OPENCL FP_CONTRACT OFF

__kernel __attribute__((reqd_work_group_size(256, 1, 1)))
void r_64_512(__global float *restrict data0, __global const float *restrict data1) {
  float acc4;
  __local float local3[16];
  float acc2;
  __local float local1[256];
  float acc0;
  int gidx0 = get_group_id(0);
  int lidx0 = get_local_id(0);
  acc4 = 0.0f;
  acc2 = 0.0f;
  acc0 = 0.0f;
  int alu0 = gidx0 * 512;
  for (int r2 = 0; r2 < 2; r2++) {
    acc0 = acc0 + data1[alu0 + r2 * 256 + lidx0];
  }
  local1[lidx0] = acc0;
  barrier(CLK_LOCAL_MEM_FENCE);
  int alu1 = lidx0 & 15;
  for (int r5 = 0; r5 < 16; r5++) {
    acc2 = acc2 + local1[r5 * 16 + alu1];
  }
  if (lidx0 < 16) local3[lidx0] = acc2;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int r6 = 0; r6 < 16; r6++) {
    acc4 = acc4 + local3[r6];
  }
  if (lidx0 == 0) data0[gidx0] = acc4;
}
