// kernel 0: r_2_5_5_4, launch ((1, 1, 1), (5, 5, 2))
var<private> infinity: u32 = 0x7f800000u;

@group(0) @binding(0) var<storage, read_write> data0: array<f32>;
@group(0) @binding(1) var<storage, read_write> data1: array<f32>;
@group(0) @binding(2) var<storage, read_write> data2: array<f32>;

@compute @workgroup_size(5, 5, 2)
fn r_2_5_5_4(@builtin(local_invocation_id) local_id: vec3<u32>) {
  let lidx2: i32 = i32(local_id.z);
  let lidx1: i32 = i32(local_id.y);
  let lidx0: i32 = i32(local_id.x);
  let alu0: i32 = lidx2 * 20;
  let idx0: i32 = alu0 + lidx1 * 4;
  let idx1: i32 = alu0 + lidx0 * 4;
  let alu1: f32 = data1[idx0] * data2[idx1] + data1[idx0 + 1] * data2[idx1 + 1] + data1[idx0 + 2] * data2[idx1 + 2];
  data0[lidx2 * 25 + lidx1 * 5 + lidx0] = (alu1 + data1[idx0 + 3] * data2[idx1 + 3]) / 2.0f;
}

// kernel 1: r_2_5_4_5_5_5, launch ((1, 1, 1), (4, 5, 2))
var<private> infinity: u32 = 0x7f800000u;

@group(0) @binding(0) var<storage, read_write> data0: array<f32>;
@group(0) @binding(1) var<storage, read_write> data1: array<f32>;
@group(0) @binding(2) var<storage, read_write> data2: array<f32>;

@compute @workgroup_size(4, 5, 2)
fn r_2_5_4_5_5_5(@builtin(local_invocation_id) local_id: vec3<u32>) {
  let lidx2: i32 = i32(local_id.z);
  let alu0: i32 = lidx2 * 20;
  let lidx1: i32 = i32(local_id.y);
  let lidx0: i32 = i32(local_id.x);
  let idx0: i32 = lidx2 * 25 + lidx1 * 5;
  let val0: f32 = data1[idx0];
  let val1: f32 = data1[idx0 + 1];
  let alu1: f32 = select(val0, val1, (val1 > val0) | !(val1 == val1));
  let val2: f32 = data1[idx0 + 2];
  let alu2: f32 = select(alu1, val2, (val2 > alu1) | !(val2 == val2));
  let val3: f32 = data1[idx0 + 3];
  let alu3: f32 = select(alu2, val3, (val3 > alu2) | !(val3 == val3));
  let val4: f32 = data1[idx0 + 4];
  let alu4: f32 = select(alu3, val4, (val4 > alu3) | !(val4 == val4));
  let alu5: f32 = val0 - alu4;
  let alu6: f32 = select(alu5, 89.0f, (89.0f < alu5) | !(89.0f == 89.0f));
  let alu7: f32 = select(alu6, -176.0f, (-176.0f > alu6) | !(-176.0f == -176.0f));
  let alu8: f32 = fma(alu7, 1.442695f, 12582912.0f);
  let alu9: f32 = alu8 - 12582912.0f;
  let alu10: f32 = fma(alu9, 0.00021219444f, fma(alu9, -0.6933594f, alu7));
  let alu11: f32 = fma(alu10, fma(alu10, fma(alu10, 0.0013821024f, 0.00836867f), 0.041668262f), 0.16666521f);
  let alu12: i32 = bitcast<i32>(alu8);
  let alu13: i32 = (alu12 << u32(22)) & -8388608;
  let alu14: f32 = fma(alu10, fma(alu10, fma(alu10, alu11, 0.49999994f), 1.0f), 1.0f) * bitcast<f32>(alu13 + 1065353216);
  let alu15: f32 = alu14 * bitcast<f32>((alu12 << u32(23)) - alu13 + 1065353216);
  let alu16: f32 = val1 - alu4;
  let alu17: f32 = select(alu16, 89.0f, (89.0f < alu16) | !(89.0f == 89.0f));
  let alu18: f32 = select(alu17, -176.0f, (-176.0f > alu17) | !(-176.0f == -176.0f));
  let alu19: f32 = fma(alu18, 1.442695f, 12582912.0f);
  let alu20: f32 = alu19 - 12582912.0f;
  let alu21: f32 = fma(alu20, 0.00021219444f, fma(alu20, -0.6933594f, alu18));
  let alu22: f32 = fma(alu21, fma(alu21, fma(alu21, 0.0013821024f, 0.00836867f), 0.041668262f), 0.16666521f);
  let alu23: i32 = bitcast<i32>(alu19);
  let alu24: i32 = (alu23 << u32(22)) & -8388608;
  let alu25: f32 = fma(alu21, fma(alu21, fma(alu21, alu22, 0.49999994f), 1.0f), 1.0f) * bitcast<f32>(alu24 + 1065353216);
  let alu26: f32 = alu25 * bitcast<f32>((alu23 << u32(23)) - alu24 + 1065353216);
  let alu27: f32 = val2 - alu4;
  let alu28: f32 = select(alu27, 89.0f, (89.0f < alu27) | !(89.0f == 89.0f));
  let alu29: f32 = select(alu28, -176.0f, (-176.0f > alu28) | !(-176.0f == -176.0f));
  let alu30: f32 = fma(alu29, 1.442695f, 12582912.0f);
  let alu31: f32 = alu30 - 12582912.0f;
  let alu32: f32 = fma(alu31, 0.00021219444f, fma(alu31, -0.6933594f, alu29));
  let alu33: f32 = fma(alu32, fma(alu32, fma(alu32, 0.0013821024f, 0.00836867f), 0.041668262f), 0.16666521f);
  let alu34: i32 = bitcast<i32>(alu30);
  let alu35: i32 = (alu34 << u32(22)) & -8388608;
  let alu36: f32 = fma(alu32, fma(alu32, fma(alu32, alu33, 0.49999994f), 1.0f), 1.0f) * bitcast<f32>(alu35 + 1065353216);
  let alu37: f32 = alu36 * bitcast<f32>((alu34 << u32(23)) - alu35 + 1065353216);
  let alu38: f32 = val3 - alu4;
  let alu39: f32 = select(alu38, 89.0f, (89.0f < alu38) | !(89.0f == 89.0f));
  let alu40: f32 = select(alu39, -176.0f, (-176.0f > alu39) | !(-176.0f == -176.0f));
  let alu41: f32 = fma(alu40, 1.442695f, 12582912.0f);
  let alu42: f32 = alu41 - 12582912.0f;
  let alu43: f32 = fma(alu42, 0.00021219444f, fma(alu42, -0.6933594f, alu40));
  let alu44: f32 = fma(alu43, fma(alu43, fma(alu43, 0.0013821024f, 0.00836867f), 0.041668262f), 0.16666521f);
  let alu45: i32 = bitcast<i32>(alu41);
  let alu46: i32 = (alu45 << u32(22)) & -8388608;
  let alu47: f32 = fma(alu43, fma(alu43, fma(alu43, alu44, 0.49999994f), 1.0f), 1.0f) * bitcast<f32>(alu46 + 1065353216);
  let alu48: f32 = alu47 * bitcast<f32>((alu45 << u32(23)) - alu46 + 1065353216);
  let alu49: f32 = val4 - alu4;
  let alu50: f32 = select(alu49, 89.0f, (89.0f < alu49) | !(89.0f == 89.0f));
  let alu51: f32 = select(alu50, -176.0f, (-176.0f > alu50) | !(-176.0f == -176.0f));
  let alu52: f32 = fma(alu51, 1.442695f, 12582912.0f);
  let alu53: f32 = alu52 - 12582912.0f;
  let alu54: f32 = fma(alu53, 0.00021219444f, fma(alu53, -0.6933594f, alu51));
  let alu55: f32 = fma(alu54, fma(alu54, fma(alu54, 0.0013821024f, 0.00836867f), 0.041668262f), 0.16666521f);
  let alu56: i32 = bitcast<i32>(alu52);
  let alu57: i32 = (alu56 << u32(22)) & -8388608;
  let alu58: f32 = fma(alu54, fma(alu54, fma(alu54, alu55, 0.49999994f), 1.0f), 1.0f) * bitcast<f32>(alu57 + 1065353216);
  let alu59: f32 = alu58 * bitcast<f32>((alu56 << u32(23)) - alu57 + 1065353216);
  let alu60: f32 = 1.0f / (alu15 + alu26 + alu37 + alu48 + alu59);
  let idx1: i32 = alu0 + lidx0;
  let alu61: f32 = alu15 * alu60 * data2[idx1] + alu26 * alu60 * data2[idx1 + 4] + alu37 * alu60 * data2[idx1 + 8];
  data0[alu0 + lidx1 * 4 + lidx0] = alu61 + alu48 * alu60 * data2[idx1 + 12] + alu59 * alu60 * data2[idx1 + 16];
}
