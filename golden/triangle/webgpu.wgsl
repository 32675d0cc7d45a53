// kernel 0: e_16_16, launch ((1, 1, 1), (16, 16, 1))
var<private> infinity: u32 = 0x7f800000u;

@group(0) @binding(0) var<storage, read_write> data0: array<f32>;
@group(0) @binding(1) var<storage, read_write> data1: array<f32>;

@compute @workgroup_size(16, 16, 1)
fn e_16_16(@builtin(local_invocation_id) local_id: vec3<u32>) {
  let lidx1: i32 = i32(local_id.y);
  let lidx0: i32 = i32(local_id.x);
  let idx0: i32 = lidx1 * 16 + lidx0;
  data0[idx0] = select(data1[idx0], 0.0f, lidx1 < lidx0);
}
