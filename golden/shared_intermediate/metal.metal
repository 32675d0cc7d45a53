// kernel 0: r_64_64_64, launch ((1, 1, 1), (16, 16, 1))
#include <metal_stdlib>
using namespace metal;

kernel void r_64_64_64(
    device float *data0 [[buffer(0)]],
    device const float *data1 [[buffer(1)]],
    device const float *data2 [[buffer(2)]],
    uint3 local_id [[thread_position_in_threadgroup]]) {
  float acc0[16];
  int lidx1 = local_id.y;
  int alu0 = lidx1 * 256;
  int lidx0 = local_id.x;
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
    float val0 = data1[idx1];
    float4 val1 = *(device float4 *)&data2[r2 * 64 + alu1];
    float alu2 = val1.x;
    acc0[0] = fma(val0, alu2, acc0[0]);
    float val2 = data1[idx1 + 64];
    acc0[4] = fma(val2, alu2, acc0[4]);
    float val3 = data1[idx1 + 128];
    acc0[8] = fma(val3, alu2, acc0[8]);
    float val4 = data1[idx1 + 192];
    acc0[12] = fma(val4, alu2, acc0[12]);
    float alu3 = val1.y;
    acc0[1] = fma(val0, alu3, acc0[1]);
    acc0[5] = fma(val2, alu3, acc0[5]);
    acc0[9] = fma(val3, alu3, acc0[9]);
    acc0[13] = fma(val4, alu3, acc0[13]);
    float alu4 = val1.z;
    acc0[2] = fma(val0, alu4, acc0[2]);
    acc0[6] = fma(val2, alu4, acc0[6]);
    acc0[10] = fma(val3, alu4, acc0[10]);
    acc0[14] = fma(val4, alu4, acc0[14]);
    float alu5 = val1.w;
    acc0[3] = fma(val0, alu5, acc0[3]);
    acc0[7] = fma(val2, alu5, acc0[7]);
    acc0[11] = fma(val3, alu5, acc0[11]);
    acc0[15] = fma(val4, alu5, acc0[15]);
  }
  *(device float4 *)&data0[idx0] = float4(acc0[0], acc0[1], acc0[2], acc0[3]);
  *(device float4 *)&data0[idx0 + 64] = float4(acc0[4], acc0[5], acc0[6], acc0[7]);
  *(device float4 *)&data0[idx0 + 128] = float4(acc0[8], acc0[9], acc0[10], acc0[11]);
  *(device float4 *)&data0[idx0 + 192] = float4(acc0[12], acc0[13], acc0[14], acc0[15]);
}

// kernel 1: r_64_64, launch ((1, 1, 1), (64, 1, 1))
#include <metal_stdlib>
using namespace metal;

kernel void r_64_64(
    device float *data0 [[buffer(0)]],
    device float *data1 [[buffer(1)]],
    device float *data2 [[buffer(2)]],
    device const float *data3 [[buffer(3)]],
    uint3 local_id [[thread_position_in_threadgroup]]) {
  float acc0;
  int lidx0 = local_id.x;
  acc0 = 0.0f;
  int alu0 = lidx0 * 64;
  for (int r1 = 0; r1 < 64; r1++) {
    acc0 = acc0 + data3[alu0 + r1];
  }
  float val0 = acc0;
  data0[lidx0] = precise::exp(val0);
  data1[lidx0] = val0 * 2.0f;
  data2[lidx0] = val0;
}
