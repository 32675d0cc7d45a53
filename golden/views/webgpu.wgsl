// kernel 0: e_12_10, launch ((1, 1, 1), (10, 12, 1))
var<private> infinity: u32 = 0x7f800000u;

@group(0) @binding(0) var<storage, read_write> data0: array<f32>;
@group(0) @binding(1) var<storage, read_write> data1: array<f32>;

@compute @workgroup_size(10, 12, 1)
fn e_12_10(@builtin(local_invocation_id) local_id: vec3<u32>) {
  let lidx1: i32 = i32(local_id.y);
  let lidx0: i32 = i32(local_id.x);
  let idx0: i32 = lidx1 * 10 + lidx0;
  data0[idx0] = data1[lidx0 * 12 + lidx1] + data1[idx0];
}

// kernel 1: e_6_10, launch ((1, 1, 1), (60, 1, 1))
var<private> infinity: u32 = 0x7f800000u;

@group(0) @binding(0) var<storage, read_write> data0: array<f32>;
@group(0) @binding(1) var<storage, read_write> data1: array<f32>;

@compute @workgroup_size(60, 1, 1)
fn e_6_10(@builtin(local_invocation_id) local_id: vec3<u32>) {
  let lidx0: i32 = i32(local_id.x);
  data0[lidx0] = data1[lidx0 + 30];
}
