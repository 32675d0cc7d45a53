// kernel 0: r_64_512, launch ((8, 1, 1), (8, 16, 1))
#pragma OPENCL FP_CONTRACT OFF

__kernel __attribute__((reqd_work_group_size(8, 16, 1)))
void r_64_512(__global float *restrict data0, __global const float *restrict data1) {
  float acc2;
  __local float local1[128];
  float acc0;
  int gidx0 = get_group_id(0);
  int alu0 = gidx0 * 8;
  int lidx0 = get_local_id(0);
  int lidx1 = get_local_id(1);
  acc2 = 0.0f;
  acc0 = 0.0f;
  int alu1 = lidx1 * 64;
  for (int r2 = 0; r2 < 32; r2++) {
    acc0 = acc0 + data1[r2 * 1024 + alu1 + alu0 + lidx0];
  }
  local1[lidx1 * 8 + lidx0] = acc0;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int r6 = 0; r6 < 16; r6++) {
    acc2 = acc2 + local1[r6 * 8 + lidx0];
  }
  if (lidx1 == 0) data0[alu0 + lidx0] = acc2;
}
