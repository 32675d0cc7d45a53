// kernel 0: e_100, launch ((1, 1, 1), (25, 1, 1))
extern "C" __global__ void __launch_bounds__(25)
e_100(float *__restrict__ data0, const float *__restrict__ data1) {
  int lidx0 = threadIdx.x;
  int idx0 = lidx0 * 4;
  float4 val0 = *(float4 *)&data1[idx0];
  float alu0 = val0.x;
  int cast0 = alu0 >= -2147483648.0f ? alu0 < 2147483648.0f ? (int)alu0 : 2147483647 : alu0 < 0 ? (-2147483647 - 1) : 0;
  float alu1 = val0.y;
  int cast1 = alu1 >= -2147483648.0f ? alu1 < 2147483648.0f ? (int)alu1 : 2147483647 : alu1 < 0 ? (-2147483647 - 1) : 0;
  float alu2 = val0.z;
  int cast2 = alu2 >= -2147483648.0f ? alu2 < 2147483648.0f ? (int)alu2 : 2147483647 : alu2 < 0 ? (-2147483647 - 1) : 0;
  float alu3 = val0.w;
  int cast3 = alu3 >= -2147483648.0f ? alu3 < 2147483648.0f ? (int)alu3 : 2147483647 : alu3 < 0 ? (-2147483647 - 1) : 0;
  float4 vec0 = make_float4((float)((unsigned char)cast0), (float)((unsigned char)cast1), (float)((unsigned char)cast2), (float)((unsigned char)cast3));
  *(float4 *)&data0[idx0] = vec0;
}
