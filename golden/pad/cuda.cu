// kernel 0: e_8_12, launch ((1, 1, 1), (3, 8, 1))
extern "C" __global__ void __launch_bounds__(24)
e_8_12(float *__restrict__ data0, const float *__restrict__ data1) {
  int lidx1 = threadIdx.y;
  int lidx0 = threadIdx.x;
  int alu0 = lidx0 * 4;
  int alu1 = alu0 + lidx1 * 10;
  bool alu2 = (1 <= lidx1) & (lidx1 < 7);
  bool alu3 = alu2 & (1 <= lidx0);
  float4 vec0 = make_float4((alu3 ? data1[alu1 - 12] : 0.0f) * 2.0f, (alu3 ? data1[alu1 - 11] : 0.0f) * 2.0f, (alu2 ? data1[alu1 - 10] : 0.0f) * 2.0f, (alu2 ? data1[alu1 - 9] : 0.0f) * 2.0f);
  *(float4 *)&data0[lidx1 * 12 + alu0] = vec0;
}
