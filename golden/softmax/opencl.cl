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
  for (int r4 = 0; r4 < 32; r4++) {
    float val1 = acc0;
    float4 val2 = vload4(0, &data1[alu0 + r4 * 4]);
    float alu1 = val2.s0;
    float alu2 = val2.s1;
    float alu3 = alu2 != alu2 || alu2 > alu1 ? alu2 : alu1;
    float alu4 = val2.s2;
    float alu5 = alu4 != alu4 || alu4 > alu3 ? alu4 : alu3;
    float alu6 = val2.s3;
    float alu7 = alu6 != alu6 || alu6 > alu5 ? alu6 : alu5;
    acc0 = alu7 != alu7 || alu7 > val1 ? alu7 : val1;
  }
  float val3 = acc0;
  acc1 = 0.0f;
  for (int r6 = 0; r6 < 32; r6++) {
    float4 val4 = vload4(0, &data1[alu0 + r6 * 4]);
    float alu8 = exp(val4.s0 - val3) + exp(val4.s1 - val3) + exp(val4.s2 - val3) + exp(val4.s3 - val3);
    acc1 = acc1 + alu8;
  }
  data0[idx0] = exp(val0 - val3) * (1.0f / acc1);
}
