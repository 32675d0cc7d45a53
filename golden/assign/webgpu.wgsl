// kernel 0: e_10_10, launch ((1, 1, 1), (100, 1, 1))
var<private> infinity: u32 = 0x7f800000u;

@group(0) @binding(0) var<storage, read_write> data0: array<f32>;

@compute @workgroup_size(100, 1, 1)
fn e_10_10(@builtin(local_invocation_id) local_id: vec3<u32>) {
  let lidx0: i32 = i32(local_id.x);
  data0[lidx0] = data0[lidx0] + 1.0f;
}
