// kernel 0: r_4_2_50_2_50_50, launch ((2, 1, 1), (25, 2, 4))
var<private> infinity: u32 = 0x7f800000u;

@group(0) @binding(0) var<storage, read_write> data0: array<f32>;
@group(0) @binding(1) var<storage, read_write> data1: array<f32>;

@compute @workgroup_size(25, 2, 4)
fn r_4_2_50_2_50_50(
    @builtin(workgroup_id) group_id: vec3<u32>,
    @builtin(local_invocation_id) local_id: vec3<u32>) {
  var acc0: f32;
  var acc1: f32;
  let lidx2: i32 = i32(local_id.z);
  let alu0: i32 = lidx2 * 100;
  let lidx1: i32 = i32(local_id.y);
  let alu1: i32 = alu0 + lidx1 * 50;
  let gidx0: i32 = i32(group_id.x);
  let alu2: i32 = gidx0 * 25;
  let lidx0: i32 = i32(local_id.x);
  acc0 = 0.0f;
  for (var r4: i32 = 0; r4 < 2; r4++) {
    let alu3: bool = r4 < lidx1;
    let alu4: i32 = alu0 + r4 * 50;
    for (var r5: i32 = 0; r5 < 50; r5++) {
      acc0 = acc0 + select(0.0f, data1[alu4 + r5], alu3);
    }
  }
  let val0: f32 = acc0;
  acc1 = 0.0f;
  let alu5: i32 = alu2 + lidx0;
  for (var r3: i32 = 0; r3 < 50; r3++) {
    acc1 = acc1 + select(data1[alu1 + r3], 0.0f, alu5 < r3);
  }
  data0[alu1 + alu2 + lidx0] = val0 + acc1;
}
