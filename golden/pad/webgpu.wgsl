// kernel 0: e_8_12, launch ((1, 1, 1), (12, 8, 1))
var<private> infinity: u32 = 0x7f800000u;

@group(0) @binding(0) var<storage, read_write> data0: array<f32>;
@group(0) @binding(1) var<storage, read_write> data1: array<f32>;

@compute @workgroup_size(12, 8, 1)
fn e_8_12(@builtin(local_invocation_id) local_id: vec3<u32>) {
  let lidx1: i32 = i32(local_id.y);
  let lidx0: i32 = i32(local_id.x);
  let val0: f32 = select(0.0f, data1[lidx0 + lidx1 * 10 - 12], (1 <= lidx1) & (lidx1 < 7) & (2 <= lidx0));
  data0[lidx1 * 12 + lidx0] = val0 * 2.0f;
}
