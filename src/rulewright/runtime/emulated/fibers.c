/* ---- fibers: a switch saves what a call preserves, and goes on where the other one left ---- */

#if defined(__x86_64__) && !defined(RW_PORTABLE)
typedef void *context;
void rw_switch(context *from, context *to);
__asm__(".text\n.p2align 4\n.hidden rw_switch\n.globl rw_switch\n.type rw_switch, @function\n"
        "rw_switch:\n"
        "pushq %rbp\npushq %rbx\npushq %r12\npushq %r13\npushq %r14\npushq %r15\n"
        "movq %rsp, (%rdi)\nmovq (%rsi), %rsp\n"
        "popq %r15\npopq %r14\npopq %r13\npopq %r12\npopq %rbx\npopq %rbp\nret\n"
        ".size rw_switch, .-rw_switch\n");

static void begin_at(context *made, char *stack, void (*function)(void)) {
  void **top = (void **)(stack + STACK_BYTES) - 2; /* where a caller would have left its address */
  memset(top - 6, 0, 8 * sizeof *top);
  top[0] = (void *)function;
  *made = top - 6;
}
#else
typedef ucontext_t context;
static void rw_switch(context *from, context *to) { swapcontext(from, to); }

static void begin_at(context *made, char *stack, void (*function)(void)) {
  getcontext(made);
  made->uc_stack.ss_sp = stack;
  made->uc_stack.ss_size = STACK_BYTES;
  made->uc_link = 0;
  makecontext(made, function, 0);
}
#endif

