"""Transpositions large enough to be turned in registers, beside others and beside what is not."""

import numpy as np
import pytest
from codegen_kernels import run
from pairs import in_pairs

from rulewright import Tensor, Variable, jit
from rulewright.codegen.lanes import LEAST_LANES
from rulewright.codegen.lower import lower_fresh
from rulewright.ir.dtypes import dtypes
from rulewright.render import target as render_target
from rulewright.runtime.c import VECTOR_TARGETS
from rulewright.runtime.clib import load_function
from rulewright.runtime.compiler import compile_many, find_compiler
from rulewright.runtime.memories import buffer_of

PROGRAMS = {
    "transposed": lambda x, y: x.T,
    "added": lambda x, y: x.T + y,
    "computed": lambda x, y: (x.T * 2 - y) * x.T,
    "both": lambda x, y: x.T + x.T * 3 + y.T.T,
    "with a row": lambda x, y: x.T + y[0],
    "with a column": lambda x, y: x.T + y[:, :1],
    "chosen": lambda x, y: (y > 3).where(x.T, y),
    "turned back": lambda x, y: (x.T + y).T,
    "written over": lambda x, y: y.clone().assign(x.T + y),
    "a part": lambda x, y: x.T[16:, 32:] + y[16:, 32:],
    "odd places": lambda x, y: x.T[1:, 3:] + y[1:, 3:],
    "flipped": lambda x, y: x.T.flip(0) + y,
    "padded": lambda x, y: x.T.pad(((0, 16), (16, 0))),
}
SHAPES = [(256, 256), (272, 512), (252, 260), (257, 256), (256, 257), (8, 8192), (1024, 64), (0, 9)]


def operands(shape, dtype, rng):
    x = rng.integers(0, 50, shape).astype(dtype.np)
    y = rng.integers(0, 50, shape[::-1]).astype(dtype.np)
    return x, y


def as_numpy(program, x, y):
    """The program on arrays: numpy has other names for some methods."""

    class Array(np.ndarray):
        def where(self, a, b):
            return np.where(self, a, b)

        def clone(self):
            return self.copy()

        def assign(self, value):
            return value

        def flip(self, axis):
            return np.flip(self, axis)

        def pad(self, widths):
            return np.pad(self, widths)

    return np.asarray(program(x.view(Array), y.view(Array)))


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("name", PROGRAMS)
def test_values_are_numpys(name, shape, rng):
    x, y = operands(shape, dtypes.f32, rng)
    found = PROGRAMS[name](Tensor(x), Tensor(y)).numpy()
    np.testing.assert_array_equal(found, as_numpy(PROGRAMS[name], x, y))


@pytest.mark.parametrize("kind", ["bool", "i8", "u16", "i32", "u64", "f16", "bf16", "f64"])
def test_every_dtype(kind, rng):
    x, y = operands((256, 320), getattr(dtypes, kind), rng)
    a, b = Tensor(x), Tensor(y)
    np.testing.assert_array_equal(a.T.contiguous().numpy(), x.T)
    np.testing.assert_array_equal((b == a.T).numpy(), y == x.T)
    np.testing.assert_array_equal(a.T.cast("f32").numpy(), x.T.astype("f4"))


def test_what_is_no_number_stays_what_it_is(rng):
    x = rng.standard_normal((256, 256)).astype("f4")
    x[3], x[:, 7], x[9, 9] = np.nan, np.inf, -0.0
    found = Tensor(x).T.contiguous().numpy()
    np.testing.assert_array_equal(found.view("i4"), x.T.view("i4"))


@pytest.mark.parametrize("order", [(0, 2, 3, 1), (0, 3, 1, 2), (3, 2, 1, 0), (1, 0, 3, 2)])
@pytest.mark.parametrize("shape", [(4, 64, 16, 32), (3, 48, 20, 36), (2, 37, 32, 64)])
def test_axes_of_images(order, shape, rng):
    x = rng.standard_normal(shape).astype("f4")
    found = (Tensor(x).permute(*order) * 2).numpy()
    np.testing.assert_array_equal(found, x.transpose(order) * np.float32(2))


def test_a_symbolic_size_and_a_replay(rng):
    x, y = operands((256, 320), dtypes.f32, rng)
    n = Variable("n", 1, 320)
    for size in (1, 16, 319):
        part = Tensor(x)[:, : n.bind(size)].T.contiguous()
        np.testing.assert_array_equal(part[:size].numpy(), x[:, :size].T)
    step = jit(lambda a, b: (a.T + b).realize())
    for k in range(4):
        found = step(Tensor(x + k).realize(), Tensor(y).realize())
        np.testing.assert_array_equal(found.numpy(), x.T + k + y)


@pytest.mark.parametrize(
    ("kind", "name", "target"),
    in_pairs(["f32", "f64", "i32"], ["added", "computed", "with a column"], VECTOR_TARGETS),
)
def test_vectors_of_each_width_turn_squares(name, target, kind, rng):
    dtype = getattr(dtypes, kind)
    x, y = operands((320, 256), dtype, rng)
    a, b = Tensor(x).realize(), Tensor(y).realize()
    (item,) = PROGRAMS[name](a, b).schedule()
    program = lower_fresh(item.ast, target)
    lanes = render_target(target).limit("vector_bits") // dtype.bits
    assert ("shuffle(" in program.source) == (lanes >= LEAST_LANES)
    (path,) = compile_many([program.source], find_compiler().kernel_flags, "tests")
    known = {buffer_of(t.uop.base): v for t, v in ((a, x), (b, y))}
    arrays = [known.get(buffer, np.zeros_like(y)).reshape(-1) for buffer in item.buffers]
    run(load_function(path, program.name), program, arrays, parts=3)
    np.testing.assert_array_equal(arrays[0].reshape(y.shape), as_numpy(PROGRAMS[name], x, y))


def test_a_small_one_is_not_worth_its_code():
    (item,) = Tensor(np.zeros((64, 64), "f4")).realize().T.contiguous().schedule()
    assert "shuffle(" not in lower_fresh(item.ast, "C").source
