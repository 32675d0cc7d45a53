// kernel 0: r_64_128_96, launch ((2, 1, 1), (16, 16, 1))
var<private> infinity: u32 = 0x7f800000u;

@group(0) @binding(0) var<storage, read_write> data0: array<f32>;
@group(0) @binding(1) var<storage, read_write> data1: array<f32>;
@group(0) @binding(2) var<storage, read_write> data2: array<f32>;

@compute @workgroup_size(16, 16, 1)
fn r_64_128_96(
    @builtin(workgroup_id) group_id: vec3<u32>,
    @builtin(local_invocation_id) local_id: vec3<u32>) {
  var acc0: array<f32, 16>;
  let lidx1: i32 = i32(local_id.y);
  let gidx0: i32 = i32(group_id.x);
  let alu0: i32 = gidx0 * 64;
  let lidx0: i32 = i32(local_id.x);
  let alu1: i32 = lidx0 * 4;
  let idx0: i32 = lidx1 * 512 + alu0 + alu1;
  acc0[0] = 0.0f;
  acc0[4] = 0.0f;
  acc0[8] = 0.0f;
  acc0[12] = 0.0f;
  acc0[1] = 0.0f;
  acc0[5] = 0.0f;
  acc0[9] = 0.0f;
  acc0[13] = 0.0f;
  acc0[2] = 0.0f;
  acc0[6] = 0.0f;
  acc0[10] = 0.0f;
  acc0[14] = 0.0f;
  acc0[3] = 0.0f;
  acc0[7] = 0.0f;
  acc0[11] = 0.0f;
  acc0[15] = 0.0f;
  let alu2: i32 = lidx1 * 384;
  for (var r2: i32 = 0; r2 < 96; r2++) {
    let idx1: i32 = alu2 + r2;
    let val0: f32 = data1[idx1];
    let idx2: i32 = r2 * 128 + alu0 + alu1;
    let val1: f32 = data2[idx2];
    acc0[0] = fma(val0, val1, acc0[0]);
    let val2: f32 = data1[idx1 + 96];
    acc0[4] = fma(val2, val1, acc0[4]);
    let val3: f32 = data1[idx1 + 192];
    acc0[8] = fma(val3, val1, acc0[8]);
    let val4: f32 = data1[idx1 + 288];
    acc0[12] = fma(val4, val1, acc0[12]);
    let val5: f32 = data2[idx2 + 1];
    acc0[1] = fma(val0, val5, acc0[1]);
    acc0[5] = fma(val2, val5, acc0[5]);
    acc0[9] = fma(val3, val5, acc0[9]);
    acc0[13] = fma(val4, val5, acc0[13]);
    let val6: f32 = data2[idx2 + 2];
    acc0[2] = fma(val0, val6, acc0[2]);
    acc0[6] = fma(val2, val6, acc0[6]);
    acc0[10] = fma(val3, val6, acc0[10]);
    acc0[14] = fma(val4, val6, acc0[14]);
    let val7: f32 = data2[idx2 + 3];
    acc0[3] = fma(val0, val7, acc0[3]);
    acc0[7] = fma(val2, val7, acc0[7]);
    acc0[11] = fma(val3, val7, acc0[11]);
    acc0[15] = fma(val4, val7, acc0[15]);
  }
  data0[idx0] = acc0[0];
  data0[idx0 + 128] = acc0[4];
  data0[idx0 + 256] = acc0[8];
  data0[idx0 + 384] = acc0[12];
  data0[idx0 + 1] = acc0[1];
  data0[idx0 + 129] = acc0[5];
  data0[idx0 + 257] = acc0[9];
  data0[idx0 + 385] = acc0[13];
  data0[idx0 + 2] = acc0[2];
  data0[idx0 + 130] = acc0[6];
  data0[idx0 + 258] = acc0[10];
  data0[idx0 + 386] = acc0[14];
  data0[idx0 + 3] = acc0[3];
  data0[idx0 + 131] = acc0[7];
  data0[idx0 + 259] = acc0[11];
  data0[idx0 + 387] = acc0[15];
}
