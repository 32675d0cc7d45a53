// kernel 0: r_64_512, launch ((64, 1, 1), (256, 1, 1))
extern "C" __global__ void __launch_bounds__(256)
r_64_512(float *__restrict__ data0, const float *__restrict__ data1) {
  float acc4;
  __shared__ __align__(16) float local3[16];
  float acc2;
  __shared__ __align__(16) float local1[256];
  float acc0;
  int gidx0 = blockIdx.x;
  int lidx0 = threadIdx.x;
  acc4 = 0.0f;
  acc2 = 0.0f;
  acc0 = 0.0f;
  int alu0 = gidx0 * 512;
  for (int r2 = 0; r2 < 2; r2++) {
    acc0 = acc0 + data1[alu0 + r2 * 256 + lidx0];
  }
  local1[lidx0] = acc0;
  __syncthreads();
  int alu1 = lidx0 & 15;
  for (int r5 = 0; r5 < 16; r5++) {
    acc2 = acc2 + local1[r5 * 16 + alu1];
  }
  if (lidx0 < 16) local3[lidx0] = acc2;
  __syncthreads();
  for (int r6 = 0; r6 < 16; r6++) {
    acc4 = acc4 + local3[r6];
  }
  if (lidx0 == 0) data0[gidx0] = acc4;
}
