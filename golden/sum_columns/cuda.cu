// kernel 0: r_64_512, launch ((8, 1, 1), (8, 16, 1))
extern "C" __global__ void __launch_bounds__(128)
r_64_512(float *__restrict__ data0, const float *__restrict__ data1) {
  float acc2;
  __shared__ __align__(16) float local1[128];
  float acc0;
  int gidx0 = blockIdx.x;
  int alu0 = gidx0 * 8;
  int lidx0 = threadIdx.x;
  int lidx1 = threadIdx.y;
  acc2 = 0.0f;
  acc0 = 0.0f;
  int alu1 = lidx1 * 64;
  for (int r2 = 0; r2 < 32; r2++) {
    acc0 = acc0 + data1[r2 * 1024 + alu1 + alu0 + lidx0];
  }
  local1[lidx1 * 8 + lidx0] = acc0;
  __syncthreads();
  for (int r6 = 0; r6 < 16; r6++) {
    acc2 = acc2 + local1[r6 * 8 + lidx0];
  }
  if (lidx1 == 0) data0[alu0 + lidx0] = acc2;
}
