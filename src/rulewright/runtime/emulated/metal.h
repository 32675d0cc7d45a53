/* The Metal Shading Language, as far as spec/80-targets/metal.uop spells it. */

#define kernel extern "C"
#define device
#define constant const
#define thread
#define threadgroup static __attribute__((section("rw_shared")))
#define threadgroup_barrier(flags) rw_barrier(__LINE__, __COUNTER__, (int)(flags))
#define INFINITY __builtin_inff()
#define NAN __builtin_nanf("")

namespace metal {
enum class mem_flags { mem_none = 0, mem_device = 1, mem_threadgroup = 2, mem_texture = 4 };
static inline mem_flags operator|(mem_flags a, mem_flags b) { return mem_flags((int)a | (int)b); }

/* A number of 16 bits, which becomes one only where the source says so. */
#define RW_SMALL_FLOAT(name)                                                           \
  struct name {                                                                        \
    ushort bits;                                                                       \
    constexpr name() : bits(0) {} /* so that memory of a group needs no code to begin */   \
    template <class T> explicit name(T x) : bits(rw_to_##name((float)x)) {}            \
    operator float() const { return rw_from_##name(bits); }                            \
    name operator-() const { return rw_bits<name>((ushort)(bits ^ 0x8000)); }          \
  };
RW_SMALL_FLOAT(half)
RW_SMALL_FLOAT(bfloat)
static inline half operator""h(long double x) { return half((float)x); }

#define RW_VECTORS(T, name)                                                            \
  struct alignas(2 * sizeof(T)) name##2 {                                              \
    T x, y;                                                                            \
    name##2() = default;                                                               \
    name##2(T x, T y) : x(x), y(y) {}                                                  \
    explicit name##2(T x) : x(x), y(x) {}                                              \
  };                                                                                   \
  struct alignas(4 * sizeof(T)) name##3 {                                              \
    T x, y, z;                                                                         \
    name##3() = default;                                                               \
    name##3(T x, T y, T z) : x(x), y(y), z(z) {}                                       \
  };                                                                                   \
  struct alignas(4 * sizeof(T)) name##4 {                                              \
    T x, y, z, w;                                                                      \
    name##4() = default;                                                               \
    name##4(T x, T y, T z, T w) : x(x), y(y), z(z), w(w) {}                            \
    explicit name##4(T x) : x(x), y(x), z(x), w(x) {}                                  \
  };
RW_VECTORS(bool, bool)
RW_VECTORS(char, char)
RW_VECTORS(uchar, uchar)
RW_VECTORS(short, short)
RW_VECTORS(ushort, ushort)
RW_VECTORS(int, int)
RW_VECTORS(uint, uint)
RW_VECTORS(long, long)
RW_VECTORS(ulong, ulong)
RW_VECTORS(half, half)
RW_VECTORS(bfloat, bfloat)
RW_VECTORS(float, float)

template <class T> T rw_as(rw_triple);
template <> inline uint3 rw_as(rw_triple x) { return uint3(x.x, x.y, x.z); }
template <> inline uint2 rw_as(rw_triple x) { return uint2(x.x, x.y); }
template <> inline uint rw_as(rw_triple x) { return x.x; }

template <class To, class From> static inline To as_type(From x) { return rw_bits<To>(x); }
static inline float trunc(float x) { return truncf(x); }
static inline float fma(float a, float b, float c) { return fmaf(a, b, c); }
/* The small matrices of a SIMD-group, of which each thread has two elements. */
template <class T, int M, int N> class simdgroup_matrix {
  static_assert(M == 8 && N == 8, "a simdgroup_matrix has 8 rows and 8 columns");
  typedef T rw_elements[2];
  rw_elements held;
public:
  rw_elements &thread_elements() { return held; }
};
static inline const char *rw_named(simdgroup_matrix<half, 8, 8> &) { return "simdgroup.half"; }
static inline const char *rw_named(simdgroup_matrix<bfloat, 8, 8> &) { return "simdgroup.bfloat"; }
static inline const char *rw_named(simdgroup_matrix<float, 8, 8> &) { return "simdgroup.float"; }
template <class T>
static inline void rw_multiplied(int line, int number, simdgroup_matrix<float, 8, 8> &d,
                                 simdgroup_matrix<T, 8, 8> &a, simdgroup_matrix<T, 8, 8> &b,
                                 simdgroup_matrix<float, 8, 8> &c) {
  simdgroup_matrix<float, 8, 8> sum = c;
  rw_multiply(line, number, rw_named(a), a.thread_elements(), b.thread_elements(),
              sum.thread_elements());
  d = sum;
}
#define simdgroup_multiply_accumulate(...) rw_multiplied(__LINE__, __COUNTER__, __VA_ARGS__)
template <class T> RW_PLAIN static T rw_shuffled_xor(int line, int number, T x, ushort mask) {
  return rw_exchanged(line, number, 0, x, (rw_number() % RW_WARP) ^ mask);
}
#define simd_shuffle_xor(...) rw_shuffled_xor(__LINE__, __COUNTER__, __VA_ARGS__)
namespace precise {
static inline float sqrt(float x) { return sqrtf(x); }
static inline float exp(float x) { return expf(x); }
static inline float exp2(float x) { return exp2f(x); }
static inline float log(float x) { return logf(x); }
static inline float log2(float x) { return log2f(x); }
static inline float sin(float x) { return sinf(x); }
static inline float cos(float x) { return cosf(x); }
static inline float atan(float x) { return atanf(x); }
static inline float tanh(float x) { return tanhf(x); }
static inline float pow(float a, float b) { return powf(a, b); }
static inline float fmod(float a, float b) { return fmodf(a, b); }
}
}
#pragma GCC poison double

static inline void rw_begin() {}
