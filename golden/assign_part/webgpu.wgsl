// kernel 0: e_10_10, launch ((1, 1, 1), (10, 10, 1))
var<private> infinity: u32 = 0x7f800000u;

@group(0) @binding(0) var<storage, read_write> data0: array<f32>;
@group(0) @binding(1) var<storage, read_write> data1: array<f32>;

@compute @workgroup_size(10, 10, 1)
fn e_10_10(@builtin(local_invocation_id) local_id: vec3<u32>) {
  let lidx1: i32 = i32(local_id.y);
  let lidx0: i32 = i32(local_id.x);
  let idx0: i32 = lidx1 * 10 + lidx0;
  let alu0: bool = (2 <= lidx1) & (lidx1 < 5);
  let alu1: bool = lidx0 < 9;
  let alu2: i32 = lidx0 & 1;
  let alu3: bool = alu2 < 1;
  let val0: f32 = select(0.0f, data1[alu2 + (lidx0 >> u32(1)) + lidx1 * 5 - 10], alu0 & (alu3 & alu1));
  data0[idx0] = select(data0[idx0], val0, alu0 & (alu1 & alu3));
}
