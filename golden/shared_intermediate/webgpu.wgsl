// kernel 0: r_64_64_64, launch ((1, 1, 1), (16, 16, 1))
var<private> infinity: u32 = 0x7f800000u;

@group(0) @binding(0) var<storage, read_write> data0: array<f32>;
@group(0) @binding(1) var<storage, read_write> data1: array<f32>;
@group(0) @binding(2) var<storage, read_write> data2: array<f32>;

@compute @workgroup_size(16, 16, 1)
fn r_64_64_64(@builtin(local_invocation_id) local_id: vec3<u32>) {
  var acc0: array<f32, 16>;
  let lidx1: i32 = i32(local_id.y);
  let alu0: i32 = lidx1 * 256;
  let lidx0: i32 = i32(local_id.x);
  let alu1: i32 = lidx0 * 4;
  let idx0: i32 = alu0 + alu1;
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
  for (var r2: i32 = 0; r2 < 64; r2++) {
    let idx1: i32 = alu0 + r2;
    let val0: f32 = data1[idx1];
    let idx2: i32 = r2 * 64 + alu1;
    let val1: f32 = data2[idx2];
    acc0[0] = fma(val0, val1, acc0[0]);
    let val2: f32 = data1[idx1 + 64];
    acc0[4] = fma(val2, val1, acc0[4]);
    let val3: f32 = data1[idx1 + 128];
    acc0[8] = fma(val3, val1, acc0[8]);
    let val4: f32 = data1[idx1 + 192];
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
  data0[idx0 + 64] = acc0[4];
  data0[idx0 + 128] = acc0[8];
  data0[idx0 + 192] = acc0[12];
  data0[idx0 + 1] = acc0[1];
  data0[idx0 + 65] = acc0[5];
  data0[idx0 + 129] = acc0[9];
  data0[idx0 + 193] = acc0[13];
  data0[idx0 + 2] = acc0[2];
  data0[idx0 + 66] = acc0[6];
  data0[idx0 + 130] = acc0[10];
  data0[idx0 + 194] = acc0[14];
  data0[idx0 + 3] = acc0[3];
  data0[idx0 + 67] = acc0[7];
  data0[idx0 + 131] = acc0[11];
  data0[idx0 + 195] = acc0[15];
}

// kernel 1: r_64_64, launch ((1, 1, 1), (64, 1, 1))
var<private> infinity: u32 = 0x7f800000u;

@group(0) @binding(0) var<storage, read_write> data0: array<f32>;
@group(0) @binding(1) var<storage, read_write> data1: array<f32>;
@group(0) @binding(2) var<storage, read_write> data2: array<f32>;
@group(0) @binding(3) var<storage, read_write> data3: array<f32>;

@compute @workgroup_size(64, 1, 1)
fn r_64_64(
    @builtin(local_invocation_id) local_id: vec3<u32>,
    @builtin(global_invocation_id) item: vec3<u32>) {
  var acc0: f32;
  let lidx0: i32 = i32(local_id.x);
  acc0 = 0.0f;
  let alu0: i32 = lidx0 * 64;
  for (var r1: i32 = 0; r1 < 64; r1++) {
    acc0 = acc0 + data3[alu0 + r1];
  }
  let val0: f32 = acc0;
  let alu1: f32 = select(val0, 89.0f, (89.0f < val0) | !(89.0f == 89.0f));
  let alu2: f32 = select(alu1, -176.0f, (-176.0f > alu1) | !(-176.0f == -176.0f));
  let alu3: f32 = fma(alu2, 1.442695f, 12583166.0f);
  let alu4: f32 = bitcast<f32>(bitcast<u32>(alu3) ^ (item.x >> 31)) - 12583166.0f;
  let alu5: f32 = bitcast<f32>(bitcast<u32>(fma(alu4, -0.6933594f, alu2)) ^ (item.x >> 31));
  let alu6: f32 = fma(alu4, 0.00021219444f, alu5);
  let alu7: f32 = fma(alu6, fma(alu6, fma(alu6, 0.0013821024f, 0.00836867f), 0.041668262f), 0.16666521f);
  let alu8: i32 = bitcast<i32>(alu3);
  let alu9: i32 = (alu8 << u32(22)) & 2139095040;
  let alu10: f32 = fma(alu6, fma(alu6, fma(alu6, alu7, 0.49999994f), 1.0f), 1.0f) * bitcast<f32>(alu9);
  data0[lidx0] = alu10 * bitcast<f32>((alu8 << u32(23)) - alu9);
  data1[lidx0] = val0 * 2.0f;
  data2[lidx0] = val0;
}
