"""Kernels written by hand, as the scheduler would make them, for tests of code generation."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from rulewright.codegen.axes import Axes
from rulewright.codegen.choices import parse_choices
from rulewright.driver.units import units_of
from rulewright.interp import run_kernel
from rulewright.ir.dtypes import dtypes
from rulewright.ir.ops import Ops
from rulewright.ir.uop import UOp
from rulewright.render import target
from rulewright.runtime.clib import int64_array, load_function, pointer_array
from rulewright.runtime.compiler import compile_many, find_compiler

axis = UOp.range


def param(slot, size, dtype=dtypes.f32):
    return UOp(Ops.PARAM, dtype, (), (slot, (size,), None))


def const(value):
    return UOp.index_const(value)


def reduced(size, id):
    return axis(size, id, "reduce")


def elementwise(n):
    i = axis(n, 0)
    x = param(1, n).index(i)
    return UOp.sink(param(0, n).index(i).store((x * 2.0 + 1.0) * x).end(i))


def row_sum(rows, columns, op=Ops.ADD):
    i, j = axis(rows, 0), reduced(columns, 1)
    total = param(1, rows * columns).index(i * columns + j).reduce(op, j)
    return UOp.sink(param(0, rows).index(i).store(total).end(i))


def column_sum(rows, columns):
    i, j = axis(columns, 0), reduced(rows, 1)
    total = param(1, rows * columns).index(j * columns + i).reduce(Ops.ADD, j)
    return UOp.sink(param(0, columns).index(i).store(total).end(i))


def full_sum(n, dtype=dtypes.f32):
    j = reduced(n, 0)
    total = param(1, n, dtype).index(j).reduce(Ops.ADD, j)
    return UOp.sink(param(0, 1, dtype).index(const(0)).store(total))


def matmul(m, n, k, transposed=False, dtype=dtypes.f32):
    i, j, r = axis(m, 0), axis(n, 1), reduced(k, 2)
    b = param(2, n * k, dtype).index(j * k + r if transposed else r * n + j)
    total = (param(1, m * k, dtype).index(i * k + r) * b).reduce(Ops.ADD, r)
    return UOp.sink(param(0, m * n, dtype).index(i * n + j).store(total).end(i, j))


def softmax(rows, columns, pitch=None):
    """Of rows that lie `pitch` elements apart."""
    i, first, second, j = axis(rows, 0), reduced(columns, 1), reduced(columns, 2), axis(columns, 3)
    pitch = pitch or columns

    def x(k):
        return param(1, rows * pitch).index(i * pitch + k)

    top = x(first).reduce(Ops.MAX, first)
    total = (x(second) - top).alu(Ops.EXP).reduce(Ops.ADD, second)
    value = (x(j) - top).alu(Ops.EXP) / total
    return UOp.sink(param(0, rows * pitch).index(i * pitch + j).store(value).end(i, j))


def layernorm(rows, columns):
    i, first, second, j = axis(rows, 0), reduced(columns, 1), reduced(columns, 2), axis(columns, 3)

    def x(k):
        return param(1, rows * columns).index(i * columns + k)

    mean = x(first).reduce(Ops.ADD, first) * (1.0 / columns)
    off = x(second) - mean
    variance = (off * off).reduce(Ops.ADD, second) * (1.0 / columns)
    value = (x(j) - mean) / (variance + 1e-5).alu(Ops.SQRT)
    return UOp.sink(param(0, rows * columns).index(i * columns + j).store(value).end(i, j))


def transpose_add(n):
    i, j = axis(n, 0), axis(n, 1)
    value = param(1, n * n).index(j * n + i) + param(2, n * n).index(i * n + j)
    return UOp.sink(param(0, n * n).index(i * n + j).store(value).end(i, j))


def padded(n):
    i = axis(n + 4, 0)
    valid = (i < const(n + 2)) & ~(i < const(2))
    at = valid.where(i - 2, UOp(Ops.INVALID, dtypes.index))
    value = valid.where(param(1, n).index(at), UOp.const(dtypes.f32, 0.0))
    return UOp.sink(param(0, n + 4).index(i).store(value).end(i))


def padded_convolution(images, outs, ins, side):
    b, o, y, x = axis(images, 0), axis(outs, 1), axis(side, 2), axis(side, 3)
    c, dy, dx = reduced(ins, 4), reduced(3, 5), reduced(3, 6)
    row, column = y + dy - 1, x + dx - 1
    inside = ~(row < const(0)) & (row < const(side)) & ~(column < const(0)) & (column < const(side))
    place = b * (ins * side * side) + c * (side * side) + row * side + column
    at = inside.where(place, UOp(Ops.INVALID, dtypes.index))
    pixel = inside.where(param(1, images * ins * side**2).index(at), UOp.const(dtypes.f32, 0.0))
    weight = param(2, outs * ins * 9).index(o * (ins * 9) + c * 9 + dy * 3 + dx)
    to = b * (outs * side * side) + o * (side * side) + y * side + x
    total = (pixel * weight).reduce(Ops.ADD, c, dy, dx)
    return UOp.sink(param(0, images * outs * side**2).index(to).store(total).end(b, o, y, x))


def max_pool(images, side):
    b, y, x, dy, dx = axis(images, 0), axis(side, 1), axis(side, 2), reduced(2, 3), reduced(2, 4)
    at = b * (4 * side * side) + (y * 2 + dy) * (2 * side) + x * 2 + dx
    top = param(1, 4 * images * side**2).index(at).reduce(Ops.MAX, dy, dx)
    to = b * (side * side) + y * side + x
    return UOp.sink(param(0, images * side**2).index(to).store(top).end(b, y, x))


def argmax(rows, columns):
    i, first, second = axis(rows, 0), reduced(columns, 1), reduced(columns, 2)

    def x(k):
        return param(1, rows * columns).index(i * columns + k)

    top = x(first).reduce(Ops.MAX, first)
    none = UOp.const(dtypes.i32, -(2**30))
    found = x(second).eq(top).where(second.cast(dtypes.i32) * -1, none).reduce(Ops.MAX, second)
    return UOp.sink(param(0, rows, dtypes.i32).index(i).store(found * -1).end(i))


def centred(rows, columns):
    """Two stores with different loops: rows without their sum, and the sums."""
    i, j, r = axis(rows, 0), axis(columns, 1), reduced(columns, 2)

    def x(k):
        return param(2, rows * columns).index(i * columns + k)

    total = x(r).reduce(Ops.ADD, r)
    first = param(0, rows * columns).index(i * columns + j).store(x(j) - total).end(i, j)
    return UOp.sink(first, param(1, rows).index(i).store(total).end(i))


def twice(n):
    """Two stores in the same loop."""
    i = axis(n, 0)
    x = param(2, n).index(i)
    double = param(0, n).index(i).store(x * 2.0).end(i)
    return UOp.sink(double, param(1, n).index(i).store(x + 1.0).end(i))


def moments(rows, columns):
    """Two reductions over the same range."""
    i, j = axis(rows, 0), reduced(columns, 1)
    x = param(2, rows * columns).index(i * columns + j)
    first = param(0, rows).index(i).store(x.reduce(Ops.ADD, j)).end(i)
    return UOp.sink(first, param(1, rows).index(i).store((x * x).reduce(Ops.ADD, j)).end(i))


def symbolic(most):
    """Both a stored and a reduced axis of symbolic size."""
    n = UOp.variable("n", 1, most)
    i, j = axis(n, 0), reduced(n, 1)
    top = param(1, most).index(j).reduce(Ops.MAX, j)
    return UOp.sink(param(0, most).index(i).store(param(1, most).index(i) * 2.0 + top).end(i))


def counting(n):
    i = axis(n, 0)
    return UOp.sink(param(0, n, dtypes.i32).index(i).store(i.cast(dtypes.i32) + 3).end(i))


def single():
    x = param(1, 1).index(const(0))
    return UOp.sink(param(0, 1).index(const(0)).store(x * 3.0))


KERNELS = {
    "elementwise": elementwise(1000),
    "elementwise_prime": elementwise(1021),
    "elementwise_large": elementwise(5 * 4096),
    "row_sum": row_sum(5, 1000),
    "row_sum_even": row_sum(5, 1024),
    "row_max": row_sum(3, 333, Ops.MAX),
    "row_product": row_sum(3, 7, Ops.MUL),
    "column_sum": column_sum(37, 70),
    "column_sum_wide": column_sum(9, 2500),
    "full_sum": full_sum(5000),
    "full_sum_of_ints": full_sum(999, dtypes.i32),
    "matmul": matmul(16, 64, 33),
    "matmul_transposed": matmul(16, 64, 48, transposed=True),
    "matmul_of_primes": matmul(13, 53, 31),
    "matmul_wide_prime": matmul(8, 1031, 5),
    "matmul_transposed_prime": matmul(7, 103, 67, transposed=True),
    "matmul_of_one": matmul(1, 1, 7),
    "matmul_f64": matmul(8, 32, 16, dtype=dtypes.f64),
    "matmul_i32": matmul(8, 32, 16, dtype=dtypes.i32),
    "matmul_u8": matmul(8, 32, 16, dtype=dtypes.u8),
    "matmul_turned": matmul(24, 64, 48, transposed=True),
    "matmul_turned_by_eight": matmul(24, 72, 40, transposed=True),
    "matmul_turned_f64": matmul(25, 33, 64, transposed=True, dtype=dtypes.f64),
    "matmul_turned_i32": matmul(24, 63, 48, transposed=True, dtype=dtypes.i32),
    "matmul_of_few_rows": matmul(3, 512, 96),
    "matmul_of_few_rows_odd": matmul(6, 519, 75),
    "matmul_of_few_rows_f64": matmul(2, 512, 96, dtype=dtypes.f64),
    "softmax": softmax(5, 300),
    "layernorm": layernorm(4, 257),
    "transpose_add": transpose_add(64),
    "padded": padded(50),
    "padded_convolution": padded_convolution(2, 8, 4, 12),
    "max_pool": max_pool(2, 16),
    "argmax": argmax(4, 1000),
    "centred": centred(5, 200),
    "twice": twice(300),
    "moments": moments(4, 500),
    "symbolic": symbolic(50),
    "counting": counting(100),
    "single": single(),
}
VARIABLES = {"n": 37}


def parameters(sink):
    found = {n for n in sink.toposort() if n.op is Ops.PARAM}
    return sorted(found, key=lambda p: p.arg[0])


def inputs(sink, rng):
    """An array for each parameter; what a kernel writes over first holds 77."""
    stored = {s.src[0].src[0] for s in sink.toposort() if s.op is Ops.STORE}
    arrays = []
    for p in parameters(sink):
        size, kind = p.arg[1][0], p.dtype.np
        random = rng.standard_normal(size) if p.dtype.is_float else rng.integers(0, 100, size)
        arrays.append(np.full(size, 77, kind) if p in stored else random.astype(kind))
    return arrays


def same(found, expected, where=""):
    """All arrays agree, up to the order in which floats are summed; a failure says `where`."""
    for a, b in zip(found, expected, strict=True):
        if a.dtype.kind == "f":
            np.testing.assert_allclose(a, b, rtol=1e-4, atol=1e-4, err_msg=where)
        else:
            np.testing.assert_array_equal(a, b, where)


def chosen(kernel, text):
    """A kernel with choices made."""
    axes = Axes(kernel)
    for choice in parse_choices(text):
        axes.apply(choice)
    return axes.graph()


def agrees(kernel, text, rng, variables=None):
    """Check that a kernel with choices made stores what it stores without."""
    arrays = inputs(kernel, rng)
    expected = [a.copy() for a in arrays]
    run_kernel(kernel, expected, variables)
    run_kernel(chosen(kernel, text), arrays, variables)
    same(arrays, expected)


UNIT = 16_000
"""Characters of source that are compiled together: to start a compiler costs as a kernel does."""


def compiled(programs, on):
    """Each program of a target by its name here, with its function, compiled as for users."""
    units = []
    sources = [unit.source for unit in units_of(programs.values(), target(on), units, UNIT)]
    paths = compile_many(sources, find_compiler().kernel_flags, "tests")
    functions = {
        program.source: load_function(path, name)
        for unit, path in zip(units, paths, strict=True)
        for program, name in zip(unit.programs, unit.names, strict=True)
    }
    return {name: (program, functions[program.source]) for name, program in programs.items()}


def run(function, program, arrays, parts=1):
    """Call a kernel, its shared axis in so many parts."""
    count = program.launch[0][0]
    if not isinstance(count, int):
        n = program.variables[0]
        count = int(count.substitute({n: n.index_const(VARIABLES["n"])}))
    cuts = [count * i // parts for i in range(parts + 1)]
    pointers = pointer_array([a.ctypes.data for a in arrays])
    variables = int64_array([VARIABLES[v.arg[0]] for v in program.variables])
    for begin, end in pairwise(cuts):
        function(pointers, variables, begin, end)


RULES = """ruleset mine {
  /// Adding a number to itself is doubling it.
  rule twice<T: Int>
    x:T + x => x * 2
    prove smt
    example PARAM[0]:i32 + PARAM[0]:i32 => PARAM[0]:i32 * 2
    reject  PARAM[0]:f32 + PARAM[0]:f32
}
"""
"""A rule of a user, which has kernels lowered otherwise."""
