// kernel 0: r_300_200, launch ((150, 1, 1), (32, 2, 1))
extern "C" __global__ void __launch_bounds__(64)
r_300_200(
    float *__restrict__ data0,
    const float *__restrict__ data1,
    const float *__restrict__ data2) {
  float acc0;
  int gidx0 = blockIdx.x;
  int lidx1 = threadIdx.y;
  int lidx0 = threadIdx.x;
  acc0 = 0.0f;
  int alu0 = gidx0 * 400 + lidx1 * 200;
  for (int r2 = 0; r2 < 7; r2++) {
    int alu1 = r2 * 32;
    int idx0 = alu1 + lidx0;
    bool alu2 = idx0 < 200;
    acc0 = fmaf(alu2 ? data1[alu0 + alu1 + lidx0] : 0.0f, alu2 ? data2[idx0] : 0.0f, acc0);
  }
  float val0 = acc0;
  float alu3 = __shfl_xor_sync(0xffffffffu, val0, 16);
  float alu4 = val0 + alu3;
  float alu5 = __shfl_xor_sync(0xffffffffu, alu4, 8);
  float alu6 = alu4 + alu5;
  float alu7 = __shfl_xor_sync(0xffffffffu, alu6, 4);
  float alu8 = alu6 + alu7;
  float alu9 = __shfl_xor_sync(0xffffffffu, alu8, 2);
  float alu10 = alu8 + alu9;
  float alu11 = __shfl_xor_sync(0xffffffffu, alu10, 1);
  if (lidx0 == 0) data0[gidx0 * 2 + lidx1] = alu10 + alu11;
}
