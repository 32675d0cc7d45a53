// kernel 0: e_4_8, launch ((1, 1, 1), (8, 4, 1))
var<private> infinity: u32 = 0x7f800000u;

@group(0) @binding(0) var<storage, read_write> data0: array<f32>;
@group(0) @binding(1) var<storage, read_write> data1: array<i32>;
@group(0) @binding(2) var<storage, read_write> data2: array<f32>;

@compute @workgroup_size(8, 4, 1)
fn e_4_8(@builtin(local_invocation_id) local_id: vec3<u32>) {
  let lidx1: i64 = i64(local_id.y);
  let lidx0: i64 = i64(local_id.x);
  let idx0: i64 = lidx1 * 8 + lidx0;
  let val0: i32 = data1[idx0];
  let alu0: i32 = select(val0, val0 + 10, val0 < 0);
  data0[idx0] = select(0.0f, data2[i64(alu0) * 8 + lidx0], (0 <= alu0) & (alu0 < 10));
}
