// kernel 0: r_64_64_64, launch ((1, 1, 1), (16, 16, 1))
#include <metal_stdlib>
using namespace metal;

kernel void r_64_64_64(
    device half *data0 [[buffer(0)]],
    device const half *data1 [[buffer(1)]],
    device const half *data2 [[buffer(2)]],
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
    float cast0 = (float)data1[idx1];
    half4 val0 = *(device half4 *)&data2[r2 * 64 + alu1];
    float cast1 = (float)val0.x;
    acc0[0] = fma(cast0, cast1, acc0[0]);
    float cast2 = (float)data1[idx1 + 64];
    acc0[4] = fma(cast2, cast1, acc0[4]);
    float cast3 = (float)data1[idx1 + 128];
    acc0[8] = fma(cast3, cast1, acc0[8]);
    float cast4 = (float)data1[idx1 + 192];
    acc0[12] = fma(cast4, cast1, acc0[12]);
    float cast5 = (float)val0.y;
    acc0[1] = fma(cast0, cast5, acc0[1]);
    acc0[5] = fma(cast2, cast5, acc0[5]);
    acc0[9] = fma(cast3, cast5, acc0[9]);
    acc0[13] = fma(cast4, cast5, acc0[13]);
    float cast6 = (float)val0.z;
    acc0[2] = fma(cast0, cast6, acc0[2]);
    acc0[6] = fma(cast2, cast6, acc0[6]);
    acc0[10] = fma(cast3, cast6, acc0[10]);
    acc0[14] = fma(cast4, cast6, acc0[14]);
    float cast7 = (float)val0.w;
    acc0[3] = fma(cast0, cast7, acc0[3]);
    acc0[7] = fma(cast2, cast7, acc0[7]);
    acc0[11] = fma(cast3, cast7, acc0[11]);
    acc0[15] = fma(cast4, cast7, acc0[15]);
  }
  *(device half4 *)&data0[idx0] = half4((half)acc0[0], (half)acc0[1], (half)acc0[2], (half)acc0[3]);
  *(device half4 *)&data0[idx0 + 64] = half4((half)acc0[4], (half)acc0[5], (half)acc0[6], (half)acc0[7]);
  *(device half4 *)&data0[idx0 + 128] = half4((half)acc0[8], (half)acc0[9], (half)acc0[10], (half)acc0[11]);
  *(device half4 *)&data0[idx0 + 192] = half4((half)acc0[12], (half)acc0[13], (half)acc0[14], (half)acc0[15]);
}
