/* What the compiler calls from kernels that it watches, and what else each of their libraries has: C++
   behind shim.h, compiled once and linked to each. */

const rw_hooks *rw_hooks_here;

/* The compiler knows other types of some of these functions: so they have names of ours here. */
#define RW_HOOK(mine, name, ...)                                                          \
  extern "C" __attribute__((visibility("hidden"))) void mine(__VA_ARGS__) __asm__(name);  \
  extern "C" RW_PLAIN void mine(__VA_ARGS__)
#define RW_TOUCH(kind, size, write)                                   \
  RW_HOOK(rw_##kind##size, "__tsan_" #kind #size, rw_address at) {    \
    rw_hooks_here->touch(at, size, write, RW_CODE);                   \
  }
/* A second name: what is compiled for each kernel is compiled once. */
#define RW_SAME(name, other)                                                      \
  extern "C" __attribute__((visibility("hidden"), alias("__tsan_" #other)))       \
  void rw_##name(rw_address at) __asm__("__tsan_" #name)
#define RW_TOUCHES(size)                                              \
  RW_TOUCH(read, size, 0) RW_SAME(unaligned_read##size, read##size);  \
  RW_TOUCH(write, size, 1) RW_SAME(unaligned_write##size, write##size);
RW_TOUCHES(1) RW_TOUCHES(2) RW_TOUCHES(4) RW_TOUCHES(8) RW_TOUCHES(16)
RW_HOOK(rw_read_range, "__tsan_read_range", rw_address at, long size) {
  if (size > 0) rw_hooks_here->touch(at, size, 0, RW_CODE);
}
RW_HOOK(rw_write_range, "__tsan_write_range", rw_address at, long size) {
  if (size > 0) rw_hooks_here->touch(at, size, 1, RW_CODE);
}
#ifdef __clang__ /* copies of structs; memcpy would be all that most units need of a library */
RW_HOOK(rw_copy, "__tsan_memcpy", void *to, const void *from, long size) {
  rw_hooks_here->touch((rw_address)from, size, 0, RW_CODE);
  rw_hooks_here->touch((rw_address)to, size, 1, RW_CODE);
  __builtin_memcpy(to, from, (unsigned long)size);
}
#endif
RW_HOOK(rw_init, "__tsan_init", rw_address) {}
RW_SAME(func_entry, init);
RW_SAME(func_exit, init);

struct rw_source { const char *file; unsigned line, column; };
struct rw_type { unsigned short kind, info; char name[1]; };
struct rw_bounds { rw_source where; const rw_type *array, *index; };
struct rw_division { rw_source where; const rw_type *type; };
struct rw_shift { rw_source where; const rw_type *type, *by; };
struct rw_mismatch { rw_source where; const rw_type *type; unsigned char alignment, kind; };
RW_PLAIN static long rw_value(const rw_type *type, rw_address bits) {
  return type->info == (5 << 1 | 1) ? (long)(int)bits : (long)bits; /* 2^5 bits, with a sign */
}
RW_HOOK(rw_out, "__ubsan_handle_out_of_bounds", const rw_bounds *about, rw_address index) {
  long number = rw_value(about->index, index);
  rw_hooks_here->bounds(number, about->array->name, (int)about->where.line);
}
RW_HOOK(rw_divided, "__ubsan_handle_divrem_overflow", const rw_division *about, rw_address,
        rw_address by) {
  rw_hooks_here->undefined(0, rw_value(about->type, by), about->type->name, (int)about->where.line);
}
RW_HOOK(rw_shifted, "__ubsan_handle_shift_out_of_bounds", const rw_shift *about, rw_address,
        rw_address by) {
  rw_hooks_here->undefined(1, rw_value(about->by, by), about->type->name, (int)about->where.line);
}
RW_HOOK(rw_off, "__ubsan_handle_type_mismatch_v1", const rw_mismatch *about, rw_address at) {
  long alignment = 1L << about->alignment;
  rw_hooks_here->misaligned(at, alignment, about->type->name, (int)about->where.line);
}

extern "C" {
/* Where this library lies in memory. */
extern const char __ehdr_start[] __attribute__((visibility("hidden")));
extern const char _end[] __attribute__((visibility("hidden")));
RW_PLAIN void rw_image(long *found) {
  found[0] = (long)__ehdr_start;
  found[1] = (long)(_end - __ehdr_start);
}
}
