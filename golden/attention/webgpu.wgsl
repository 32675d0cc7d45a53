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
fn r_2_5_4_5_5_5(
    @builtin(local_invocation_id) local_id: vec3<u32>,
    @builtin(global_invocation_id) item: vec3<u32>) {
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
  let alu8: f32 = fma(alu7, 1.442695f, 12583166.0f);
  let alu9: f32 = bitcast<f32>(bitcast<u32>(alu8) ^ (item.x >> 31)) - 12583166.0f;
  let alu10: f32 = bitcast<f32>(bitcast<u32>(fma(alu9, -0.6933594f, alu7)) ^ (item.x >> 31));
  let alu11: f32 = fma(alu9, 0.00021219444f, alu10);
  let alu12: f32 = fma(alu11, fma(alu11, fma(alu11, 0.0013821024f, 0.00836867f), 0.041668262f), 0.16666521f);
  let alu13: i32 = bitcast<i32>(alu8);
  let alu14: i32 = (alu13 << u32(22)) & 2139095040;
  let alu15: f32 = fma(alu11, fma(alu11, fma(alu11, alu12, 0.49999994f), 1.0f), 1.0f) * bitcast<f32>(alu14);
  let alu16: f32 = alu15 * bitcast<f32>((alu13 << u32(23)) - alu14);
  let alu17: f32 = val1 - alu4;
  let alu18: f32 = select(alu17, 89.0f, (89.0f < alu17) | !(89.0f == 89.0f));
  let alu19: f32 = select(alu18, -176.0f, (-176.0f > alu18) | !(-176.0f == -176.0f));
  let alu20: f32 = fma(alu19, 1.442695f, 12583166.0f);
  let alu21: f32 = bitcast<f32>(bitcast<u32>(alu20) ^ (item.x >> 31)) - 12583166.0f;
  let alu22: f32 = bitcast<f32>(bitcast<u32>(fma(alu21, -0.6933594f, alu19)) ^ (item.x >> 31));
  let alu23: f32 = fma(alu21, 0.00021219444f, alu22);
  let alu24: f32 = fma(alu23, fma(alu23, fma(alu23, 0.0013821024f, 0.00836867f), 0.041668262f), 0.16666521f);
  let alu25: i32 = bitcast<i32>(alu20);
  let alu26: i32 = (alu25 << u32(22)) & 2139095040;
  let alu27: f32 = fma(alu23, fma(alu23, fma(alu23, alu24, 0.49999994f), 1.0f), 1.0f) * bitcast<f32>(alu26);
  let alu28: f32 = alu27 * bitcast<f32>((alu25 << u32(23)) - alu26);
  let alu29: f32 = val2 - alu4;
  let alu30: f32 = select(alu29, 89.0f, (89.0f < alu29) | !(89.0f == 89.0f));
  let alu31: f32 = select(alu30, -176.0f, (-176.0f > alu30) | !(-176.0f == -176.0f));
  let alu32: f32 = fma(alu31, 1.442695f, 12583166.0f);
  let alu33: f32 = bitcast<f32>(bitcast<u32>(alu32) ^ (item.x >> 31)) - 12583166.0f;
  let alu34: f32 = bitcast<f32>(bitcast<u32>(fma(alu33, -0.6933594f, alu31)) ^ (item.x >> 31));
  let alu35: f32 = fma(alu33, 0.00021219444f, alu34);
  let alu36: f32 = fma(alu35, fma(alu35, fma(alu35, 0.0013821024f, 0.00836867f), 0.041668262f), 0.16666521f);
  let alu37: i32 = bitcast<i32>(alu32);
  let alu38: i32 = (alu37 << u32(22)) & 2139095040;
  let alu39: f32 = fma(alu35, fma(alu35, fma(alu35, alu36, 0.49999994f), 1.0f), 1.0f) * bitcast<f32>(alu38);
  let alu40: f32 = alu39 * bitcast<f32>((alu37 << u32(23)) - alu38);
  let alu41: f32 = val3 - alu4;
  let alu42: f32 = select(alu41, 89.0f, (89.0f < alu41) | !(89.0f == 89.0f));
  let alu43: f32 = select(alu42, -176.0f, (-176.0f > alu42) | !(-176.0f == -176.0f));
  let alu44: f32 = fma(alu43, 1.442695f, 12583166.0f);
  let alu45: f32 = bitcast<f32>(bitcast<u32>(alu44) ^ (item.x >> 31)) - 12583166.0f;
  let alu46: f32 = bitcast<f32>(bitcast<u32>(fma(alu45, -0.6933594f, alu43)) ^ (item.x >> 31));
  let alu47: f32 = fma(alu45, 0.00021219444f, alu46);
  let alu48: f32 = fma(alu47, fma(alu47, fma(alu47, 0.0013821024f, 0.00836867f), 0.041668262f), 0.16666521f);
  let alu49: i32 = bitcast<i32>(alu44);
  let alu50: i32 = (alu49 << u32(22)) & 2139095040;
  let alu51: f32 = fma(alu47, fma(alu47, fma(alu47, alu48, 0.49999994f), 1.0f), 1.0f) * bitcast<f32>(alu50);
  let alu52: f32 = alu51 * bitcast<f32>((alu49 << u32(23)) - alu50);
  let alu53: f32 = val4 - alu4;
  let alu54: f32 = select(alu53, 89.0f, (89.0f < alu53) | !(89.0f == 89.0f));
  let alu55: f32 = select(alu54, -176.0f, (-176.0f > alu54) | !(-176.0f == -176.0f));
  let alu56: f32 = fma(alu55, 1.442695f, 12583166.0f);
  let alu57: f32 = bitcast<f32>(bitcast<u32>(alu56) ^ (item.x >> 31)) - 12583166.0f;
  let alu58: f32 = bitcast<f32>(bitcast<u32>(fma(alu57, -0.6933594f, alu55)) ^ (item.x >> 31));
  let alu59: f32 = fma(alu57, 0.00021219444f, alu58);
  let alu60: f32 = fma(alu59, fma(alu59, fma(alu59, 0.0013821024f, 0.00836867f), 0.041668262f), 0.16666521f);
  let alu61: i32 = bitcast<i32>(alu56);
  let alu62: i32 = (alu61 << u32(22)) & 2139095040;
  let alu63: f32 = fma(alu59, fma(alu59, fma(alu59, alu60, 0.49999994f), 1.0f), 1.0f) * bitcast<f32>(alu62);
  let alu64: f32 = alu63 * bitcast<f32>((alu61 << u32(23)) - alu62);
  let alu65: f32 = 1.0f / (alu16 + alu28 + alu40 + alu52 + alu64);
  let idx1: i32 = alu0 + lidx0;
  let alu66: f32 = alu16 * alu65 * data2[idx1] + alu28 * alu65 * data2[idx1 + 4] + alu40 * alu65 * data2[idx1 + 8];
  data0[alu0 + lidx1 * 4 + lidx0] = alu66 + alu52 * alu65 * data2[idx1 + 12] + alu64 * alu65 * data2[idx1 + 16];
}
