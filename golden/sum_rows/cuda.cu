// kernel 0: r_64_512, launch ((64, 1, 1), (256, 1, 1))
extern "C" __global__ void __launch_bounds__(256)
r_64_512(float *__restrict__ data0, const float *__restrict__ data1) {
  float acc2;
  __shared__ __align__(16) float local1[256];
  float acc0;
  int gidx0 = blockIdx.x;
  int lidx0 = threadIdx.x;
  acc2 = 0.0f;
  acc0 = 0.0f;
  int alu0 = gidx0 * 512;
  for (int r2 = 0; r2 < 2; r2++) {
    acc0 = acc0 + data1[alu0 + r2 * 256 + lidx0];
  }
  local1[lidx0] = acc0;
  __syncthreads();
  for (int r4 = 0; r4 < 256; r4++) {
    acc2 = acc2 + local1[r4];
  }
  if (lidx0 == 0) data0[gidx0] = acc2;
}
