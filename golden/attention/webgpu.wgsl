// kernel 0: r_2_5_5_4, launch ((2, 1, 1), (5, 5, 1))
var<private> infinity: u32 = 0x7f800000u;

@group(0) @binding(0) var<storage, read_write> data0: array<f32>;
@group(0) @binding(1) var<storage, read_write> data1: array<f32>;
@group(0) @binding(2) var<storage, read_write> data2: array<f32>;

@compute @workgroup_size(5, 5, 1)
fn r_2_5_5_4(
    @builtin(workgroup_id) group_id: vec3<u32>,
    @builtin(local_invocation_id) local_id: vec3<u32>) {
  let gidx0: i32 = i32(group_id.x);
  let lidx1: i32 = i32(local_id.y);
  let lidx0: i32 = i32(local_id.x);
  let alu0: i32 = gidx0 * 20;
  let idx0: i32 = alu0 + lidx1 * 4;
  let idx1: i32 = alu0 + lidx0 * 4;
  let alu1: f32 = data1[idx0] * data2[idx1] + data1[idx0 + 1] * data2[idx1 + 1] + data1[idx0 + 2] * data2[idx1 + 2];
  data0[gidx0 * 25 + lidx1 * 5 + lidx0] = (alu1 + data1[idx0 + 3] * data2[idx1 + 3]) / 2.0f;
}

// kernel 1: r_2_5_4_5_5_5, launch ((2, 1, 1), (4, 5, 1))
var<private> infinity: u32 = 0x7f800000u;

@group(0) @binding(0) var<storage, read_write> data0: array<f32>;
@group(0) @binding(1) var<storage, read_write> data1: array<f32>;
@group(0) @binding(2) var<storage, read_write> data2: array<f32>;

@compute @workgroup_size(4, 5, 1)
fn r_2_5_4_5_5_5(
    @builtin(workgroup_id) group_id: vec3<u32>,
    @builtin(local_invocation_id) local_id: vec3<u32>) {
  let gidx0: i32 = i32(group_id.x);
  let alu0: i32 = gidx0 * 20;
  let lidx1: i32 = i32(local_id.y);
  let lidx0: i32 = i32(local_id.x);
  let idx0: i32 = gidx0 * 25 + lidx1 * 5;
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
  let alu6: bool = alu5 < -104.0f;
  let alu7: f32 = select(select(alu5, 89.0f, 89.0f < alu5), 0.0f, alu6);
  let alu8: i32 = bitcast<i32>(fma(alu7, 1.442695f, 12582912.0f)) - 1262485504;
  let cast0: f32 = f32(alu8);
  let alu9: f32 = fma(cast0, 0.00021219444f, fma(cast0, -0.6933594f, alu7));
  let alu10: f32 = fma(alu9, fma(alu9, fma(alu9, 0.0013821024f, 0.00836867f), 0.041668262f), 0.16666521f);
  let alu11: i32 = alu8 >> u32(1);
  let alu12: f32 = (1.0f + fma(alu9 * alu9, fma(alu9, alu10, 0.49999994f), alu9)) * bitcast<f32>((alu11 + 127) << u32(23));
  let alu13: f32 = select(alu12 * bitcast<f32>((alu8 - alu11 + 127) << u32(23)), 0.0f, alu6);
  let alu14: f32 = val1 - alu4;
  let alu15: bool = alu14 < -104.0f;
  let alu16: f32 = select(select(alu14, 89.0f, 89.0f < alu14), 0.0f, alu15);
  let alu17: i32 = bitcast<i32>(fma(alu16, 1.442695f, 12582912.0f)) - 1262485504;
  let cast1: f32 = f32(alu17);
  let alu18: f32 = fma(cast1, 0.00021219444f, fma(cast1, -0.6933594f, alu16));
  let alu19: f32 = fma(alu18, fma(alu18, fma(alu18, 0.0013821024f, 0.00836867f), 0.041668262f), 0.16666521f);
  let alu20: i32 = alu17 >> u32(1);
  let alu21: f32 = (1.0f + fma(alu18 * alu18, fma(alu18, alu19, 0.49999994f), alu18)) * bitcast<f32>((alu20 + 127) << u32(23));
  let alu22: f32 = select(alu21 * bitcast<f32>((alu17 - alu20 + 127) << u32(23)), 0.0f, alu15);
  let alu23: f32 = val2 - alu4;
  let alu24: bool = alu23 < -104.0f;
  let alu25: f32 = select(select(alu23, 89.0f, 89.0f < alu23), 0.0f, alu24);
  let alu26: i32 = bitcast<i32>(fma(alu25, 1.442695f, 12582912.0f)) - 1262485504;
  let cast2: f32 = f32(alu26);
  let alu27: f32 = fma(cast2, 0.00021219444f, fma(cast2, -0.6933594f, alu25));
  let alu28: f32 = fma(alu27, fma(alu27, fma(alu27, 0.0013821024f, 0.00836867f), 0.041668262f), 0.16666521f);
  let alu29: i32 = alu26 >> u32(1);
  let alu30: f32 = (1.0f + fma(alu27 * alu27, fma(alu27, alu28, 0.49999994f), alu27)) * bitcast<f32>((alu29 + 127) << u32(23));
  let alu31: f32 = select(alu30 * bitcast<f32>((alu26 - alu29 + 127) << u32(23)), 0.0f, alu24);
  let alu32: f32 = val3 - alu4;
  let alu33: bool = alu32 < -104.0f;
  let alu34: f32 = select(select(alu32, 89.0f, 89.0f < alu32), 0.0f, alu33);
  let alu35: i32 = bitcast<i32>(fma(alu34, 1.442695f, 12582912.0f)) - 1262485504;
  let cast3: f32 = f32(alu35);
  let alu36: f32 = fma(cast3, 0.00021219444f, fma(cast3, -0.6933594f, alu34));
  let alu37: f32 = fma(alu36, fma(alu36, fma(alu36, 0.0013821024f, 0.00836867f), 0.041668262f), 0.16666521f);
  let alu38: i32 = alu35 >> u32(1);
  let alu39: f32 = (1.0f + fma(alu36 * alu36, fma(alu36, alu37, 0.49999994f), alu36)) * bitcast<f32>((alu38 + 127) << u32(23));
  let alu40: f32 = select(alu39 * bitcast<f32>((alu35 - alu38 + 127) << u32(23)), 0.0f, alu33);
  let alu41: f32 = val4 - alu4;
  let alu42: bool = alu41 < -104.0f;
  let alu43: f32 = select(select(alu41, 89.0f, 89.0f < alu41), 0.0f, alu42);
  let alu44: i32 = bitcast<i32>(fma(alu43, 1.442695f, 12582912.0f)) - 1262485504;
  let cast4: f32 = f32(alu44);
  let alu45: f32 = fma(cast4, 0.00021219444f, fma(cast4, -0.6933594f, alu43));
  let alu46: f32 = fma(alu45, fma(alu45, fma(alu45, 0.0013821024f, 0.00836867f), 0.041668262f), 0.16666521f);
  let alu47: i32 = alu44 >> u32(1);
  let alu48: f32 = (1.0f + fma(alu45 * alu45, fma(alu45, alu46, 0.49999994f), alu45)) * bitcast<f32>((alu47 + 127) << u32(23));
  let alu49: f32 = select(alu48 * bitcast<f32>((alu44 - alu47 + 127) << u32(23)), 0.0f, alu42);
  let alu50: f32 = alu13 + alu22 + alu31 + alu40 + alu49;
  let idx1: i32 = alu0 + lidx0;
  let alu51: f32 = alu13 / alu50 * data2[idx1] + alu22 / alu50 * data2[idx1 + 4] + alu31 / alu50 * data2[idx1 + 8];
  data0[alu0 + lidx1 * 4 + lidx0] = alu51 + alu40 / alu50 * data2[idx1 + 12] + alu49 / alu50 * data2[idx1 + 16];
}
