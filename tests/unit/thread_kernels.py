"""Kernels for tests of the thread pool, which processes of their own run too."""

import numpy as np

from rulewright.runtime.clib import int64_array, load_function, pointer_array, untyped
from rulewright.runtime.compiler import compile_c
from rulewright.runtime.threads import make_launch, pool_run

SOURCE = """
void count(void **b, const long *v, long s, long e) {
  long *x = b[0];
  for (long i = s; i < e; i++) x[i] += v[0] + i;
}
void spin(void **b, const long *v, long s, long e) {
  volatile double *x = b[0];
  for (long i = s; i < e; i++) for (long k = 0; k < v[0]; k++) x[8 * i] += 1;
}
"""


def kernel(name: str = "count"):
    return untyped(load_function(compile_c(SOURCE), name))


def run_count(count: int, block: int, threads: int, step: int = 1) -> np.ndarray:
    x = np.zeros(max(count, 1), np.int64)
    buffers, variables = pointer_array([x.ctypes.data]), int64_array([step])
    pool_run()(make_launch(kernel(), buffers, variables, count, block, threads))
    return x[:count]
