// kernel 0: r_16_10_10, launch ((1, 1, 1), (16, 1, 1))
var<private> infinity: u32 = 0x7f800000u;

@group(0) @binding(0) var<storage, read_write> data0: array<i64>;
@group(0) @binding(1) var<storage, read_write> data1: array<f32>;

@compute @workgroup_size(16, 1, 1)
fn r_16_10_10(@builtin(local_invocation_id) local_id: vec3<u32>) {
  let lidx0: i32 = i32(local_id.x);
  let idx0: i32 = lidx0 * 10;
  let val0: f32 = data1[idx0];
  let val1: f32 = data1[idx0 + 1];
  let alu0: f32 = select(val0, val1, (val1 > val0) | !(val1 == val1));
  let val2: f32 = data1[idx0 + 2];
  let alu1: f32 = select(alu0, val2, (val2 > alu0) | !(val2 == val2));
  let val3: f32 = data1[idx0 + 3];
  let alu2: f32 = select(alu1, val3, (val3 > alu1) | !(val3 == val3));
  let val4: f32 = data1[idx0 + 4];
  let alu3: f32 = select(alu2, val4, (val4 > alu2) | !(val4 == val4));
  let val5: f32 = data1[idx0 + 5];
  let alu4: f32 = select(alu3, val5, (val5 > alu3) | !(val5 == val5));
  let val6: f32 = data1[idx0 + 6];
  let alu5: f32 = select(alu4, val6, (val6 > alu4) | !(val6 == val6));
  let val7: f32 = data1[idx0 + 7];
  let alu6: f32 = select(alu5, val7, (val7 > alu5) | !(val7 == val7));
  let val8: f32 = data1[idx0 + 8];
  let alu7: f32 = select(alu6, val8, (val8 > alu6) | !(val8 == val8));
  let val9: f32 = data1[idx0 + 9];
  let alu8: f32 = select(alu7, val9, (val9 > alu7) | !(val9 == val9));
  let alu9: i32 = min(select(2147483647i, 0i, (val0 == alu8) | !(val0 == val0)), select(2147483647i, 1i, (val1 == alu8) | !(val1 == val1)));
  let alu10: i32 = min(min(alu9, select(2147483647i, 2i, (val2 == alu8) | !(val2 == val2))), select(2147483647i, 3i, (val3 == alu8) | !(val3 == val3)));
  let alu11: i32 = min(min(alu10, select(2147483647i, 4i, (val4 == alu8) | !(val4 == val4))), select(2147483647i, 5i, (val5 == alu8) | !(val5 == val5)));
  let alu12: i32 = min(min(alu11, select(2147483647i, 6i, (val6 == alu8) | !(val6 == val6))), select(2147483647i, 7i, (val7 == alu8) | !(val7 == val7)));
  let alu13: i32 = min(min(alu12, select(2147483647i, 8i, (val8 == alu8) | !(val8 == val8))), select(2147483647i, 9i, (val9 == alu8) | !(val9 == val9)));
  data0[lidx0] = i64(alu13);
}
