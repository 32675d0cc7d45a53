// kernel 0: e_256, launch ((1, 1, 1), (256, 1, 1))
var<private> infinity: u32 = 0x7f800000u;

@group(0) @binding(0) var<storage, read_write> data0: array<f32>;
@group(0) @binding(1) var<storage, read_write> data1: array<f32>;

@compute @workgroup_size(256, 1, 1)
fn e_256(
    @builtin(local_invocation_id) local_id: vec3<u32>,
    @builtin(global_invocation_id) item: vec3<u32>) {
  let lidx0: i32 = i32(local_id.x);
  let alu0: u32 = bitcast<u32>(data1[lidx0]);
  let alu1: u32 = alu0 & 2147483647;
  let alu2: bool = alu1 < 1162346496;
  let alu3: f32 = bitcast<f32>(alu1);
  let alu4: f32 = fma(alu3, 0.63661975f, 12582912.0f);
  let cast0: u64 = u64((alu1 & 8388607) | 8388608);
  let alu5: u32 = (alu1 >> 23) - 126;
  let alu6: bool = alu5 < 32;
  let alu7: bool = alu5 < 64;
  let alu8: bool = alu5 < 96;
  let alu9: bool = alu5 < 128;
  let alu10: u32 = select(select(select(1295478838u, 165016701u, alu9), 2433043071u, alu8), 3194018707u, alu7);
  let alu11: u32 = alu5 & 31;
  let alu12: u32 = select(select(select(3634718287u, 1295478838u, alu9), 165016701u, alu8), 2433043071u, alu7);
  let alu13: u32 = select(alu12, 3194018707u, alu6);
  let alu14: u32 = 31 - alu11;
  let alu15: u64 = u64((select(alu10, 40u, alu6) << alu11) | ((alu13 >> 1) >> alu14)) << u32(32);
  let alu16: u32 = select(select(select(283381887u, 3634718287u, alu9), 1295478838u, alu8), 165016701u, alu7);
  let alu17: u32 = select(alu16, 2433043071u, alu6);
  let alu18: u32 = select(select(select(2488855287u, 283381887u, alu9), 3634718287u, alu8), 1295478838u, alu7);
  let cast1: u64 = u64((alu17 << alu11) | ((select(alu18, 165016701u, alu6) >> 1) >> alu14));
  let alu19: u64 = cast0 * (alu15 | u64((alu13 << alu11) | ((alu17 >> 1) >> alu14))) + ((cast0 * cast1) >> u32(32));
  let alu20: u64 = (alu19 + 2305843009213693952lu) >> u32(62);
  let alu21: u32 = select(u32(alu20), bitcast<u32>(alu4), alu2);
  let alu22: bool = (alu21 & 1) == 0;
  let alu23: f32 = bitcast<f32>(bitcast<u32>(alu4) ^ (item.x >> 31)) - 12582912.0f;
  let alu24: f32 = fma(alu23, -1.5705566f, alu3);
  let alu25: f32 = fma(alu23, -0.00023967028f, bitcast<f32>(bitcast<u32>(alu24) ^ (item.x >> 31)));
  let alu26: f32 = bitcast<f32>(bitcast<u32>(fma(alu23, -0.00023967028f, alu24 - alu25)) ^ (item.x >> 31));
  let alu27: f32 = fma(alu23, -1.5890691e-08f, alu26);
  let alu28: f32 = alu25 + alu27;
  let alu29: f32 = fma(alu23, -2.563344e-12f, alu25 - bitcast<f32>(bitcast<u32>(alu28) ^ (item.x >> 31)) + alu27);
  let alu30: f32 = select(bitcast<f32>(infinity | 0x400000u), f32(bitcast<i64>(alu19 - (alu20 << u32(62)))) * 3.4061217e-19f, alu1 < 2139095040);
  let alu31: f32 = select(alu30, alu28 + alu29, alu2);
  let alu32: f32 = alu31 * alu31;
  let alu33: f32 = fma(alu31 * alu32, fma(alu32, fma(alu32, -0.000195186f, 0.008332191f), -0.16666655f), alu31);
  let alu34: f32 = fma(alu32 * alu32, fma(alu32, fma(alu32, 2.4430661e-05f, -0.0013887301f), 0.041666646f), fma(-0.5f, alu32, 1.0f));
  let alu35: u32 = bitcast<u32>(select(alu34, alu33, alu22)) ^ ((alu0 & 2147483648u) ^ ((alu21 & 2) << 30));
  let alu36: f32 = bitcast<f32>(bitcast<u32>(select(alu33, alu34, alu22)) ^ (((alu21 + 1) & 2) << 30));
  data0[lidx0] = bitcast<f32>(alu35) + alu36;
}
