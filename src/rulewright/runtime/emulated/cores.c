/* ---- what the lanes of a warp multiply ----

   The layouts are those that NVIDIA's PTX ISA documents for mma (sections "Matrix Fragments for
   mma.m16n8k16" and the like), and for a simdgroup_matrix those that MLX is written to (steel,
   get_coord): not those of spec/80-targets, with which kernels are made. */

enum { HALF, BFLOAT, FLOAT, TENSOR_FLOAT, E4M3, E5M2, SIGNED, UNSIGNED };

struct product {
  const char *name; /* as the instruction ends */
  int kind, m, n, k;
};

static const struct product products[] = {
    {"m16n8k16.row.col.f32.f16.f16.f32", HALF, 16, 8, 16},
    {"m16n8k16.row.col.f32.bf16.bf16.f32", BFLOAT, 16, 8, 16},
    {"m16n8k8.row.col.f32.tf32.tf32.f32", TENSOR_FLOAT, 16, 8, 8},
    {"m16n8k32.row.col.f32.e4m3.e4m3.f32", E4M3, 16, 8, 32},
    {"m16n8k32.row.col.f32.e5m2.e5m2.f32", E5M2, 16, 8, 32},
    {"m16n8k32.row.col.s32.s8.s8.s32", SIGNED, 16, 8, 32},
    {"m16n8k32.row.col.s32.u8.u8.s32", UNSIGNED, 16, 8, 32},
    {"simdgroup.half", HALF, 8, 8, 8},
    {"simdgroup.bfloat", BFLOAT, 8, 8, 8},
    {"simdgroup.float", FLOAT, 8, 8, 8},
};

static double half_of(uint16_t bits) {
  int exponent = bits >> 10 & 31, rest = bits & 1023;
  double size = rest * 0x1p-24;
  if (exponent == 31) size = rest ? __builtin_nan("") : __builtin_inf();
  else if (exponent) {
    size = (1024 + rest) * 0x1p-25;
    while (exponent--) size *= 2;
  }
  return bits >> 15 ? -size : size;
}

static double float_of(uint32_t bits) {
  float found;
  memcpy(&found, &bits, sizeof found);
  return found;
}

/* 1 bit of sign, 4 of exponent with bias 7, 3 of mantissa; no infinity, one NaN. */
static double e4m3_of(uint8_t bits) {
  int exponent = bits >> 3 & 15, rest = bits & 7;
  double size = exponent ? (8 + rest) * 0x1p-10 : rest * 0x1p-9;
  while (exponent--) size *= 2;
  if ((bits & 127) == 127) size = __builtin_nan("");
  return bits >> 7 ? -size : size;
}

static double number_at(int kind, const void *from, int i) {
  switch (kind) {
  case HALF: return half_of(((const uint16_t *)from)[i]);
  case BFLOAT: return float_of((uint32_t)((const uint16_t *)from)[i] << 16);
  case TENSOR_FLOAT: return float_of(((const uint32_t *)from)[i] & 0xffffe000u); /* 10 bits */
  case E4M3: return e4m3_of(((const uint8_t *)from)[i]);
  case E5M2: return half_of((uint16_t)(((const uint8_t *)from)[i] << 8)); /* its first byte */
  case SIGNED: return ((const int8_t *)from)[i];
  case UNSIGNED: return ((const uint8_t *)from)[i];
  default: return ((const float *)from)[i];
  }
}

/* Row and column of element i of a lane: of a (m x k), b (k x n) and c (m x n). */
static void place_of_simdgroup(int lane, int i, int *row, int *column) {
  int quad = lane / 4;
  *row = (quad & 4) + lane / 2 % 4;
  *column = (quad & 2) * 2 + lane % 2 * 2 + i;
}

static void place_in_a(const struct product *p, int lane, int i, int *row, int *column) {
  int group = lane >> 2, thread = lane % 4;
  if (p->m == 8) place_of_simdgroup(lane, i, row, column);
  else if (p->k == 16) {
    *row = i < 2 || (i >= 4 && i < 6) ? group : group + 8;
    *column = i < 4 ? thread * 2 + (i & 1) : thread * 2 + (i & 1) + 8;
  } else if (p->k == 32) {
    *row = i < 4 || (i >= 8 && i < 12) ? group : group + 8;
    *column = i < 8 ? thread * 4 + (i & 3) : thread * 4 + (i & 3) + 16;
  } else {
    *row = i == 0 || i == 2 ? group : group + 8;
    *column = i < 2 ? thread : thread + 4;
  }
}

static void place_in_b(const struct product *p, int lane, int i, int *row, int *column) {
  int group = lane >> 2, thread = lane % 4;
  if (p->m == 8) place_of_simdgroup(lane, i, row, column);
  else {
    *column = group;
    if (p->k == 16) *row = i < 2 ? thread * 2 + (i & 1) : thread * 2 + (i & 1) + 8;
    else if (p->k == 32) *row = i < 4 ? thread * 4 + (i & 3) : thread * 4 + (i & 3) + 16;
    else *row = i == 0 ? thread : thread + 4;
  }
}

static void place_in_c(const struct product *p, int lane, int i, int *row, int *column) {
  if (p->m == 8) place_of_simdgroup(lane, i, row, column);
  else {
    *row = i < 2 ? lane >> 2 : (lane >> 2) + 8;
    *column = lane % 4 * 2 + (i & 1);
  }
}

/* c += a b by the lanes of a warp; 0 for an instruction that is not known. */
static int multiply_lanes(const char *what, const struct thread *lanes) {
  static double a[16][32], b[32][8], c[16][8];
  const struct product *p = 0;
  size_t length = strlen(what);
  for (size_t i = 0; i < sizeof products / sizeof *products && !p; i++) {
    size_t end = strlen(products[i].name);
    if (length >= end && !strcmp(what + length - end, products[i].name)) p = &products[i];
  }
  if (!p) return 0;
  int row, column;
  for (int lane = 0; lane < WARP; lane++) {
    for (int i = 0; i < p->m * p->k / WARP; i++) {
      place_in_a(p, lane, i, &row, &column);
      a[row][column] = number_at(p->kind, lanes[lane].a, i);
    }
    for (int i = 0; i < p->k * p->n / WARP; i++) {
      place_in_b(p, lane, i, &row, &column);
      b[row][column] = number_at(p->kind, lanes[lane].b, i);
    }
  }
  for (int m = 0; m < p->m; m++) {
    for (int n = 0; n < p->n; n++) {
      c[m][n] = 0;
      for (int k = 0; k < p->k; k++) c[m][n] += a[m][k] * b[k][n];
    }
  }
  for (int lane = 0; lane < WARP; lane++) {
    for (int i = 0; i < p->m * p->n / WARP; i++) {
      place_in_c(p, lane, i, &row, &column);
      float *sum = (float *)lanes[lane].c + i;
      int32_t *whole = (int32_t *)lanes[lane].c + i;
      if (p->kind < SIGNED) *sum = (float)(*sum + c[row][column]);
      else *whole = (int32_t)((uint32_t)*whole + (uint32_t)(int64_t)c[row][column]);
    }
  }
  return 1;
}

/* ---- what the lanes of four warps multiply ----

   wgmma, whose operands lie in shared memory without a swizzle (PTX ISA, "Shared Memory Matrix
   Layout" and "Matrix Descriptor Format"): units of 16 bytes, of 8 rows behind each other. What is
   summed lies beside each other; where a matrix is turned, rows (or columns) do. */

static const struct product warp_products[] = {
    {"m64n128k16.f32.f16.f16", HALF, 64, 128, 16},
    {"m64n128k16.f32.bf16.bf16", BFLOAT, 64, 128, 16},
    {"m64n128k8.f32.tf32.tf32", TENSOR_FLOAT, 64, 128, 8},
    {"m64n128k32.f32.e4m3.e4m3", E4M3, 64, 128, 32},
    {"m64n128k32.f32.e5m2.e5m2", E5M2, 64, 128, 32},
    {"m64n128k32.s32.s8.s8", SIGNED, 64, 128, 32},
    {"m64n128k32.s32.u8.u8", UNSIGNED, 64, 128, 32},
};

static const struct product *warp_product(const char *what) {
  for (size_t i = 0; i < sizeof warp_products / sizeof *warp_products; i++)
    if (!strcmp(what, warp_products[i].name)) return &warp_products[i];
  return 0;
}

static int bytes_of(int kind) {
  return kind == FLOAT || kind == TENSOR_FLOAT ? 4 : kind == HALF || kind == BFLOAT ? 2 : 1;
}

/* Where an element is: its place along rows (or columns), and along what is summed. */
static const char *in_shared(const char *shared, uint64_t described, int turned, int size, int row,
                             int k) {
  long begin = (long)(described & 0x3fff) << 4, leading = (long)(described >> 16 & 0x3fff) << 4;
  long stride = (long)(described >> 32 & 0x3fff) << 4;
  int near = turned ? row : k, far = turned ? k : row, unit = 16 / size;
  long units = turned ? near / unit * stride + far / 8 * leading
                      : near / unit * leading + far / 8 * stride;
  return shared + begin + units + far % 8 * 16 + near % unit * size;
}

/* A lane reads its part of the units of 16 bytes, so that what is wrong with them is seen. */
static void look_at_matrices(const char *what, const struct rw_matrices *ab, int lane, int line) {
  const struct product *p = warp_product(what);
  if (!p) return;
  int size = bytes_of(p->kind), unit = 16 / size;
  for (int i = 0; i < 2; i++) {
    int rows = i ? p->n : p->m, turned = i ? ab->b_turned : ab->a_turned;
    int near = turned ? rows / unit : p->k / unit, far = turned ? p->k : rows;
    for (int number = lane; number < near * far; number += WARPS) {
      int inner = number / far * unit, outer = number % far;
      const char *at = in_shared(ab->shared, i ? ab->b : ab->a, turned, size, turned ? inner : outer,
                                 turned ? outer : inner);
      touch((uintptr_t)at, 16, 0, (uintptr_t)line);
    }
  }
}

/* c += a b by the lanes of four warps; 0 for an instruction that is not known. */
static int multiply_warps(const char *what, const struct thread *lanes) {
  static double a[64][32], b[32][128];
  const struct product *p = warp_product(what);
  const struct rw_matrices *ab = lanes[0].a;
  if (!p || (ab->a | ab->b) >> 49) return 0; /* swizzled */
  int size = bytes_of(p->kind);
  for (int k = 0; k < p->k; k++) {
    for (int m = 0; m < p->m; m++)
      a[m][k] = number_at(p->kind, in_shared(ab->shared, ab->a, ab->a_turned, size, m, k), 0);
    for (int n = 0; n < p->n; n++)
      b[k][n] = number_at(p->kind, in_shared(ab->shared, ab->b, ab->b_turned, size, n, k), 0);
  }
  for (int m = 0; m < p->m; m++) {
    for (int n = 0; n < p->n; n++) {
      double sum = 0;
      for (int k = 0; k < p->k; k++) sum += a[m][k] * b[k][n];
      int lane = m / 16 * 32 + m % 8 * 4 + n % 8 / 2, i = n / 8 * 4 + m % 16 / 8 * 2 + n % 2;
      float *total = (float *)lanes[lane].c + i;
      int32_t *whole = (int32_t *)lanes[lane].c + i;
      if (p->kind < SIGNED) *total = (float)((ab->adds ? *total : 0) + sum);
      else *whole = (int32_t)((ab->adds ? (uint32_t)*whole : 0) + (uint32_t)(int64_t)sum);
    }
  }
  return 1;
}
