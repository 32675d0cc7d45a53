// kernel 0: e_256, launch ((1, 1, 1), (256, 1, 1))
var<private> infinity: u32 = 0x7f800000u;

@group(0) @binding(0) var<storage, read_write> data0: array<f32>;
@group(0) @binding(1) var<storage, read_write> data1: array<f32>;

@compute @workgroup_size(256, 1, 1)
fn e_256(
    @builtin(local_invocation_id) local_id: vec3<u32>,
    @builtin(global_invocation_id) item: vec3<u32>) {
  let lidx0: i32 = i32(local_id.x);
  let val0: f32 = data1[lidx0];
  let alu0: f32 = select(val0, 89.0f, (89.0f < val0) | !(89.0f == 89.0f));
  let alu1: f32 = select(alu0, -176.0f, (-176.0f > alu0) | !(-176.0f == -176.0f));
  let alu2: f32 = fma(alu1, 1.442695f, 12583166.0f);
  let alu3: f32 = bitcast<f32>(bitcast<u32>(alu2) ^ (item.x >> 31)) - 12583166.0f;
  let alu4: f32 = bitcast<f32>(bitcast<u32>(fma(alu3, -0.6933594f, alu1)) ^ (item.x >> 31));
  let alu5: f32 = fma(alu3, 0.00021219444f, alu4);
  let alu6: f32 = fma(alu5, fma(alu5, fma(alu5, 0.0013821024f, 0.00836867f), 0.041668262f), 0.16666521f);
  let alu7: i32 = bitcast<i32>(alu2);
  let alu8: i32 = (alu7 << u32(22)) & 2139095040;
  let alu9: f32 = fma(alu5, fma(alu5, fma(alu5, alu6, 0.49999994f), 1.0f), 1.0f) * bitcast<f32>(alu8);
  let alu10: bool = val0 < 1.1754944e-38f;
  let alu11: i32 = bitcast<i32>(select(val0, val0 * 8388608.0f, alu10));
  let alu12: i32 = (alu11 - 1060439283) >> u32(23);
  let cast0: f32 = f32(alu12 - select(0i, 23i, alu10));
  let alu13: f32 = bitcast<f32>(alu11 - (alu12 << u32(23))) - 1.0f;
  let alu14: f32 = alu13 * alu13;
  let alu15: f32 = fma(alu13, fma(alu13, fma(alu13, 0.06751542f, -0.11672526f), 0.11883893f), -0.124059126f);
  let alu16: f32 = fma(alu13, fma(alu13, fma(alu13, alu15, 0.1422028f), -0.16668f), 0.20002075f);
  let alu17: f32 = fma(cast0, -0.00021219444f, alu13 * alu14 * fma(alu13, fma(alu13, alu16, -0.2500001f), 0.33333313f));
  let alu18: f32 = select(val0, fma(cast0, 0.6933594f, alu13 + fma(-0.5f, alu14, alu17)), val0 < bitcast<f32>(infinity));
  let alu19: f32 = select(bitcast<f32>(infinity | 0x400000u), -bitcast<f32>(infinity), val0 == 0.0f);
  let alu20: f32 = alu9 * bitcast<f32>((alu7 << u32(23)) - alu8) + select(alu19, alu18, 0.0f < val0);
  let alu21: u32 = bitcast<u32>(val0);
  let alu22: f32 = bitcast<f32>(alu21 & 2147483647);
  let alu23: f32 = select(alu22, 9.1f, (9.1f < alu22) | !(9.1f == 9.1f));
  let alu24: f32 = fma(alu23, -2.88539f, 12583039.0f);
  let alu25: f32 = bitcast<f32>(bitcast<u32>(alu24) << 23);
  let alu26: f32 = bitcast<f32>(bitcast<u32>(alu24) ^ (item.x >> 31)) - 12583039.0f;
  let alu27: f32 = bitcast<f32>(bitcast<u32>(fma(alu26, 0.3466797f, alu23)) ^ (item.x >> 31));
  let alu28: f32 = fma(alu26, -0.00010609722f, alu27);
  let alu29: f32 = fma(alu28, fma(alu28, fma(alu28, -0.0888479f, 0.26773483f), -0.6666753f), 1.3333234f);
  let alu30: f32 = fma(alu28 * alu28, fma(alu28, alu29, -1.9999999f), alu28 + alu28);
  let alu31: u32 = bitcast<u32>(fma(alu25, alu30, 1.0f - alu25) / fma(-alu25, alu30, alu25 + 1.0f));
  data0[lidx0] = alu20 + bitcast<f32>(alu31 | (alu21 & 2147483648u));
}
