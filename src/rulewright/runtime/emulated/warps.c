/* ---- what the lanes of a warp do together ---- */

static void multiply(int line, int number, const char *what, const void *a, const void *b,
                     void *c) {
  current->state = MULTIPLIES, current->together = WARP;
  current->line = line, current->barrier = number, current->mask = 0;
  current->what = what, current->a = a, current->b = b, current->c = c;
  rw_switch(&current->context, &scheduler);
}

/* Lanes of four warps multiply matrices in shared memory, of which each reads a part, as if to look. */
static void multiply_shared(int line, int number, const char *what, const struct rw_matrices *ab,
                            void *c) {
  look_at_matrices(what, ab, (int)(number_of(current) % WARPS), line);
  current->state = MULTIPLIES, current->together = WARPS;
  current->line = line, current->barrier = number, current->mask = 0;
  current->what = what, current->a = ab, current->b = 0, current->c = c;
  rw_switch(&current->context, &scheduler);
}

static void exchange(int line, int number, unsigned mask, int source, void *value, long size) {
  current->state = EXCHANGES, current->together = WARP;
  current->line = line, current->barrier = number;
  current->mask = mask, current->source = source, current->value = value, current->size = size;
  rw_switch(&current->context, &scheduler);
}

/* A warp, or four: the first thread, and how many there are; the last of a block may have fewer lanes. */
struct warp { struct thread *lanes; int count; };

static int is_with(const struct thread *t, const struct thread *waits) {
  return t->state == waits->state && t->barrier == waits->barrier && t->mask == waits->mask &&
         t->together == waits->together;
}

/* Lanes that have to come to where one waits: all for a product, to read a value those that it names
   and that have not ended. On Metal, which names none, those are all that is active. */
static int is_named(const struct warp *w, int lane, const struct thread *waits) {
  if (waits->state == MULTIPLIES) return 1;
  if (!waits->mask) return is_with(&w->lanes[lane], waits);
  return waits->mask >> lane & 1 && w->lanes[lane].state != DONE;
}

static int64_t blame_lanes(const struct thread *waits, const struct thread *other, int count) {
  fault->kind = LANES;
  fault->number = waits->state == EXCHANGES, fault->size = waits->together;
  fault->thread = number_of(waits), fault->other_thread = other ? number_of(other) : -1;
  fault->block = block_of(serial), fault->count = count, fault->line = waits->line;
  fault->other_line = !other ? 0 : other->state == DONE ? -1 : other->line;
  return -1;
}

/* A lane that exchanges values among those of a mask is one of them. */
static int64_t blame_mask(const struct thread *t) {
  fault->kind = UNNAMED;
  fault->thread = number_of(t), fault->block = block_of(serial);
  fault->number = t->mask, fault->line = t->line;
  return -1;
}

/* What a lane reads that is not there, or that the mask does not name, could be anything. */
static int64_t blame_source(const struct thread *reads) {
  fault->kind = ABSENT;
  fault->thread = number_of(reads), fault->block = block_of(serial);
  fault->number = reads->source, fault->line = reads->line;
  return -1;
}

/* Lanes that multiply matrices in shared memory have to name the same ones. */
static const struct thread *names_others(const struct warp *w) {
  const struct rw_matrices *ab = w->lanes[0].a;
  for (int i = 1; i < w->count; i++) {
    const struct rw_matrices *mine = w->lanes[i].a;
    if (mine->a != ab->a || mine->b != ab->b) return &w->lanes[i];
  }
  return 0;
}

static int multiply_together(const struct warp *w) {
  if (w->count == WARP) return multiply_lanes(w->lanes[0].what, w->lanes) ? 1 : 0;
  const struct thread *other = names_others(w);
  if (!other) return multiply_warps(w->lanes[0].what, w->lanes);
  fault->kind = MATRICES;
  fault->thread = number_of(other), fault->block = block_of(serial), fault->line = other->line;
  return -1;
}

/* Each lane that is named gets the value of its source; -1 if that is not there. */
static int exchange_lanes(const struct warp *w, const struct thread *waits) {
  static char given[WARP][MOST_EXCHANGED];
  for (int i = 0; i < w->count; i++)
    if (is_named(w, i, waits)) memcpy(given[i], w->lanes[i].value, (size_t)w->lanes[i].size);
  for (int i = 0; i < w->count; i++) {
    struct thread *t = &w->lanes[i];
    if (!is_named(w, i, waits)) continue;
    int is_there = t->source >= 0 && t->source < w->count && is_named(w, t->source, waits);
    if (!is_there) return (int)blame_source(t);
    memcpy(t->value, given[t->source], (size_t)t->size);
  }
  return 0;
}

/* Let a warp, or four, do what one of its lanes waits for: 1 if all came that have to, 0 if not. */
static int meet_where(const struct warp *w, struct thread *waits, struct thread **other) {
  int here = 0, named = 0, is_product = waits->state == MULTIPLIES;
  int lane = (int)(waits - w->lanes);
  *other = 0;
  if (waits->mask && !(waits->mask >> lane & 1)) return (int)blame_mask(waits);
  for (int i = 0; i < w->count; i++) {
    int is_here = is_with(&w->lanes[i], waits);
    here += is_here, named += is_named(w, i, waits);
    if (is_here != is_named(w, i, waits)) *other = &w->lanes[i];
  }
  fault->count = here;
  if (*other || (is_product && here < waits->together)) return 0;
  int is_known = is_product ? multiply_together(w) : 1;
  if (is_known < 1) return is_known;
  if (!is_product && exchange_lanes(w, waits)) return -1;
  struct thread like = *waits;
  for (int i = 0; i < w->count; i++)
    if (is_with(&w->lanes[i], &like)) w->lanes[i].state = READY;
  return 1;
}

/* How many groups of so many lanes did something together; -1 if one waits in vain. */
static int meet_by(int lanes) {
  int found = 0;
  for (int first = 0; first < thread_count; first += lanes) {
    int rest = thread_count - first;
    struct warp w = {&threads[first], rest < lanes ? rest : lanes};
    struct thread *waits = 0, *other = 0, *missing = 0;
    int64_t here = 0;
    int met = 0;
    for (int i = 0; i < w.count && !met; i++) {
      struct thread *t = &w.lanes[i];
      if ((t->state != MULTIPLIES && t->state != EXCHANGES) || t->together != lanes) continue;
      met = meet_where(&w, t, &other);
      if (!met && !waits) waits = t, missing = other, here = fault->count;
    }
    if (met < 0 || (waits && !met)) return met < 0 ? -1 : (int)blame_lanes(waits, missing, (int)here);
    found += met;
  }
  return found;
}

/* Single warps first: those that go on may come to where four meet. */
static int meet_in_warps(void) {
  int warps = meet_by(WARP);
  return warps ? warps : meet_by(WARPS);
}
