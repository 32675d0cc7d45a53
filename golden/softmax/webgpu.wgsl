// kernel 0: r_32_128_128_128, launch ((8, 2, 1), (16, 16, 1))
var<private> infinity: u32 = 0x7f800000u;

@group(0) @binding(0) var<storage, read_write> data0: array<f32>;
@group(0) @binding(1) var<storage, read_write> data1: array<f32>;

@compute @workgroup_size(16, 16, 1)
fn r_32_128_128_128(
    @builtin(workgroup_id) group_id: vec3<u32>,
    @builtin(local_invocation_id) local_id: vec3<u32>) {
  var acc0: f32;
  var acc1: f32;
  let gidx1: i32 = i32(group_id.y);
  let lidx1: i32 = i32(local_id.y);
  let alu0: i32 = gidx1 * 2048 + lidx1 * 128;
  let gidx0: i32 = i32(group_id.x);
  let lidx0: i32 = i32(local_id.x);
  let idx0: i32 = alu0 + gidx0 * 16 + lidx0;
  let val0: f32 = data1[idx0];
  acc0 = -bitcast<f32>(infinity);
  for (var r3: i32 = 0; r3 < 128; r3++) {
    let val1: f32 = acc0;
    let val2: f32 = data1[alu0 + r3];
    acc0 = select(val1, val2, (val2 > val1) | !(val2 == val2));
  }
  let val3: f32 = acc0;
  let alu1: f32 = val0 - val3;
  let alu2: bool = alu1 < -104.0f;
  let alu3: f32 = select(select(alu1, 89.0f, 89.0f < alu1), 0.0f, alu2);
  let alu4: i32 = bitcast<i32>(fma(alu3, 1.442695f, 12582912.0f)) - 1262485504;
  let cast0: f32 = f32(alu4);
  let alu5: f32 = fma(cast0, 0.00021219444f, fma(cast0, -0.6933594f, alu3));
  let alu6: f32 = fma(alu5, fma(alu5, fma(alu5, 0.0013821024f, 0.00836867f), 0.041668262f), 0.16666521f);
  let alu7: i32 = alu4 >> u32(1);
  let alu8: f32 = (1.0f + fma(alu5 * alu5, fma(alu5, alu6, 0.49999994f), alu5)) * bitcast<f32>((alu7 + 127) << u32(23));
  acc1 = 0.0f;
  for (var r2: i32 = 0; r2 < 128; r2++) {
    let alu9: f32 = data1[alu0 + r2] - val3;
    let alu10: bool = alu9 < -104.0f;
    let alu11: f32 = select(select(alu9, 89.0f, 89.0f < alu9), 0.0f, alu10);
    let alu12: i32 = bitcast<i32>(fma(alu11, 1.442695f, 12582912.0f)) - 1262485504;
    let cast1: f32 = f32(alu12);
    let alu13: f32 = fma(cast1, 0.00021219444f, fma(cast1, -0.6933594f, alu11));
    let alu14: f32 = fma(alu13, fma(alu13, fma(alu13, 0.0013821024f, 0.00836867f), 0.041668262f), 0.16666521f);
    let alu15: i32 = alu12 >> u32(1);
    let alu16: f32 = (1.0f + fma(alu13 * alu13, fma(alu13, alu14, 0.49999994f), alu13)) * bitcast<f32>((alu15 + 127) << u32(23));
    let alu17: f32 = select(alu16 * bitcast<f32>((alu12 - alu15 + 127) << u32(23)), 0.0f, alu10);
    acc1 = acc1 + alu17;
  }
  data0[idx0] = select(alu8 * bitcast<f32>((alu4 - alu7 + 127) << u32(23)), 0.0f, alu2) / acc1;
}
