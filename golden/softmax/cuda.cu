// kernel 0: r_32_128_128_128, launch ((8, 2, 1), (16, 16, 1))
extern "C" __global__ void __launch_bounds__(256)
r_32_128_128_128(float *__restrict__ data0, const float *__restrict__ data1) {
  float acc0;
  float acc1;
  int gidx1 = blockIdx.y;
  int lidx1 = threadIdx.y;
  int alu0 = gidx1 * 2048 + lidx1 * 128;
  int gidx0 = blockIdx.x;
  int lidx0 = threadIdx.x;
  int idx0 = alu0 + gidx0 * 16 + lidx0;
  float val0 = data1[idx0];
  acc0 = -__int_as_float(0x7f800000);
  for (int r3 = 0; r3 < 128; r3++) {
    float val1 = acc0;
    float val2 = data1[alu0 + r3];
    acc0 = val2 != val2 || val2 > val1 ? val2 : val1;
  }
  float val3 = acc0;
  acc1 = 0.0f;
  for (int r2 = 0; r2 < 128; r2++) {
    acc1 = acc1 + expf(data1[alu0 + r2] - val3);
  }
  data0[idx0] = expf(val0 - val3) * (1.0f / acc1);
}
