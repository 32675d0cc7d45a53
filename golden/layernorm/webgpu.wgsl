// kernel 0: r_32_256_256_256, launch ((32, 1, 1), (256, 1, 1))
var<private> infinity: u32 = 0x7f800000u;

@group(0) @binding(0) var<storage, read_write> data0: array<f32>;
@group(0) @binding(1) var<storage, read_write> data1: array<f32>;
var<workgroup> local2: array<f32, 16>;
var<workgroup> local0: array<f32, 256>;
var<workgroup> local6: array<f32, 16>;
var<workgroup> local4: array<f32, 256>;

@compute @workgroup_size(256, 1, 1)
fn r_32_256_256_256(
    @builtin(workgroup_id) group_id: vec3<u32>,
    @builtin(local_invocation_id) local_id: vec3<u32>) {
  var acc3: f32;
  var acc1: f32;
  var acc7: f32;
  var acc5: f32;
  let gidx0: i32 = i32(group_id.x);
  let lidx0: i32 = i32(local_id.x);
  let idx0: i32 = gidx0 * 256 + lidx0;
  let val0: f32 = data1[idx0];
  acc3 = 0.0f;
  acc1 = 0.0f;
  local0[lidx0] = val0;
  workgroupBarrier();
  let alu0: i32 = lidx0 & 15;
  for (var r11: i32 = 0; r11 < 16; r11++) {
    acc1 = acc1 + local0[r11 * 16 + alu0];
  }
  let alu1: bool = lidx0 < 16;
  if (alu1) {
    local2[lidx0] = acc1;
  }
  workgroupBarrier();
  for (var r12: i32 = 0; r12 < 16; r12++) {
    acc3 = acc3 + local2[r12];
  }
  let alu2: f32 = val0 - acc3 / 256.0f;
  acc7 = 0.0f;
  acc5 = 0.0f;
  local4[lidx0] = alu2 * alu2;
  workgroupBarrier();
  for (var r14: i32 = 0; r14 < 16; r14++) {
    acc5 = acc5 + local4[r14 * 16 + alu0];
  }
  if (alu1) {
    local6[lidx0] = acc5;
  }
  workgroupBarrier();
  for (var r15: i32 = 0; r15 < 16; r15++) {
    acc7 = acc7 + local6[r15];
  }
  data0[idx0] = alu2 * (1.0f / sqrt(acc7 / 256.0f + 1e-05f));
}
