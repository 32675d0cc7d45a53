// kernel 0: e_8_8, launch ((1, 1, 1), (8, 8, 1))
var<private> infinity: u32 = 0x7f800000u;

@group(0) @binding(0) var<storage, read_write> data0: array<f32>;
@group(0) @binding(1) var<storage, read_write> data1: array<f32>;
@group(0) @binding(2) var<storage, read_write> data2: array<f32>;
@group(0) @binding(3) var<storage, read_write> data3: array<f32>;

@compute @workgroup_size(8, 8, 1)
fn e_8_8(@builtin(local_invocation_id) local_id: vec3<u32>) {
  let lidx1: i32 = i32(local_id.y);
  let lidx0: i32 = i32(local_id.x);
  let idx0: i32 = lidx1 * 8 + lidx0;
  let alu0: bool = lidx1 < 7;
  let alu1: f32 = select(select(0.0f, data3[idx0 - 56], 7 <= lidx1), select(0.0f, data2[idx0 - 32], (4 <= lidx1) & alu0), alu0);
  data0[idx0] = select(alu1, data1[idx0], lidx1 < 4);
}
