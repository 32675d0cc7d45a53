// kernel 0: r_2_32_32_64, launch ((2, 1, 1), (8, 8, 1))
var<private> infinity: u32 = 0x7f800000u;

@group(0) @binding(0) var<storage, read_write> data0: array<f32>;
@group(0) @binding(1) var<storage, read_write> data1: array<u32>;
@group(0) @binding(2) var<storage, read_write> data2: array<u32>;
@group(0) @binding(3) var<storage, read_write> data3: array<f32>;

@compute @workgroup_size(8, 8, 1)
fn r_2_32_32_64(
    @builtin(workgroup_id) group_id: vec3<u32>,
    @builtin(local_invocation_id) local_id: vec3<u32>) {
  var acc0: array<i32, 16>;
  let gidx0: i32 = i32(group_id.x);
  let lidx1: i32 = i32(local_id.y);
  let lidx0: i32 = i32(local_id.x);
  let idx0: i32 = lidx0 * 4;
  let idx1: i32 = gidx0 * 1024 + lidx1 * 128 + idx0;
  acc0[0] = 0;
  acc0[4] = 0;
  acc0[8] = 0;
  acc0[12] = 0;
  acc0[1] = 0;
  acc0[5] = 0;
  acc0[9] = 0;
  acc0[13] = 0;
  acc0[2] = 0;
  acc0[6] = 0;
  acc0[10] = 0;
  acc0[14] = 0;
  acc0[3] = 0;
  acc0[7] = 0;
  acc0[11] = 0;
  acc0[15] = 0;
  let alu0: i32 = gidx0 * 2048;
  let alu1: i32 = alu0 + lidx1 * 256;
  for (var r3: i32 = 0; r3 < 64; r3++) {
    let idx2: i32 = alu1 + r3;
    let cast0: i32 = extractBits(i32(data1[idx2 >> 2]), 8 * u32(idx2 & 3), 8);
    let idx3: i32 = alu0 + r3 * 32 + idx0;
    let cast1: i32 = extractBits(i32(data2[idx3 >> 2]), 8 * u32(idx3 & 3), 8);
    acc0[0] = acc0[0] + cast0 * cast1;
    let idx4: i32 = idx2 + 64;
    let cast2: i32 = extractBits(i32(data1[idx4 >> 2]), 8 * u32(idx4 & 3), 8);
    acc0[4] = acc0[4] + cast2 * cast1;
    let idx5: i32 = idx2 + 128;
    let cast3: i32 = extractBits(i32(data1[idx5 >> 2]), 8 * u32(idx5 & 3), 8);
    acc0[8] = acc0[8] + cast3 * cast1;
    let idx6: i32 = idx2 + 192;
    let cast4: i32 = extractBits(i32(data1[idx6 >> 2]), 8 * u32(idx6 & 3), 8);
    acc0[12] = acc0[12] + cast4 * cast1;
    let idx7: i32 = idx3 + 1;
    let cast5: i32 = extractBits(i32(data2[idx7 >> 2]), 8 * u32(idx7 & 3), 8);
    acc0[1] = acc0[1] + cast0 * cast5;
    acc0[5] = acc0[5] + cast2 * cast5;
    acc0[9] = acc0[9] + cast3 * cast5;
    acc0[13] = acc0[13] + cast4 * cast5;
    let idx8: i32 = idx3 + 2;
    let cast6: i32 = extractBits(i32(data2[idx8 >> 2]), 8 * u32(idx8 & 3), 8);
    acc0[2] = acc0[2] + cast0 * cast6;
    acc0[6] = acc0[6] + cast2 * cast6;
    acc0[10] = acc0[10] + cast3 * cast6;
    acc0[14] = acc0[14] + cast4 * cast6;
    let idx9: i32 = idx3 + 3;
    let cast7: i32 = extractBits(i32(data2[idx9 >> 2]), 8 * u32(idx9 & 3), 8);
    acc0[3] = acc0[3] + cast0 * cast7;
    acc0[7] = acc0[7] + cast2 * cast7;
    acc0[11] = acc0[11] + cast3 * cast7;
    acc0[15] = acc0[15] + cast4 * cast7;
  }
  let val0: f32 = data3[idx0];
  data0[idx1] = f32(acc0[0]) * val0;
  data0[idx1 + 32] = f32(acc0[4]) * val0;
  data0[idx1 + 64] = f32(acc0[8]) * val0;
  data0[idx1 + 96] = f32(acc0[12]) * val0;
  let val1: f32 = data3[idx0 + 1];
  data0[idx1 + 1] = f32(acc0[1]) * val1;
  data0[idx1 + 33] = f32(acc0[5]) * val1;
  data0[idx1 + 65] = f32(acc0[9]) * val1;
  data0[idx1 + 97] = f32(acc0[13]) * val1;
  let val2: f32 = data3[idx0 + 2];
  data0[idx1 + 2] = f32(acc0[2]) * val2;
  data0[idx1 + 34] = f32(acc0[6]) * val2;
  data0[idx1 + 66] = f32(acc0[10]) * val2;
  data0[idx1 + 98] = f32(acc0[14]) * val2;
  let val3: f32 = data3[idx0 + 3];
  data0[idx1 + 3] = f32(acc0[3]) * val3;
  data0[idx1 + 35] = f32(acc0[7]) * val3;
  data0[idx1 + 67] = f32(acc0[11]) * val3;
  data0[idx1 + 99] = f32(acc0[15]) * val3;
}
