// kernel 0: r_2_4_4_4_2_2, launch ((2, 1, 1), (4, 16, 1))
extern "C" __global__ void __launch_bounds__(64)
r_2_4_4_4_2_2(float *__restrict__ data0, const float *__restrict__ data1) {
  int gidx0 = blockIdx.x;
  int lidx1 = threadIdx.y;
  int lidx0 = threadIdx.x;
  int idx0 = gidx0 * 256 + lidx1 * 16 + lidx0 * 2;
  float2 val0 = *(float2 *)&data1[idx0];
  float alu0 = val0.x;
  float alu1 = val0.y;
  float alu2 = alu1 != alu1 || alu1 > alu0 ? alu1 : alu0;
  float2 val1 = *(float2 *)&data1[idx0 + 8];
  float alu3 = val1.x;
  float alu4 = alu3 != alu3 || alu3 > alu2 ? alu3 : alu2;
  float alu5 = val1.y;
  data0[gidx0 * 64 + lidx1 * 4 + lidx0] = alu5 != alu5 || alu5 > alu4 ? alu5 : alu4;
}
