// kernel 0: e_8_8, launch ((1, 1, 1), (2, 8, 1))
extern "C" __global__ void __launch_bounds__(16)
e_8_8(
    float *__restrict__ data0,
    const float *__restrict__ data1,
    const float *__restrict__ data2,
    const float *__restrict__ data3) {
  int lidx1 = threadIdx.y;
  int lidx0 = threadIdx.x;
  int idx0 = lidx1 * 8 + lidx0 * 4;
  bool alu0 = lidx1 < 4;
  float4 val0 = alu0 ? *(float4 *)&data1[idx0] : make_float4(0.0f, 0.0f, 0.0f, 0.0f);
  bool alu1 = lidx1 < 7;
  bool alu2 = (4 <= lidx1) & alu1;
  float4 val1 = alu2 ? *(float4 *)&data2[idx0 - 32] : make_float4(0.0f, 0.0f, 0.0f, 0.0f);
  float4 val2 = 7 <= lidx1 ? *(float4 *)&data3[idx0 - 56] : make_float4(0.0f, 0.0f, 0.0f, 0.0f);
  float4 vec0 = make_float4(alu0 ? val0.x : (alu1 ? (alu2 ? val1.x : 0.0f) : val2.x), alu0 ? val0.y : (alu1 ? (alu2 ? val1.y : 0.0f) : val2.y), alu0 ? val0.z : (alu1 ? (alu2 ? val1.z : 0.0f) : val2.z), alu0 ? val0.w : (alu1 ? (alu2 ? val1.w : 0.0f) : val2.w));
  *(float4 *)&data0[idx0] = vec0;
}
