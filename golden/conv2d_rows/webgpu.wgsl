// kernel 0: r_2_8_18_18_64_3_3, launch ((2, 16, 1), (18, 9, 1))
var<private> infinity: u32 = 0x7f800000u;

@group(0) @binding(0) var<storage, read_write> data0: array<f32>;
@group(0) @binding(1) var<storage, read_write> data1: array<f32>;
@group(0) @binding(2) var<storage, read_write> data2: array<f32>;

@compute @workgroup_size(18, 9, 1)
fn r_2_8_18_18_64_3_3(
    @builtin(workgroup_id) group_id: vec3<u32>,
    @builtin(local_invocation_id) local_id: vec3<u32>) {
  var acc0: f32;
  let gidx1: i32 = i32(group_id.y);
  let gidx0: i32 = i32(group_id.x);
  let lidx1: i32 = i32(local_id.y);
  let lidx0: i32 = i32(local_id.x);
  acc0 = 0.0f;
  let alu0: i32 = (gidx1 >> u32(3)) * 25600;
  let alu1: i32 = gidx0 * 180;
  let alu2: i32 = lidx1 * 20;
  let alu3: i32 = (gidx1 & 7) * 576;
  for (var r4: i32 = 0; r4 < 64; r4++) {
    let alu4: i32 = alu0 + r4 * 400;
    let alu5: i32 = alu3 + r4 * 9;
    for (var r5: i32 = 0; r5 < 3; r5++) {
      let alu6: i32 = alu4 + r5 * 20 + alu1 + alu2;
      let alu7: i32 = alu5 + r5 * 3;
      for (var r6: i32 = 0; r6 < 3; r6++) {
        acc0 = fma(data1[alu6 + r6 + lidx0], data2[alu7 + r6], acc0);
      }
    }
  }
  data0[gidx1 * 324 + gidx0 * 162 + lidx1 * 18 + lidx0] = acc0;
}
