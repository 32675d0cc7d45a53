// kernel 0: e_64_48, launch ((3, 1, 1), (256, 1, 1))
extern "C" __global__ void __launch_bounds__(256)
e_64_48(
    float *__restrict__ data0,
    const float *__restrict__ data1,
    const float *__restrict__ data2) {
  int gidx0 = blockIdx.x;
  int lidx0 = threadIdx.x;
  int idx0 = gidx0 * 1024 + lidx0 * 4;
  float4 val0 = *(float4 *)&data1[idx0];
  float alu0 = val0.x;
  float4 val1 = *(float4 *)&data2[idx0];
  float alu1 = alu0 * val1.x + 1.0f;
  float alu2 = val0.y;
  float alu3 = alu2 * val1.y + 1.0f;
  float alu4 = val0.z;
  float alu5 = alu4 * val1.z + 1.0f;
  float alu6 = val0.w;
  float alu7 = alu6 * val1.w + 1.0f;
  float4 vec0 = make_float4((alu1 <= 0.0f ? 0.0f : alu1) - sqrtf(alu0), (alu3 <= 0.0f ? 0.0f : alu3) - sqrtf(alu2), (alu5 <= 0.0f ? 0.0f : alu5) - sqrtf(alu4), (alu7 <= 0.0f ? 0.0f : alu7) - sqrtf(alu6));
  *(float4 *)&data0[idx0] = vec0;
}
