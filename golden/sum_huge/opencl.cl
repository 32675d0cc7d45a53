// kernel 0: r_256_4096, launch ((256, 1, 1), (256, 1, 1))
#pragma OPENCL FP_CONTRACT OFF

__kernel __attribute__((reqd_work_group_size(256, 1, 1)))
void r_256_4096(__global float *restrict data0, __global const float *restrict data1) {
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
  int alu0 = gidx0 * 4096;
  int alu1 = lidx0 * 4;
  for (int r4 = 0; r4 < 4; r4++) {
    float4 val0 = vload4(0, &data1[alu0 + r4 * 1024 + alu1]);
    acc0 = acc0 + (val0.s0 + val0.s1 + val0.s2 + val0.s3);
  }
  local1[lidx0] = acc0;
  barrier(CLK_LOCAL_MEM_FENCE);
  int alu2 = lidx0 & 15;
  for (int r7 = 0; r7 < 16; r7++) {
    acc2 = acc2 + local1[r7 * 16 + alu2];
  }
  if (lidx0 < 16) local3[lidx0] = acc2;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int r8 = 0; r8 < 16; r8++) {
    acc4 = acc4 + local3[r8];
  }
  if (lidx0 == 0) data0[gidx0] = acc4;
}

// kernel 1: r_256, launch ((1, 1, 1), (256, 1, 1))
#pragma OPENCL FP_CONTRACT OFF

__kernel __attribute__((reqd_work_group_size(256, 1, 1)))
void r_256(__global float *restrict data0, __global const float *restrict data1) {
  float acc3;
  __local float local2[16];
  float acc1;
  __local float local0[256];
  int lidx0 = get_local_id(0);
  acc3 = 0.0f;
  acc1 = 0.0f;
  local0[lidx0] = data1[lidx0];
  barrier(CLK_LOCAL_MEM_FENCE);
  int alu0 = lidx0 & 15;
  for (int r4 = 0; r4 < 16; r4++) {
    acc1 = acc1 + local0[r4 * 16 + alu0];
  }
  if (lidx0 < 16) local2[lidx0] = acc1;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int r5 = 0; r5 < 16; r5++) {
    acc3 = acc3 + local2[r5];
  }
  if (lidx0 == 0) data0[0] = acc3;
}
