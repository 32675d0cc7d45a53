/* What a GPU's source finds in front of it when it is compiled for the host. The compiler calls the
   functions __tsan_… before each access to memory that others may see, and __ubsan_… where an index
   or address is wrong; all of them (hooks.cc) lead to the hooks that a launch brings (watch.c). */

typedef unsigned long rw_address;
struct rw_position { unsigned thread[3], block[3], block_size[3], grid_size[3]; };
struct rw_matrices { const char *shared; unsigned long a, b; int a_turned, b_turned, adds; };
struct rw_hooks {
  void (*touch)(rw_address at, long size, int write, rw_address code);
  void (*barrier)(int line, int number, int orders);
  void (*bounds)(long index, const char *type, int line);
  void (*misaligned)(rw_address at, long alignment, const char *type, int line);
  void (*undefined)(int is_shift, long by, const char *type, int line);
  void (*ahead)(rw_address at, long size, int begins); /* a copy to there, or it ends */
  void (*multiply)(int line, int number, const char *what, const void *a, const void *b, void *c);
  void (*exchange)(int line, int number, unsigned mask, int source, void *value, long size);
  void (*multiply_shared)(int line, int number, const char *what, const rw_matrices *ab, void *c);
  const rw_position *position;
};
extern __attribute__((visibility("hidden"))) const rw_hooks *rw_hooks_here;

#define RW_PLAIN __attribute__((no_sanitize("thread", "undefined")))
#define RW_CODE ((rw_address)__builtin_return_address(0))

RW_PLAIN static void rw_barrier(int line, int number, int orders) {
  rw_hooks_here->barrier(line, number, orders);
}

/* The lanes of a warp multiply small matrices, of which each brings its elements (cores.c). */
RW_PLAIN static void rw_multiply(int line, int number, const char *what, const void *a,
                                 const void *b, void *c) {
  rw_hooks_here->multiply(line, number, what, a, b, c);
}

/* Each lane gets what another one of its warp has: the number of which is `source`. All that the mask
   names come here (CUDA); without one, those that are active (Metal). */
template <class T>
RW_PLAIN static T rw_exchanged(int line, int number, unsigned mask, T value, int source) {
  static_assert(sizeof(T) <= 16, "lanes exchange values of 16 bytes at most");
  rw_hooks_here->exchange(line, number, mask, source, &value, sizeof value);
  return value;
}

struct rw_triple { unsigned x, y, z; };
#define RW_POSITION(name, field)                                             \
  RW_PLAIN static rw_triple name() {                                         \
    const unsigned *found = rw_hooks_here->position->field;                  \
    return rw_triple{found[0], found[1], found[2]};                          \
  }
RW_POSITION(rw_thread, thread)
RW_POSITION(rw_block, block)
RW_POSITION(rw_block_size, block_size)
RW_POSITION(rw_grid_size, grid_size)

RW_PLAIN static int rw_number() {
  const rw_position *p = rw_hooks_here->position;
  return (int)(p->thread[0] + p->block_size[0] * (p->thread[1] + p->block_size[1] * p->thread[2]));
}
enum { RW_WARP = 32 };

typedef unsigned char uchar;
typedef unsigned short ushort;
typedef unsigned int uint;
typedef unsigned long ulong;

template <class To, class From> RW_PLAIN static inline To rw_bits(From x) {
  static_assert(sizeof(To) == sizeof(From), "both must have the same size");
  To made;
  __builtin_memcpy(&made, &x, sizeof made);
  return made;
}

/* Floats of 16 bits, rounded to nearest even as they come from wider ones. */
static inline float rw_from_half(ushort bits) {
  uint sign = (uint)(bits & 0x8000) << 16, exponent = (bits >> 10) & 31, rest = bits & 0x3ff;
  if (exponent == 31) return rw_bits<float>(sign | 0x7f800000u | rest << 13);
  if (exponent) return rw_bits<float>(sign | (exponent + 112) << 23 | rest << 13);
  float small = (float)rest * 0x1p-24f;
  return sign ? -small : small;
}

static inline ushort rw_to_half(float x) {
  uint bits = rw_bits<uint>(x), sign = bits >> 16 & 0x8000, size = bits & 0x7fffffff;
  if (size > 0x7f800000) return (ushort)(sign | 0x7e00 | (size >> 13 & 0x3ff));
  if (size >= 0x477ff000) return (ushort)(sign | 0x7c00);
  if (size < 0x38800000) { /* the sum has the spacing of the smallest halves */
    float sum = rw_bits<float>(size) + 0.5f;
    return (ushort)(sign | (rw_bits<uint>(sum) - 0x3f000000));
  }
  return (ushort)(sign | (size - 0x38000000 + 0xfff + (size >> 13 & 1)) >> 13);
}

static inline float rw_from_bfloat(ushort bits) { return rw_bits<float>((uint)bits << 16); }

static inline ushort rw_to_bfloat(float x) {
  uint bits = rw_bits<uint>(x);
  if ((bits & 0x7fffffff) > 0x7f800000) return (ushort)(bits >> 16 | 0x40);
  return (ushort)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

extern "C" {
float sqrtf(float), truncf(float), expf(float), exp2f(float), logf(float), log2f(float);
float sinf(float), cosf(float), atanf(float), tanhf(float), erff(float);
float powf(float, float), fmodf(float, float), fmaf(float, float, float);
}
