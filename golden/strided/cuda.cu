// kernel 0: e_18_6, launch ((2, 1, 1), (6, 9, 1))
extern "C" __global__ void __launch_bounds__(54)
e_18_6(float *__restrict__ data0, const float *__restrict__ data1) {
  int gidx0 = blockIdx.x;
  int lidx1 = threadIdx.y;
  int lidx0 = threadIdx.x;
  data0[gidx0 * 54 + lidx1 * 6 + lidx0] = data1[lidx0 * 72 - gidx0 * 9 - lidx1 + 21] + 1.0f;
}
