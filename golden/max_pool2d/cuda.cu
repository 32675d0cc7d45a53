// kernel 0: r_2_4_4_4_2_2, launch ((2, 1, 1), (4, 16, 1))
extern "C" __global__ void __launch_bounds__(64)
r_2_4_4_4_2_2(float *__restrict__ data0, const float *__restrict__ data1) {
  int gidx0 = blockIdx.x;
  int lidx1 = threadIdx.y;
  int lidx0 = threadIdx.x;
  int idx0 = gidx0 * 256 + lidx1 * 16 + lidx0 * 2;
  float val0 = data1[idx0];
  float val1 = data1[idx0 + 1];
  float alu0 = val1 != val1 || val1 > val0 ? val1 : val0;
  float val2 = data1[idx0 + 8];
  float alu1 = val2 != val2 || val2 > alu0 ? val2 : alu0;
  float val3 = data1[idx0 + 9];
  data0[gidx0 * 64 + lidx1 * 4 + lidx0] = val3 != val3 || val3 > alu1 ? val3 : alu1;
}
