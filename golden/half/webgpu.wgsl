// kernel 0: r_64, launch ((1, 1, 1), (64, 1, 1))
var<private> infinity: u32 = 0x7f800000u;

@group(0) @binding(0) var<storage, read_write> data0: array<atomic<u32>>;
@group(0) @binding(1) var<storage, read_write> data1: array<u32>;
@group(0) @binding(2) var<storage, read_write> data2: array<u32>;
var<workgroup> local2: array<f32, 16>;
var<workgroup> local0: array<f32, 64>;

@compute @workgroup_size(64, 1, 1)
fn r_64(@builtin(local_invocation_id) local_id: vec3<u32>) {
  var acc3: f32;
  var acc1: f32;
  let lidx0: i32 = i32(local_id.x);
  acc3 = 0.0f;
  acc1 = 0.0f;
  let cast0: u32 = extractBits(data1[lidx0 >> 1], 16 * u32(lidx0 & 1), 16);
  let alu0: u32 = (cast0 & 32767) << 13;
  let alu1: u32 = select(bitcast<u32>(bitcast<f32>(alu0) * 5.192297e+33f), alu0 | 2139095040, (cast0 & 31744) == 31744);
  let alu2: u32 = bitcast<u32>(bitcast<f32>(alu1 | ((cast0 & 32768) << 16)) * 2.0f);
  let alu3: u32 = alu2 & 2147483647;
  let alu4: u32 = select(select(31744u, 32256u, 2139095040 < alu3), (alu3 + 3355447295u + ((alu3 >> 13) & 1)) >> 13, alu3 < 1199570944);
  let alu5: u32 = select(alu4, bitcast<u32>(bitcast<f32>(alu3) + 0.5f) - 1056964608, alu3 < 947912704);
  let cast1: u32 = u32(alu5 | ((alu2 >> 16) & 32768)) & 65535;
  let alu6: u32 = (cast1 & 32767) << 13;
  let alu7: u32 = select(bitcast<u32>(bitcast<f32>(alu6) * 5.192297e+33f), alu6 | 2139095040, (cast1 & 31744) == 31744);
  let cast2: u32 = extractBits(data2[lidx0 >> 1], 16 * u32(lidx0 & 1), 16);
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
  local0[lidx0] = bitcast<f32>(alu16 | ((cast3 & 32768) << 16));
  workgroupBarrier();
  let alu17: i32 = lidx0 & 15;
  for (var r4: i32 = 0; r4 < 4; r4++) {
    acc1 = acc1 + local0[r4 * 16 + alu17];
  }
  if (lidx0 < 16) {
    local2[lidx0] = acc1;
  }
  workgroupBarrier();
  for (var r5: i32 = 0; r5 < 16; r5++) {
    acc3 = acc3 + local2[r5];
  }
  let alu18: u32 = bitcast<u32>(acc3);
  let alu19: u32 = alu18 & 2147483647;
  let alu20: u32 = select(select(31744u, 32256u, 2139095040 < alu19), (alu19 + 3355447295u + ((alu19 >> 13) & 1)) >> 13, alu19 < 1199570944);
  let alu21: u32 = select(alu20, bitcast<u32>(bitcast<f32>(alu19) + 0.5f) - 1056964608, alu19 < 947912704);
  if (lidx0 == 0) {
    {
      let bits = (u32(u32(alu21 | ((alu18 >> 16) & 32768)) & 65535) & 65535) << (16 * u32(0 & 1));
      atomicAnd(&data0[0 >> 1], ~(65535u << (16 * u32(0 & 1))));
      atomicOr(&data0[0 >> 1], bits);
    }
  }
}
