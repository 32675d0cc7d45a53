// kernel 0: r_8_16_30, launch ((1, 1, 1), (16, 8, 1))
extern "C" __global__ void __launch_bounds__(128)
r_8_16_30(float *__restrict__ data0, const float *__restrict__ data1) {
  float acc0;
  int lidx1 = threadIdx.y;
  int lidx0 = threadIdx.x;
  acc0 = -__int_as_float(0x7f800000);
  int alu0 = lidx1 * 480;
  for (int r2 = 0; r2 < 30; r2++) {
    float val0 = acc0;
    float val1 = data1[alu0 + r2 * 16 + lidx0];
    acc0 = val1 != val1 || val1 > val0 ? val1 : val0;
  }
  data0[lidx1 * 16 + lidx0] = acc0;
}
