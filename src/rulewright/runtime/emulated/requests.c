/* Runs GPU kernels on this machine's processor and watches what their threads touch.

   A kernel's own source, compiled for the host with -fsanitize=thread, calls `touch` before each
   access to memory that others may see (emulated.h has the hooks). Buffers are copied into windows
   that lie far apart in an arena of reserved addresses, so what an address belongs to is known from
   its high bits, and an access outside is reported before it happens.

   Each thread of a block is a fiber. Those of a block take turns in a shuffled order, each up to its
   next barrier, and are shuffled again there: an interval. Blocks follow one another in a shuffled
   order too. Each element has a cell that remembers who wrote and read it last, and when. What two
   threads of a block do in one interval, or threads of two blocks do in one launch, has no order. */

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <pthread.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#if !defined(__x86_64__) || defined(RW_PORTABLE)
#include <ucontext.h>
#endif

#ifndef RW_BLOCKS_BEFORE
#define RW_BLOCKS_BEFORE 0
#endif

enum { FINE, OUTSIDE, NOWHERE, RACE, UNINITIALISED, DIVERGENT, BOUNDS, MISALIGNED, NO_MEMORY, LANES,
       ABSENT, MATRICES, UNNAMED, AHEAD, DIVISION, SHIFT };
enum { WARP = 32, WARPS = 128, MOST_EXCHANGED = 16 }; /* lanes of one, of four together; bytes */
enum { MOST_MEMORIES = 512, MOST_THREADS = 1024, STACK_BYTES = 512 << 10, PAGE = 65536 };
enum { LARGE = 4 << 20 }; /* bytes from which on a window is given back after each launch */
enum { ORDERS_DEVICE = 1, ORDERS_SHARED = 2 }; /* what a barrier waits for */

struct rw_memory {
  int64_t address, size; /* on the host */
  int64_t skew;          /* bytes that it lies behind an aligned address on the device */
  int64_t item_shift;    /* log2 of an element's bytes */
};

struct rw_shared { int64_t offset, size; }; /* an array in the kernel's image */

struct rw_request {
  void *kernel;
  const struct rw_memory *memories;
  int64_t memory_count;
  const int64_t *arguments; /* pairs: a memory, and the byte in it where the argument begins */
  int64_t argument_count;
  const int64_t *variables;
  int64_t variable_count;
  const struct rw_shared *shared;
  int64_t shared_count;
  int64_t image, image_size; /* where the kernel's library lies */
  int64_t grid[3], block[3];
  uint64_t seed;
};

/* What went wrong: `kind`, and what it says for that kind. Threads and blocks by their numbers. */
struct rw_fault {
  int64_t kind, memory, shared, offset, size, is_write, code, number, count;
  int64_t thread, block, other_thread, other_block, other_is_write, line, other_line;
  const char *type;
};

/* Two matrices in shared memory by their descriptors, and whether what is summed does not lie beside
   each other; `adds`: to what the sums are, else to 0. */
struct rw_matrices { const char *shared; uint64_t a, b; int a_turned, b_turned, adds; };

struct rw_position { uint32_t thread[3], block[3], block_size[3], grid_size[3]; };

struct rw_hooks {
  void (*touch)(uintptr_t at, int64_t size, int write, uintptr_t code);
  void (*barrier)(int line, int number, int orders);
  void (*bounds)(int64_t index, const char *type, int line);
  void (*misaligned)(uintptr_t at, int64_t alignment, const char *type, int line);
  void (*undefined)(int is_shift, int64_t by, const char *type, int line);
  void (*ahead)(uintptr_t at, int64_t size, int begins);
  void (*multiply)(int line, int number, const char *what, const void *a, const void *b, void *c);
  void (*exchange)(int line, int number, unsigned mask, int source, void *value, long size);
  void (*multiply_shared)(int line, int number, const char *what, const struct rw_matrices *ab,
                          void *c);
  const struct rw_position *position;
};

typedef void (*rw_kernel)(void *const *, const int64_t *, const struct rw_hooks *);

