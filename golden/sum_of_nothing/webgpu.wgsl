// kernel 0: e_4, launch ((1, 1, 1), (4, 1, 1))
var<private> infinity: u32 = 0x7f800000u;

@group(0) @binding(0) var<storage, read_write> data0: array<f32>;
@group(0) @binding(1) var<storage, read_write> data1: array<f32>;

@compute @workgroup_size(4, 1, 1)
fn e_4(
    @builtin(local_invocation_id) local_id: vec3<u32>,
    @builtin(global_invocation_id) item: vec3<u32>) {
  let lidx0: i32 = i32(local_id.x);
  data0[lidx0] = data1[lidx0] + bitcast<f32>(bitcast<u32>(0.0f) ^ (item.x >> 31));
}
