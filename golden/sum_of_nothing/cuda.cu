// kernel 0: e_4, launch ((1, 1, 1), (1, 1, 1))
extern "C" __global__ void e_4(float *__restrict__ data0, const float *__restrict__ data1) {
  float4 val0 = *(float4 *)&data1[0];
  *(float4 *)&data0[0] = make_float4(val0.x + 0.0f, val0.y + 0.0f, val0.z + 0.0f, val0.w + 0.0f);
}
