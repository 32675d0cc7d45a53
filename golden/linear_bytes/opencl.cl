// kernel 0: r_2_32_32_64, launch ((2, 1, 1), (8, 8, 1))
#pragma OPENCL FP_CONTRACT OFF

__kernel __attribute__((reqd_work_group_size(8, 8, 1)))
void r_2_32_32_64(
    __global float *restrict data0,
    __global const char *restrict data1,
    __global const char *restrict data2,
    __global const float *restrict data3) {
  int acc0[16];
  int gidx0 = get_group_id(0);
  int lidx1 = get_local_id(1);
  int lidx0 = get_local_id(0);
  int idx0 = lidx0 * 4;
  int idx1 = gidx0 * 1024 + lidx1 * 128 + idx0;
  acc0[0] = 0;
  acc0[4] = 0;
  acc0[8] = 0;
  acc0[12] = 0;
  acc0[1] = 0;
  acc0[5] = 0;
  acc0[9] = 0;
  acc0[13] = 0;
  acc0[2] = 0;
  acc0[6] = 0;
  acc0[10] = 0;
  acc0[14] = 0;
  acc0[3] = 0;
  acc0[7] = 0;
  acc0[11] = 0;
  acc0[15] = 0;
  int alu0 = gidx0 * 2048;
  int alu1 = alu0 + lidx1 * 256;
  for (int r3 = 0; r3 < 64; r3++) {
    int idx2 = alu1 + r3;
    int cast0 = (int)data1[idx2];
    char4 val0 = vload4(0, &data2[alu0 + r3 * 32 + idx0]);
    int cast1 = (int)val0.s0;
    acc0[0] = (int)((uint)acc0[0] + (uint)(cast0 * cast1));
    int cast2 = (int)data1[idx2 + 64];
    acc0[4] = (int)((uint)acc0[4] + (uint)(cast2 * cast1));
    int cast3 = (int)data1[idx2 + 128];
    acc0[8] = (int)((uint)acc0[8] + (uint)(cast3 * cast1));
    int cast4 = (int)data1[idx2 + 192];
    acc0[12] = (int)((uint)acc0[12] + (uint)(cast4 * cast1));
    int cast5 = (int)val0.s1;
    acc0[1] = (int)((uint)acc0[1] + (uint)(cast0 * cast5));
    acc0[5] = (int)((uint)acc0[5] + (uint)(cast2 * cast5));
    acc0[9] = (int)((uint)acc0[9] + (uint)(cast3 * cast5));
    acc0[13] = (int)((uint)acc0[13] + (uint)(cast4 * cast5));
    int cast6 = (int)val0.s2;
    acc0[2] = (int)((uint)acc0[2] + (uint)(cast0 * cast6));
    acc0[6] = (int)((uint)acc0[6] + (uint)(cast2 * cast6));
    acc0[10] = (int)((uint)acc0[10] + (uint)(cast3 * cast6));
    acc0[14] = (int)((uint)acc0[14] + (uint)(cast4 * cast6));
    int cast7 = (int)val0.s3;
    acc0[3] = (int)((uint)acc0[3] + (uint)(cast0 * cast7));
    acc0[7] = (int)((uint)acc0[7] + (uint)(cast2 * cast7));
    acc0[11] = (int)((uint)acc0[11] + (uint)(cast3 * cast7));
    acc0[15] = (int)((uint)acc0[15] + (uint)(cast4 * cast7));
  }
  float4 val1 = vload4(0, &data3[idx0]);
  float alu2 = val1.s0;
  float alu3 = val1.s1;
  float alu4 = val1.s2;
  float alu5 = val1.s3;
  float4 vec0 = (float4)((float)acc0[0] * alu2, (float)acc0[1] * alu3, (float)acc0[2] * alu4, (float)acc0[3] * alu5);
  vstore4(vec0, 0, &data0[idx1]);
  float4 vec1 = (float4)((float)acc0[4] * alu2, (float)acc0[5] * alu3, (float)acc0[6] * alu4, (float)acc0[7] * alu5);
  vstore4(vec1, 0, &data0[idx1 + 32]);
  float4 vec2 = (float4)((float)acc0[8] * alu2, (float)acc0[9] * alu3, (float)acc0[10] * alu4, (float)acc0[11] * alu5);
  vstore4(vec2, 0, &data0[idx1 + 64]);
  float4 vec3 = (float4)((float)acc0[12] * alu2, (float)acc0[13] * alu3, (float)acc0[14] * alu4, (float)acc0[15] * alu5);
  vstore4(vec3, 0, &data0[idx1 + 96]);
}
