/* ---- what is remembered of an element ---- */

struct cell {
  uint32_t writer_block, writer_interval; /* blocks by serial numbers, which never come again */
  uint32_t reader_block, reader_interval;
  uint16_t writer, reader;       /* threads */
  uint8_t many_threads, many_blocks; /* others than the reader have read it too */
};

struct window {
  uintptr_t begin;
  int64_t size, committed, cell_capacity;
  int item_shift, is_written;
  struct cell *cells;
};

struct shared_cell {
  struct cell cell;
  uint32_t ahead_block; /* in which a copy to it has begun, and by whom, that is not waited for */
  uint16_t ahead;
};

enum { FRESH, READY, WAITING, DONE, MULTIPLIES, EXCHANGES };

struct thread {
  context context;
  int state, stack;
  int together; /* lanes that multiply or exchange values */
  int barrier, line, orders; /* where it waits */
  const char *what; /* what its warp multiplies, and its elements of it */
  const void *a, *b;
  void *c;
  uint32_t mask; /* who exchanges values, or 0; the lane that has what it gets, and its own value */
  int source;
  long size;
  void *value;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* one launch at a time */
static uintptr_t arena;
static int slot_shift;
static char *stacks;
static struct window windows[MOST_MEMORIES];
static struct shared_cell *shared_cells;
static int64_t shared_capacity;
static struct thread threads[MOST_THREADS];
static uint16_t order[MOST_THREADS], free_stacks[MOST_THREADS];
static int thread_count, free_stack_count;
static context scheduler;
static struct thread *current;
static uint32_t serial = RW_BLOCKS_BEFORE, first_serial = 1; /* this block; the launch's first */
static uint32_t shared_interval, device_interval;
static uint64_t state_of_order, block_start, block_step;
static const struct rw_request *launch;
static struct rw_fault *fault, unwritten; /* the second: what waits for the end of its interval */
static void *arguments[MOST_MEMORIES];
static int64_t open_windows;
static struct rw_position position;

static int64_t number_of(const struct thread *t) { return t - threads; }

static int64_t block_of(uint32_t of) {
  uint64_t count = (uint64_t)launch->grid[0] * launch->grid[1] * launch->grid[2];
  return (int64_t)((block_start + (uint64_t)(of - first_serial) * block_step) % count);
}

static void blame(int kind) {
  fault->kind = kind;
  fault->thread = number_of(current);
  fault->block = block_of(serial);
}

/* Give up the launch; from a fiber, this never returns. What was read before it was written may be
   why: but not of a race, which says more. */
static void fail(int kind) {
  blame(kind);
  if (unwritten.kind && kind != RACE) *fault = unwritten;
  rw_switch(&current->context, &scheduler);
}

static void race(int is_write, int with_write, uint32_t block, int64_t thread) {
  fault->is_write = is_write;
  fault->other_is_write = with_write;
  fault->other_block = block ? block_of(block) : -1; /* another one */
  fault->other_thread = thread;
  fail(RACE);
}

/* Note an access; `from` is the first block whose accesses still count. */
static inline void note(struct cell *c, uint32_t from, uint32_t interval, int is_write) {
  uint32_t me = (uint32_t)number_of(current);
  int same_time;
  if (c->writer_block >= from) {
    same_time = c->writer_block != serial || c->writer_interval == interval;
    if (same_time && (c->writer_block != serial || c->writer != me))
      race(is_write, 1, c->writer_block, c->writer);
  }
  if (!is_write) {
    if (c->reader_block < from) c->many_blocks = c->many_threads = 0;
    else if (c->reader_block != serial) c->many_blocks = 1, c->many_threads = 0;
    else if (c->reader_interval != interval) c->many_threads = 0;
    else {
      c->many_threads |= c->reader != me;
      return;
    }
    c->reader_block = serial, c->reader_interval = interval, c->reader = (uint16_t)me;
    return;
  }
  if (c->reader_block >= from) {
    same_time = c->reader_block != serial || c->reader_interval == interval;
    if (c->reader_block != serial || (same_time && c->reader != me))
      race(1, 0, c->reader_block, c->reader);
    if (c->many_blocks) race(1, 0, 0, -1);
    if (same_time && c->many_threads) race(1, 0, serial, -1);
  }
  c->writer_block = serial, c->writer_interval = interval, c->writer = (uint16_t)me;
}

static void touch_window(uintptr_t at, int64_t size, int is_write) {
  int64_t slot = (int64_t)((at - arena) >> slot_shift);
  struct window *w = &windows[slot];
  int64_t offset = (int64_t)(at - w->begin);
  fault->memory = slot, fault->shared = -1, fault->offset = offset, fault->is_write = is_write;
  if (slot >= launch->memory_count || offset < 0 || offset + size > w->size) fail(OUTSIDE);
  int64_t last = (offset + size - 1) >> w->item_shift;
  for (int64_t i = offset >> w->item_shift; i <= last; i++)
    note(&w->cells[i], first_serial, device_interval, is_write);
  w->is_written |= is_write;
}

/* Shared memory has a cell a byte: what its elements are is not known here. */
static int touch_shared(uintptr_t at, int64_t size, int is_write) {
  int64_t offset = (int64_t)(at - (uintptr_t)launch->image);
  int64_t first = launch->shared_count ? launch->shared[0].offset : 0, found = -1;
  for (int64_t i = 0; i < launch->shared_count && launch->shared[i].offset <= offset; i++) found = i;
  if (found < 0) return 0;
  const struct rw_shared *array = &launch->shared[found];
  int is_last = found + 1 == launch->shared_count;
  if (is_last && offset >= array->offset + array->size) return 0;
  fault->shared = found, fault->memory = -1, fault->offset = offset - array->offset;
  fault->is_write = is_write;
  if (offset + size > array->offset + array->size) fail(OUTSIDE);
  for (int64_t i = offset - first; i < offset - first + size; i++) {
    struct cell *c = &shared_cells[i].cell;
    if (shared_cells[i].ahead_block == serial) {
      fault->other_thread = shared_cells[i].ahead;
      fail(AHEAD);
    }
    if (!is_write && c->writer_block != serial && !unwritten.kind) {
      blame(UNINITIALISED); /* or a race, if another thread writes it before the next barrier */
      unwritten = *fault;
      fault->kind = FINE;
    }
    note(c, serial, shared_interval, is_write);
  }
  return 1;
}

/* A thread begins a copy to shared memory, or it is there: in between nobody may look. */
static void ahead(uintptr_t at, int64_t size, int begins) {
  const struct rw_shared *last = launch->shared + launch->shared_count - 1;
  if (!launch->shared_count) return;
  uintptr_t first = (uintptr_t)(launch->image + launch->shared[0].offset);
  uintptr_t end = (uintptr_t)(launch->image + last->offset + last->size);
  for (uintptr_t i = at; i < at + (uintptr_t)size; i++) {
    if (i < first || i >= end) continue;
    shared_cells[i - first].ahead_block = begins ? serial : 0;
    shared_cells[i - first].ahead = (uint16_t)number_of(current);
  }
}

static inline int within(uintptr_t at, int64_t begin, int64_t size) {
  return at - (uintptr_t)begin < (uintptr_t)size;
}

static void touch(uintptr_t at, int64_t size, int is_write, uintptr_t code) {
  if (at - (uintptr_t)stacks < (uintptr_t)MOST_THREADS * STACK_BYTES) return;
  fault->code = (int64_t)(code - (uintptr_t)launch->image);
  fault->size = size;
  if ((at - arena) >> slot_shift < MOST_MEMORIES) {
    touch_window(at, size, is_write);
    return;
  }
  int in_image = within(at, launch->image, launch->image_size);
  if (in_image && touch_shared(at, size, is_write)) return;
  int is_variable = within(at, (int64_t)(uintptr_t)launch->variables, launch->variable_count * 8);
  if (!is_write && (in_image || is_variable)) return;
  fault->is_write = is_write;
  fail(NOWHERE);
}

static void out_of_bounds(int64_t index, const char *type, int line) {
  fault->number = index, fault->type = type, fault->line = line;
  fail(BOUNDS);
}

static void misaligned(uintptr_t at, int64_t alignment, const char *type, int line) {
  if (at == 0) return; /* never checked here */
  fault->number = alignment, fault->type = type, fault->line = line;
  fault->offset = (int64_t)(at % (uintptr_t)alignment);
  fail(MISALIGNED);
}

static void undefined(int is_shift, int64_t by, const char *type, int line) {
  fault->number = by, fault->type = type, fault->line = line;
  fail(is_shift ? SHIFT : DIVISION);
}

