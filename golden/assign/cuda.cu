// kernel 0: e_10_10, launch ((1, 1, 1), (25, 1, 1))
extern "C" __global__ void __launch_bounds__(25)
e_10_10(float *__restrict__ data0) {
  int lidx0 = threadIdx.x;
  int idx0 = lidx0 * 4;
  float4 val0 = *(float4 *)&data0[idx0];
  *(float4 *)&data0[idx0] = make_float4(val0.x + 1.0f, val0.y + 1.0f, val0.z + 1.0f, val0.w + 1.0f);
}
