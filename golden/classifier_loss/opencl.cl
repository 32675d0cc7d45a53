// kernel 0: r_8_10_10, launch ((1, 1, 1), (8, 1, 1))
#pragma OPENCL FP_CONTRACT OFF

__kernel __attribute__((reqd_work_group_size(8, 1, 1)))
void r_8_10_10(
    __global float *restrict data0,
    __global const int *restrict data1,
    __global const float *restrict data2) {
  long lidx0 = get_local_id(0);
  int val0 = data1[lidx0];
  long cast0 = (long)val0;
  uchar alu0 = (0 <= cast0) & (cast0 < 10);
  long idx0 = lidx0 * 10;
  float2 val1 = vload2(0, &data2[idx0]);
  float alu1 = val1.s0;
  float alu2 = val1.s1;
  float alu3 = alu2 != alu2 || alu2 > alu1 ? alu2 : alu1;
  float2 val2 = vload2(0, &data2[idx0 + 2]);
  float alu4 = val2.s0;
  float alu5 = alu4 != alu4 || alu4 > alu3 ? alu4 : alu3;
  float alu6 = val2.s1;
  float alu7 = alu6 != alu6 || alu6 > alu5 ? alu6 : alu5;
  float2 val3 = vload2(0, &data2[idx0 + 4]);
  float alu8 = val3.s0;
  float alu9 = alu8 != alu8 || alu8 > alu7 ? alu8 : alu7;
  float alu10 = val3.s1;
  float alu11 = alu10 != alu10 || alu10 > alu9 ? alu10 : alu9;
  float2 val4 = vload2(0, &data2[idx0 + 6]);
  float alu12 = val4.s0;
  float alu13 = alu12 != alu12 || alu12 > alu11 ? alu12 : alu11;
  float alu14 = val4.s1;
  float alu15 = alu14 != alu14 || alu14 > alu13 ? alu14 : alu13;
  float2 val5 = vload2(0, &data2[idx0 + 8]);
  float alu16 = val5.s0;
  float alu17 = alu16 != alu16 || alu16 > alu15 ? alu16 : alu15;
  float alu18 = val5.s1;
  float alu19 = alu18 != alu18 || alu18 > alu17 ? alu18 : alu17;
  float alu20 = exp(alu1 - alu19) + exp(alu2 - alu19) + exp(alu4 - alu19) + exp(alu6 - alu19);
  float alu21 = alu20 + exp(alu8 - alu19) + exp(alu10 - alu19) + exp(alu12 - alu19) + exp(alu14 - alu19);
  float alu22 = (alu0 ? data2[cast0 + idx0] : 0.0f) - alu19 - log(alu21 + exp(alu16 - alu19) + exp(alu18 - alu19));
  data0[lidx0] = val0 == -100 ? 0.0f : -(alu0 ? alu22 : 0.0f);
}

// kernel 1: r_8_8, launch ((1, 1, 1), (1, 1, 1))
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
