// kernel 0: r_32_100_100, launch ((1, 1, 1), (32, 1, 1))
var<private> infinity: u32 = 0x7f800000u;

@group(0) @binding(0) var<storage, read_write> data0: array<f32>;
@group(0) @binding(1) var<storage, read_write> data1: array<f32>;
@group(0) @binding(2) var<storage, read_write> data2: array<f32>;

@compute @workgroup_size(32, 1, 1)
fn r_32_100_100(@builtin(local_invocation_id) local_id: vec3<u32>) {
  var acc0: f32;
  var acc1: f32;
  let lidx0: i32 = i32(local_id.x);
  acc0 = 0.0f;
  let alu0: i32 = lidx0 * 100;
  for (var r1: i32 = 0; r1 < 100; r1++) {
    acc0 = acc0 + data2[alu0 + r1];
  }
  let alu1: f32 = acc0 / 100.0f;
  data0[lidx0] = alu1;
  acc1 = 0.0f;
  for (var r2: i32 = 0; r2 < 100; r2++) {
    let alu2: f32 = data2[alu0 + r2] - alu1;
    acc1 = fma(alu2, alu2, acc1);
  }
  data1[lidx0] = acc1 / 99.0f;
}
