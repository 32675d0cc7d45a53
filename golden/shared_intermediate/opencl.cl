// kernel 0: r_64_64_64, launch ((1, 1, 1), (16, 16, 1))
#pragma OPENCL FP_CONTRACT OFF

__kernel __attribute__((reqd_work_group_size(16, 16, 1)))
void r_64_64_64(
    __global float *restrict data0,
    __global const float *restrict data1,
    __global const float *restrict data2) {
  float acc0[16];
  int lidx1 = get_local_id(1);
  int alu0 = lidx1 * 256;
  int lidx0 = get_local_id(0);
  int alu1 = lidx0 * 4;
  int idx0 = alu0 + alu1;
  acc0[0] = 0.0f;
  acc0[4] = 0.0f;
  acc0[8] = 0.0f;
  acc0[12] = 0.0f;
  acc0[1] = 0.0f;
  acc0[5] = 0.0f;
  acc0[9] = 0.0f;
  acc0[13] = 0.0f;
  acc0[2] = 0.0f;
  acc0[6] = 0.0f;
  acc0[10] = 0.0f;
  acc0[14] = 0.0f;
  acc0[3] = 0.0f;
  acc0[7] = 0.0f;
  acc0[11] = 0.0f;
  acc0[15] = 0.0f;
  for (int r2 = 0; r2 < 64; r2++) {
    int idx1 = alu0 + r2;
    float val0 = data1[idx1];
    float4 val1 = vload4(0, &data2[r2 * 64 + alu1]);
    float alu2 = val1.s0;
    acc0[0] = fma(val0, alu2, acc0[0]);
    float val2 = data1[idx1 + 64];
    acc0[4] = fma(val2, alu2, acc0[4]);
    float val3 = data1[idx1 + 128];
    acc0[8] = fma(val3, alu2, acc0[8]);
    float val4 = data1[idx1 + 192];
    acc0[12] = fma(val4, alu2, acc0[12]);
    float alu3 = val1.s1;
    acc0[1] = fma(val0, alu3, acc0[1]);
    acc0[5] = fma(val2, alu3, acc0[5]);
    acc0[9] = fma(val3, alu3, acc0[9]);
    acc0[13] = fma(val4, alu3, acc0[13]);
    float alu4 = val1.s2;
    acc0[2] = fma(val0, alu4, acc0[2]);
    acc0[6] = fma(val2, alu4, acc0[6]);
    acc0[10] = fma(val3, alu4, acc0[10]);
    acc0[14] = fma(val4, alu4, acc0[14]);
    float alu5 = val1.s3;
    acc0[3] = fma(val0, alu5, acc0[3]);
    acc0[7] = fma(val2, alu5, acc0[7]);
    acc0[11] = fma(val3, alu5, acc0[11]);
    acc0[15] = fma(val4, alu5, acc0[15]);
  }
  vstore4(vload4(0, &acc0[0]), 0, &data0[idx0]);
  vstore4(vload4(0, &acc0[4]), 0, &data0[idx0 + 64]);
  vstore4(vload4(0, &acc0[8]), 0, &data0[idx0 + 128]);
  vstore4(vload4(0, &acc0[12]), 0, &data0[idx0 + 192]);
}

// kernel 1: r_64_64, launch ((1, 1, 1), (64, 1, 1))
#pragma OPENCL FP_CONTRACT OFF

__kernel __attribute__((reqd_work_group_size(64, 1, 1)))
void r_64_64(
    __global float *restrict data0,
    __global float *restrict data1,
    __global float *restrict data2,
    __global const float *restrict data3) {
  float acc0;
  int lidx0 = get_local_id(0);
  acc0 = 0.0f;
  int alu0 = lidx0 * 64;
  for (int r2 = 0; r2 < 16; r2++) {
    float4 val0 = vload4(0, &data3[alu0 + r2 * 4]);
    acc0 = acc0 + (val0.s0 + val0.s1 + val0.s2 + val0.s3);
  }
  float val1 = acc0;
  data0[lidx0] = exp(val1);
  data1[lidx0] = val1 * 2.0f;
  data2[lidx0] = val1;
}
