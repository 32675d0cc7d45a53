// kernel 0: e_18_6, launch ((2, 1, 1), (6, 9, 1))
var<private> infinity: u32 = 0x7f800000u;

@group(0) @binding(0) var<storage, read_write> data0: array<f32>;
@group(0) @binding(1) var<storage, read_write> data1: array<f32>;

@compute @workgroup_size(6, 9, 1)
fn e_18_6(
    @builtin(workgroup_id) group_id: vec3<u32>,
    @builtin(local_invocation_id) local_id: vec3<u32>) {
  let gidx0: i32 = i32(group_id.x);
  let lidx1: i32 = i32(local_id.y);
  let lidx0: i32 = i32(local_id.x);
  data0[gidx0 * 54 + lidx1 * 6 + lidx0] = data1[lidx0 * 72 - gidx0 * 9 - lidx1 + 21] + 1.0f;
}
