// kernel 0: r_32_rows, launch ((1, 1, 1), (32, 1, 1))
var<private> infinity: u32 = 0x7f800000u;

@group(0) @binding(0) var<storage, read_write> data0: array<f32>;
@group(0) @binding(1) var<storage, read_write> data1: array<f32>;
@group(0) @binding(2) var<uniform> rows_: i32;

@compute @workgroup_size(32, 1, 1)
fn r_32_rows(@builtin(local_invocation_id) local_id: vec3<u32>) {
  var acc0: f32;
  let lidx0: i32 = i32(local_id.x);
  acc0 = 0.0f;
  for (var r1: i32 = 0; r1 < rows_; r1++) {
    acc0 = acc0 + data1[r1 * 32 + lidx0];
  }
  data0[lidx0] = acc0;
}
