// kernel 0: r_32_32_64, launch ((1, 1, 1), (8, 8, 1))
extern "C" __global__ void __launch_bounds__(64)
r_32_32_64(
    float *__restrict__ data0,
    const float *__restrict__ data1,
    const float *__restrict__ data2,
    const float *__restrict__ data3) {
  __align__(16) float acc2[16];
  __shared__ __align__(16) float local0[528];
  __shared__ __align__(16) float local1[576];
  int lidx1 = threadIdx.y;
  int alu0 = lidx1 * 128;
  int lidx0 = threadIdx.x;
  int idx0 = lidx0 * 4;
  int idx1 = alu0 + idx0;
  acc2[0] = 0.0f;
  acc2[4] = 0.0f;
  acc2[8] = 0.0f;
  acc2[12] = 0.0f;
  acc2[1] = 0.0f;
  acc2[5] = 0.0f;
  acc2[9] = 0.0f;
  acc2[13] = 0.0f;
  acc2[2] = 0.0f;
  acc2[6] = 0.0f;
  acc2[10] = 0.0f;
  acc2[14] = 0.0f;
  acc2[3] = 0.0f;
  acc2[7] = 0.0f;
  acc2[11] = 0.0f;
  acc2[15] = 0.0f;
  int alu1 = lidx0 & 3;
  int alu2 = lidx0 >> 2;
  int idx2 = alu1 * 132 + lidx1 * 2 + alu2;
  int alu3 = alu0 + alu2 * 64;
  int alu4 = alu1 * 4;
  int idx3 = idx2 + 16;
  int idx4 = idx2 + 32;
  int idx5 = idx2 + 48;
  int idx6 = idx2 + 64;
  int idx7 = idx2 + 80;
  int idx8 = idx2 + 96;
  int idx9 = idx2 + 112;
  int idx10 = lidx1 * 36 + idx0;
  int alu5 = lidx1 * 32;
  int idx11 = idx10 + 288;
  int alu6 = lidx1 * 4;
  for (int r7 = 0; r7 < 4; r7++) {
    __syncthreads();
    int idx12 = alu3 + r7 * 16 + alu4;
    float4 val0 = *(float4 *)&data1[idx12];
    local0[idx2] = val0.x;
    float4 val1 = *(float4 *)&data1[idx12 + 1024];
    local0[idx3] = val1.x;
    local0[idx4] = val0.y;
    local0[idx5] = val1.y;
    local0[idx6] = val0.z;
    local0[idx7] = val1.z;
    local0[idx8] = val0.w;
    local0[idx9] = val1.w;
    int idx13 = r7 * 512 + alu5 + idx0;
    *(float4 *)&local1[idx10] = *(float4 *)&data2[idx13];
    *(float4 *)&local1[idx11] = *(float4 *)&data2[idx13 + 256];
    __syncthreads();
    for (int r8 = 0; r8 < 16; r8++) {
      float4 val2 = *(float4 *)&local0[(r8 >> 2) * 132 + (r8 & 3) * 32 + alu6];
      float alu7 = val2.x;
      float4 val3 = *(float4 *)&local1[r8 * 36 + idx0];
      float alu8 = val3.x;
      acc2[0] = fmaf(alu7, alu8, acc2[0]);
      float alu9 = val2.y;
      acc2[4] = fmaf(alu9, alu8, acc2[4]);
      float alu10 = val2.z;
      acc2[8] = fmaf(alu10, alu8, acc2[8]);
      float alu11 = val2.w;
      acc2[12] = fmaf(alu11, alu8, acc2[12]);
      float alu12 = val3.y;
      acc2[1] = fmaf(alu7, alu12, acc2[1]);
      acc2[5] = fmaf(alu9, alu12, acc2[5]);
      acc2[9] = fmaf(alu10, alu12, acc2[9]);
      acc2[13] = fmaf(alu11, alu12, acc2[13]);
      float alu13 = val3.z;
      acc2[2] = fmaf(alu7, alu13, acc2[2]);
      acc2[6] = fmaf(alu9, alu13, acc2[6]);
      acc2[10] = fmaf(alu10, alu13, acc2[10]);
      acc2[14] = fmaf(alu11, alu13, acc2[14]);
      float alu14 = val3.w;
      acc2[3] = fmaf(alu7, alu14, acc2[3]);
      acc2[7] = fmaf(alu9, alu14, acc2[7]);
      acc2[11] = fmaf(alu10, alu14, acc2[11]);
      acc2[15] = fmaf(alu11, alu14, acc2[15]);
    }
  }
  float4 val4 = *(float4 *)&data3[idx0];
  float alu15 = val4.x;
  float alu16 = acc2[0] + alu15;
  float alu17 = val4.y;
  float alu18 = acc2[1] + alu17;
  float alu19 = val4.z;
  float alu20 = acc2[2] + alu19;
  float alu21 = val4.w;
  float alu22 = acc2[3] + alu21;
  float4 vec0 = make_float4(alu16 <= 0.0f ? 0.0f : alu16, alu18 <= 0.0f ? 0.0f : alu18, alu20 <= 0.0f ? 0.0f : alu20, alu22 <= 0.0f ? 0.0f : alu22);
  *(float4 *)&data0[idx1] = vec0;
  float alu23 = acc2[4] + alu15;
  float alu24 = acc2[5] + alu17;
  float alu25 = acc2[6] + alu19;
  float alu26 = acc2[7] + alu21;
  float4 vec1 = make_float4(alu23 <= 0.0f ? 0.0f : alu23, alu24 <= 0.0f ? 0.0f : alu24, alu25 <= 0.0f ? 0.0f : alu25, alu26 <= 0.0f ? 0.0f : alu26);
  *(float4 *)&data0[idx1 + 32] = vec1;
  float alu27 = acc2[8] + alu15;
  float alu28 = acc2[9] + alu17;
  float alu29 = acc2[10] + alu19;
  float alu30 = acc2[11] + alu21;
  float4 vec2 = make_float4(alu27 <= 0.0f ? 0.0f : alu27, alu28 <= 0.0f ? 0.0f : alu28, alu29 <= 0.0f ? 0.0f : alu29, alu30 <= 0.0f ? 0.0f : alu30);
  *(float4 *)&data0[idx1 + 64] = vec2;
  float alu31 = acc2[12] + alu15;
  float alu32 = acc2[13] + alu17;
  float alu33 = acc2[14] + alu19;
  float alu34 = acc2[15] + alu21;
  float4 vec3 = make_float4(alu31 <= 0.0f ? 0.0f : alu31, alu32 <= 0.0f ? 0.0f : alu32, alu33 <= 0.0f ? 0.0f : alu33, alu34 <= 0.0f ? 0.0f : alu34);
  *(float4 *)&data0[idx1 + 96] = vec3;
}
