/* What this machine can do at most: multiply-adds a core with all operands in registers, and
   copying memory. Each function has the signature of a kernel: it does iterations [begin, end). */

#include <stdint.h>
#include <string.h>

#if defined(__AVX512F__)
#define BYTES 64
#elif defined(__AVX__)
#define BYTES 32
#else
#define BYTES 16
#endif

/* Sums that do not wait for each other: two to four units with a latency of four cycles want up to
   sixteen. Sixteen registers hold no more than twelve of them and two factors. */
#define TWELVE(DO) DO(0) DO(1) DO(2) DO(3) DO(4) DO(5) DO(6) DO(7) DO(8) DO(9) DO(10) DO(11)
#define EIGHT(DO) DO(12) DO(13) DO(14) DO(15) DO(16) DO(17) DO(18) DO(19)
#if defined(__AVX512F__) || defined(__aarch64__)
#define EACH(DO) TWELVE(DO) EIGHT(DO)
#define SUMS 20
#else
#define EACH(DO) TWELVE(DO)
#define SUMS 12
#endif
#define LANES(T) (BYTES / sizeof(T))
#define START(i) vector s##i = one * (i + 1);
#define STEP(i) s##i = s##i * half + one;
#define ADD(i) total += s##i;

#define FMA(T, NAME)                                                                        \
  void NAME(uintptr_t *buffers, const int64_t *steps, int64_t begin, int64_t end) {         \
    typedef T vector __attribute__((vector_size(BYTES)));                                   \
    for (int64_t k = begin; k < end; k++) {                                                 \
      vector one = {}, half = {};                                                           \
      one += (T)1;                                                                          \
      half += (T)0.5;                                                                       \
      EACH(START)                                                                           \
      for (int64_t n = 0; n < steps[0]; n++) {                                              \
        EACH(STEP)                                                                          \
      }                                                                                     \
      vector total = {};                                                                    \
      EACH(ADD)                                                                             \
      ((T *)buffers[0])[k] = total[0];                                                      \
    }                                                                                       \
  }                                                                                         \
  /* Operations of one iteration with one step. */                                          \
  void NAME##_flops(uintptr_t *buffers, const int64_t *steps, int64_t begin, int64_t end) { \
    *(int64_t *)buffers[0] = 2 * SUMS * LANES(T);                                             \
  }

FMA(float, fma_f32)
FMA(double, fma_f64)

/* Iteration k copies bytes [k * sizes[0], (k + 1) * sizes[0]) of buffer 1 to buffer 0. */
void copy(uintptr_t *buffers, const int64_t *sizes, int64_t begin, int64_t end) {
  memcpy((char *)buffers[0] + begin * sizes[0], (char *)buffers[1] + begin * sizes[0],
         (end - begin) * sizes[0]);
}
