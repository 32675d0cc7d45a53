// kernel 0: e_64, launch ((1, 1, 1), (64, 1, 1))
var<private> infinity: u32 = 0x7f800000u;

@group(0) @binding(0) var<storage, read_write> data0: array<atomic<u32>>;
@group(0) @binding(1) var<storage, read_write> data1: array<u32>;
@group(0) @binding(2) var<storage, read_write> data2: array<u32>;

@compute @workgroup_size(64, 1, 1)
fn e_64(@builtin(local_invocation_id) local_id: vec3<u32>) {
  let lidx0: i32 = i32(local_id.x);
  let alu0: f32 = bitcast<f32>(extractBits(data1[lidx0 >> 1], 16 * u32(lidx0 & 1), 16) << 16);
  let alu1: u32 = bitcast<u32>(alu0 * 2.0f);
  let alu2: u32 = alu1 >> 16;
  let alu3: u32 = select((alu1 + 32767 + (alu2 & 1)) >> 16, alu2 | 64, 2139095040 < (alu1 & 2147483647));
  let alu4: f32 = bitcast<f32>(extractBits(data2[lidx0 >> 1], 16 * u32(lidx0 & 1), 16) << 16);
  let alu5: u32 = bitcast<u32>(bitcast<f32>(alu3 << 16) + alu4);
  let alu6: u32 = alu5 >> 16;
  let alu7: u32 = select((alu5 + 32767 + (alu6 & 1)) >> 16, alu6 | 64, 2139095040 < (alu5 & 2147483647));
  {
    let bits = (u32(select(u32(alu7) & 65535, 0x0000u, bitcast<f32>(alu7 << 16) <= 0.0f)) & 65535) << (16 * u32(lidx0 & 1));
    atomicAnd(&data0[lidx0 >> 1], ~(65535u << (16 * u32(lidx0 & 1))));
    atomicOr(&data0[lidx0 >> 1], bits);
  }
}
