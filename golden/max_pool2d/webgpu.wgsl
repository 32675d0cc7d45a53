// kernel 0: r_2_4_4_4_2_2, launch ((2, 1, 1), (4, 16, 1))
var<private> infinity: u32 = 0x7f800000u;

@group(0) @binding(0) var<storage, read_write> data0: array<f32>;
@group(0) @binding(1) var<storage, read_write> data1: array<f32>;

@compute @workgroup_size(4, 16, 1)
fn r_2_4_4_4_2_2(
    @builtin(workgroup_id) group_id: vec3<u32>,
    @builtin(local_invocation_id) local_id: vec3<u32>) {
  let gidx0: i32 = i32(group_id.x);
  let lidx1: i32 = i32(local_id.y);
  let lidx0: i32 = i32(local_id.x);
  let idx0: i32 = gidx0 * 256 + lidx1 * 16 + lidx0 * 2;
  let val0: f32 = data1[idx0];
  let val1: f32 = data1[idx0 + 1];
  let alu0: f32 = select(val0, val1, (val1 > val0) | !(val1 == val1));
  let val2: f32 = data1[idx0 + 8];
  let alu1: f32 = select(alu0, val2, (val2 > alu0) | !(val2 == val2));
  let val3: f32 = data1[idx0 + 9];
  data0[gidx0 * 64 + lidx1 * 4 + lidx0] = select(alu1, val3, (val3 > alu1) | !(val3 == val3));
}
