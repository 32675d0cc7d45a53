// kernel 0: e_100, launch ((1, 1, 1), (100, 1, 1))
var<private> infinity: u32 = 0x7f800000u;

@group(0) @binding(0) var<storage, read_write> data0: array<f32>;
@group(0) @binding(1) var<storage, read_write> data1: array<f32>;

@compute @workgroup_size(100, 1, 1)
fn e_100(@builtin(local_invocation_id) local_id: vec3<u32>) {
  let lidx0: i32 = i32(local_id.x);
  let val0: f32 = data1[lidx0];
  let cast0: i32 = select(select(i32(-2147483648), 0, !(val0 < 0)), select(2147483647i, i32(val0), val0 < 2147483648.0f), val0 >= -2147483648.0f);
  data0[lidx0] = f32(u32(cast0) & 255);
}
