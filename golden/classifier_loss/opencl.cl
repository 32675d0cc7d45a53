// kernel 0: r_8_10, launch ((1, 1, 1), (8, 1, 1))
#pragma OPENCL FP_CONTRACT OFF

__kernel __attribute__((reqd_work_group_size(8, 1, 1)))
void r_8_10(__global float *restrict data0, __global const float *restrict data1) {
  int lidx0 = get_local_id(0);
  int idx0 = lidx0 * 10;
  float val0 = data1[idx0];
  float val1 = data1[idx0 + 1];
  float alu0 = val1 != val1 || val1 > val0 ? val1 : val0;
  float val2 = data1[idx0 + 2];
  float alu1 = val2 != val2 || val2 > alu0 ? val2 : alu0;
  float val3 = data1[idx0 + 3];
  float alu2 = val3 != val3 || val3 > alu1 ? val3 : alu1;
  float val4 = data1[idx0 + 4];
  float alu3 = val4 != val4 || val4 > alu2 ? val4 : alu2;
  float val5 = data1[idx0 + 5];
  float alu4 = val5 != val5 || val5 > alu3 ? val5 : alu3;
  float val6 = data1[idx0 + 6];
  float alu5 = val6 != val6 || val6 > alu4 ? val6 : alu4;
  float val7 = data1[idx0 + 7];
  float alu6 = val7 != val7 || val7 > alu5 ? val7 : alu5;
  float val8 = data1[idx0 + 8];
  float alu7 = val8 != val8 || val8 > alu6 ? val8 : alu6;
  float val9 = data1[idx0 + 9];
  data0[lidx0] = val9 != val9 || val9 > alu7 ? val9 : alu7;
}

// kernel 1: r_8_10, launch ((1, 1, 1), (8, 1, 1))
#pragma OPENCL FP_CONTRACT OFF

__kernel __attribute__((reqd_work_group_size(8, 1, 1)))
void r_8_10(
    __global float *restrict data0,
    __global const float *restrict data1,
    __global const float *restrict data2) {
  int lidx0 = get_local_id(0);
  int idx0 = lidx0 * 10;
  float val0 = data2[lidx0];
  float alu0 = exp(data1[idx0] - val0) + exp(data1[idx0 + 1] - val0) + exp(data1[idx0 + 2] - val0);
  float alu1 = alu0 + exp(data1[idx0 + 3] - val0) + exp(data1[idx0 + 4] - val0) + exp(data1[idx0 + 5] - val0);
  float alu2 = alu1 + exp(data1[idx0 + 6] - val0) + exp(data1[idx0 + 7] - val0) + exp(data1[idx0 + 8] - val0);
  data0[lidx0] = alu2 + exp(data1[idx0 + 9] - val0);
}

// kernel 2: e_8, launch ((1, 1, 1), (2, 1, 1))
#pragma OPENCL FP_CONTRACT OFF

__kernel __attribute__((reqd_work_group_size(2, 1, 1)))
void e_8(
    __global float *restrict data0,
    __global const int *restrict data1,
    __global const float *restrict data2,
    __global const float *restrict data3,
    __global const float *restrict data4) {
  long lidx0 = get_local_id(0);
  long idx0 = lidx0 * 4;
  int4 val0 = vload4(0, &data1[idx0]);
  int alu0 = val0.s0;
  long cast0 = (long)alu0;
  uchar alu1 = (0 <= alu0) & (cast0 < 10);
  long alu2 = lidx0 * 40;
  float4 val1 = vload4(0, &data3[idx0]);
  float4 val2 = vload4(0, &data4[idx0]);
  float alu3 = alu1 ? (alu1 ? data2[cast0 + alu2] : 0.0f) - val1.s0 - log(val2.s0) + 0.0f : 0.0f;
  int alu4 = val0.s1;
  long cast1 = (long)alu4;
  uchar alu5 = (0 <= alu4) & (cast1 < 10);
  float alu6 = alu5 ? (alu5 ? data2[cast1 + alu2 + 10] : 0.0f) - val1.s1 - log(val2.s1) + 0.0f : 0.0f;
  int alu7 = val0.s2;
  long cast2 = (long)alu7;
  uchar alu8 = (0 <= alu7) & (cast2 < 10);
  float alu9 = alu8 ? (alu8 ? data2[cast2 + alu2 + 20] : 0.0f) - val1.s2 - log(val2.s2) + 0.0f : 0.0f;
  int alu10 = val0.s3;
  long cast3 = (long)alu10;
  uchar alu11 = (0 <= alu10) & (cast3 < 10);
  float alu12 = (alu11 ? data2[cast3 + alu2 + 30] : 0.0f) - val1.s3 - log(val2.s3) + 0.0f;
  float4 vec0 = (float4)(alu0 == -100 ? 0.0f : -alu3, alu4 == -100 ? 0.0f : -alu6, alu7 == -100 ? 0.0f : -alu9, alu10 == -100 ? 0.0f : -(alu11 ? alu12 : 0.0f));
  vstore4(vec0, 0, &data0[idx0]);
}

// kernel 3: r_8_8, launch ((1, 1, 1), (1, 1, 1))
#pragma OPENCL FP_CONTRACT OFF

__kernel void r_8_8(
    __global float *restrict data0,
    __global const float *restrict data1,
    __global const int *restrict data2) {
  float acc0;
  float acc1;
  acc0 = 0.0f;
  for (int r1 = 0; r1 < 8; r1++) {
    acc0 = acc0 + data1[r1];
  }
  float val0 = acc0;
  acc1 = 0.0f;
  for (int r0 = 0; r0 < 8; r0++) {
    acc1 = acc1 + (data2[r0] == -100 ? 0.0f : 1.0f);
  }
  data0[0] = val0 / acc1;
}
