// kernel 0: r_64_64_64, launch ((1, 1, 1), (32, 2, 2))
#include <metal_stdlib>
using namespace metal;
static inline void mma_f32(thread float *c, const thread float *a, const thread float *b) {
  simdgroup_matrix<float, 8, 8> x, y;
  simdgroup_matrix<float, 8, 8> z;
  for (int i = 0; i < 2; i++) {
    x.thread_elements()[i] = a[i];
    y.thread_elements()[i] = b[i];
    z.thread_elements()[i] = c[i];
  }
  simdgroup_multiply_accumulate(z, x, y, z);
  for (int i = 0; i < 2; i++) c[i] = z.thread_elements()[i];
}

kernel void r_64_64_64(
    device float *data0 [[buffer(0)]],
    device const float *data1 [[buffer(1)]],
    device const float *data2 [[buffer(2)]],
    uint3 local_id [[thread_position_in_threadgroup]]) {
  float acc2[32];
  float acc0[8];
  float acc1[8];
  int lidx2 = local_id.z;
  int lidx0 = local_id.x;
  int alu0 = ((lidx0 >> 1) & 3) * 64;
  int alu1 = (lidx0 >> 4) * 256;
  int alu2 = lidx2 * 2048 + alu0 + alu1;
  int lidx1 = local_id.y;
  int alu3 = lidx1 * 32;
  int alu4 = (lidx0 & 1) * 2;
  int alu5 = ((lidx0 >> 3) & 1) * 4;
  int idx0 = alu2 + alu3 + alu4 + alu5;
  acc2[0] = 0.0f;
  acc2[8] = 0.0f;
  acc2[16] = 0.0f;
  acc2[24] = 0.0f;
  acc2[2] = 0.0f;
  acc2[10] = 0.0f;
  acc2[18] = 0.0f;
  acc2[26] = 0.0f;
  acc2[4] = 0.0f;
  acc2[12] = 0.0f;
  acc2[20] = 0.0f;
  acc2[28] = 0.0f;
  acc2[6] = 0.0f;
  acc2[14] = 0.0f;
  acc2[22] = 0.0f;
  acc2[30] = 0.0f;
  acc2[1] = 0.0f;
  acc2[9] = 0.0f;
  acc2[17] = 0.0f;
  acc2[25] = 0.0f;
  acc2[3] = 0.0f;
  acc2[11] = 0.0f;
  acc2[19] = 0.0f;
  acc2[27] = 0.0f;
  acc2[5] = 0.0f;
  acc2[13] = 0.0f;
  acc2[21] = 0.0f;
  acc2[29] = 0.0f;
  acc2[7] = 0.0f;
  acc2[15] = 0.0f;
  acc2[23] = 0.0f;
  acc2[31] = 0.0f;
  for (int r15 = 0; r15 < 8; r15++) {
    int idx1 = alu2 + r15 * 8 + alu4 + alu5;
    acc0[0] = data1[idx1];
    acc0[2] = data1[idx1 + 512];
    acc0[4] = data1[idx1 + 1024];
    acc0[6] = data1[idx1 + 1536];
    acc0[1] = data1[idx1 + 1];
    acc0[3] = data1[idx1 + 513];
    acc0[5] = data1[idx1 + 1025];
    acc0[7] = data1[idx1 + 1537];
    int idx2 = r15 * 512 + alu0 + alu1 + alu3 + alu4 + alu5;
    acc1[0] = data2[idx2];
    acc1[2] = data2[idx2 + 8];
    acc1[4] = data2[idx2 + 16];
    acc1[6] = data2[idx2 + 24];
    acc1[1] = data2[idx2 + 1];
    acc1[3] = data2[idx2 + 9];
    acc1[5] = data2[idx2 + 17];
    acc1[7] = data2[idx2 + 25];
    mma_f32(&acc2[0], &acc0[0], &acc1[0]);
    mma_f32(&acc2[8], &acc0[2], &acc1[0]);
    mma_f32(&acc2[16], &acc0[4], &acc1[0]);
    mma_f32(&acc2[24], &acc0[6], &acc1[0]);
    mma_f32(&acc2[2], &acc0[0], &acc1[2]);
    mma_f32(&acc2[10], &acc0[2], &acc1[2]);
    mma_f32(&acc2[18], &acc0[4], &acc1[2]);
    mma_f32(&acc2[26], &acc0[6], &acc1[2]);
    mma_f32(&acc2[4], &acc0[0], &acc1[4]);
    mma_f32(&acc2[12], &acc0[2], &acc1[4]);
    mma_f32(&acc2[20], &acc0[4], &acc1[4]);
    mma_f32(&acc2[28], &acc0[6], &acc1[4]);
    mma_f32(&acc2[6], &acc0[0], &acc1[6]);
    mma_f32(&acc2[14], &acc0[2], &acc1[6]);
    mma_f32(&acc2[22], &acc0[4], &acc1[6]);
    mma_f32(&acc2[30], &acc0[6], &acc1[6]);
  }
  data0[idx0] = acc2[0];
  data0[idx0 + 512] = acc2[8];
  data0[idx0 + 1024] = acc2[16];
  data0[idx0 + 1536] = acc2[24];
  data0[idx0 + 8] = acc2[2];
  data0[idx0 + 520] = acc2[10];
  data0[idx0 + 1032] = acc2[18];
  data0[idx0 + 1544] = acc2[26];
  data0[idx0 + 16] = acc2[4];
  data0[idx0 + 528] = acc2[12];
  data0[idx0 + 1040] = acc2[20];
  data0[idx0 + 1552] = acc2[28];
  data0[idx0 + 24] = acc2[6];
  data0[idx0 + 536] = acc2[14];
  data0[idx0 + 1048] = acc2[22];
  data0[idx0 + 1560] = acc2[30];
  data0[idx0 + 1] = acc2[1];
  data0[idx0 + 513] = acc2[9];
  data0[idx0 + 1025] = acc2[17];
  data0[idx0 + 1537] = acc2[25];
  data0[idx0 + 9] = acc2[3];
  data0[idx0 + 521] = acc2[11];
  data0[idx0 + 1033] = acc2[19];
  data0[idx0 + 1545] = acc2[27];
  data0[idx0 + 17] = acc2[5];
  data0[idx0 + 529] = acc2[13];
  data0[idx0 + 1041] = acc2[21];
  data0[idx0 + 1553] = acc2[29];
  data0[idx0 + 25] = acc2[7];
  data0[idx0 + 537] = acc2[15];
  data0[idx0 + 1049] = acc2[23];
  data0[idx0 + 1561] = acc2[31];
}

// kernel 1: r_64_64, launch ((1, 1, 1), (64, 1, 1))
#include <metal_stdlib>
using namespace metal;

kernel void r_64_64(
    device float *data0 [[buffer(0)]],
    device float *data1 [[buffer(1)]],
    device float *data2 [[buffer(2)]],
    device const float *data3 [[buffer(3)]],
    uint3 local_id [[thread_position_in_threadgroup]]) {
  float acc0;
  int lidx0 = local_id.x;
  acc0 = 0.0f;
  int alu0 = lidx0 * 64;
  for (int r1 = 0; r1 < 64; r1++) {
    acc0 = acc0 + data3[alu0 + r1];
  }
  float val0 = acc0;
  data0[lidx0] = precise::exp(val0);
  data1[lidx0] = val0 * 2.0f;
  data2[lidx0] = val0;
}
