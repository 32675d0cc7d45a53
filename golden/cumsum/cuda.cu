// kernel 0: r_4_100_100, launch ((10, 1, 1), (10, 4, 1))
extern "C" __global__ void __launch_bounds__(40)
r_4_100_100(float *__restrict__ data0, const float *__restrict__ data1) {
  float acc0;
  int lidx1 = threadIdx.y;
  int alu0 = lidx1 * 100;
  int gidx0 = blockIdx.x;
  int alu1 = gidx0 * 10;
  int lidx0 = threadIdx.x;
  acc0 = 0.0f;
  int alu2 = alu1 + lidx0;
  for (int r2 = 0; r2 < 100; r2++) {
    acc0 = acc0 + (alu2 < r2 ? 0.0f : data1[alu0 + r2]);
  }
  data0[alu0 + alu1 + lidx0] = acc0;
}
