// kernel 0: e_5_6_16, launch ((5, 1, 1), (16, 6, 1))
var<private> infinity: u32 = 0x7f800000u;

@group(0) @binding(0) var<storage, read_write> data0: array<f32>;
@group(0) @binding(1) var<storage, read_write> data1: array<i32>;
@group(0) @binding(2) var<storage, read_write> data2: array<f32>;

@compute @workgroup_size(16, 6, 1)
fn e_5_6_16(
    @builtin(workgroup_id) group_id: vec3<u32>,
    @builtin(local_invocation_id) local_id: vec3<u32>) {
  let gidx0: i64 = i64(group_id.x);
  let lidx1: i64 = i64(local_id.y);
  let lidx0: i64 = i64(local_id.x);
  let val0: i32 = data1[gidx0 * 6 + lidx1];
  let alu0: i32 = select(val0, val0 + 50, val0 < 0);
  data0[gidx0 * 96 + lidx1 * 16 + lidx0] = select(0.0f, data2[i64(alu0) * 16 + lidx0], (0 <= alu0) & (alu0 < 50));
}
