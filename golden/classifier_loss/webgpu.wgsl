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
  let alu11: bool = alu10 < -104.0f;
  let alu12: f32 = select(select(alu10, 89.0f, 89.0f < alu10), 0.0f, alu11);
  let alu13: i32 = bitcast<i32>(fma(alu12, 1.442695f, 12582912.0f)) - 1262485504;
  let cast0: f32 = f32(alu13);
  let alu14: f32 = fma(cast0, 0.00021219444f, fma(cast0, -0.6933594f, alu12));
  let alu15: f32 = fma(alu14, fma(alu14, fma(alu14, 0.0013821024f, 0.00836867f), 0.041668262f), 0.16666521f);
  let alu16: i32 = alu13 >> u32(1);
  let alu17: f32 = (1.0f + fma(alu14 * alu14, fma(alu14, alu15, 0.49999994f), alu14)) * bitcast<f32>((alu16 + 127) << u32(23));
  let alu18: f32 = select(alu17 * bitcast<f32>((alu13 - alu16 + 127) << u32(23)), 0.0f, alu11);
  let alu19: f32 = val2 - alu9;
  let alu20: bool = alu19 < -104.0f;
  let alu21: f32 = select(select(alu19, 89.0f, 89.0f < alu19), 0.0f, alu20);
  let alu22: i32 = bitcast<i32>(fma(alu21, 1.442695f, 12582912.0f)) - 1262485504;
  let cast1: f32 = f32(alu22);
  let alu23: f32 = fma(cast1, 0.00021219444f, fma(cast1, -0.6933594f, alu21));
  let alu24: f32 = fma(alu23, fma(alu23, fma(alu23, 0.0013821024f, 0.00836867f), 0.041668262f), 0.16666521f);
  let alu25: i32 = alu22 >> u32(1);
  let alu26: f32 = (1.0f + fma(alu23 * alu23, fma(alu23, alu24, 0.49999994f), alu23)) * bitcast<f32>((alu25 + 127) << u32(23));
  let alu27: f32 = select(alu26 * bitcast<f32>((alu22 - alu25 + 127) << u32(23)), 0.0f, alu20);
  let alu28: f32 = val3 - alu9;
  let alu29: bool = alu28 < -104.0f;
  let alu30: f32 = select(select(alu28, 89.0f, 89.0f < alu28), 0.0f, alu29);
  let alu31: i32 = bitcast<i32>(fma(alu30, 1.442695f, 12582912.0f)) - 1262485504;
  let cast2: f32 = f32(alu31);
  let alu32: f32 = fma(cast2, 0.00021219444f, fma(cast2, -0.6933594f, alu30));
  let alu33: f32 = fma(alu32, fma(alu32, fma(alu32, 0.0013821024f, 0.00836867f), 0.041668262f), 0.16666521f);
  let alu34: i32 = alu31 >> u32(1);
  let alu35: f32 = (1.0f + fma(alu32 * alu32, fma(alu32, alu33, 0.49999994f), alu32)) * bitcast<f32>((alu34 + 127) << u32(23));
  let alu36: f32 = select(alu35 * bitcast<f32>((alu31 - alu34 + 127) << u32(23)), 0.0f, alu29);
  let alu37: f32 = val4 - alu9;
  let alu38: bool = alu37 < -104.0f;
  let alu39: f32 = select(select(alu37, 89.0f, 89.0f < alu37), 0.0f, alu38);
  let alu40: i32 = bitcast<i32>(fma(alu39, 1.442695f, 12582912.0f)) - 1262485504;
  let cast3: f32 = f32(alu40);
  let alu41: f32 = fma(cast3, 0.00021219444f, fma(cast3, -0.6933594f, alu39));
  let alu42: f32 = fma(alu41, fma(alu41, fma(alu41, 0.0013821024f, 0.00836867f), 0.041668262f), 0.16666521f);
  let alu43: i32 = alu40 >> u32(1);
  let alu44: f32 = (1.0f + fma(alu41 * alu41, fma(alu41, alu42, 0.49999994f), alu41)) * bitcast<f32>((alu43 + 127) << u32(23));
  let alu45: f32 = select(alu44 * bitcast<f32>((alu40 - alu43 + 127) << u32(23)), 0.0f, alu38);
  let alu46: f32 = val5 - alu9;
  let alu47: bool = alu46 < -104.0f;
  let alu48: f32 = select(select(alu46, 89.0f, 89.0f < alu46), 0.0f, alu47);
  let alu49: i32 = bitcast<i32>(fma(alu48, 1.442695f, 12582912.0f)) - 1262485504;
  let cast4: f32 = f32(alu49);
  let alu50: f32 = fma(cast4, 0.00021219444f, fma(cast4, -0.6933594f, alu48));
  let alu51: f32 = fma(alu50, fma(alu50, fma(alu50, 0.0013821024f, 0.00836867f), 0.041668262f), 0.16666521f);
  let alu52: i32 = alu49 >> u32(1);
  let alu53: f32 = (1.0f + fma(alu50 * alu50, fma(alu50, alu51, 0.49999994f), alu50)) * bitcast<f32>((alu52 + 127) << u32(23));
  let alu54: f32 = select(alu53 * bitcast<f32>((alu49 - alu52 + 127) << u32(23)), 0.0f, alu47);
  let alu55: f32 = val6 - alu9;
  let alu56: bool = alu55 < -104.0f;
  let alu57: f32 = select(select(alu55, 89.0f, 89.0f < alu55), 0.0f, alu56);
  let alu58: i32 = bitcast<i32>(fma(alu57, 1.442695f, 12582912.0f)) - 1262485504;
  let cast5: f32 = f32(alu58);
  let alu59: f32 = fma(cast5, 0.00021219444f, fma(cast5, -0.6933594f, alu57));
  let alu60: f32 = fma(alu59, fma(alu59, fma(alu59, 0.0013821024f, 0.00836867f), 0.041668262f), 0.16666521f);
  let alu61: i32 = alu58 >> u32(1);
  let alu62: f32 = (1.0f + fma(alu59 * alu59, fma(alu59, alu60, 0.49999994f), alu59)) * bitcast<f32>((alu61 + 127) << u32(23));
  let alu63: f32 = select(alu62 * bitcast<f32>((alu58 - alu61 + 127) << u32(23)), 0.0f, alu56);
  let alu64: f32 = val7 - alu9;
  let alu65: bool = alu64 < -104.0f;
  let alu66: f32 = select(select(alu64, 89.0f, 89.0f < alu64), 0.0f, alu65);
  let alu67: i32 = bitcast<i32>(fma(alu66, 1.442695f, 12582912.0f)) - 1262485504;
  let cast6: f32 = f32(alu67);
  let alu68: f32 = fma(cast6, 0.00021219444f, fma(cast6, -0.6933594f, alu66));
  let alu69: f32 = fma(alu68, fma(alu68, fma(alu68, 0.0013821024f, 0.00836867f), 0.041668262f), 0.16666521f);
  let alu70: i32 = alu67 >> u32(1);
  let alu71: f32 = (1.0f + fma(alu68 * alu68, fma(alu68, alu69, 0.49999994f), alu68)) * bitcast<f32>((alu70 + 127) << u32(23));
  let alu72: f32 = select(alu71 * bitcast<f32>((alu67 - alu70 + 127) << u32(23)), 0.0f, alu65);
  let alu73: f32 = val8 - alu9;
  let alu74: bool = alu73 < -104.0f;
  let alu75: f32 = select(select(alu73, 89.0f, 89.0f < alu73), 0.0f, alu74);
  let alu76: i32 = bitcast<i32>(fma(alu75, 1.442695f, 12582912.0f)) - 1262485504;
  let cast7: f32 = f32(alu76);
  let alu77: f32 = fma(cast7, 0.00021219444f, fma(cast7, -0.6933594f, alu75));
  let alu78: f32 = fma(alu77, fma(alu77, fma(alu77, 0.0013821024f, 0.00836867f), 0.041668262f), 0.16666521f);
  let alu79: i32 = alu76 >> u32(1);
  let alu80: f32 = (1.0f + fma(alu77 * alu77, fma(alu77, alu78, 0.49999994f), alu77)) * bitcast<f32>((alu79 + 127) << u32(23));
  let alu81: f32 = select(alu80 * bitcast<f32>((alu76 - alu79 + 127) << u32(23)), 0.0f, alu74);
  let alu82: f32 = val9 - alu9;
  let alu83: bool = alu82 < -104.0f;
  let alu84: f32 = select(select(alu82, 89.0f, 89.0f < alu82), 0.0f, alu83);
  let alu85: i32 = bitcast<i32>(fma(alu84, 1.442695f, 12582912.0f)) - 1262485504;
  let cast8: f32 = f32(alu85);
  let alu86: f32 = fma(cast8, 0.00021219444f, fma(cast8, -0.6933594f, alu84));
  let alu87: f32 = fma(alu86, fma(alu86, fma(alu86, 0.0013821024f, 0.00836867f), 0.041668262f), 0.16666521f);
  let alu88: i32 = alu85 >> u32(1);
  let alu89: f32 = (1.0f + fma(alu86 * alu86, fma(alu86, alu87, 0.49999994f), alu86)) * bitcast<f32>((alu88 + 127) << u32(23));
  let alu90: f32 = select(alu89 * bitcast<f32>((alu85 - alu88 + 127) << u32(23)), 0.0f, alu83);
  let alu91: f32 = val10 - alu9;
  let alu92: bool = alu91 < -104.0f;
  let alu93: f32 = select(select(alu91, 89.0f, 89.0f < alu91), 0.0f, alu92);
  let alu94: i32 = bitcast<i32>(fma(alu93, 1.442695f, 12582912.0f)) - 1262485504;
  let cast9: f32 = f32(alu94);
  let alu95: f32 = fma(cast9, 0.00021219444f, fma(cast9, -0.6933594f, alu93));
  let alu96: f32 = fma(alu95, fma(alu95, fma(alu95, 0.0013821024f, 0.00836867f), 0.041668262f), 0.16666521f);
  let alu97: i32 = alu94 >> u32(1);
  let alu98: f32 = (1.0f + fma(alu95 * alu95, fma(alu95, alu96, 0.49999994f), alu95)) * bitcast<f32>((alu97 + 127) << u32(23));
  let alu99: f32 = select(alu98 * bitcast<f32>((alu94 - alu97 + 127) << u32(23)), 0.0f, alu92);
  let alu100: f32 = alu18 + alu27 + alu36 + alu45 + alu54 + alu63 + alu72 + alu81 + alu90 + alu99;
  let alu101: bool = alu100 < 1.1754944e-38f;
  let alu102: i32 = bitcast<i32>(select(alu100, alu100 * 8388608.0f, alu101));
  let alu103: i32 = (alu102 - 1060439283) >> u32(23);
  let cast10: f32 = f32(alu103 - select(0i, 23i, alu101));
  let alu104: f32 = bitcast<f32>(alu102 - (alu103 << u32(23))) - 1.0f;
  let alu105: f32 = alu104 * alu104;
  let alu106: f32 = fma(alu104, fma(alu104, fma(alu104, 0.06751542f, -0.11672526f), 0.11883893f), -0.124059126f);
  let alu107: f32 = fma(alu104, fma(alu104, fma(alu104, alu106, 0.1422028f), -0.16668f), 0.20002075f);
  let alu108: f32 = alu104 * alu105 * fma(alu104, fma(alu104, alu107, -0.2500001f), 0.33333313f);
  let alu109: f32 = fma(cast10, 0.6933594f, alu104 + fma(-0.5f, alu105, fma(cast10, -0.00021219444f, alu108)));
  let alu110: f32 = select(bitcast<f32>(infinity | 0x400000u), -bitcast<f32>(infinity), alu100 == 0.0f);
  let alu111: f32 = select(alu110, select(alu100, alu109, alu100 < bitcast<f32>(infinity)), 0.0f < alu100);
  let alu112: f32 = select(0.0f, select(0.0f, data2[i64(val0) + idx0], alu0) - alu9 - alu111, alu0);
  data0[lidx0] = select(-(alu112 + 0.0f), 0.0f, val0 == -100);
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
