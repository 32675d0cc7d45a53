// kernel 0: e_5_6_16, launch ((1, 1, 1), (4, 6, 5))
extern "C" __global__ void __launch_bounds__(120)
e_5_6_16(
    float *__restrict__ data0,
    const int *__restrict__ data1,
    const float *__restrict__ data2) {
  long lidx2 = threadIdx.z;
  long lidx1 = threadIdx.y;
  long lidx0 = threadIdx.x;
  long alu0 = lidx0 * 4;
  int val0 = data1[lidx2 * 6 + lidx1];
  long cast0 = (long)(val0 < 0 ? (int)((unsigned int)val0 + (unsigned int)50) : val0);
  bool alu1 = (0 <= cast0) & (cast0 < 50);
  float4 val1 = alu1 ? *(float4 *)&data2[cast0 * 16 + alu0] : make_float4(0.0f, 0.0f, 0.0f, 0.0f);
  float4 vec0 = make_float4(alu1 ? val1.x : 0.0f, alu1 ? val1.y : 0.0f, alu1 ? val1.z : 0.0f, alu1 ? val1.w : 0.0f);
  *(float4 *)&data0[lidx2 * 96 + lidx1 * 16 + alu0] = vec0;
}
