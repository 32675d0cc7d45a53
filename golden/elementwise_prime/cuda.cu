// kernel 0: e_7_13, launch ((1, 1, 1), (91, 1, 1))
extern "C" __global__ void __launch_bounds__(91)
e_7_13(
    float *__restrict__ data0,
    const float *__restrict__ data1,
    const float *__restrict__ data2) {
  int lidx0 = threadIdx.x;
  data0[lidx0] = data1[lidx0] * 2.0f + data2[lidx0];
}
