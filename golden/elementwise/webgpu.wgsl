// kernel 0: e_64_48, launch ((12, 1, 1), (256, 1, 1))
var<private> infinity: u32 = 0x7f800000u;

@group(0) @binding(0) var<storage, read_write> data0: array<f32>;
@group(0) @binding(1) var<storage, read_write> data1: array<f32>;
@group(0) @binding(2) var<storage, read_write> data2: array<f32>;

@compute @workgroup_size(256, 1, 1)
fn e_64_48(
    @builtin(workgroup_id) group_id: vec3<u32>,
    @builtin(local_invocation_id) local_id: vec3<u32>) {
  let gidx0: i32 = i32(group_id.x);
  let lidx0: i32 = i32(local_id.x);
  let idx0: i32 = gidx0 * 256 + lidx0;
  let val0: f32 = data1[idx0];
  let alu0: f32 = val0 * data2[idx0] + 1.0f;
  data0[idx0] = select(alu0, 0.0f, alu0 <= 0.0f) - sqrt(val0);
}
