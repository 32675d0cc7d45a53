// kernel 0: e_100, launch ((1, 1, 1), (25, 1, 1))
extern "C" __global__ void __launch_bounds__(25)
e_100(float *__restrict__ data0) {
  int lidx0 = threadIdx.x;
  int idx0 = lidx0 * 4;
  float4 vec0 = make_float4((float)((long)idx0) * 0.5f, (float)((long)(idx0 + 1)) * 0.5f, (float)((long)(idx0 + 2)) * 0.5f, (float)((long)(idx0 + 3)) * 0.5f);
  *(float4 *)&data0[idx0] = vec0;
}
