// kernel 0: r_32_128_128_128, launch ((4, 4, 1), (32, 8, 1))
#pragma OPENCL FP_CONTRACT OFF

__kernel __attribute__((reqd_work_group_size(32, 8, 1)))
void r_32_128_128_128(__global float *restrict data0, __global const float *restrict data1) {
  float acc0;
  float acc1;
  int gidx1 = get_group_id(1);
  int lidx1 = get_local_id(1);
  int alu0 = gidx1 * 1024 + lidx1 * 128;
  int gidx0 = get_group_id(0);
  int lidx0 = get_local_id(0);
  int idx0 = alu0 + gidx0 * 32 + lidx0;
  float val0 = data1[idx0];
  acc0 = -INFINITY;
  for (int r3 = 0; r3 < 128; r3++) {
    float val1 = acc0;
    float val2 = data1[alu0 + r3];
    acc0 = val2 != val2 || val2 > val1 ? val2 : val1;
  }
  float val3 = acc0;
  acc1 = 0.0f;
  for (int r2 = 0; r2 < 128; r2++) {
    acc1 = acc1 + exp(data1[alu0 + r2] - val3);
  }
  data0[idx0] = exp(val0 - val3) * (1.0f / acc1);
}
