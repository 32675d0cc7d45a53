// kernel 0: e_128, launch ((1, 1, 1), (128, 1, 1))
@group(0) @binding(0) var<storage, read_write> data0: array<i32>;
@group(0) @binding(1) var<storage, read_write> data1: array<i32>;
@group(0) @binding(2) var<storage, read_write> data2: array<i32>;

@compute @workgroup_size(128, 1, 1)
fn e_128(@builtin(local_invocation_id) local_id: vec3<u32>) {
  let lidx0: i32 = i32(local_id.x);
  let val0: i32 = data2[lidx0];
  let alu0: bool = val0 == 0;
  let val1: i32 = data1[lidx0];
  let alu1: bool = val1 < 0;
  let alu2: bool = val0 < 0;
  let cast0: u32 = u32(val1);
  let alu3: u32 = select(cast0, 0 - cast0, alu1);
  let cast1: u32 = u32(val0);
  let alu4: u32 = max(select(cast1, 0 - cast1, alu2), 1);
  let alu5: u32 = alu3 / alu4;
  let alu6: u32 = alu3 % alu4;
  let alu7: i32 = select(i32(select(alu6, 0 - alu6, alu1)), val1, alu0);
  let alu8: bool = (alu7 != 0) & ((alu7 ^ val0) < 0);
  let alu9: i32 = select(i32(select(alu5, 0 - alu5, alu1 != alu2)), 0i, alu0) - i32(alu8 & (val0 != 0));
  data0[lidx0] = (alu9 + (alu7 + select(0i, val0, alu8))) * 3 - (val1 >> u32(2));
}
