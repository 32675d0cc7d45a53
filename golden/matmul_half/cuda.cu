// kernel 0: r_64_64_64, launch ((1, 1, 1), (16, 16, 1))
#include <cuda_fp16.h>

extern "C" __global__ void __launch_bounds__(256)
r_64_64_64(
    __half *__restrict__ data0,
    const __half *__restrict__ data1,
    const __half *__restrict__ data2) {
  __align__(16) float acc0[16];
  int lidx1 = threadIdx.y;
  int alu0 = lidx1 * 256;
  int lidx0 = threadIdx.x;
  int alu1 = lidx0 * 4;
  int idx0 = alu0 + alu1;
  acc0[0] = 0.0f;
  acc0[4] = 0.0f;
  acc0[8] = 0.0f;
  acc0[12] = 0.0f;
  acc0[1] = 0.0f;
  acc0[5] = 0.0f;
  acc0[9] = 0.0f;
  acc0[13] = 0.0f;
  acc0[2] = 0.0f;
  acc0[6] = 0.0f;
  acc0[10] = 0.0f;
  acc0[14] = 0.0f;
  acc0[3] = 0.0f;
  acc0[7] = 0.0f;
  acc0[11] = 0.0f;
  acc0[15] = 0.0f;
  for (int r2 = 0; r2 < 64; r2++) {
    int idx1 = alu0 + r2;
    float cast0 = __half2float(data1[idx1]);
    int idx2 = r2 * 64 + alu1;
    float cast1 = __half2float(data2[idx2]);
    acc0[0] = fmaf(cast0, cast1, acc0[0]);
    float cast2 = __half2float(data1[idx1 + 64]);
    acc0[4] = fmaf(cast2, cast1, acc0[4]);
    float cast3 = __half2float(data1[idx1 + 128]);
    acc0[8] = fmaf(cast3, cast1, acc0[8]);
    float cast4 = __half2float(data1[idx1 + 192]);
    acc0[12] = fmaf(cast4, cast1, acc0[12]);
    float cast5 = __half2float(data2[idx2 + 1]);
    acc0[1] = fmaf(cast0, cast5, acc0[1]);
    acc0[5] = fmaf(cast2, cast5, acc0[5]);
    acc0[9] = fmaf(cast3, cast5, acc0[9]);
    acc0[13] = fmaf(cast4, cast5, acc0[13]);
    float cast6 = __half2float(data2[idx2 + 2]);
    acc0[2] = fmaf(cast0, cast6, acc0[2]);
    acc0[6] = fmaf(cast2, cast6, acc0[6]);
    acc0[10] = fmaf(cast3, cast6, acc0[10]);
    acc0[14] = fmaf(cast4, cast6, acc0[14]);
    float cast7 = __half2float(data2[idx2 + 3]);
    acc0[3] = fmaf(cast0, cast7, acc0[3]);
    acc0[7] = fmaf(cast2, cast7, acc0[7]);
    acc0[11] = fmaf(cast3, cast7, acc0[11]);
    acc0[15] = fmaf(cast4, cast7, acc0[15]);
  }
  data0[idx0] = __float2half(acc0[0]);
  data0[idx0 + 64] = __float2half(acc0[4]);
  data0[idx0 + 128] = __float2half(acc0[8]);
  data0[idx0 + 192] = __float2half(acc0[12]);
  data0[idx0 + 1] = __float2half(acc0[1]);
  data0[idx0 + 65] = __float2half(acc0[5]);
  data0[idx0 + 129] = __float2half(acc0[9]);
  data0[idx0 + 193] = __float2half(acc0[13]);
  data0[idx0 + 2] = __float2half(acc0[2]);
  data0[idx0 + 66] = __float2half(acc0[6]);
  data0[idx0 + 130] = __float2half(acc0[10]);
  data0[idx0 + 194] = __float2half(acc0[14]);
  data0[idx0 + 3] = __float2half(acc0[3]);
  data0[idx0 + 67] = __float2half(acc0[7]);
  data0[idx0 + 131] = __float2half(acc0[11]);
  data0[idx0 + 195] = __float2half(acc0[15]);
}
