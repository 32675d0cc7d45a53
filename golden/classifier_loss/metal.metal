// kernel 0: r_8_10_10, launch ((1, 1, 1), (8, 1, 1))
#include <metal_stdlib>
using namespace metal;

kernel void r_8_10_10(
    device float *data0 [[buffer(0)]],
    device const int *data1 [[buffer(1)]],
    device const float *data2 [[buffer(2)]],
    uint3 local_id [[thread_position_in_threadgroup]]) {
  long lidx0 = local_id.x;
  int val0 = data1[lidx0];
  long cast0 = (long)val0;
  bool alu0 = (0 <= val0) & (cast0 < 10);
  long idx0 = lidx0 * 10;
  float val1 = data2[idx0];
  float val2 = data2[idx0 + 1];
  float alu1 = val2 != val2 || val2 > val1 ? val2 : val1;
  float val3 = data2[idx0 + 2];
  float alu2 = val3 != val3 || val3 > alu1 ? val3 : alu1;
  float val4 = data2[idx0 + 3];
  float alu3 = val4 != val4 || val4 > alu2 ? val4 : alu2;
  float val5 = data2[idx0 + 4];
  float alu4 = val5 != val5 || val5 > alu3 ? val5 : alu3;
  float val6 = data2[idx0 + 5];
  float alu5 = val6 != val6 || val6 > alu4 ? val6 : alu4;
  float val7 = data2[idx0 + 6];
  float alu6 = val7 != val7 || val7 > alu5 ? val7 : alu5;
  float val8 = data2[idx0 + 7];
  float alu7 = val8 != val8 || val8 > alu6 ? val8 : alu6;
  float val9 = data2[idx0 + 8];
  float alu8 = val9 != val9 || val9 > alu7 ? val9 : alu7;
  float val10 = data2[idx0 + 9];
  float alu9 = val10 != val10 || val10 > alu8 ? val10 : alu8;
  float alu10 = precise::exp(val1 - alu9) + precise::exp(val2 - alu9) + precise::exp(val3 - alu9);
  float alu11 = alu10 + precise::exp(val4 - alu9) + precise::exp(val5 - alu9) + precise::exp(val6 - alu9);
  float alu12 = alu11 + precise::exp(val7 - alu9) + precise::exp(val8 - alu9) + precise::exp(val9 - alu9);
  float alu13 = (alu0 ? data2[cast0 + idx0] : 0.0f) - alu9 - precise::log(alu12 + precise::exp(val10 - alu9));
  data0[lidx0] = val0 == -100 ? 0.0f : -((alu0 ? alu13 : 0.0f) + 0.0f);
}

// kernel 1: r_8_8, launch ((1, 1, 1), (1, 1, 1))
#include <metal_stdlib>
using namespace metal;

kernel void r_8_8(
    device float *data0 [[buffer(0)]],
    device const float *data1 [[buffer(1)]],
    device const int *data2 [[buffer(2)]]) {
  float acc0;
  float acc1;
  acc0 = 0.0f;
  for (int r1 = 0; r1 < 8; r1++) {
    acc0 = acc0 + data1[r1];
  }
  float val0 = acc0;
  acc1 = 0.0f;
  for (int r0 = 0; r0 < 8; r0++) {
    acc1 = acc1 + (data2[r0] == -100 ? 0.0f : 1.0f);
  }
  data0[0] = val0 / acc1;
}
