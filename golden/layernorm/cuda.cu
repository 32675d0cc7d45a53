// kernel 0: r_32_256_256_256, launch ((32, 1, 1), (256, 1, 1))
extern "C" __global__ void __launch_bounds__(256)
r_32_256_256_256(float *__restrict__ data0, const float *__restrict__ data1) {
  float acc1;
  __shared__ __align__(16) float local0[256];
  float acc3;
  __shared__ __align__(16) float local2[256];
  int gidx0 = blockIdx.x;
  int lidx0 = threadIdx.x;
  int idx0 = gidx0 * 256 + lidx0;
  float val0 = data1[idx0];
  acc1 = 0.0f;
  local0[lidx0] = val0;
  __syncthreads();
  for (int r10 = 0; r10 < 256; r10++) {
    acc1 = acc1 + local0[r10];
  }
  float alu0 = val0 - acc1 / 256.0f;
  acc3 = 0.0f;
  local2[lidx0] = alu0 * alu0;
  __syncthreads();
  for (int r11 = 0; r11 < 256; r11++) {
    acc3 = acc3 + local2[r11];
  }
  data0[idx0] = alu0 * (1.0f / sqrtf(acc3 / 256.0f + 1e-05f));
}
