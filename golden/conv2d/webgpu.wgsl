// kernel 0: r_8_12_12_4_3_3, launch ((1, 1, 1), (3, 12, 2))
var<private> infinity: u32 = 0x7f800000u;

@group(0) @binding(0) var<storage, read_write> data0: array<f32>;
@group(0) @binding(1) var<storage, read_write> data1: array<f32>;
@group(0) @binding(2) var<storage, read_write> data2: array<f32>;
@group(0) @binding(3) var<storage, read_write> data3: array<f32>;

@compute @workgroup_size(3, 12, 2)
fn r_8_12_12_4_3_3(@builtin(local_invocation_id) local_id: vec3<u32>) {
  var acc0: array<f32, 16>;
  let lidx2: i32 = i32(local_id.z);
  let lidx1: i32 = i32(local_id.y);
  let alu0: i32 = lidx1 * 12;
  let lidx0: i32 = i32(local_id.x);
  let alu1: i32 = lidx0 * 4;
  let idx0: i32 = lidx2 * 576 + alu0 + alu1;
  acc0[0] = 0.0f;
  acc0[4] = 0.0f;
  acc0[8] = 0.0f;
  acc0[12] = 0.0f;
  acc0[1] = 0.0f;
  acc0[5] = 0.0f;
  acc0[9] = 0.0f;
  acc0[13] = 0.0f;
  acc0[2] = 0.0f;
  acc0[6] = 0.0f;
  acc0[10] = 0.0f;
  acc0[14] = 0.0f;
  acc0[3] = 0.0f;
  acc0[7] = 0.0f;
  acc0[11] = 0.0f;
  acc0[15] = 0.0f;
  let alu2: i32 = lidx2 * 144;
  for (var r3: i32 = 0; r3 < 4; r3++) {
    let alu3: i32 = r3 * 144;
    let alu4: i32 = alu2 + r3 * 9;
    for (var r4: i32 = 0; r4 < 3; r4++) {
      let alu5: i32 = r4 * 12;
      let alu6: i32 = r4 + lidx1;
      let alu7: bool = (1 <= alu6) & (alu6 < 13);
      let alu8: i32 = alu4 + r4 * 3;
      for (var r5: i32 = 0; r5 < 3; r5++) {
        let alu9: i32 = r5 + alu1;
        let alu10: i32 = alu9 + alu5 + alu0 + alu3;
        let val0: f32 = select(0.0f, data1[alu10 - 13], alu7 & (1 <= alu9));
        let idx1: i32 = alu8 + r5;
        let val1: f32 = data2[idx1];
        acc0[0] = fma(val0, val1, acc0[0]);
        let val2: f32 = data2[idx1 + 36];
        acc0[4] = fma(val0, val2, acc0[4]);
        let val3: f32 = data2[idx1 + 72];
        acc0[8] = fma(val0, val3, acc0[8]);
        let val4: f32 = data2[idx1 + 108];
        acc0[12] = fma(val0, val4, acc0[12]);
        let val5: f32 = select(0.0f, data1[alu10 - 12], alu7);
        acc0[1] = fma(val5, val1, acc0[1]);
        acc0[5] = fma(val5, val2, acc0[5]);
        acc0[9] = fma(val5, val3, acc0[9]);
        acc0[13] = fma(val5, val4, acc0[13]);
        let val6: f32 = select(0.0f, data1[alu10 - 11], alu7);
        acc0[2] = fma(val6, val1, acc0[2]);
        acc0[6] = fma(val6, val2, acc0[6]);
        acc0[10] = fma(val6, val3, acc0[10]);
        acc0[14] = fma(val6, val4, acc0[14]);
        let val7: f32 = select(0.0f, data1[alu10 - 10], alu7 & (alu9 < 10));
        acc0[3] = fma(val7, val1, acc0[3]);
        acc0[7] = fma(val7, val2, acc0[7]);
        acc0[11] = fma(val7, val3, acc0[11]);
        acc0[15] = fma(val7, val4, acc0[15]);
      }
    }
  }
  let idx2: i32 = lidx2 * 4;
  let val8: f32 = data3[idx2];
  let alu11: f32 = acc0[0] + val8;
  data0[idx0] = select(alu11, 0.0f, alu11 <= 0.0f);
  let val9: f32 = data3[idx2 + 1];
  let alu12: f32 = acc0[4] + val9;
  data0[idx0 + 144] = select(alu12, 0.0f, alu12 <= 0.0f);
  let val10: f32 = data3[idx2 + 2];
  let alu13: f32 = acc0[8] + val10;
  data0[idx0 + 288] = select(alu13, 0.0f, alu13 <= 0.0f);
  let val11: f32 = data3[idx2 + 3];
  let alu14: f32 = acc0[12] + val11;
  data0[idx0 + 432] = select(alu14, 0.0f, alu14 <= 0.0f);
  let alu15: f32 = acc0[1] + val8;
  data0[idx0 + 1] = select(alu15, 0.0f, alu15 <= 0.0f);
  let alu16: f32 = acc0[5] + val9;
  data0[idx0 + 145] = select(alu16, 0.0f, alu16 <= 0.0f);
  let alu17: f32 = acc0[9] + val10;
  data0[idx0 + 289] = select(alu17, 0.0f, alu17 <= 0.0f);
  let alu18: f32 = acc0[13] + val11;
  data0[idx0 + 433] = select(alu18, 0.0f, alu18 <= 0.0f);
  let alu19: f32 = acc0[2] + val8;
  data0[idx0 + 2] = select(alu19, 0.0f, alu19 <= 0.0f);
  let alu20: f32 = acc0[6] + val9;
  data0[idx0 + 146] = select(alu20, 0.0f, alu20 <= 0.0f);
  let alu21: f32 = acc0[10] + val10;
  data0[idx0 + 290] = select(alu21, 0.0f, alu21 <= 0.0f);
  let alu22: f32 = acc0[14] + val11;
  data0[idx0 + 434] = select(alu22, 0.0f, alu22 <= 0.0f);
  let alu23: f32 = acc0[3] + val8;
  data0[idx0 + 3] = select(alu23, 0.0f, alu23 <= 0.0f);
  let alu24: f32 = acc0[7] + val9;
  data0[idx0 + 147] = select(alu24, 0.0f, alu24 <= 0.0f);
  let alu25: f32 = acc0[11] + val10;
  data0[idx0 + 291] = select(alu25, 0.0f, alu25 <= 0.0f);
  let alu26: f32 = acc0[15] + val11;
  data0[idx0 + 435] = select(alu26, 0.0f, alu26 <= 0.0f);
}
