// kernel 0: r_8_10_10, launch ((1, 1, 1), (8, 1, 1))
var<private> infinity: u32 = 0x7f800000u;

@group(0) @binding(0) var<storage, read_write> data0: array<f32>;
@group(0) @binding(1) var<storage, read_write> data1: array<i32>;
@group(0) @binding(2) var<storage, read_write> data2: array<f32>;

@compute @workgroup_size(8, 1, 1)
fn r_8_10_10(
    @builtin(local_invocation_id) local_id: vec3<u32>,
    @builtin(global_invocation_id) item: vec3<u32>) {
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
  let alu13: f32 = fma(alu12, 1.442695f, 12583166.0f);
  let alu14: f32 = bitcast<f32>(bitcast<u32>(alu13) ^ (item.x >> 31)) - 12583166.0f;
  let alu15: f32 = bitcast<f32>(bitcast<u32>(fma(alu14, -0.6933594f, alu12)) ^ (item.x >> 31));
  let alu16: f32 = fma(alu14, 0.00021219444f, alu15);
  let alu17: f32 = fma(alu16, fma(alu16, fma(alu16, 0.0013821024f, 0.00836867f), 0.041668262f), 0.16666521f);
  let alu18: i32 = bitcast<i32>(alu13);
  let alu19: i32 = (alu18 << u32(22)) & 2139095040;
  let alu20: f32 = fma(alu16, fma(alu16, fma(alu16, alu17, 0.49999994f), 1.0f), 1.0f) * bitcast<f32>(alu19);
  let alu21: f32 = val2 - alu9;
  let alu22: f32 = select(alu21, 89.0f, (89.0f < alu21) | !(89.0f == 89.0f));
  let alu23: f32 = select(alu22, -176.0f, (-176.0f > alu22) | !(-176.0f == -176.0f));
  let alu24: f32 = fma(alu23, 1.442695f, 12583166.0f);
  let alu25: f32 = bitcast<f32>(bitcast<u32>(alu24) ^ (item.x >> 31)) - 12583166.0f;
  let alu26: f32 = bitcast<f32>(bitcast<u32>(fma(alu25, -0.6933594f, alu23)) ^ (item.x >> 31));
  let alu27: f32 = fma(alu25, 0.00021219444f, alu26);
  let alu28: f32 = fma(alu27, fma(alu27, fma(alu27, 0.0013821024f, 0.00836867f), 0.041668262f), 0.16666521f);
  let alu29: i32 = bitcast<i32>(alu24);
  let alu30: i32 = (alu29 << u32(22)) & 2139095040;
  let alu31: f32 = fma(alu27, fma(alu27, fma(alu27, alu28, 0.49999994f), 1.0f), 1.0f) * bitcast<f32>(alu30);
  let alu32: f32 = alu20 * bitcast<f32>((alu18 << u32(23)) - alu19) + alu31 * bitcast<f32>((alu29 << u32(23)) - alu30);
  let alu33: f32 = val3 - alu9;
  let alu34: f32 = select(alu33, 89.0f, (89.0f < alu33) | !(89.0f == 89.0f));
  let alu35: f32 = select(alu34, -176.0f, (-176.0f > alu34) | !(-176.0f == -176.0f));
  let alu36: f32 = fma(alu35, 1.442695f, 12583166.0f);
  let alu37: f32 = bitcast<f32>(bitcast<u32>(alu36) ^ (item.x >> 31)) - 12583166.0f;
  let alu38: f32 = bitcast<f32>(bitcast<u32>(fma(alu37, -0.6933594f, alu35)) ^ (item.x >> 31));
  let alu39: f32 = fma(alu37, 0.00021219444f, alu38);
  let alu40: f32 = fma(alu39, fma(alu39, fma(alu39, 0.0013821024f, 0.00836867f), 0.041668262f), 0.16666521f);
  let alu41: i32 = bitcast<i32>(alu36);
  let alu42: i32 = (alu41 << u32(22)) & 2139095040;
  let alu43: f32 = fma(alu39, fma(alu39, fma(alu39, alu40, 0.49999994f), 1.0f), 1.0f) * bitcast<f32>(alu42);
  let alu44: f32 = val4 - alu9;
  let alu45: f32 = select(alu44, 89.0f, (89.0f < alu44) | !(89.0f == 89.0f));
  let alu46: f32 = select(alu45, -176.0f, (-176.0f > alu45) | !(-176.0f == -176.0f));
  let alu47: f32 = fma(alu46, 1.442695f, 12583166.0f);
  let alu48: f32 = bitcast<f32>(bitcast<u32>(alu47) ^ (item.x >> 31)) - 12583166.0f;
  let alu49: f32 = bitcast<f32>(bitcast<u32>(fma(alu48, -0.6933594f, alu46)) ^ (item.x >> 31));
  let alu50: f32 = fma(alu48, 0.00021219444f, alu49);
  let alu51: f32 = fma(alu50, fma(alu50, fma(alu50, 0.0013821024f, 0.00836867f), 0.041668262f), 0.16666521f);
  let alu52: i32 = bitcast<i32>(alu47);
  let alu53: i32 = (alu52 << u32(22)) & 2139095040;
  let alu54: f32 = fma(alu50, fma(alu50, fma(alu50, alu51, 0.49999994f), 1.0f), 1.0f) * bitcast<f32>(alu53);
  let alu55: f32 = alu32 + alu43 * bitcast<f32>((alu41 << u32(23)) - alu42) + alu54 * bitcast<f32>((alu52 << u32(23)) - alu53);
  let alu56: f32 = val5 - alu9;
  let alu57: f32 = select(alu56, 89.0f, (89.0f < alu56) | !(89.0f == 89.0f));
  let alu58: f32 = select(alu57, -176.0f, (-176.0f > alu57) | !(-176.0f == -176.0f));
  let alu59: f32 = fma(alu58, 1.442695f, 12583166.0f);
  let alu60: f32 = bitcast<f32>(bitcast<u32>(alu59) ^ (item.x >> 31)) - 12583166.0f;
  let alu61: f32 = bitcast<f32>(bitcast<u32>(fma(alu60, -0.6933594f, alu58)) ^ (item.x >> 31));
  let alu62: f32 = fma(alu60, 0.00021219444f, alu61);
  let alu63: f32 = fma(alu62, fma(alu62, fma(alu62, 0.0013821024f, 0.00836867f), 0.041668262f), 0.16666521f);
  let alu64: i32 = bitcast<i32>(alu59);
  let alu65: i32 = (alu64 << u32(22)) & 2139095040;
  let alu66: f32 = fma(alu62, fma(alu62, fma(alu62, alu63, 0.49999994f), 1.0f), 1.0f) * bitcast<f32>(alu65);
  let alu67: f32 = val6 - alu9;
  let alu68: f32 = select(alu67, 89.0f, (89.0f < alu67) | !(89.0f == 89.0f));
  let alu69: f32 = select(alu68, -176.0f, (-176.0f > alu68) | !(-176.0f == -176.0f));
  let alu70: f32 = fma(alu69, 1.442695f, 12583166.0f);
  let alu71: f32 = bitcast<f32>(bitcast<u32>(alu70) ^ (item.x >> 31)) - 12583166.0f;
  let alu72: f32 = bitcast<f32>(bitcast<u32>(fma(alu71, -0.6933594f, alu69)) ^ (item.x >> 31));
  let alu73: f32 = fma(alu71, 0.00021219444f, alu72);
  let alu74: f32 = fma(alu73, fma(alu73, fma(alu73, 0.0013821024f, 0.00836867f), 0.041668262f), 0.16666521f);
  let alu75: i32 = bitcast<i32>(alu70);
  let alu76: i32 = (alu75 << u32(22)) & 2139095040;
  let alu77: f32 = fma(alu73, fma(alu73, fma(alu73, alu74, 0.49999994f), 1.0f), 1.0f) * bitcast<f32>(alu76);
  let alu78: f32 = alu55 + alu66 * bitcast<f32>((alu64 << u32(23)) - alu65) + alu77 * bitcast<f32>((alu75 << u32(23)) - alu76);
  let alu79: f32 = val7 - alu9;
  let alu80: f32 = select(alu79, 89.0f, (89.0f < alu79) | !(89.0f == 89.0f));
  let alu81: f32 = select(alu80, -176.0f, (-176.0f > alu80) | !(-176.0f == -176.0f));
  let alu82: f32 = fma(alu81, 1.442695f, 12583166.0f);
  let alu83: f32 = bitcast<f32>(bitcast<u32>(alu82) ^ (item.x >> 31)) - 12583166.0f;
  let alu84: f32 = bitcast<f32>(bitcast<u32>(fma(alu83, -0.6933594f, alu81)) ^ (item.x >> 31));
  let alu85: f32 = fma(alu83, 0.00021219444f, alu84);
  let alu86: f32 = fma(alu85, fma(alu85, fma(alu85, 0.0013821024f, 0.00836867f), 0.041668262f), 0.16666521f);
  let alu87: i32 = bitcast<i32>(alu82);
  let alu88: i32 = (alu87 << u32(22)) & 2139095040;
  let alu89: f32 = fma(alu85, fma(alu85, fma(alu85, alu86, 0.49999994f), 1.0f), 1.0f) * bitcast<f32>(alu88);
  let alu90: f32 = val8 - alu9;
  let alu91: f32 = select(alu90, 89.0f, (89.0f < alu90) | !(89.0f == 89.0f));
  let alu92: f32 = select(alu91, -176.0f, (-176.0f > alu91) | !(-176.0f == -176.0f));
  let alu93: f32 = fma(alu92, 1.442695f, 12583166.0f);
  let alu94: f32 = bitcast<f32>(bitcast<u32>(alu93) ^ (item.x >> 31)) - 12583166.0f;
  let alu95: f32 = bitcast<f32>(bitcast<u32>(fma(alu94, -0.6933594f, alu92)) ^ (item.x >> 31));
  let alu96: f32 = fma(alu94, 0.00021219444f, alu95);
  let alu97: f32 = fma(alu96, fma(alu96, fma(alu96, 0.0013821024f, 0.00836867f), 0.041668262f), 0.16666521f);
  let alu98: i32 = bitcast<i32>(alu93);
  let alu99: i32 = (alu98 << u32(22)) & 2139095040;
  let alu100: f32 = fma(alu96, fma(alu96, fma(alu96, alu97, 0.49999994f), 1.0f), 1.0f) * bitcast<f32>(alu99);
  let alu101: f32 = alu78 + alu89 * bitcast<f32>((alu87 << u32(23)) - alu88) + alu100 * bitcast<f32>((alu98 << u32(23)) - alu99);
  let alu102: f32 = val9 - alu9;
  let alu103: f32 = select(alu102, 89.0f, (89.0f < alu102) | !(89.0f == 89.0f));
  let alu104: f32 = select(alu103, -176.0f, (-176.0f > alu103) | !(-176.0f == -176.0f));
  let alu105: f32 = fma(alu104, 1.442695f, 12583166.0f);
  let alu106: f32 = bitcast<f32>(bitcast<u32>(alu105) ^ (item.x >> 31)) - 12583166.0f;
  let alu107: f32 = bitcast<f32>(bitcast<u32>(fma(alu106, -0.6933594f, alu104)) ^ (item.x >> 31));
  let alu108: f32 = fma(alu106, 0.00021219444f, alu107);
  let alu109: f32 = fma(alu108, fma(alu108, fma(alu108, 0.0013821024f, 0.00836867f), 0.041668262f), 0.16666521f);
  let alu110: i32 = bitcast<i32>(alu105);
  let alu111: i32 = (alu110 << u32(22)) & 2139095040;
  let alu112: f32 = fma(alu108, fma(alu108, fma(alu108, alu109, 0.49999994f), 1.0f), 1.0f) * bitcast<f32>(alu111);
  let alu113: f32 = val10 - alu9;
  let alu114: f32 = select(alu113, 89.0f, (89.0f < alu113) | !(89.0f == 89.0f));
  let alu115: f32 = select(alu114, -176.0f, (-176.0f > alu114) | !(-176.0f == -176.0f));
  let alu116: f32 = fma(alu115, 1.442695f, 12583166.0f);
  let alu117: f32 = bitcast<f32>(bitcast<u32>(alu116) ^ (item.x >> 31)) - 12583166.0f;
  let alu118: f32 = bitcast<f32>(bitcast<u32>(fma(alu117, -0.6933594f, alu115)) ^ (item.x >> 31));
  let alu119: f32 = fma(alu117, 0.00021219444f, alu118);
  let alu120: f32 = fma(alu119, fma(alu119, fma(alu119, 0.0013821024f, 0.00836867f), 0.041668262f), 0.16666521f);
  let alu121: i32 = bitcast<i32>(alu116);
  let alu122: i32 = (alu121 << u32(22)) & 2139095040;
  let alu123: f32 = fma(alu119, fma(alu119, fma(alu119, alu120, 0.49999994f), 1.0f), 1.0f) * bitcast<f32>(alu122);
  let alu124: f32 = alu101 + alu112 * bitcast<f32>((alu110 << u32(23)) - alu111) + alu123 * bitcast<f32>((alu121 << u32(23)) - alu122);
  let alu125: bool = alu124 < 1.1754944e-38f;
  let alu126: i32 = bitcast<i32>(select(alu124, alu124 * 8388608.0f, alu125));
  let alu127: i32 = (alu126 - 1060439283) >> u32(23);
  let cast0: f32 = f32(alu127 - select(0i, 23i, alu125));
  let alu128: f32 = bitcast<f32>(alu126 - (alu127 << u32(23))) - 1.0f;
  let alu129: f32 = alu128 * alu128;
  let alu130: f32 = fma(alu128, fma(alu128, fma(alu128, 0.06751542f, -0.11672526f), 0.11883893f), -0.124059126f);
  let alu131: f32 = fma(alu128, fma(alu128, fma(alu128, alu130, 0.1422028f), -0.16668f), 0.20002075f);
  let alu132: f32 = alu128 * alu129 * fma(alu128, fma(alu128, alu131, -0.2500001f), 0.33333313f);
  let alu133: f32 = fma(cast0, 0.6933594f, alu128 + fma(-0.5f, alu129, fma(cast0, -0.00021219444f, alu132)));
  let alu134: f32 = select(bitcast<f32>(infinity | 0x400000u), -bitcast<f32>(infinity), alu124 == 0.0f);
  let alu135: f32 = select(alu134, select(alu124, alu133, alu124 < bitcast<f32>(infinity)), 0.0f < alu124);
  let alu136: f32 = select(0.0f, select(0.0f, data2[i64(val0) + idx0], alu0) - alu9 - alu135, alu0);
  data0[lidx0] = select(-alu136, 0.0f, val0 == -100);
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
