// kernel 0: e_16_16, launch ((1, 1, 1), (4, 16, 1))
extern "C" __global__ void __launch_bounds__(64)
e_16_16(float *__restrict__ data0, const float *__restrict__ data1) {
  int lidx1 = threadIdx.y;
  int lidx0 = threadIdx.x;
  int alu0 = lidx0 * 4;
  int idx0 = lidx1 * 16 + alu0;
  float4 val0 = *(float4 *)&data1[idx0];
  float4 vec0 = make_float4(lidx1 < alu0 ? 0.0f : val0.x, lidx1 < alu0 + 1 ? 0.0f : val0.y, lidx1 < alu0 + 2 ? 0.0f : val0.z, lidx1 < alu0 + 3 ? 0.0f : val0.w);
  *(float4 *)&data0[idx0] = vec0;
}
