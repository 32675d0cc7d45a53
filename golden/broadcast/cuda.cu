// kernel 0: e_32_64, launch ((2, 1, 1), (16, 16, 1))
extern "C" __global__ void __launch_bounds__(256)
e_32_64(
    float *__restrict__ data0,
    const float *__restrict__ data1,
    const float *__restrict__ data2,
    const float *__restrict__ data3) {
  int gidx0 = blockIdx.x;
  int lidx1 = threadIdx.y;
  int lidx0 = threadIdx.x;
  int idx0 = lidx0 * 4;
  float val0 = data1[gidx0 * 16 + lidx1];
  float4 val1 = *(float4 *)&data2[idx0];
  float4 val2 = *(float4 *)&data3[idx0];
  float4 vec0 = make_float4(val0 + val1.x * val2.x, val0 + val1.y * val2.y, val0 + val1.z * val2.z, val0 + val1.w * val2.w);
  *(float4 *)&data0[gidx0 * 1024 + lidx1 * 64 + idx0] = vec0;
}
