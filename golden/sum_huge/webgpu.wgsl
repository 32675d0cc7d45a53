// kernel 0: r_256_4096, launch ((256, 1, 1), (256, 1, 1))
var<private> infinity: u32 = 0x7f800000u;

@group(0) @binding(0) var<storage, read_write> data0: array<f32>;
@group(0) @binding(1) var<storage, read_write> data1: array<f32>;
var<workgroup> local3: array<f32, 16>;
var<workgroup> local1: array<f32, 256>;

@compute @workgroup_size(256, 1, 1)
fn r_256_4096(
    @builtin(workgroup_id) group_id: vec3<u32>,
    @builtin(local_invocation_id) local_id: vec3<u32>) {
  var acc4: f32;
  var acc2: f32;
  var acc0: f32;
  let gidx0: i32 = i32(group_id.x);
  let lidx0: i32 = i32(local_id.x);
  acc4 = 0.0f;
  acc2 = 0.0f;
  acc0 = 0.0f;
  let alu0: i32 = gidx0 * 4096;
  for (var r2: i32 = 0; r2 < 16; r2++) {
    acc0 = acc0 + data1[alu0 + r2 * 256 + lidx0];
  }
  local1[lidx0] = acc0;
  workgroupBarrier();
  let alu1: i32 = lidx0 & 15;
  for (var r5: i32 = 0; r5 < 16; r5++) {
    acc2 = acc2 + local1[r5 * 16 + alu1];
  }
  if (lidx0 < 16) {
    local3[lidx0] = acc2;
  }
  workgroupBarrier();
  for (var r6: i32 = 0; r6 < 16; r6++) {
    acc4 = acc4 + local3[r6];
  }
  if (lidx0 == 0) {
    data0[gidx0] = acc4;
  }
}

// kernel 1: r_256, launch ((1, 1, 1), (256, 1, 1))
var<private> infinity: u32 = 0x7f800000u;

@group(0) @binding(0) var<storage, read_write> data0: array<f32>;
@group(0) @binding(1) var<storage, read_write> data1: array<f32>;
var<workgroup> local2: array<f32, 16>;
var<workgroup> local0: array<f32, 256>;

@compute @workgroup_size(256, 1, 1)
fn r_256(@builtin(local_invocation_id) local_id: vec3<u32>) {
  var acc3: f32;
  var acc1: f32;
  let lidx0: i32 = i32(local_id.x);
  acc3 = 0.0f;
  acc1 = 0.0f;
  local0[lidx0] = data1[lidx0];
  workgroupBarrier();
  let alu0: i32 = lidx0 & 15;
  for (var r4: i32 = 0; r4 < 16; r4++) {
    acc1 = acc1 + local0[r4 * 16 + alu0];
  }
  if (lidx0 < 16) {
    local2[lidx0] = acc1;
  }
  workgroupBarrier();
  for (var r5: i32 = 0; r5 < 16; r5++) {
    acc3 = acc3 + local2[r5];
  }
  if (lidx0 == 0) {
    data0[0] = acc3;
  }
}
