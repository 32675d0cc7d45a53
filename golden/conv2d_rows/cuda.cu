// kernel 0: r_2_8_18_18_64_3_3, launch ((2, 16, 1), (18, 9, 1))
extern "C" __global__ void __launch_bounds__(162)
r_2_8_18_18_64_3_3(
    float *__restrict__ data0,
    const float *__restrict__ data1,
    const float *__restrict__ data2) {
  float acc0;
  int gidx1 = blockIdx.y;
  int gidx0 = blockIdx.x;
  int lidx1 = threadIdx.y;
  int lidx0 = threadIdx.x;
  acc0 = 0.0f;
  int alu0 = (gidx1 >> 3) * 25600;
  int alu1 = gidx0 * 180;
  int alu2 = lidx1 * 20;
  int alu3 = (gidx1 & 7) * 576;
  for (int r4 = 0; r4 < 64; r4++) {
    int alu4 = alu0 + r4 * 400;
    int alu5 = alu3 + r4 * 9;
    for (int r5 = 0; r5 < 3; r5++) {
      int alu6 = alu4 + r5 * 20 + alu1 + alu2;
      int alu7 = alu5 + r5 * 3;
      for (int r6 = 0; r6 < 3; r6++) {
        acc0 = fmaf(data1[alu6 + r6 + lidx0], data2[alu7 + r6], acc0);
      }
    }
  }
  data0[gidx1 * 324 + gidx0 * 162 + lidx1 * 18 + lidx0] = acc0;
}
