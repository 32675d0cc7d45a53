// kernel 0: r_300_200, launch ((2, 1, 1), (150, 1, 1))
extern "C" __global__ void __launch_bounds__(150)
r_300_200(
    float *__restrict__ data0,
    const float *__restrict__ data1,
    const float *__restrict__ data2) {
  float acc0;
  int gidx0 = blockIdx.x;
  int lidx0 = threadIdx.x;
  acc0 = 0.0f;
  int alu0 = gidx0 * 30000 + lidx0 * 200;
  for (int r1 = 0; r1 < 200; r1++) {
    acc0 = fmaf(data1[alu0 + r1], data2[r1], acc0);
  }
  data0[gidx0 * 150 + lidx0] = acc0;
}
