// kernel 0: e_64, launch ((1, 1, 1), (64, 1, 1))
var<private> infinity: u32 = 0x7f800000u;

@group(0) @binding(0) var<storage, read_write> data0: array<f32>;
@group(0) @binding(1) var<storage, read_write> data1: array<u32>;

@compute @workgroup_size(64, 1, 1)
fn e_64(@builtin(local_invocation_id) local_id: vec3<u32>) {
  let lidx0: i32 = i32(local_id.x);
  let val0: u32 = data1[0];
  let val1: u32 = data1[1];
  let alu0: u32 = data1[2] + val1;
  let alu1: u32 = u32(lidx0) + val0 + alu0;
  let alu2: u32 = ((alu0 << 13) | (alu0 >> 19)) ^ alu1;
  let alu3: u32 = alu1 + alu2;
  let alu4: u32 = ((alu2 << 15) | (alu2 >> 17)) ^ alu3;
  let alu5: u32 = alu3 + alu4;
  let alu6: u32 = ((alu4 << 26) | (alu4 >> 6)) ^ alu5;
  let alu7: u32 = alu5 + alu6;
  let alu8: u32 = val0 ^ val1 ^ 466688986;
  let alu9: u32 = (((alu6 << 6) | (alu6 >> 26)) ^ alu7) + alu8;
  let alu10: u32 = alu7 + val1 + alu9;
  let alu11: u32 = alu9 + 1;
  let alu12: u32 = ((alu11 << 17) | (alu11 >> 15)) ^ (alu10 + 1);
  let alu13: u32 = alu10 + alu12;
  let alu14: u32 = ((alu12 << 29) | (alu12 >> 3)) ^ (alu13 + 1);
  let alu15: u32 = alu13 + alu14;
  let alu16: u32 = ((alu14 << 16) | (alu14 >> 16)) ^ (alu15 + 1);
  let alu17: u32 = alu15 + alu16;
  let alu18: u32 = (((alu16 << 24) | (alu16 >> 8)) ^ (alu17 + 1)) + val0;
  let alu19: u32 = alu17 + alu8 + alu18;
  let alu20: u32 = alu18 + 2;
  let alu21: u32 = ((alu20 << 13) | (alu20 >> 19)) ^ (alu19 + 3);
  let alu22: u32 = alu19 + alu21;
  let alu23: u32 = ((alu21 << 15) | (alu21 >> 17)) ^ (alu22 + 3);
  let alu24: u32 = alu22 + alu23;
  let alu25: u32 = ((alu23 << 26) | (alu23 >> 6)) ^ (alu24 + 3);
  let alu26: u32 = alu24 + alu25;
  let alu27: u32 = (((alu25 << 6) | (alu25 >> 26)) ^ (alu26 + 3)) + val1;
  let alu28: u32 = alu26 + val0 + alu27;
  let alu29: u32 = alu27 + 3;
  let alu30: u32 = ((alu29 << 17) | (alu29 >> 15)) ^ (alu28 + 6);
  let alu31: u32 = alu28 + alu30;
  let alu32: u32 = ((alu30 << 29) | (alu30 >> 3)) ^ (alu31 + 6);
  let alu33: u32 = alu31 + alu32;
  let alu34: u32 = ((alu32 << 16) | (alu32 >> 16)) ^ (alu33 + 6);
  let alu35: u32 = alu33 + alu34;
  let alu36: u32 = (((alu34 << 24) | (alu34 >> 8)) ^ (alu35 + 6)) + alu8;
  let alu37: u32 = alu35 + val1 + alu36;
  let alu38: u32 = alu36 + 4;
  let alu39: u32 = ((alu38 << 13) | (alu38 >> 19)) ^ (alu37 + 10);
  let alu40: u32 = alu37 + alu39;
  let alu41: u32 = ((alu39 << 15) | (alu39 >> 17)) ^ (alu40 + 10);
  let alu42: u32 = alu40 + alu41;
  let alu43: u32 = (alu42 + (((alu41 << 26) | (alu41 >> 6)) ^ (alu42 + 10)) + alu8 + 10) >> 8;
  data0[lidx0] = f32(alu43) * 5.9604645e-08f;
}
