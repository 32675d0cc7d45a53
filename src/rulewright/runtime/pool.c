/* Runs kernels, over a pool of warm threads where a launch asks for it.

   A kernel k(buffers, variables, begin, end) does iterations [begin, end) of its outermost axis;
   distinct iterations write distinct memory. A launch is cut into blocks of `block` iterations,
   the same whatever the number of threads. The calling thread and each worker own a run of them,
   so that memory which one launch leaves in a processor's cache is what the next one finds there.
   Each claims its own blocks one by one, then the last ones of others: a worker that wakes late
   only means that others do its share.

   A worker spins while a launch is under way and for a moment after it, since the next kernel often
   follows at once and waking a thread takes 30 to 60 microseconds; then it sleeps. Some
   systems wake a thread on the processor of the one that wakes it, where the two take turns: so
   workers are kept off the caller's, where they are told. A fork's child starts with no workers and
   makes its own. */

#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* for affinities */
#endif
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <time.h>

typedef void (*rw_kernel)(void **buffers, const int64_t *variables, int64_t begin, int64_t end);

struct rw_launch {
  rw_kernel kernel;
  void **buffers;
  const int64_t *variables;
  int64_t count;   /* iterations of the outermost axis */
  int64_t block;   /* iterations a block; 0 runs all in the calling thread */
  int64_t threads; /* at most so many threads, the caller among them */
};

/* Where a kernel reads the address of the memory in a slot, which each run has another for: of
   the byte in it that the part begins with. */
struct rw_use {
  void **place;
  int64_t slot;
  int64_t offset;
};

struct rw_row {
  const struct rw_launch *launches;
  int64_t count;
  void *const *addresses; /* by slot */
  const struct rw_use *uses;
  int64_t use_count;
};

enum { MAX_WORKERS = 255, STACK_BYTES = 8 << 20, SPIN_NANOSECONDS = 200000 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;  /* guards sleeping and starting */
static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;  /* one launch at a time has the pool */
static pthread_cond_t wake = PTHREAD_COND_INITIALIZER;
static pthread_t workers[MAX_WORKERS];
static int64_t worker_count, worker_limit; /* started; allowed to join this launch */
static int64_t sleepers, stopping, fork_handler_set;
static int64_t kept_off = -1, kept_count; /* the processor that so many workers are kept off */

/* The launch under way. Its unclaimed blocks are spans, one of each thread: the first block in the
   low half, the end in the high half. They are the gates: a thread that made one shorter owns a
   block, and these fields stand still until that block has been counted in `finished`. */
static struct rw_launch work;
static int64_t blocks, finished;
static struct {
  uint64_t span;
  char line[64 - sizeof(uint64_t)]; /* one of the cache for each */
} owned[MAX_WORKERS + 1];

static inline void relax(void) {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  __asm__ volatile("yield");
#endif
}

static int64_t nanoseconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static int is_empty(uint64_t span) { return (uint32_t)span >= (uint32_t)(span >> 32); }

/* Take the first or the last block of a thread's span; -1 if it has none. */
static int64_t claim(int64_t owner, int last) {
  uint64_t span = __atomic_load_n(&owned[owner].span, __ATOMIC_ACQUIRE), less;
  do {
    if (is_empty(span)) return -1;
    less = last ? span - ((uint64_t)1 << 32) : span + 1;
  } while (!__atomic_compare_exchange_n(&owned[owner].span, &span, less, 1, __ATOMIC_ACQ_REL,
                                        __ATOMIC_ACQUIRE));
  return last ? (int64_t)(less >> 32) : (int64_t)(uint32_t)span;
}

/* Claim a block and run it; 0 if none was left. */
static int run_block(int64_t self) {
  int64_t count = __atomic_load_n(&worker_limit, __ATOMIC_RELAXED) + 1;
  int64_t block = claim(self, 0);
  for (int64_t i = 1; block < 0 && i < count; i++) block = claim((self + i) % count, 1);
  if (block < 0) return 0;
  int64_t begin = block * work.block, end = begin + work.block;
  work.kernel(work.buffers, work.variables, begin, end < work.count ? end : work.count);
  /* A locked instruction on x86: what the kernel stored past the caches is in memory before. */
  __atomic_fetch_add(&finished, 1, __ATOMIC_RELEASE);
  return 1;
}

static int may_join(int64_t index) {
  int64_t limit = __atomic_load_n(&worker_limit, __ATOMIC_SEQ_CST);
  for (int64_t i = 0; index < limit && i <= limit; i++)
    if (!is_empty(__atomic_load_n(&owned[i].span, __ATOMIC_SEQ_CST))) return 1;
  return 0;
}

/* Whether others still do their blocks; not exact, for a launch that begins may have set a part. */
static int is_under_way(void) {
  return __atomic_load_n(&finished, __ATOMIC_RELAXED) < __atomic_load_n(&blocks, __ATOMIC_RELAXED);
}

static void sleep_until_work(int64_t index) {
  pthread_mutex_lock(&lock);
  __atomic_fetch_add(&sleepers, 1, __ATOMIC_SEQ_CST);
  while (!may_join(index) && !stopping) pthread_cond_wait(&wake, &lock);
  __atomic_fetch_sub(&sleepers, 1, __ATOMIC_SEQ_CST);
  pthread_mutex_unlock(&lock);
}

static void *worker(void *argument) {
  int64_t index = (int64_t)(intptr_t)argument, idle_since = nanoseconds();
  while (!__atomic_load_n(&stopping, __ATOMIC_ACQUIRE)) {
    if (may_join(index)) {
      while (run_block(index + 1)) {}
      idle_since = nanoseconds();
    } else if (is_under_way()) {
      idle_since = nanoseconds();
    }
    for (int i = 0; i < 64 && !may_join(index); i++) relax();
    if (!may_join(index) && nanoseconds() - idle_since > SPIN_NANOSECONDS) {
      sleep_until_work(index);
      idle_since = nanoseconds();
    }
  }
  return 0;
}

static void forget_workers(void) { /* in a fork's child: the parent's threads are not here */
  pthread_mutex_t fresh_mutex = PTHREAD_MUTEX_INITIALIZER;
  pthread_cond_t fresh_condition = PTHREAD_COND_INITIALIZER;
  lock = turn = fresh_mutex;
  wake = fresh_condition;
  worker_count = worker_limit = sleepers = stopping = kept_count = 0;
  blocks = finished = 0;
  for (int64_t i = 0; i <= MAX_WORKERS; i++) owned[i].span = 0;
}

/* Start workers up to `wanted`; fewer are no error, the others do their blocks. */
static void start_workers(int64_t wanted) {
  if (wanted > MAX_WORKERS) wanted = MAX_WORKERS;
  if (worker_count >= wanted) return;
  if (!fork_handler_set) fork_handler_set = pthread_atfork(0, 0, forget_workers) == 0;
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, STACK_BYTES);
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before); /* signals are for the caller's threads */
  while (worker_count < wanted &&
         pthread_create(&workers[worker_count], &attributes, worker,
                        (void *)(intptr_t)worker_count) == 0)
    worker_count++;
  pthread_sigmask(SIG_SETMASK, &before, 0);
  pthread_attr_destroy(&attributes);
}

/* Let workers run where the caller may, but for the processor that it runs on now: unless there are
   as many workers as processors. */
static void keep_workers_off(void) {
#ifdef __linux__
  int here = sched_getcpu();
  cpu_set_t allowed;
  if (here < 0 || (here == kept_off && kept_count == worker_count)) return;
  if (pthread_getaffinity_np(pthread_self(), sizeof allowed, &allowed)) return;
  if (CPU_COUNT(&allowed) > worker_count) CPU_CLR(here, &allowed);
  for (int64_t i = 0; i < worker_count; i++)
    pthread_setaffinity_np(workers[i], sizeof allowed, &allowed);
  kept_off = here;
  kept_count = worker_count;
#endif
}

static void wake_sleepers(void) {
  if (__atomic_load_n(&sleepers, __ATOMIC_SEQ_CST) == 0) return;
  pthread_mutex_lock(&lock);
  pthread_cond_broadcast(&wake);
  pthread_mutex_unlock(&lock);
}

static void wait_for_blocks(void) {
  for (int64_t turns = 0; __atomic_load_n(&finished, __ATOMIC_ACQUIRE) < blocks; turns++) {
    if (turns < 4096) relax();
    else sched_yield();
  }
}

static void run_parallel(const struct rw_launch *launch) {
  int64_t threads = launch->threads > MAX_WORKERS ? MAX_WORKERS + 1 : launch->threads;
  start_workers(threads - 1);
  work = *launch;
  int64_t all = (work.count + work.block - 1) / work.block;
  for (; all > INT32_MAX; all = (all + 1) / 2) work.block *= 2;
  __atomic_store_n(&finished, 0, __ATOMIC_RELAXED);
  __atomic_store_n(&blocks, all, __ATOMIC_RELAXED);
  __atomic_store_n(&worker_limit, threads - 1, __ATOMIC_SEQ_CST);
  keep_workers_off();
  for (int64_t i = 0; i < threads; i++) {
    uint64_t first = all * i / threads, end = all * (i + 1) / threads;
    __atomic_store_n(&owned[i].span, end << 32 | first, __ATOMIC_SEQ_CST);
  }
  wake_sleepers();
  while (run_block(0)) {}
  wait_for_blocks();
}

/* Run one launch; returns when it is done. Several threads may call this at once: the pool serves
   one of them, the others run their launches alone. */
void rw_run(const struct rw_launch *launch) {
  if (launch->count <= 0) return;
  int shared = launch->block > 0 && launch->threads > 1 && launch->count > launch->block;
  if (shared && pthread_mutex_trylock(&turn) == 0) {
    run_parallel(launch);
    pthread_mutex_unlock(&turn);
  } else {
    launch->kernel(launch->buffers, launch->variables, 0, launch->count);
  }
}

/* Put the addresses of this run where kernels read them, then run launches one after another: a
   whole schedule in one call. */
void rw_run_row(const struct rw_row *row) {
  for (int64_t i = 0; i < row->use_count; i++)
    *row->uses[i].place = (char *)row->addresses[row->uses[i].slot] + row->uses[i].offset;
  for (int64_t i = 0; i < row->count; i++) rw_run(&row->launches[i]);
}

/* End the workers; a later launch starts new ones. */
void rw_stop(void) {
  pthread_mutex_lock(&turn);
  pthread_mutex_lock(&lock);
  __atomic_store_n(&stopping, 1, __ATOMIC_RELEASE);
  pthread_cond_broadcast(&wake);
  pthread_mutex_unlock(&lock);
  for (int64_t i = 0; i < worker_count; i++) pthread_join(workers[i], 0);
  worker_count = kept_count = 0;
  __atomic_store_n(&stopping, 0, __ATOMIC_RELEASE);
  pthread_mutex_unlock(&turn);
}

/* How many workers are running. */
int64_t rw_workers(void) { return worker_count; }
