// kernel 0: r_32_128_128_128, launch ((32, 1, 1), (32, 1, 1))
extern "C" __global__ void __launch_bounds__(32)
r_32_128_128_128(float *__restrict__ data0, const float *__restrict__ data1) {
  float acc0;
  float acc1;
  int gidx0 = blockIdx.x;
  int alu0 = gidx0 * 128;
  int lidx0 = threadIdx.x;
  bool alu1 = (lidx0 & 1) == 0;
  bool alu2 = ((lidx0 >> 1) & 1) == 0;
  bool alu3 = ((lidx0 >> 2) & 1) == 0;
  bool alu4 = ((lidx0 >> 3) & 1) == 0;
  bool alu5 = lidx0 < 16;
  acc0 = -__int_as_float(0x7f800000);
  for (int r4 = 0; r4 < 4; r4++) {
    float val0 = acc0;
    float val1 = data1[alu0 + r4 * 32 + lidx0];
    acc0 = val1 != val1 || val1 > val0 ? val1 : val0;
  }
  float val2 = acc0;
  float alu6 = __shfl_xor_sync(0xffffffffu, val2, 16);
  float alu7 = alu5 ? val2 : alu6;
  float alu8 = alu5 ? alu6 : val2;
  float alu9 = alu8 != alu8 || alu8 > alu7 ? alu8 : alu7;
  float alu10 = __shfl_xor_sync(0xffffffffu, alu9, 8);
  float alu11 = alu4 ? alu9 : alu10;
  float alu12 = alu4 ? alu10 : alu9;
  float alu13 = alu12 != alu12 || alu12 > alu11 ? alu12 : alu11;
  float alu14 = __shfl_xor_sync(0xffffffffu, alu13, 4);
  float alu15 = alu3 ? alu13 : alu14;
  float alu16 = alu3 ? alu14 : alu13;
  float alu17 = alu16 != alu16 || alu16 > alu15 ? alu16 : alu15;
  float alu18 = __shfl_xor_sync(0xffffffffu, alu17, 2);
  float alu19 = alu2 ? alu17 : alu18;
  float alu20 = alu2 ? alu18 : alu17;
  float alu21 = alu20 != alu20 || alu20 > alu19 ? alu20 : alu19;
  float alu22 = __shfl_xor_sync(0xffffffffu, alu21, 1);
  float alu23 = alu1 ? alu21 : alu22;
  float alu24 = alu1 ? alu22 : alu21;
  float alu25 = alu24 != alu24 || alu24 > alu23 ? alu24 : alu23;
  acc1 = 0.0f;
  for (int r6 = 0; r6 < 4; r6++) {
    acc1 = acc1 + expf(data1[alu0 + r6 * 32 + lidx0] - alu25);
  }
  float val3 = acc1;
  float alu26 = __shfl_xor_sync(0xffffffffu, val3, 16);
  float alu27 = val3 + alu26;
  float alu28 = __shfl_xor_sync(0xffffffffu, alu27, 8);
  float alu29 = alu27 + alu28;
  float alu30 = __shfl_xor_sync(0xffffffffu, alu29, 4);
  float alu31 = alu29 + alu30;
  float alu32 = __shfl_xor_sync(0xffffffffu, alu31, 2);
  float alu33 = alu31 + alu32;
  float alu34 = __shfl_xor_sync(0xffffffffu, alu33, 1);
  float alu35 = 1.0f / (alu33 + alu34);
  for (int i8 = 0; i8 < 4; i8++) {
    int idx0 = alu0 + i8 * 32 + lidx0;
    data0[idx0] = expf(data1[idx0] - alu25) * alu35;
  }
}
