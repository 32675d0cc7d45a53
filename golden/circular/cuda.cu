// kernel 0: e_256, launch ((1, 1, 1), (64, 1, 1))
extern "C" __global__ void __launch_bounds__(64)
e_256(float *__restrict__ data0, const float *__restrict__ data1) {
  int lidx0 = threadIdx.x;
  int idx0 = lidx0 * 4;
  float4 val0 = *(float4 *)&data1[idx0];
  float alu0 = val0.x;
  float alu1 = val0.y;
  float alu2 = val0.z;
  float alu3 = val0.w;
  float4 vec0 = make_float4(sinf(alu0) + cosf(alu0), sinf(alu1) + cosf(alu1), sinf(alu2) + cosf(alu2), sinf(alu3) + cosf(alu3));
  *(float4 *)&data0[idx0] = vec0;
}
