// kernel 0: e_256, launch ((1, 1, 1), (256, 1, 1))
var<private> infinity: u32 = 0x7f800000u;

@group(0) @binding(0) var<storage, read_write> data0: array<f32>;
@group(0) @binding(1) var<storage, read_write> data1: array<f32>;

@compute @workgroup_size(256, 1, 1)
fn e_256(@builtin(local_invocation_id) local_id: vec3<u32>) {
  let lidx0: i32 = i32(local_id.x);
  let val0: f32 = data1[lidx0];
  let alu0: f32 = select(val0, 89.0f, (89.0f < val0) | !(89.0f == 89.0f));
  let alu1: f32 = select(alu0, -176.0f, (-176.0f > alu0) | !(-176.0f == -176.0f));
  let alu2: f32 = fma(alu1, 1.442695f, 12582912.0f);
  let alu3: f32 = alu2 - 12582912.0f;
  let alu4: f32 = fma(alu3, 0.00021219444f, fma(alu3, -0.6933594f, alu1));
  let alu5: f32 = fma(alu4, fma(alu4, fma(alu4, 0.0013821024f, 0.00836867f), 0.041668262f), 0.16666521f);
  let alu6: i32 = bitcast<i32>(alu2);
  let alu7: i32 = (alu6 << u32(22)) & -8388608;
  let alu8: f32 = fma(alu4, fma(alu4, fma(alu4, alu5, 0.49999994f), 1.0f), 1.0f) * bitcast<f32>(alu7 + 1065353216);
  let alu9: bool = val0 < 1.1754944e-38f;
  let alu10: i32 = bitcast<i32>(select(val0, val0 * 8388608.0f, alu9));
  let alu11: i32 = (alu10 - 1060439283) >> u32(23);
  let cast0: f32 = f32(alu11 - select(0i, 23i, alu9));
  let alu12: f32 = bitcast<f32>(alu10 - (alu11 << u32(23))) - 1.0f;
  let alu13: f32 = alu12 * alu12;
  let alu14: f32 = fma(alu12, fma(alu12, fma(alu12, 0.06751542f, -0.11672526f), 0.11883893f), -0.124059126f);
  let alu15: f32 = fma(alu12, fma(alu12, fma(alu12, alu14, 0.1422028f), -0.16668f), 0.20002075f);
  let alu16: f32 = fma(cast0, -0.00021219444f, alu12 * alu13 * fma(alu12, fma(alu12, alu15, -0.2500001f), 0.33333313f));
  let alu17: f32 = select(val0, fma(cast0, 0.6933594f, alu12 + fma(-0.5f, alu13, alu16)), val0 < bitcast<f32>(infinity));
  let alu18: f32 = select(bitcast<f32>(infinity | 0x400000u), -bitcast<f32>(infinity), val0 == 0.0f);
  let alu19: f32 = alu8 * bitcast<f32>((alu6 << u32(23)) - alu7 + 1065353216) + select(alu18, alu17, 0.0f < val0);
  let alu20: bool = val0 < 0.0f;
  let alu21: f32 = select(val0, -val0, alu20);
  let alu22: f32 = val0 * val0;
  let alu23: f32 = fma(alu22, fma(alu22, fma(alu22, -0.005716203f, 0.020649709f), -0.053743172f), 0.13331486f);
  let alu24: f32 = alu21 + alu21;
  let alu25: f32 = select(alu24, 89.0f, (89.0f < alu24) | !(89.0f == 89.0f));
  let alu26: f32 = select(alu25, -176.0f, (-176.0f > alu25) | !(-176.0f == -176.0f));
  let alu27: f32 = fma(alu26, 1.442695f, 12582912.0f);
  let alu28: f32 = alu27 - 12582912.0f;
  let alu29: f32 = fma(alu28, 0.00021219444f, fma(alu28, -0.6933594f, alu26));
  let alu30: f32 = fma(alu29, fma(alu29, fma(alu29, 0.0013821024f, 0.00836867f), 0.041668262f), 0.16666521f);
  let alu31: i32 = bitcast<i32>(alu27);
  let alu32: i32 = (alu31 << u32(22)) & -8388608;
  let alu33: f32 = fma(alu29, fma(alu29, fma(alu29, alu30, 0.49999994f), 1.0f), 1.0f) * bitcast<f32>(alu32 + 1065353216);
  let alu34: f32 = 2.0f / (alu33 * bitcast<f32>((alu31 << u32(23)) - alu32 + 1065353216) + 1.0f);
  let alu35: f32 = 1.0f - alu34;
  let alu36: f32 = select(select(alu35, -alu35, alu20), val0 * fma(alu22, fma(alu22, alu23, -0.33333284f), 1.0f), alu21 < 0.625f);
  data0[lidx0] = alu19 + alu36;
}
