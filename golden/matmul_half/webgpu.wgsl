// kernel 0: r_64_64_64, launch ((1, 1, 1), (16, 16, 1))
var<private> infinity: u32 = 0x7f800000u;

@group(0) @binding(0) var<storage, read_write> data0: array<atomic<u32>>;
@group(0) @binding(1) var<storage, read_write> data1: array<u32>;
@group(0) @binding(2) var<storage, read_write> data2: array<u32>;

@compute @workgroup_size(16, 16, 1)
fn r_64_64_64(@builtin(local_invocation_id) local_id: vec3<u32>) {
  var acc0: array<f32, 16>;
  let lidx1: i32 = i32(local_id.y);
  let alu0: i32 = lidx1 * 256;
  let lidx0: i32 = i32(local_id.x);
  let alu1: i32 = lidx0 * 4;
  let idx0: i32 = alu0 + alu1;
  acc0[0] = 0.0f;
  acc0[4] = 0.0f;
  acc0[8] = 0.0f;
  acc0[12] = 0.0f;
  acc0[1] = 0.0f;
  acc0[5] = 0.0f;
  acc0[9] = 0.0f;
  acc0[13] = 0.0f;
  acc0[2] = 0.0f;
  acc0[6] = 0.0f;
  acc0[10] = 0.0f;
  acc0[14] = 0.0f;
  acc0[3] = 0.0f;
  acc0[7] = 0.0f;
  acc0[11] = 0.0f;
  acc0[15] = 0.0f;
  for (var r2: i32 = 0; r2 < 64; r2++) {
    let idx1: i32 = alu0 + r2;
    let cast0: u32 = extractBits(data1[idx1 >> 1], 16 * u32(idx1 & 1), 16);
    let alu2: u32 = (cast0 & 32767) << 13;
    let alu3: u32 = select(bitcast<u32>(bitcast<f32>(alu2) * 5.192297e+33f), alu2 | 2139095040, (cast0 & 31744) == 31744);
    let alu4: f32 = bitcast<f32>(alu3 | ((cast0 & 32768) << 16));
    let idx2: i32 = r2 * 64 + alu1;
    let cast1: u32 = extractBits(data2[idx2 >> 1], 16 * u32(idx2 & 1), 16);
    let alu5: u32 = (cast1 & 32767) << 13;
    let alu6: u32 = select(bitcast<u32>(bitcast<f32>(alu5) * 5.192297e+33f), alu5 | 2139095040, (cast1 & 31744) == 31744);
    let alu7: f32 = bitcast<f32>(alu6 | ((cast1 & 32768) << 16));
    acc0[0] = fma(alu4, alu7, acc0[0]);
    let idx3: i32 = idx1 + 64;
    let cast2: u32 = extractBits(data1[idx3 >> 1], 16 * u32(idx3 & 1), 16);
    let alu8: u32 = (cast2 & 32767) << 13;
    let alu9: u32 = select(bitcast<u32>(bitcast<f32>(alu8) * 5.192297e+33f), alu8 | 2139095040, (cast2 & 31744) == 31744);
    let alu10: f32 = bitcast<f32>(alu9 | ((cast2 & 32768) << 16));
    acc0[4] = fma(alu10, alu7, acc0[4]);
    let idx4: i32 = idx1 + 128;
    let cast3: u32 = extractBits(data1[idx4 >> 1], 16 * u32(idx4 & 1), 16);
    let alu11: u32 = (cast3 & 32767) << 13;
    let alu12: u32 = select(bitcast<u32>(bitcast<f32>(alu11) * 5.192297e+33f), alu11 | 2139095040, (cast3 & 31744) == 31744);
    let alu13: f32 = bitcast<f32>(alu12 | ((cast3 & 32768) << 16));
    acc0[8] = fma(alu13, alu7, acc0[8]);
    let idx5: i32 = idx1 + 192;
    let cast4: u32 = extractBits(data1[idx5 >> 1], 16 * u32(idx5 & 1), 16);
    let alu14: u32 = (cast4 & 32767) << 13;
    let alu15: u32 = select(bitcast<u32>(bitcast<f32>(alu14) * 5.192297e+33f), alu14 | 2139095040, (cast4 & 31744) == 31744);
    let alu16: f32 = bitcast<f32>(alu15 | ((cast4 & 32768) << 16));
    acc0[12] = fma(alu16, alu7, acc0[12]);
    let idx6: i32 = idx2 + 1;
    let cast5: u32 = extractBits(data2[idx6 >> 1], 16 * u32(idx6 & 1), 16);
    let alu17: u32 = (cast5 & 32767) << 13;
    let alu18: u32 = select(bitcast<u32>(bitcast<f32>(alu17) * 5.192297e+33f), alu17 | 2139095040, (cast5 & 31744) == 31744);
    let alu19: f32 = bitcast<f32>(alu18 | ((cast5 & 32768) << 16));
    acc0[1] = fma(alu4, alu19, acc0[1]);
    acc0[5] = fma(alu10, alu19, acc0[5]);
    acc0[9] = fma(alu13, alu19, acc0[9]);
    acc0[13] = fma(alu16, alu19, acc0[13]);
    let idx7: i32 = idx2 + 2;
    let cast6: u32 = extractBits(data2[idx7 >> 1], 16 * u32(idx7 & 1), 16);
    let alu20: u32 = (cast6 & 32767) << 13;
    let alu21: u32 = select(bitcast<u32>(bitcast<f32>(alu20) * 5.192297e+33f), alu20 | 2139095040, (cast6 & 31744) == 31744);
    let alu22: f32 = bitcast<f32>(alu21 | ((cast6 & 32768) << 16));
    acc0[2] = fma(alu4, alu22, acc0[2]);
    acc0[6] = fma(alu10, alu22, acc0[6]);
    acc0[10] = fma(alu13, alu22, acc0[10]);
    acc0[14] = fma(alu16, alu22, acc0[14]);
    let idx8: i32 = idx2 + 3;
    let cast7: u32 = extractBits(data2[idx8 >> 1], 16 * u32(idx8 & 1), 16);
    let alu23: u32 = (cast7 & 32767) << 13;
    let alu24: u32 = select(bitcast<u32>(bitcast<f32>(alu23) * 5.192297e+33f), alu23 | 2139095040, (cast7 & 31744) == 31744);
    let alu25: f32 = bitcast<f32>(alu24 | ((cast7 & 32768) << 16));
    acc0[3] = fma(alu4, alu25, acc0[3]);
    acc0[7] = fma(alu10, alu25, acc0[7]);
    acc0[11] = fma(alu13, alu25, acc0[11]);
    acc0[15] = fma(alu16, alu25, acc0[15]);
  }
  let alu26: u32 = bitcast<u32>(acc0[0]);
  let alu27: u32 = alu26 & 2147483647;
  let alu28: u32 = select(select(31744u, 32256u, 2139095040 < alu27), (alu27 + 3355447295u + ((alu27 >> 13) & 1)) >> 13, alu27 < 1199570944);
  let alu29: u32 = select(alu28, bitcast<u32>(bitcast<f32>(alu27) + 0.5f) - 1056964608, alu27 < 947912704);
  {
    let bits = (u32(u32(alu29 | ((alu26 >> 16) & 32768)) & 65535) & 65535) << (16 * u32(idx0 & 1));
    atomicAnd(&data0[idx0 >> 1], ~(65535u << (16 * u32(idx0 & 1))));
    atomicOr(&data0[idx0 >> 1], bits);
  }
  let idx9: i32 = idx0 + 64;
  let alu30: u32 = bitcast<u32>(acc0[4]);
  let alu31: u32 = alu30 & 2147483647;
  let alu32: u32 = select(select(31744u, 32256u, 2139095040 < alu31), (alu31 + 3355447295u + ((alu31 >> 13) & 1)) >> 13, alu31 < 1199570944);
  let alu33: u32 = select(alu32, bitcast<u32>(bitcast<f32>(alu31) + 0.5f) - 1056964608, alu31 < 947912704);
  {
    let bits = (u32(u32(alu33 | ((alu30 >> 16) & 32768)) & 65535) & 65535) << (16 * u32(idx9 & 1));
    atomicAnd(&data0[idx9 >> 1], ~(65535u << (16 * u32(idx9 & 1))));
    atomicOr(&data0[idx9 >> 1], bits);
  }
  let idx10: i32 = idx0 + 128;
  let alu34: u32 = bitcast<u32>(acc0[8]);
  let alu35: u32 = alu34 & 2147483647;
  let alu36: u32 = select(select(31744u, 32256u, 2139095040 < alu35), (alu35 + 3355447295u + ((alu35 >> 13) & 1)) >> 13, alu35 < 1199570944);
  let alu37: u32 = select(alu36, bitcast<u32>(bitcast<f32>(alu35) + 0.5f) - 1056964608, alu35 < 947912704);
  {
    let bits = (u32(u32(alu37 | ((alu34 >> 16) & 32768)) & 65535) & 65535) << (16 * u32(idx10 & 1));
    atomicAnd(&data0[idx10 >> 1], ~(65535u << (16 * u32(idx10 & 1))));
    atomicOr(&data0[idx10 >> 1], bits);
  }
  let idx11: i32 = idx0 + 192;
  let alu38: u32 = bitcast<u32>(acc0[12]);
  let alu39: u32 = alu38 & 2147483647;
  let alu40: u32 = select(select(31744u, 32256u, 2139095040 < alu39), (alu39 + 3355447295u + ((alu39 >> 13) & 1)) >> 13, alu39 < 1199570944);
  let alu41: u32 = select(alu40, bitcast<u32>(bitcast<f32>(alu39) + 0.5f) - 1056964608, alu39 < 947912704);
  {
    let bits = (u32(u32(alu41 | ((alu38 >> 16) & 32768)) & 65535) & 65535) << (16 * u32(idx11 & 1));
    atomicAnd(&data0[idx11 >> 1], ~(65535u << (16 * u32(idx11 & 1))));
    atomicOr(&data0[idx11 >> 1], bits);
  }
  let idx12: i32 = idx0 + 1;
  let alu42: u32 = bitcast<u32>(acc0[1]);
  let alu43: u32 = alu42 & 2147483647;
  let alu44: u32 = select(select(31744u, 32256u, 2139095040 < alu43), (alu43 + 3355447295u + ((alu43 >> 13) & 1)) >> 13, alu43 < 1199570944);
  let alu45: u32 = select(alu44, bitcast<u32>(bitcast<f32>(alu43) + 0.5f) - 1056964608, alu43 < 947912704);
  {
    let bits = (u32(u32(alu45 | ((alu42 >> 16) & 32768)) & 65535) & 65535) << (16 * u32(idx12 & 1));
    atomicAnd(&data0[idx12 >> 1], ~(65535u << (16 * u32(idx12 & 1))));
    atomicOr(&data0[idx12 >> 1], bits);
  }
  let idx13: i32 = idx0 + 65;
  let alu46: u32 = bitcast<u32>(acc0[5]);
  let alu47: u32 = alu46 & 2147483647;
  let alu48: u32 = select(select(31744u, 32256u, 2139095040 < alu47), (alu47 + 3355447295u + ((alu47 >> 13) & 1)) >> 13, alu47 < 1199570944);
  let alu49: u32 = select(alu48, bitcast<u32>(bitcast<f32>(alu47) + 0.5f) - 1056964608, alu47 < 947912704);
  {
    let bits = (u32(u32(alu49 | ((alu46 >> 16) & 32768)) & 65535) & 65535) << (16 * u32(idx13 & 1));
    atomicAnd(&data0[idx13 >> 1], ~(65535u << (16 * u32(idx13 & 1))));
    atomicOr(&data0[idx13 >> 1], bits);
  }
  let idx14: i32 = idx0 + 129;
  let alu50: u32 = bitcast<u32>(acc0[9]);
  let alu51: u32 = alu50 & 2147483647;
  let alu52: u32 = select(select(31744u, 32256u, 2139095040 < alu51), (alu51 + 3355447295u + ((alu51 >> 13) & 1)) >> 13, alu51 < 1199570944);
  let alu53: u32 = select(alu52, bitcast<u32>(bitcast<f32>(alu51) + 0.5f) - 1056964608, alu51 < 947912704);
  {
    let bits = (u32(u32(alu53 | ((alu50 >> 16) & 32768)) & 65535) & 65535) << (16 * u32(idx14 & 1));
    atomicAnd(&data0[idx14 >> 1], ~(65535u << (16 * u32(idx14 & 1))));
    atomicOr(&data0[idx14 >> 1], bits);
  }
  let idx15: i32 = idx0 + 193;
  let alu54: u32 = bitcast<u32>(acc0[13]);
  let alu55: u32 = alu54 & 2147483647;
  let alu56: u32 = select(select(31744u, 32256u, 2139095040 < alu55), (alu55 + 3355447295u + ((alu55 >> 13) & 1)) >> 13, alu55 < 1199570944);
  let alu57: u32 = select(alu56, bitcast<u32>(bitcast<f32>(alu55) + 0.5f) - 1056964608, alu55 < 947912704);
  {
    let bits = (u32(u32(alu57 | ((alu54 >> 16) & 32768)) & 65535) & 65535) << (16 * u32(idx15 & 1));
    atomicAnd(&data0[idx15 >> 1], ~(65535u << (16 * u32(idx15 & 1))));
    atomicOr(&data0[idx15 >> 1], bits);
  }
  let idx16: i32 = idx0 + 2;
  let alu58: u32 = bitcast<u32>(acc0[2]);
  let alu59: u32 = alu58 & 2147483647;
  let alu60: u32 = select(select(31744u, 32256u, 2139095040 < alu59), (alu59 + 3355447295u + ((alu59 >> 13) & 1)) >> 13, alu59 < 1199570944);
  let alu61: u32 = select(alu60, bitcast<u32>(bitcast<f32>(alu59) + 0.5f) - 1056964608, alu59 < 947912704);
  {
    let bits = (u32(u32(alu61 | ((alu58 >> 16) & 32768)) & 65535) & 65535) << (16 * u32(idx16 & 1));
    atomicAnd(&data0[idx16 >> 1], ~(65535u << (16 * u32(idx16 & 1))));
    atomicOr(&data0[idx16 >> 1], bits);
  }
  let idx17: i32 = idx0 + 66;
  let alu62: u32 = bitcast<u32>(acc0[6]);
  let alu63: u32 = alu62 & 2147483647;
  let alu64: u32 = select(select(31744u, 32256u, 2139095040 < alu63), (alu63 + 3355447295u + ((alu63 >> 13) & 1)) >> 13, alu63 < 1199570944);
  let alu65: u32 = select(alu64, bitcast<u32>(bitcast<f32>(alu63) + 0.5f) - 1056964608, alu63 < 947912704);
  {
    let bits = (u32(u32(alu65 | ((alu62 >> 16) & 32768)) & 65535) & 65535) << (16 * u32(idx17 & 1));
    atomicAnd(&data0[idx17 >> 1], ~(65535u << (16 * u32(idx17 & 1))));
    atomicOr(&data0[idx17 >> 1], bits);
  }
  let idx18: i32 = idx0 + 130;
  let alu66: u32 = bitcast<u32>(acc0[10]);
  let alu67: u32 = alu66 & 2147483647;
  let alu68: u32 = select(select(31744u, 32256u, 2139095040 < alu67), (alu67 + 3355447295u + ((alu67 >> 13) & 1)) >> 13, alu67 < 1199570944);
  let alu69: u32 = select(alu68, bitcast<u32>(bitcast<f32>(alu67) + 0.5f) - 1056964608, alu67 < 947912704);
  {
    let bits = (u32(u32(alu69 | ((alu66 >> 16) & 32768)) & 65535) & 65535) << (16 * u32(idx18 & 1));
    atomicAnd(&data0[idx18 >> 1], ~(65535u << (16 * u32(idx18 & 1))));
    atomicOr(&data0[idx18 >> 1], bits);
  }
  let idx19: i32 = idx0 + 194;
  let alu70: u32 = bitcast<u32>(acc0[14]);
  let alu71: u32 = alu70 & 2147483647;
  let alu72: u32 = select(select(31744u, 32256u, 2139095040 < alu71), (alu71 + 3355447295u + ((alu71 >> 13) & 1)) >> 13, alu71 < 1199570944);
  let alu73: u32 = select(alu72, bitcast<u32>(bitcast<f32>(alu71) + 0.5f) - 1056964608, alu71 < 947912704);
  {
    let bits = (u32(u32(alu73 | ((alu70 >> 16) & 32768)) & 65535) & 65535) << (16 * u32(idx19 & 1));
    atomicAnd(&data0[idx19 >> 1], ~(65535u << (16 * u32(idx19 & 1))));
    atomicOr(&data0[idx19 >> 1], bits);
  }
  let idx20: i32 = idx0 + 3;
  let alu74: u32 = bitcast<u32>(acc0[3]);
  let alu75: u32 = alu74 & 2147483647;
  let alu76: u32 = select(select(31744u, 32256u, 2139095040 < alu75), (alu75 + 3355447295u + ((alu75 >> 13) & 1)) >> 13, alu75 < 1199570944);
  let alu77: u32 = select(alu76, bitcast<u32>(bitcast<f32>(alu75) + 0.5f) - 1056964608, alu75 < 947912704);
  {
    let bits = (u32(u32(alu77 | ((alu74 >> 16) & 32768)) & 65535) & 65535) << (16 * u32(idx20 & 1));
    atomicAnd(&data0[idx20 >> 1], ~(65535u << (16 * u32(idx20 & 1))));
    atomicOr(&data0[idx20 >> 1], bits);
  }
  let idx21: i32 = idx0 + 67;
  let alu78: u32 = bitcast<u32>(acc0[7]);
  let alu79: u32 = alu78 & 2147483647;
  let alu80: u32 = select(select(31744u, 32256u, 2139095040 < alu79), (alu79 + 3355447295u + ((alu79 >> 13) & 1)) >> 13, alu79 < 1199570944);
  let alu81: u32 = select(alu80, bitcast<u32>(bitcast<f32>(alu79) + 0.5f) - 1056964608, alu79 < 947912704);
  {
    let bits = (u32(u32(alu81 | ((alu78 >> 16) & 32768)) & 65535) & 65535) << (16 * u32(idx21 & 1));
    atomicAnd(&data0[idx21 >> 1], ~(65535u << (16 * u32(idx21 & 1))));
    atomicOr(&data0[idx21 >> 1], bits);
  }
  let idx22: i32 = idx0 + 131;
  let alu82: u32 = bitcast<u32>(acc0[11]);
  let alu83: u32 = alu82 & 2147483647;
  let alu84: u32 = select(select(31744u, 32256u, 2139095040 < alu83), (alu83 + 3355447295u + ((alu83 >> 13) & 1)) >> 13, alu83 < 1199570944);
  let alu85: u32 = select(alu84, bitcast<u32>(bitcast<f32>(alu83) + 0.5f) - 1056964608, alu83 < 947912704);
  {
    let bits = (u32(u32(alu85 | ((alu82 >> 16) & 32768)) & 65535) & 65535) << (16 * u32(idx22 & 1));
    atomicAnd(&data0[idx22 >> 1], ~(65535u << (16 * u32(idx22 & 1))));
    atomicOr(&data0[idx22 >> 1], bits);
  }
  let idx23: i32 = idx0 + 195;
  let alu86: u32 = bitcast<u32>(acc0[15]);
  let alu87: u32 = alu86 & 2147483647;
  let alu88: u32 = select(select(31744u, 32256u, 2139095040 < alu87), (alu87 + 3355447295u + ((alu87 >> 13) & 1)) >> 13, alu87 < 1199570944);
  let alu89: u32 = select(alu88, bitcast<u32>(bitcast<f32>(alu87) + 0.5f) - 1056964608, alu87 < 947912704);
  {
    let bits = (u32(u32(alu89 | ((alu86 >> 16) & 32768)) & 65535) & 65535) << (16 * u32(idx23 & 1));
    atomicAnd(&data0[idx23 >> 1], ~(65535u << (16 * u32(idx23 & 1))));
    atomicOr(&data0[idx23 >> 1], bits);
  }
}
