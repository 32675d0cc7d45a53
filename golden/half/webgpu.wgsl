// kernel 0: r_64, launch ((1, 1, 1), (1, 1, 1))
var<private> infinity: u32 = 0x7f800000u;

@group(0) @binding(0) var<storage, read_write> data0: array<atomic<u32>>;
@group(0) @binding(1) var<storage, read_write> data1: array<u32>;
@group(0) @binding(2) var<storage, read_write> data2: array<u32>;

@compute @workgroup_size(1, 1, 1)
fn r_64() {
  var acc0: f32;
  acc0 = 0.0f;
  for (var r0: i32 = 0; r0 < 64; r0++) {
    let cast0: u32 = extractBits(data1[r0 >> 1], 16 * u32(r0 & 1), 16);
    let alu0: u32 = (cast0 & 32767) << 13;
    let alu1: u32 = select(bitcast<u32>(bitcast<f32>(alu0) * 5.192297e+33f), alu0 | 2139095040, (cast0 & 31744) == 31744);
    let alu2: u32 = bitcast<u32>(bitcast<f32>(alu1 | ((cast0 & 32768) << 16)) * 2.0f);
    let alu3: u32 = alu2 & 2147483647;
    let alu4: u32 = select(select(31744u, 32256u, 2139095040 < alu3), (alu3 + 3355447295u + ((alu3 >> 13) & 1)) >> 13, alu3 < 1199570944);
    let alu5: u32 = select(alu4, bitcast<u32>(bitcast<f32>(alu3) + 0.5f) - 1056964608, alu3 < 947912704);
    let cast1: u32 = u32(alu5 | ((alu2 >> 16) & 32768)) & 65535;
    let alu6: u32 = (cast1 & 32767) << 13;
    let alu7: u32 = select(bitcast<u32>(bitcast<f32>(alu6) * 5.192297e+33f), alu6 | 2139095040, (cast1 & 31744) == 31744);
    let cast2: u32 = extractBits(data2[r0 >> 1], 16 * u32(r0 & 1), 16);
    let alu8: u32 = (cast2 & 32767) << 13;
    let alu9: u32 = select(bitcast<u32>(bitcast<f32>(alu8) * 5.192297e+33f), alu8 | 2139095040, (cast2 & 31744) == 31744);
    let alu10: f32 = bitcast<f32>(alu7 | ((cast1 & 32768) << 16)) + bitcast<f32>(alu9 | ((cast2 & 32768) << 16));
    let alu11: u32 = bitcast<u32>(alu10);
    let alu12: u32 = alu11 & 2147483647;
    let alu13: u32 = select(select(31744u, 32256u, 2139095040 < alu12), (alu12 + 3355447295u + ((alu12 >> 13) & 1)) >> 13, alu12 < 1199570944);
    let alu14: u32 = select(alu13, bitcast<u32>(bitcast<f32>(alu12) + 0.5f) - 1056964608, alu12 < 947912704);
    let cast3: u32 = u32(alu14 | ((alu11 >> 16) & 32768)) & 65535;
    let alu15: u32 = (cast3 & 32767) << 13;
    let alu16: u32 = select(bitcast<u32>(bitcast<f32>(alu15) * 5.192297e+33f), alu15 | 2139095040, (cast3 & 31744) == 31744);
    acc0 = acc0 + bitcast<f32>(alu16 | ((cast3 & 32768) << 16));
  }
  let alu17: u32 = bitcast<u32>(acc0);
  let alu18: u32 = alu17 & 2147483647;
  let alu19: u32 = select(select(31744u, 32256u, 2139095040 < alu18), (alu18 + 3355447295u + ((alu18 >> 13) & 1)) >> 13, alu18 < 1199570944);
  let alu20: u32 = select(alu19, bitcast<u32>(bitcast<f32>(alu18) + 0.5f) - 1056964608, alu18 < 947912704);
  {
    let bits = (u32(u32(alu20 | ((alu17 >> 16) & 32768)) & 65535) & 65535) << (16 * u32(0 & 1));
    atomicAnd(&data0[0 >> 1], ~(65535u << (16 * u32(0 & 1))));
    atomicOr(&data0[0 >> 1], bits);
  }
}
