// kernel 0: r_8_16_30, launch ((1, 1, 1), (16, 8, 1))
var<private> infinity: u32 = 0x7f800000u;

@group(0) @binding(0) var<storage, read_write> data0: array<f32>;
@group(0) @binding(1) var<storage, read_write> data1: array<f32>;

@compute @workgroup_size(16, 8, 1)
fn r_8_16_30(@builtin(local_invocation_id) local_id: vec3<u32>) {
  var acc0: f32;
  let lidx1: i32 = i32(local_id.y);
  let lidx0: i32 = i32(local_id.x);
  acc0 = -bitcast<f32>(infinity);
  let alu0: i32 = lidx1 * 480;
  for (var r2: i32 = 0; r2 < 30; r2++) {
    let val0: f32 = acc0;
    let val1: f32 = data1[alu0 + r2 * 16 + lidx0];
    acc0 = select(val0, val1, (val1 > val0) | !(val1 == val1));
  }
  data0[lidx1 * 16 + lidx0] = acc0;
}
