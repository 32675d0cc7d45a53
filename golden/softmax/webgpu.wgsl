// kernel 0: r_32_128_128_128, launch ((4, 4, 1), (32, 8, 1))
var<private> infinity: u32 = 0x7f800000u;

@group(0) @binding(0) var<storage, read_write> data0: array<f32>;
@group(0) @binding(1) var<storage, read_write> data1: array<f32>;

@compute @workgroup_size(32, 8, 1)
fn r_32_128_128_128(
    @builtin(workgroup_id) group_id: vec3<u32>,
    @builtin(local_invocation_id) local_id: vec3<u32>,
    @builtin(global_invocation_id) item: vec3<u32>) {
  var acc0: f32;
  var acc1: f32;
  let gidx1: i32 = i32(group_id.y);
  let lidx1: i32 = i32(local_id.y);
  let alu0: i32 = gidx1 * 1024 + lidx1 * 128;
  let gidx0: i32 = i32(group_id.x);
  let lidx0: i32 = i32(local_id.x);
  let idx0: i32 = alu0 + gidx0 * 32 + lidx0;
  let val0: f32 = data1[idx0];
  acc0 = -bitcast<f32>(infinity);
  for (var r3: i32 = 0; r3 < 128; r3++) {
    let val1: f32 = acc0;
    let val2: f32 = data1[alu0 + r3];
    acc0 = select(val1, val2, (val2 > val1) | !(val2 == val2));
  }
  let val3: f32 = acc0;
  let alu1: f32 = val0 - val3;
  let alu2: f32 = select(alu1, 89.0f, (89.0f < alu1) | !(89.0f == 89.0f));
  let alu3: f32 = select(alu2, -176.0f, (-176.0f > alu2) | !(-176.0f == -176.0f));
  let alu4: f32 = fma(alu3, 1.442695f, 12583166.0f);
  let alu5: f32 = bitcast<f32>(bitcast<u32>(alu4) ^ (item.x >> 31)) - 12583166.0f;
  let alu6: f32 = bitcast<f32>(bitcast<u32>(fma(alu5, -0.6933594f, alu3)) ^ (item.x >> 31));
  let alu7: f32 = fma(alu5, 0.00021219444f, alu6);
  let alu8: f32 = fma(alu7, fma(alu7, fma(alu7, 0.0013821024f, 0.00836867f), 0.041668262f), 0.16666521f);
  let alu9: i32 = bitcast<i32>(alu4);
  let alu10: i32 = (alu9 << u32(22)) & 2139095040;
  let alu11: f32 = fma(alu7, fma(alu7, fma(alu7, alu8, 0.49999994f), 1.0f), 1.0f) * bitcast<f32>(alu10);
  acc1 = 0.0f;
  for (var r2: i32 = 0; r2 < 128; r2++) {
    let alu12: f32 = data1[alu0 + r2] - val3;
    let alu13: f32 = select(alu12, 89.0f, (89.0f < alu12) | !(89.0f == 89.0f));
    let alu14: f32 = select(alu13, -176.0f, (-176.0f > alu13) | !(-176.0f == -176.0f));
    let alu15: f32 = fma(alu14, 1.442695f, 12583166.0f);
    let alu16: f32 = bitcast<f32>(bitcast<u32>(alu15) ^ (item.x >> 31)) - 12583166.0f;
    let alu17: f32 = bitcast<f32>(bitcast<u32>(fma(alu16, -0.6933594f, alu14)) ^ (item.x >> 31));
    let alu18: f32 = fma(alu16, 0.00021219444f, alu17);
    let alu19: f32 = fma(alu18, fma(alu18, fma(alu18, 0.0013821024f, 0.00836867f), 0.041668262f), 0.16666521f);
    let alu20: i32 = bitcast<i32>(alu15);
    let alu21: i32 = (alu20 << u32(22)) & 2139095040;
    let alu22: f32 = fma(alu18, fma(alu18, fma(alu18, alu19, 0.49999994f), 1.0f), 1.0f) * bitcast<f32>(alu21);
    acc1 = acc1 + alu22 * bitcast<f32>((alu20 << u32(23)) - alu21);
  }
  data0[idx0] = alu11 * bitcast<f32>((alu9 << u32(23)) - alu10) * (1.0f / acc1);
}
