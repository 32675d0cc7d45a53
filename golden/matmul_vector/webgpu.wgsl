// kernel 0: r_300_200, launch ((2, 1, 1), (150, 1, 1))
var<private> infinity: u32 = 0x7f800000u;

@group(0) @binding(0) var<storage, read_write> data0: array<f32>;
@group(0) @binding(1) var<storage, read_write> data1: array<f32>;
@group(0) @binding(2) var<storage, read_write> data2: array<f32>;

@compute @workgroup_size(150, 1, 1)
fn r_300_200(
    @builtin(workgroup_id) group_id: vec3<u32>,
    @builtin(local_invocation_id) local_id: vec3<u32>) {
  var acc0: f32;
  let gidx0: i32 = i32(group_id.x);
  let lidx0: i32 = i32(local_id.x);
  acc0 = 0.0f;
  let alu0: i32 = gidx0 * 30000 + lidx0 * 200;
  for (var r1: i32 = 0; r1 < 200; r1++) {
    acc0 = fma(data1[alu0 + r1], data2[r1], acc0);
  }
  data0[gidx0 * 150 + lidx0] = acc0;
}
