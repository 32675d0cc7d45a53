// kernel 0: r_8_10_10, launch ((1, 1, 1), (8, 1, 1))
var<private> infinity: u32 = 0x7f800000u;

@group(0) @binding(0) var<storage, read_write> data0: array<f32>;
@group(0) @binding(1) var<storage, read_write> data1: array<i32>;
@group(0) @binding(2) var<storage, read_write> data2: array<f32>;

@compute @workgroup_size(8, 1, 1)
fn r_8_10_10(@builtin(local_invocation_id) local_id: vec3<u32>) {
  let lidx0: i64 = i64(local_id.x);
  let val0: i32 = data1[lidx0];
  let alu0: bool = (0 <= val0) & (val0 < 10);
  let idx0: i64 = lidx0 * 10;
  let val1: f32 = data2[idx0];
  let val2: f32 = data2[idx0 + 1];
  let alu1: f32 = select(val1, val2, (val2 > val1) | !(val2 == val2));
  let val3: f32 = data2[idx0 + 2];
  let alu2: f32 = select(alu1, val3, (val3 > alu1) | !(val3 == val3));
  let val4: f32 = data2[idx0 + 3];
  let alu3: f32 = select(alu2, val4, (val4 > alu2) | !(val4 == val4));
  let val5: f32 = data2[idx0 + 4];
  let alu4: f32 = select(alu3, val5, (val5 > alu3) | !(val5 == val5));
  let val6: f32 = data2[idx0 + 5];
  let alu5: f32 = select(alu4, val6, (val6 > alu4) | !(val6 == val6));
  let val7: f32 = data2[idx0 + 6];
  let alu6: f32 = select(alu5, val7, (val7 > alu5) | !(val7 == val7));
  let val8: f32 = data2[idx0 + 7];
  let alu7: f32 = select(alu6, val8, (val8 > alu6) | !(val8 == val8));
  let val9: f32 = data2[idx0 + 8];
  let alu8: f32 = select(alu7, val9, (val9 > alu7) | !(val9 == val9));
  let val10: f32 = data2[idx0 + 9];
  let alu9: f32 = select(alu8, val10, (val10 > alu8) | !(val10 == val10));
  let alu10: f32 = val1 - alu9;
  let alu11: f32 = select(alu10, 89.0f, (89.0f < alu10) | !(89.0f == 89.0f));
  let alu12: f32 = select(alu11, -176.0f, (-176.0f > alu11) | !(-176.0f == -176.0f));
  let alu13: f32 = fma(alu12, 1.442695f, 12582912.0f);
  let alu14: f32 = alu13 - 12582912.0f;
  let alu15: f32 = fma(alu14, 0.00021219444f, fma(alu14, -0.6933594f, alu12));
  let alu16: f32 = fma(alu15, fma(alu15, fma(alu15, 0.0013821024f, 0.00836867f), 0.041668262f), 0.16666521f);
  let alu17: i32 = bitcast<i32>(alu13);
  let alu18: i32 = (alu17 << u32(22)) & -8388608;
  let alu19: f32 = fma(alu15, fma(alu15, fma(alu15, alu16, 0.49999994f), 1.0f), 1.0f) * bitcast<f32>(alu18 + 1065353216);
  let alu20: f32 = val2 - alu9;
  let alu21: f32 = select(alu20, 89.0f, (89.0f < alu20) | !(89.0f == 89.0f));
  let alu22: f32 = select(alu21, -176.0f, (-176.0f > alu21) | !(-176.0f == -176.0f));
  let alu23: f32 = fma(alu22, 1.442695f, 12582912.0f);
  let alu24: f32 = alu23 - 12582912.0f;
  let alu25: f32 = fma(alu24, 0.00021219444f, fma(alu24, -0.6933594f, alu22));
  let alu26: f32 = fma(alu25, fma(alu25, fma(alu25, 0.0013821024f, 0.00836867f), 0.041668262f), 0.16666521f);
  let alu27: i32 = bitcast<i32>(alu23);
  let alu28: i32 = (alu27 << u32(22)) & -8388608;
  let alu29: f32 = fma(alu25, fma(alu25, fma(alu25, alu26, 0.49999994f), 1.0f), 1.0f) * bitcast<f32>(alu28 + 1065353216);
  let alu30: f32 = alu19 * bitcast<f32>((alu17 << u32(23)) - alu18 + 1065353216) + alu29 * bitcast<f32>((alu27 << u32(23)) - alu28 + 1065353216);
  let alu31: f32 = val3 - alu9;
  let alu32: f32 = select(alu31, 89.0f, (89.0f < alu31) | !(89.0f == 89.0f));
  let alu33: f32 = select(alu32, -176.0f, (-176.0f > alu32) | !(-176.0f == -176.0f));
  let alu34: f32 = fma(alu33, 1.442695f, 12582912.0f);
  let alu35: f32 = alu34 - 12582912.0f;
  let alu36: f32 = fma(alu35, 0.00021219444f, fma(alu35, -0.6933594f, alu33));
  let alu37: f32 = fma(alu36, fma(alu36, fma(alu36, 0.0013821024f, 0.00836867f), 0.041668262f), 0.16666521f);
  let alu38: i32 = bitcast<i32>(alu34);
  let alu39: i32 = (alu38 << u32(22)) & -8388608;
  let alu40: f32 = fma(alu36, fma(alu36, fma(alu36, alu37, 0.49999994f), 1.0f), 1.0f) * bitcast<f32>(alu39 + 1065353216);
  let alu41: f32 = val4 - alu9;
  let alu42: f32 = select(alu41, 89.0f, (89.0f < alu41) | !(89.0f == 89.0f));
  let alu43: f32 = select(alu42, -176.0f, (-176.0f > alu42) | !(-176.0f == -176.0f));
  let alu44: f32 = fma(alu43, 1.442695f, 12582912.0f);
  let alu45: f32 = alu44 - 12582912.0f;
  let alu46: f32 = fma(alu45, 0.00021219444f, fma(alu45, -0.6933594f, alu43));
  let alu47: f32 = fma(alu46, fma(alu46, fma(alu46, 0.0013821024f, 0.00836867f), 0.041668262f), 0.16666521f);
  let alu48: i32 = bitcast<i32>(alu44);
  let alu49: i32 = (alu48 << u32(22)) & -8388608;
  let alu50: f32 = fma(alu46, fma(alu46, fma(alu46, alu47, 0.49999994f), 1.0f), 1.0f) * bitcast<f32>(alu49 + 1065353216);
  let alu51: f32 = alu30 + alu40 * bitcast<f32>((alu38 << u32(23)) - alu39 + 1065353216) + alu50 * bitcast<f32>((alu48 << u32(23)) - alu49 + 1065353216);
  let alu52: f32 = val5 - alu9;
  let alu53: f32 = select(alu52, 89.0f, (89.0f < alu52) | !(89.0f == 89.0f));
  let alu54: f32 = select(alu53, -176.0f, (-176.0f > alu53) | !(-176.0f == -176.0f));
  let alu55: f32 = fma(alu54, 1.442695f, 12582912.0f);
  let alu56: f32 = alu55 - 12582912.0f;
  let alu57: f32 = fma(alu56, 0.00021219444f, fma(alu56, -0.6933594f, alu54));
  let alu58: f32 = fma(alu57, fma(alu57, fma(alu57, 0.0013821024f, 0.00836867f), 0.041668262f), 0.16666521f);
  let alu59: i32 = bitcast<i32>(alu55);
  let alu60: i32 = (alu59 << u32(22)) & -8388608;
  let alu61: f32 = fma(alu57, fma(alu57, fma(alu57, alu58, 0.49999994f), 1.0f), 1.0f) * bitcast<f32>(alu60 + 1065353216);
  let alu62: f32 = val6 - alu9;
  let alu63: f32 = select(alu62, 89.0f, (89.0f < alu62) | !(89.0f == 89.0f));
  let alu64: f32 = select(alu63, -176.0f, (-176.0f > alu63) | !(-176.0f == -176.0f));
  let alu65: f32 = fma(alu64, 1.442695f, 12582912.0f);
  let alu66: f32 = alu65 - 12582912.0f;
  let alu67: f32 = fma(alu66, 0.00021219444f, fma(alu66, -0.6933594f, alu64));
  let alu68: f32 = fma(alu67, fma(alu67, fma(alu67, 0.0013821024f, 0.00836867f), 0.041668262f), 0.16666521f);
  let alu69: i32 = bitcast<i32>(alu65);
  let alu70: i32 = (alu69 << u32(22)) & -8388608;
  let alu71: f32 = fma(alu67, fma(alu67, fma(alu67, alu68, 0.49999994f), 1.0f), 1.0f) * bitcast<f32>(alu70 + 1065353216);
  let alu72: f32 = alu51 + alu61 * bitcast<f32>((alu59 << u32(23)) - alu60 + 1065353216) + alu71 * bitcast<f32>((alu69 << u32(23)) - alu70 + 1065353216);
  let alu73: f32 = val7 - alu9;
  let alu74: f32 = select(alu73, 89.0f, (89.0f < alu73) | !(89.0f == 89.0f));
  let alu75: f32 = select(alu74, -176.0f, (-176.0f > alu74) | !(-176.0f == -176.0f));
  let alu76: f32 = fma(alu75, 1.442695f, 12582912.0f);
  let alu77: f32 = alu76 - 12582912.0f;
  let alu78: f32 = fma(alu77, 0.00021219444f, fma(alu77, -0.6933594f, alu75));
  let alu79: f32 = fma(alu78, fma(alu78, fma(alu78, 0.0013821024f, 0.00836867f), 0.041668262f), 0.16666521f);
  let alu80: i32 = bitcast<i32>(alu76);
  let alu81: i32 = (alu80 << u32(22)) & -8388608;
  let alu82: f32 = fma(alu78, fma(alu78, fma(alu78, alu79, 0.49999994f), 1.0f), 1.0f) * bitcast<f32>(alu81 + 1065353216);
  let alu83: f32 = val8 - alu9;
  let alu84: f32 = select(alu83, 89.0f, (89.0f < alu83) | !(89.0f == 89.0f));
  let alu85: f32 = select(alu84, -176.0f, (-176.0f > alu84) | !(-176.0f == -176.0f));
  let alu86: f32 = fma(alu85, 1.442695f, 12582912.0f);
  let alu87: f32 = alu86 - 12582912.0f;
  let alu88: f32 = fma(alu87, 0.00021219444f, fma(alu87, -0.6933594f, alu85));
  let alu89: f32 = fma(alu88, fma(alu88, fma(alu88, 0.0013821024f, 0.00836867f), 0.041668262f), 0.16666521f);
  let alu90: i32 = bitcast<i32>(alu86);
  let alu91: i32 = (alu90 << u32(22)) & -8388608;
  let alu92: f32 = fma(alu88, fma(alu88, fma(alu88, alu89, 0.49999994f), 1.0f), 1.0f) * bitcast<f32>(alu91 + 1065353216);
  let alu93: f32 = alu72 + alu82 * bitcast<f32>((alu80 << u32(23)) - alu81 + 1065353216) + alu92 * bitcast<f32>((alu90 << u32(23)) - alu91 + 1065353216);
  let alu94: f32 = val9 - alu9;
  let alu95: f32 = select(alu94, 89.0f, (89.0f < alu94) | !(89.0f == 89.0f));
  let alu96: f32 = select(alu95, -176.0f, (-176.0f > alu95) | !(-176.0f == -176.0f));
  let alu97: f32 = fma(alu96, 1.442695f, 12582912.0f);
  let alu98: f32 = alu97 - 12582912.0f;
  let alu99: f32 = fma(alu98, 0.00021219444f, fma(alu98, -0.6933594f, alu96));
  let alu100: f32 = fma(alu99, fma(alu99, fma(alu99, 0.0013821024f, 0.00836867f), 0.041668262f), 0.16666521f);
  let alu101: i32 = bitcast<i32>(alu97);
  let alu102: i32 = (alu101 << u32(22)) & -8388608;
  let alu103: f32 = fma(alu99, fma(alu99, fma(alu99, alu100, 0.49999994f), 1.0f), 1.0f) * bitcast<f32>(alu102 + 1065353216);
  let alu104: f32 = val10 - alu9;
  let alu105: f32 = select(alu104, 89.0f, (89.0f < alu104) | !(89.0f == 89.0f));
  let alu106: f32 = select(alu105, -176.0f, (-176.0f > alu105) | !(-176.0f == -176.0f));
  let alu107: f32 = fma(alu106, 1.442695f, 12582912.0f);
  let alu108: f32 = alu107 - 12582912.0f;
  let alu109: f32 = fma(alu108, 0.00021219444f, fma(alu108, -0.6933594f, alu106));
  let alu110: f32 = fma(alu109, fma(alu109, fma(alu109, 0.0013821024f, 0.00836867f), 0.041668262f), 0.16666521f);
  let alu111: i32 = bitcast<i32>(alu107);
  let alu112: i32 = (alu111 << u32(22)) & -8388608;
  let alu113: f32 = fma(alu109, fma(alu109, fma(alu109, alu110, 0.49999994f), 1.0f), 1.0f) * bitcast<f32>(alu112 + 1065353216);
  let alu114: f32 = alu93 + alu103 * bitcast<f32>((alu101 << u32(23)) - alu102 + 1065353216) + alu113 * bitcast<f32>((alu111 << u32(23)) - alu112 + 1065353216);
  let alu115: bool = alu114 < 1.1754944e-38f;
  let alu116: i32 = bitcast<i32>(select(alu114, alu114 * 8388608.0f, alu115));
  let alu117: i32 = (alu116 - 1060439283) >> u32(23);
  let cast0: f32 = f32(alu117 - select(0i, 23i, alu115));
  let alu118: f32 = bitcast<f32>(alu116 - (alu117 << u32(23))) - 1.0f;
  let alu119: f32 = alu118 * alu118;
  let alu120: f32 = fma(alu118, fma(alu118, fma(alu118, 0.06751542f, -0.11672526f), 0.11883893f), -0.124059126f);
  let alu121: f32 = fma(alu118, fma(alu118, fma(alu118, alu120, 0.1422028f), -0.16668f), 0.20002075f);
  let alu122: f32 = alu118 * alu119 * fma(alu118, fma(alu118, alu121, -0.2500001f), 0.33333313f);
  let alu123: f32 = fma(cast0, 0.6933594f, alu118 + fma(-0.5f, alu119, fma(cast0, -0.00021219444f, alu122)));
  let alu124: f32 = select(bitcast<f32>(infinity | 0x400000u), -bitcast<f32>(infinity), alu114 == 0.0f);
  let alu125: f32 = select(alu124, select(alu114, alu123, alu114 < bitcast<f32>(infinity)), 0.0f < alu114);
  let alu126: f32 = select(0.0f, select(0.0f, data2[i64(val0) + idx0], alu0) - alu9 - alu125, alu0);
  data0[lidx0] = select(-alu126, 0.0f, val0 == -100);
}

// kernel 1: r_8_8, launch ((1, 1, 1), (1, 1, 1))
var<private> infinity: u32 = 0x7f800000u;

@group(0) @binding(0) var<storage, read_write> data0: array<f32>;
@group(0) @binding(1) var<storage, read_write> data1: array<f32>;
@group(0) @binding(2) var<storage, read_write> data2: array<i32>;

@compute @workgroup_size(1, 1, 1)
fn r_8_8() {
  var acc0: f32;
  var acc1: f32;
  acc0 = 0.0f;
  for (var r1: i32 = 0; r1 < 8; r1++) {
    acc0 = acc0 + data1[r1];
  }
  let val0: f32 = acc0;
  acc1 = 0.0f;
  for (var r0: i32 = 0; r0 < 8; r0++) {
    acc1 = acc1 + select(1.0f, 0.0f, data2[r0] == -100);
  }
  data0[0] = val0 / acc1;
}
