// kernel 0: e_8_12, launch ((1, 1, 1), (12, 8, 1))
extern "C" __global__ void __launch_bounds__(96)
e_8_12(float *__restrict__ data0, const float *__restrict__ data1) {
  int lidx1 = threadIdx.y;
  int lidx0 = threadIdx.x;
  float val0 = (1 <= lidx1) & (lidx1 < 7) & (2 <= lidx0) ? data1[lidx0 + lidx1 * 10 - 12] : 0.0f;
  data0[lidx1 * 12 + lidx0] = val0 * 2.0f;
}
