// kernel 0: r_32_100, launch ((1, 1, 1), (32, 1, 1))
extern "C" __global__ void __launch_bounds__(32)
r_32_100(float *__restrict__ data0, const float *__restrict__ data1) {
  float acc0;
  int lidx0 = threadIdx.x;
  acc0 = 0.0f;
  int alu0 = lidx0 * 100;
  for (int r1 = 0; r1 < 100; r1++) {
    acc0 = acc0 + data1[alu0 + r1];
  }
  data0[lidx0] = acc0;
}

// kernel 1: e_32, launch ((1, 1, 1), (8, 1, 1))
extern "C" __global__ void __launch_bounds__(8)
e_32(float *__restrict__ data0, const float *__restrict__ data1) {
  int lidx0 = threadIdx.x;
  int idx0 = lidx0 * 4;
  float4 val0 = *(float4 *)&data1[idx0];
  *(float4 *)&data0[idx0] = make_float4(val0.x / 100.0f, val0.y / 100.0f, val0.z / 100.0f, val0.w / 100.0f);
}

// kernel 2: r_32_100, launch ((1, 1, 1), (32, 1, 1))
extern "C" __global__ void __launch_bounds__(32)
r_32_100(
    float *__restrict__ data0,
    const float *__restrict__ data1,
    const float *__restrict__ data2) {
  float acc0;
  int lidx0 = threadIdx.x;
  acc0 = 0.0f;
  int alu0 = lidx0 * 100;
  float alu1 = data2[lidx0] / 100.0f;
  for (int r1 = 0; r1 < 100; r1++) {
    float alu2 = data1[alu0 + r1] - alu1;
    acc0 = fmaf(alu2, alu2, acc0);
  }
  data0[lidx0] = acc0 / 99.0f;
}
