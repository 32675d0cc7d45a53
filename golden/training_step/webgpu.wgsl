// kernel 0: r_7_3_5, launch ((1, 1, 1), (3, 7, 1))
var<private> infinity: u32 = 0x7f800000u;

@group(0) @binding(0) var<storage, read_write> data0: array<f32>;
@group(0) @binding(1) var<storage, read_write> data1: array<f32>;
@group(0) @binding(2) var<storage, read_write> data2: array<f32>;
@group(0) @binding(3) var<storage, read_write> data3: array<f32>;

@compute @workgroup_size(3, 7, 1)
fn r_7_3_5(
    @builtin(local_invocation_id) local_id: vec3<u32>,
    @builtin(global_invocation_id) item: vec3<u32>) {
  let lidx1: i32 = i32(local_id.y);
  let lidx0: i32 = i32(local_id.x);
  let idx0: i32 = lidx1 * 5;
  let idx1: i32 = lidx0 * 5;
  let alu0: f32 = data1[idx0] * data2[idx1] + data1[idx0 + 1] * data2[idx1 + 1] + data1[idx0 + 2] * data2[idx1 + 2];
  let alu1: f32 = alu0 + data1[idx0 + 3] * data2[idx1 + 3] + data1[idx0 + 4] * data2[idx1 + 4];
  let alu2: u32 = bitcast<u32>(alu1 + data3[lidx0]);
  let alu3: f32 = bitcast<f32>(alu2 & 2147483647);
  let alu4: f32 = select(alu3, 9.1f, (9.1f < alu3) | !(9.1f == 9.1f));
  let alu5: f32 = fma(alu4, -2.88539f, 12583039.0f);
  let alu6: f32 = bitcast<f32>(bitcast<u32>(alu5) << 23);
  let alu7: f32 = bitcast<f32>(bitcast<u32>(alu5) ^ (item.x >> 31)) - 12583039.0f;
  let alu8: f32 = fma(alu7, -0.00010609722f, bitcast<f32>(bitcast<u32>(fma(alu7, 0.3466797f, alu4)) ^ (item.x >> 31)));
  let alu9: f32 = fma(alu8, fma(alu8, fma(alu8, -0.0888479f, 0.26773483f), -0.6666753f), 1.3333234f);
  let alu10: f32 = fma(alu8 * alu8, fma(alu8, alu9, -1.9999999f), alu8 + alu8);
  let alu11: u32 = bitcast<u32>(fma(alu6, alu10, 1.0f - alu6) / fma(-alu6, alu10, alu6 + 1.0f));
  data0[lidx1 * 3 + lidx0] = bitcast<f32>(alu11 | (alu2 & 2147483648u));
}

// kernel 1: r_7_3, launch ((1, 1, 1), (1, 1, 1))
var<private> infinity: u32 = 0x7f800000u;

@group(0) @binding(0) var<storage, read_write> data0: array<f32>;
@group(0) @binding(1) var<storage, read_write> data1: array<f32>;
@group(0) @binding(2) var<storage, read_write> data2: array<f32>;

@compute @workgroup_size(1, 1, 1)
fn r_7_3() {
  var acc0: f32;
  acc0 = 0.0f;
  for (var r2: i32 = 0; r2 < 21; r2++) {
    let alu0: f32 = data1[r2] - data2[r2];
    acc0 = fma(alu0, alu0, acc0);
  }
  data0[0] = acc0 / 21.0f;
}

// kernel 2: r_3_5_7, launch ((1, 1, 1), (5, 3, 1))
var<private> infinity: u32 = 0x7f800000u;

@group(0) @binding(0) var<storage, read_write> data0: array<f32>;
@group(0) @binding(1) var<storage, read_write> data1: array<f32>;
@group(0) @binding(2) var<storage, read_write> data2: array<f32>;
@group(0) @binding(3) var<storage, read_write> data3: array<f32>;

@compute @workgroup_size(5, 3, 1)
fn r_3_5_7(@builtin(local_invocation_id) local_id: vec3<u32>) {
  let lidx1: i32 = i32(local_id.y);
  let lidx0: i32 = i32(local_id.x);
  let val0: f32 = data1[lidx1];
  let alu0: f32 = (val0 - data2[lidx1]) * 0.04761905f * 2.0f * (1.0f - val0 * val0) * data3[lidx0];
  let idx0: i32 = lidx1 + 3;
  let val1: f32 = data1[idx0];
  let alu1: f32 = (val1 - data2[idx0]) * 0.04761905f * 2.0f * (1.0f - val1 * val1) * data3[lidx0 + 5];
  let idx1: i32 = lidx1 + 6;
  let val2: f32 = data1[idx1];
  let alu2: f32 = (val2 - data2[idx1]) * 0.04761905f * 2.0f * (1.0f - val2 * val2) * data3[lidx0 + 10];
  let idx2: i32 = lidx1 + 9;
  let val3: f32 = data1[idx2];
  let alu3: f32 = (val3 - data2[idx2]) * 0.04761905f * 2.0f * (1.0f - val3 * val3) * data3[lidx0 + 15];
  let idx3: i32 = lidx1 + 12;
  let val4: f32 = data1[idx3];
  let alu4: f32 = (val4 - data2[idx3]) * 0.04761905f * 2.0f * (1.0f - val4 * val4) * data3[lidx0 + 20];
  let idx4: i32 = lidx1 + 15;
  let val5: f32 = data1[idx4];
  let alu5: f32 = (val5 - data2[idx4]) * 0.04761905f * 2.0f * (1.0f - val5 * val5) * data3[lidx0 + 25];
  let idx5: i32 = lidx1 + 18;
  let val6: f32 = data1[idx5];
  let alu6: f32 = (val6 - data2[idx5]) * 0.04761905f * 2.0f * (1.0f - val6 * val6) * data3[lidx0 + 30];
  data0[lidx1 * 5 + lidx0] = alu0 + alu1 + alu2 + alu3 + alu4 + alu5 + alu6;
}

// kernel 3: e_3_5, launch ((1, 1, 1), (15, 1, 1))
var<private> infinity: u32 = 0x7f800000u;

@group(0) @binding(0) var<storage, read_write> data0: array<f32>;
@group(0) @binding(1) var<storage, read_write> data1: array<f32>;
@group(0) @binding(2) var<storage, read_write> data2: array<f32>;

@compute @workgroup_size(15, 1, 1)
fn e_3_5(@builtin(local_invocation_id) local_id: vec3<u32>) {
  let lidx0: i32 = i32(local_id.x);
  data0[lidx0] = data0[lidx0] - data1[0] * data2[lidx0];
}

// kernel 4: r_3_7, launch ((1, 1, 1), (3, 1, 1))
var<private> infinity: u32 = 0x7f800000u;

@group(0) @binding(0) var<storage, read_write> data0: array<f32>;
@group(0) @binding(1) var<storage, read_write> data1: array<f32>;
@group(0) @binding(2) var<storage, read_write> data2: array<f32>;
@group(0) @binding(3) var<storage, read_write> data3: array<f32>;
@group(0) @binding(4) var<storage, read_write> data4: array<f32>;

@compute @workgroup_size(3, 1, 1)
fn r_3_7(@builtin(local_invocation_id) local_id: vec3<u32>) {
  let lidx0: i32 = i32(local_id.x);
  let val0: f32 = data2[lidx0];
  let idx0: i32 = lidx0 + 3;
  let val1: f32 = data2[idx0];
  let alu0: f32 = (val0 - data3[lidx0]) * 0.04761905f * 2.0f * (1.0f - val0 * val0) + (val1 - data3[idx0]) * 0.04761905f * 2.0f * (1.0f - val1 * val1);
  let idx1: i32 = lidx0 + 6;
  let val2: f32 = data2[idx1];
  let idx2: i32 = lidx0 + 9;
  let val3: f32 = data2[idx2];
  let alu1: f32 = alu0 + (val2 - data3[idx1]) * 0.04761905f * 2.0f * (1.0f - val2 * val2) + (val3 - data3[idx2]) * 0.04761905f * 2.0f * (1.0f - val3 * val3);
  let idx3: i32 = lidx0 + 12;
  let val4: f32 = data2[idx3];
  let idx4: i32 = lidx0 + 15;
  let val5: f32 = data2[idx4];
  let alu2: f32 = alu1 + (val4 - data3[idx3]) * 0.04761905f * 2.0f * (1.0f - val4 * val4) + (val5 - data3[idx4]) * 0.04761905f * 2.0f * (1.0f - val5 * val5);
  let idx5: i32 = lidx0 + 18;
  let val6: f32 = data2[idx5];
  let alu3: f32 = alu2 + (val6 - data3[idx5]) * 0.04761905f * 2.0f * (1.0f - val6 * val6);
  data0[lidx0] = alu3;
  data1[lidx0] = data1[lidx0] - data4[0] * alu3;
}
