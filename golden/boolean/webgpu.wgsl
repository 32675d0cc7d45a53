// kernel 0: e_8_16, launch ((1, 1, 1), (128, 1, 1))
var<private> infinity: u32 = 0x7f800000u;

@group(0) @binding(0) var<storage, read_write> data0: array<atomic<u32>>;
@group(0) @binding(1) var<storage, read_write> data1: array<f32>;
@group(0) @binding(2) var<storage, read_write> data2: array<f32>;

@compute @workgroup_size(128, 1, 1)
fn e_8_16(@builtin(local_invocation_id) local_id: vec3<u32>) {
  let lidx0: i32 = i32(local_id.x);
  let val0: f32 = data1[lidx0];
  let val1: f32 = data2[lidx0];
  {
    let bits = (u32(((val0 < val1) & !(val0 == 0.0f)) | (1.0f <= val1)) & 255) << (8 * u32(lidx0 & 3));
    atomicAnd(&data0[lidx0 >> 2], ~(255u << (8 * u32(lidx0 & 3))));
    atomicOr(&data0[lidx0 >> 2], bits);
  }
}
