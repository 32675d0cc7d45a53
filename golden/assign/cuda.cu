// kernel 0: e_10_10, launch ((1, 1, 1), (25, 1, 1))
extern "C" __global__ void __launch_bounds__(25)
e_10_10(float *__restrict__ data0) {
  int lidx0 = threadIdx.x;
  int idx0 = lidx0 * 4;
  float4 vec0 = make_float4(data0[idx0] + 1.0f, data0[idx0 + 1] + 1.0f, data0[idx0 + 2] + 1.0f, data0[idx0 + 3] + 1.0f);
  *(float4 *)&data0[idx0] = vec0;
}
