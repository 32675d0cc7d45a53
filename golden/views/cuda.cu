// kernel 0: e_12_10, launch ((1, 1, 1), (10, 12, 1))
extern "C" __global__ void __launch_bounds__(120)
e_12_10(float *__restrict__ data0, const float *__restrict__ data1) {
  int lidx1 = threadIdx.y;
  int lidx0 = threadIdx.x;
  int idx0 = lidx1 * 10 + lidx0;
  data0[idx0] = data1[lidx0 * 12 + lidx1] + data1[idx0];
}

// kernel 1: e_6_10, launch ((1, 1, 1), (15, 1, 1))
extern "C" __global__ void __launch_bounds__(15)
e_6_10(float *__restrict__ data0, const float *__restrict__ data1) {
  int lidx0 = threadIdx.x;
  int idx0 = lidx0 * 4;
  *(float4 *)&data0[idx0] = make_float4(data1[idx0 + 30], data1[idx0 + 31], data1[idx0 + 32], data1[idx0 + 33]);
}
