// kernel 0: e_32_64, launch ((2, 4, 1), (32, 8, 1))
var<private> infinity: u32 = 0x7f800000u;

@group(0) @binding(0) var<storage, read_write> data0: array<f32>;
@group(0) @binding(1) var<storage, read_write> data1: array<f32>;
@group(0) @binding(2) var<storage, read_write> data2: array<f32>;
@group(0) @binding(3) var<storage, read_write> data3: array<f32>;

@compute @workgroup_size(32, 8, 1)
fn e_32_64(
    @builtin(workgroup_id) group_id: vec3<u32>,
    @builtin(local_invocation_id) local_id: vec3<u32>) {
  let gidx1: i32 = i32(group_id.y);
  let lidx1: i32 = i32(local_id.y);
  let gidx0: i32 = i32(group_id.x);
  let alu0: i32 = gidx0 * 32;
  let lidx0: i32 = i32(local_id.x);
  let idx0: i32 = alu0 + lidx0;
  data0[gidx1 * 512 + lidx1 * 64 + alu0 + lidx0] = data1[gidx1 * 8 + lidx1] + data2[idx0] * data3[idx0];
}
