// kernel 0: r_32_rows, launch ((1, 1, 1), (32, 1, 1))
extern "C" __global__ void __launch_bounds__(32)
r_32_rows(float *__restrict__ data0, const float *__restrict__ data1, const long rows_) {
  float acc0;
  int lidx0 = threadIdx.x;
  acc0 = 0.0f;
  for (int r1 = 0; r1 < rows_; r1++) {
    acc0 = acc0 + data1[r1 * 32 + lidx0];
  }
  data0[lidx0] = acc0;
}
