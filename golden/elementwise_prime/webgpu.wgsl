// kernel 0: e_7_13, launch ((1, 1, 1), (91, 1, 1))
var<private> infinity: u32 = 0x7f800000u;

@group(0) @binding(0) var<storage, read_write> data0: array<f32>;
@group(0) @binding(1) var<storage, read_write> data1: array<f32>;
@group(0) @binding(2) var<storage, read_write> data2: array<f32>;

@compute @workgroup_size(91, 1, 1)
fn e_7_13(@builtin(local_invocation_id) local_id: vec3<u32>) {
  let lidx0: i32 = i32(local_id.x);
  data0[lidx0] = data1[lidx0] * 2.0f + data2[lidx0];
}
