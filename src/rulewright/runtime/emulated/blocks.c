/* ---- threads of a block ---- */

static void barrier(int line, int number, int orders) {
  current->state = WAITING;
  current->line = line, current->barrier = number, current->orders = orders;
  rw_switch(&current->context, &scheduler);
}

static struct rw_hooks hooks = {touch, barrier,  out_of_bounds, misaligned,      undefined,
                                ahead, multiply, exchange,      multiply_shared, &position};

static void run_thread(void) {
  ((rw_kernel)launch->kernel)(arguments, launch->variables, &hooks);
  current->state = DONE;
  rw_switch(&current->context, &scheduler);
}

static uint64_t next_random(void) { /* splitmix64 */
  uint64_t z = (state_of_order += 0x9e3779b97f4a7c15u);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

static void shuffle(void) {
  for (int i = thread_count - 1; i > 0; i--) {
    int j = (int)(((next_random() >> 32) * (uint64_t)(i + 1)) >> 32);
    uint16_t other = order[j];
    order[j] = order[i], order[i] = other;
  }
}

static void place(uint32_t *into, int64_t number, const int64_t *sizes) {
  into[0] = (uint32_t)(number % sizes[0]);
  into[1] = (uint32_t)(number / sizes[0] % sizes[1]);
  into[2] = (uint32_t)(number / sizes[0] / sizes[1]);
}

static void go_on(struct thread *t) {
  current = t;
  place(position.thread, number_of(t), launch->block);
  if (t->state == FRESH) {
    t->stack = free_stacks[--free_stack_count];
    begin_at(&t->context, stacks + (int64_t)t->stack * STACK_BYTES, run_thread);
  }
  t->state = READY;
  rw_switch(&scheduler, &t->context);
  if (t->state == DONE) free_stacks[free_stack_count++] = (uint16_t)t->stack;
}

/* All have ended (0), or all wait at one barrier (1). Else the launch has failed (-1). */
static int meet(void) {
  struct thread *waits = 0, *other = 0;
  for (int i = 0; i < thread_count; i++) {
    struct thread *t = &threads[order[i]];
    if (t->state == WAITING && !waits) waits = t;
  }
  if (!waits) return 0;
  int64_t here = 0;
  for (int i = 0; i < thread_count; i++) {
    struct thread *t = &threads[order[i]];
    int is_here = t->state == WAITING && t->barrier == waits->barrier;
    here += is_here;
    if (!is_here) other = t;
  }
  if (!other) return 1;
  fault->kind = DIVERGENT;
  fault->thread = number_of(waits), fault->other_thread = number_of(other);
  fault->block = block_of(serial), fault->count = here;
  fault->line = waits->line, fault->other_line = other->state == DONE ? -1 : other->line;
  return -1;
}

/* 0 if every thread of the block came to its end. */
static int run_block(void) {
  place(position.block, block_of(serial), launch->grid);
  shared_interval = device_interval = 0;
  free_stack_count = thread_count;
  for (int i = 0; i < thread_count; i++) {
    threads[i].state = FRESH;
    free_stacks[i] = (uint16_t)(thread_count - 1 - i);
  }
  for (;;) {
    shuffle();
    for (int i = 0; i < thread_count; i++) {
      if (threads[order[i]].state > READY) continue;
      go_on(&threads[order[i]]);
      if (fault->kind) return -1;
    }
    int warps = meet_in_warps();
    if (warps < 0) return -1;
    if (warps > 0) continue;
    if (unwritten.kind) {
      *fault = unwritten;
      return -1;
    }
    int met = meet();
    if (met <= 0) return met;
    for (int i = 0; i < thread_count; i++) threads[i].state = READY;
    shared_interval += (current->orders & ORDERS_SHARED) != 0;
    device_interval += (current->orders & ORDERS_DEVICE) != 0;
  }
}

