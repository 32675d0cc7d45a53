/* CUDA C++, as far as spec/80-targets/cuda.uop spells it. */

#define __global__
#define __device__
#define __forceinline__ inline
#define __launch_bounds__(...)
#define __align__(n) __attribute__((aligned(n)))
#define __shared__ static __attribute__((section("rw_shared")))
#define __syncthreads() rw_barrier(__LINE__, __COUNTER__, 3)
#define threadIdx rw_thread()
#define blockIdx rw_block()
#define blockDim rw_block_size()
#define gridDim rw_grid_size()
#define memcpy __builtin_memcpy

extern "C" {
double sqrt(double), trunc(double), exp(double), exp2(double), log(double), log2(double);
double sin(double), cos(double), atan(double), tanh(double), erf(double);
double pow(double, double), fmod(double, double), fma(double, double, double);
}

#define RW_VECTORS(T, name, two, four)                                                   \
  struct __align__(two) name##2 { T x, y; };                                             \
  struct name##3 { T x, y, z; };                                                         \
  struct __align__(four) name##4 { T x, y, z, w; };                                      \
  static inline name##2 make_##name##2(T x, T y) { return name##2{x, y}; }               \
  static inline name##3 make_##name##3(T x, T y, T z) { return name##3{x, y, z}; }       \
  static inline name##4 make_##name##4(T x, T y, T z, T w) { return name##4{x, y, z, w}; }
RW_VECTORS(signed char, char, 2, 4)
RW_VECTORS(uchar, uchar, 2, 4)
RW_VECTORS(short, short, 4, 8)
RW_VECTORS(ushort, ushort, 4, 8)
RW_VECTORS(int, int, 8, 16)
RW_VECTORS(uint, uint, 8, 16)
RW_VECTORS(long, long, 16, 16)
RW_VECTORS(ulong, ulong, 16, 16)
RW_VECTORS(float, float, 8, 16)
RW_VECTORS(double, double, 16, 16)

struct __half { ushort bits; };
struct __nv_bfloat16 { ushort bits; };
static inline __half __float2half(float x) { return __half{rw_to_half(x)}; }
static inline float __half2float(__half x) { return rw_from_half(x.bits); }
static inline __half __ushort_as_half(ushort x) { return __half{x}; }
static inline __half operator-(__half x) { return __half{(ushort)(x.bits ^ 0x8000)}; }
static inline __nv_bfloat16 __float2bfloat16(float x) { return __nv_bfloat16{rw_to_bfloat(x)}; }
static inline float __bfloat162float(__nv_bfloat16 x) { return rw_from_bfloat(x.bits); }
static inline __nv_bfloat16 __ushort_as_bfloat16(ushort x) { return __nv_bfloat16{x}; }
static inline __nv_bfloat16 operator-(__nv_bfloat16 x) {
  return __nv_bfloat16{(ushort)(x.bits ^ 0x8000)};
}
static inline float __int_as_float(int x) { return rw_bits<float>(x); }
static inline float __uint_as_float(uint x) { return rw_bits<float>(x); }
static inline double __longlong_as_double(long long x) { return rw_bits<double>(x); }
static inline int __float_as_int(float x) { return rw_bits<int>(x); }
static inline uint __float_as_uint(float x) { return rw_bits<uint>(x); }
static inline long long __double_as_longlong(double x) { return rw_bits<long long>(x); }
static inline ushort __half_as_ushort(__half x) { return x.bits; }
static inline ushort __bfloat16_as_ushort(__nv_bfloat16 x) { return x.bits; }

template <class T>
RW_PLAIN static T rw_shuffled_xor(int line, int number, unsigned mask, T x, int lane_mask) {
  return rw_exchanged(line, number, mask, x, (rw_number() % RW_WARP) ^ lane_mask);
}
#define __shfl_xor_sync(...) rw_shuffled_xor(__LINE__, __COUNTER__, __VA_ARGS__)

/* ldmatrix, as the PTX ISA has it: lane 8j + r names row r of matrix j, and each lane gets two elements
   of each matrix, of one row or, turned, of one column. */
extern "C" char __start_rw_shared[] __attribute__((weak, visibility("hidden")));
RW_PLAIN static unsigned long __cvta_generic_to_shared(const void *at) {
  return (unsigned long)((const char *)at - __start_rw_shared);
}
/* Four warps multiply matrices in shared memory, which descriptors name (cores.c). */
RW_PLAIN static void rw_multiply_shared(int line, int number, const char *what, unsigned long a,
                                        unsigned long b, int a_turned, int b_turned, int adds,
                                        void *c) {
  rw_matrices ab = {__start_rw_shared, a, b, a_turned, b_turned, adds};
  rw_hooks_here->multiply_shared(line, number, what, &ab, c);
}
RW_PLAIN static void rw_load_matrices(int line, int number, int count, int turned, unsigned at,
                                      unsigned *to) {
  const char *row = __start_rw_shared + at;
  int lane = rw_number() % RW_WARP, group = lane / 4, first = lane % 4 * 2;
  if ((rw_address)row % 16) rw_hooks_here->misaligned((rw_address)row, 16, "a row", line);
  for (int i = 0; i < 2 * count; i++) {
    int r = turned ? first + i % 2 : group, c = turned ? group : first + i % 2;
    const char *from = rw_exchanged(line, number, 0xffffffffu, row, i / 2 * 8 + r) + 2 * c;
    rw_hooks_here->touch((rw_address)from, 2, 0, RW_CODE);
    __builtin_memcpy((ushort *)to + i, from, 2);
  }
}

/* Copies that a thread has begun and not waited for, as cp.async makes them: nothing is there
   before, and they happen as late as they may. Each is of the group that the next commit ends. */
struct rw_ahead { char *to; const char *from; unsigned long size, zeros; int group; };
enum { RW_MOST_AHEAD = 128, RW_MOST_THREADS = 1024 };
static rw_ahead rw_copies[RW_MOST_THREADS][RW_MOST_AHEAD];
static int rw_copy_count[RW_MOST_THREADS], rw_groups[RW_MOST_THREADS];

RW_PLAIN static void rw_begin() { rw_copy_count[rw_number()] = rw_groups[rw_number()] = 0; }
RW_PLAIN static void rw_copy_now(const rw_ahead &copy, rw_address code) {
  unsigned long size = copy.size - copy.zeros;
  rw_hooks_here->ahead((rw_address)copy.to, (long)copy.size, 0);
  if (size) rw_hooks_here->touch((rw_address)copy.from, (long)size, 0, code);
  rw_hooks_here->touch((rw_address)copy.to, (long)copy.size, 1, code);
  __builtin_memcpy(copy.to, copy.from, size);
  __builtin_memset(copy.to + size, 0, copy.zeros);
}
RW_PLAIN static void __pipeline_memcpy_async(void *to, const void *from, unsigned long size,
                                             unsigned long zeros = 0) {
  int thread = rw_number(), count = rw_copy_count[thread];
  if ((rw_address)to % size) rw_hooks_here->misaligned((rw_address)to, (long)size, "a copy", 0);
  if (zeros < size && (rw_address)from % size)
    rw_hooks_here->misaligned((rw_address)from, (long)size, "a copy", 0);
  rw_ahead copy = {(char *)to, (const char *)from, size, zeros, rw_groups[thread]};
  if (count == RW_MOST_AHEAD) return rw_copy_now(copy, RW_CODE);
  rw_hooks_here->ahead((rw_address)to, (long)size, 1);
  rw_copies[thread][count] = copy;
  rw_copy_count[thread] = count + 1;
}
RW_PLAIN static void __pipeline_commit() { rw_groups[rw_number()]++; }
RW_PLAIN static void __pipeline_wait_prior(int left) {
  int thread = rw_number(), kept = 0;
  for (int i = 0; i < rw_copy_count[thread]; i++) {
    rw_ahead copy = rw_copies[thread][i];
    if (copy.group < rw_groups[thread] - left) rw_copy_now(copy, RW_CODE);
    else rw_copies[thread][kept++] = copy;
  }
  rw_copy_count[thread] = kept;
}
