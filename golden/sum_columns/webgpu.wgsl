// kernel 0: r_64_512, launch ((8, 1, 1), (8, 16, 1))
var<private> infinity: u32 = 0x7f800000u;

@group(0) @binding(0) var<storage, read_write> data0: array<f32>;
@group(0) @binding(1) var<storage, read_write> data1: array<f32>;
var<workgroup> local1: array<f32, 128>;

@compute @workgroup_size(8, 16, 1)
fn r_64_512(
    @builtin(workgroup_id) group_id: vec3<u32>,
    @builtin(local_invocation_id) local_id: vec3<u32>) {
  var acc2: f32;
  var acc0: f32;
  let gidx0: i32 = i32(group_id.x);
  let alu0: i32 = gidx0 * 8;
  let lidx0: i32 = i32(local_id.x);
  let lidx1: i32 = i32(local_id.y);
  acc2 = 0.0f;
  acc0 = 0.0f;
  let alu1: i32 = lidx1 * 64;
  for (var r2: i32 = 0; r2 < 32; r2++) {
    acc0 = acc0 + data1[r2 * 1024 + alu1 + alu0 + lidx0];
  }
  local1[lidx1 * 8 + lidx0] = acc0;
  workgroupBarrier();
  for (var r6: i32 = 0; r6 < 16; r6++) {
    acc2 = acc2 + local1[r6 * 8 + lidx0];
  }
  if (lidx1 == 0) {
    data0[alu0 + lidx0] = acc2;
  }
}
