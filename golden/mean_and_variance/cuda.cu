// kernel 0: r_32_100_100, launch ((1, 1, 1), (32, 1, 1))
extern "C" __global__ void __launch_bounds__(32)
r_32_100_100(
    float *__restrict__ data0,
    float *__restrict__ data1,
    const float *__restrict__ data2) {
  float acc0;
  float acc1;
  int lidx0 = threadIdx.x;
  acc0 = 0.0f;
  int alu0 = lidx0 * 100;
  for (int r1 = 0; r1 < 100; r1++) {
    acc0 = acc0 + data2[alu0 + r1];
  }
  float alu1 = acc0 / 100.0f;
  data0[lidx0] = alu1;
  acc1 = 0.0f;
  for (int r2 = 0; r2 < 100; r2++) {
    float alu2 = data2[alu0 + r2] - alu1;
    acc1 = fmaf(alu2, alu2, acc1);
  }
  data1[lidx0] = acc1 / 99.0f;
}
