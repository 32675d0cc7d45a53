// kernel 0: r_5_6_16_50, launch ((2, 1, 1), (16, 15, 1))
extern "C" __global__ void __launch_bounds__(240)
r_5_6_16_50(
    float *__restrict__ data0,
    const int *__restrict__ data1,
    const float *__restrict__ data2) {
  float acc0;
  long gidx0 = blockIdx.x;
  long lidx1 = threadIdx.y;
  long lidx0 = threadIdx.x;
  acc0 = 0.0f;
  long cast0 = (long)data1[gidx0 * 15 + lidx1];
  long alu0 = cast0 < 0 ? cast0 + 50 : cast0;
  for (long r3 = 0; r3 < 50; r3++) {
    acc0 = acc0 + (alu0 == r3 ? data2[r3 * 16 + lidx0] : 0.0f);
  }
  data0[gidx0 * 240 + lidx1 * 16 + lidx0] = acc0;
}
