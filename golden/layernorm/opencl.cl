// kernel 0: r_32_256_256_256, launch ((32, 1, 1), (256, 1, 1))
#pragma OPENCL FP_CONTRACT OFF

__kernel __attribute__((reqd_work_group_size(256, 1, 1)))
void r_32_256_256_256(__global float *restrict data0, __global const float *restrict data1) {
  float acc1;
  __local float local0[256];
  float acc3;
  __local float local2[256];
  int gidx0 = get_group_id(0);
  int lidx0 = get_local_id(0);
  int idx0 = gidx0 * 256 + lidx0;
  float val0 = data1[idx0];
  acc1 = 0.0f;
  local0[lidx0] = val0;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int r10 = 0; r10 < 256; r10++) {
    acc1 = acc1 + local0[r10];
  }
  float alu0 = val0 - acc1 / 256.0f;
  acc3 = 0.0f;
  local2[lidx0] = alu0 * alu0;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int r11 = 0; r11 < 256; r11++) {
    acc3 = acc3 + local2[r11];
  }
  data0[idx0] = alu0 * (1.0f / sqrt(acc3 / 256.0f + 1e-05f));
}
