/* ---- launches ---- */

static void *reserve(int64_t bytes, int access) {
  int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
  void *found = mmap(0, (size_t)bytes, access, flags, -1, 0);
  return found == MAP_FAILED ? 0 : found;
}

static void forget_lock(void) { /* in a fork's child: whoever held it is not here */
  pthread_mutex_t fresh = PTHREAD_MUTEX_INITIALIZER;
  lock = fresh;
}

/* Addresses for windows, as far apart as this process may have them, and stacks. */
static int prepare(void) {
  static int opened;
  if (!stacks) pthread_atfork(0, 0, forget_lock);
  if (!stacks) stacks = reserve((int64_t)MOST_THREADS * STACK_BYTES, PROT_NONE);
  for (int shift = 33; !arena && shift >= 27; shift -= 2) {
    arena = (uintptr_t)reserve((int64_t)MOST_MEMORIES << shift, PROT_NONE);
    slot_shift = shift;
  }
  if (!arena || !stacks) return -1;
  for (; opened < thread_count; opened++) { /* the lowest page of a stack stays closed */
    char *lowest = stacks + (int64_t)opened * STACK_BYTES + PAGE;
    if (mprotect(lowest, STACK_BYTES - PAGE, PROT_READ | PROT_WRITE)) return -1;
  }
  for (int i = 0; i < thread_count; i++) order[i] = (uint16_t)i;
  return 0;
}

static int64_t pages(int64_t bytes) { return (bytes + PAGE - 1) / PAGE * PAGE; }

/* Room for so many cells of so many bytes, where `capacity` were; 0 if there is none. */
static void *grown(void *cells, int64_t *capacity, int64_t count, int64_t size) {
  if (count <= *capacity) return cells;
  if (cells) munmap(cells, (size_t)(*capacity * size));
  cells = reserve(count * size, PROT_READ | PROT_WRITE);
  *capacity = cells ? count : 0;
  return cells;
}

/* Copy a buffer to where the kernel finds it: a quarter of a slot behind the slot's begin. */
static int open_window(int64_t slot) {
  const struct rw_memory *from = &launch->memories[slot];
  struct window *w = &windows[slot];
  uintptr_t first = arena + ((uintptr_t)slot << slot_shift) + ((uintptr_t)1 << (slot_shift - 2));
  int64_t needed = pages(from->skew + from->size);
  w->begin = first + (uintptr_t)from->skew;
  w->size = from->size, w->item_shift = (int)from->item_shift, w->is_written = 0;
  if (needed > (int64_t)1 << (slot_shift - 1)) return -1;
  if (needed > w->committed) {
    if (mprotect((void *)first, (size_t)needed, PROT_READ | PROT_WRITE)) return -1;
    w->committed = needed;
  }
  int64_t cells = (from->size >> from->item_shift) + 1;
  w->cells = grown(w->cells, &w->cell_capacity, cells, sizeof *w->cells);
  if (!w->cells) return -1;
  memcpy((void *)w->begin, (void *)(uintptr_t)from->address, (size_t)from->size);
  return 0;
}

static void close_window(int64_t slot, int keep) {
  const struct rw_memory *from = &launch->memories[slot];
  struct window *w = &windows[slot];
  if (keep && w->is_written)
    memcpy((void *)(uintptr_t)from->address, (void *)w->begin, (size_t)from->size);
  if (w->committed <= LARGE) return;
  uintptr_t first = w->begin - (uintptr_t)from->skew;
  madvise((void *)first, (size_t)w->committed, MADV_DONTNEED);
  if (w->cells) munmap(w->cells, (size_t)w->cell_capacity * sizeof *w->cells);
  w->cells = 0, w->cell_capacity = 0;
}

static uint64_t common_divisor(uint64_t a, uint64_t b) {
  while (b) {
    uint64_t rest = a % b;
    a = b, b = rest;
  }
  return a;
}

/* Choose the order of the blocks: from one on in steps that come to each. */
static void order_blocks(uint64_t count) {
  block_start = next_random() % count;
  block_step = next_random() % count;
  while (common_divisor(block_step, count) != 1) block_step++;
  if (serial + count < UINT32_MAX) return;
  for (int i = 0; i < MOST_MEMORIES; i++) { /* numbers begin anew, and nothing has any */
    if (windows[i].cells)
      munmap(windows[i].cells, (size_t)windows[i].cell_capacity * sizeof(struct cell));
    windows[i].cells = 0, windows[i].cell_capacity = 0;
  }
  if (shared_cells) munmap(shared_cells, (size_t)shared_capacity * sizeof *shared_cells);
  shared_cells = 0, shared_capacity = 0, serial = 0;
}

static int open_all(void) {
  int64_t wanted = launch->memory_count;
  open_windows = 0;
  const struct rw_shared *last = launch->shared + launch->shared_count - 1;
  if (prepare()) return 0;
  order_blocks((uint64_t)launch->grid[0] * launch->grid[1] * launch->grid[2]);
  if (launch->shared_count) {
    int64_t bytes = last->offset + last->size - launch->shared[0].offset;
    shared_cells = grown(shared_cells, &shared_capacity, bytes, sizeof *shared_cells);
    if (!shared_cells) return 0;
  }
  while (open_windows < wanted && !open_window(open_windows)) open_windows++;
  for (int64_t i = 0; i < launch->argument_count && open_windows == wanted; i++)
    arguments[i] = (void *)(windows[launch->arguments[2 * i]].begin + launch->arguments[2 * i + 1]);
  return open_windows == wanted;
}

static void run(void) {
  for (int axis = 0; axis < 3; axis++) {
    position.block_size[axis] = (uint32_t)launch->block[axis];
    position.grid_size[axis] = (uint32_t)launch->grid[axis];
  }
  int64_t count = launch->grid[0] * launch->grid[1] * launch->grid[2];
  first_serial = serial + 1;
  for (int64_t i = 0; i < count; i++) {
    serial++;
    if (run_block()) return;
  }
}

/* Run a launch; memory changes only if it comes to a good end, which `fault->kind` says. */
void rw_emulate(const struct rw_request *request, struct rw_fault *found) {
  pthread_mutex_lock(&lock);
  launch = request, fault = found;
  memset(fault, 0, sizeof *fault);
  unwritten = *fault;
  thread_count = (int)(launch->block[0] * launch->block[1] * launch->block[2]);
  state_of_order = launch->seed;
  if (open_all()) run();
  else fault->kind = NO_MEMORY;
  for (int64_t i = 0; i < open_windows; i++) close_window(i, fault->kind == FINE);
  pthread_mutex_unlock(&lock);
}
