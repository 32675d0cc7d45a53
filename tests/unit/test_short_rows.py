"""Short rows that lie behind each other are done in whole vectors that go across rows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from rulewright import Context, Tensor, Variable, jit
from rulewright.codegen.choices import parse_choices
from rulewright.codegen.lower import lower_kernel, lowering_stages
from rulewright.interp import run_kernel
from rulewright.ir.ops import Ops

Value = Callable[..., Any]
ROWS = 203  # a prime number, more than are worth it

PROGRAMS: dict[str, tuple[Value, list[Value]]] = {
    "a number for each column": (lambda x, c: x * c, [lambda n, k: (n, k), lambda n, k: (k,)]),
    "two of them": (
        lambda x, c, d: (x - c) * d,
        [lambda n, k: (n, k), lambda n, k: (k,), lambda n, k: (1, k)],
    ),
    "a number for each row": (lambda x, r: x + r, [lambda n, k: (n, k), lambda n, k: (n, 1)]),
    "both, and no matrix": (lambda r, c: r - c, [lambda n, k: (n, 1), lambda n, k: (k,)]),
    "a part of longer rows": (
        lambda x, c: x[:, 2:-1] + c, [lambda n, k: (n, k + 3), lambda n, k: (k,)],
    ),
    "rows from the last one on": (lambda x: x[::-1] * 2, [lambda n, k: (n, k)]),
    "columns of another matrix": (lambda x, c: x.T * c, [lambda n, k: (k, n), lambda n, k: (k,)]),
    "rows around rows": (
        lambda x, c: x * c, [lambda n, k: (3, n, k), lambda n, k: (3, 1, k)],
    ),
}  # fmt: skip


def whole(rng: np.random.Generator, *shape: int, dtype: str = "f4") -> np.ndarray:
    """Small whole numbers, of which sums and products are exact."""
    return rng.integers(-4, 5, shape).astype(dtype)


def choices(value: Tensor, target: str = "C_AVX2") -> str:
    (item,) = value.schedule()
    return lower_kernel(item.ast, target).choices


@pytest.mark.parametrize("width", [2, 3, 5, 7, 10, 15, 17])
@pytest.mark.parametrize("name", PROGRAMS)
def test_values_are_numpys(rng, name, width):
    call, shapes = PROGRAMS[name]
    arrays = [whole(rng, *shape(ROWS, width)) for shape in shapes]
    tensors = [Tensor(a).realize() for a in arrays]
    np.testing.assert_array_equal(call(*tensors).numpy(), call(*arrays))


@pytest.mark.parametrize("dtype", ["f8", "i4", "u1", "i8", "f2", "?"])
@pytest.mark.parametrize("rows", [64, 65, 71, 72, 1000])
def test_of_every_width_and_with_any_rest(rng, rows, dtype):
    x, c = whole(rng, rows, 3, dtype=dtype), whole(rng, 3, dtype=dtype)
    for call in (lambda a, b: a + b, lambda a, b: a * b):
        found = call(Tensor(x).realize(), Tensor(c).realize()).numpy()
        np.testing.assert_array_equal(found, call(x, c))


def test_bytes_of_pixels_are_normalised(rng):
    """Bytes are read, floats computed of them, and bytes stored again."""
    pixels = rng.integers(0, 256, (9, 17, 3), dtype=np.uint8)
    mean, scale = np.float32([1, 2, 3]), np.float32([2, 4, 0.5])
    image = (Tensor(pixels).realize().float() - Tensor(mean).realize()) * Tensor(scale).realize()
    np.testing.assert_array_equal(image.numpy(), (pixels.astype(np.float32) - mean) * scale)
    back = (image / Tensor(scale) + Tensor(mean)).cast("u8")
    np.testing.assert_array_equal(back.numpy(), pixels)


@pytest.mark.parametrize("target", ["C", "C_AVX2", "C_NEON", "C_SSE"])
@pytest.mark.parametrize("name", PROGRAMS)
def test_each_stage_means_the_same(rng, name, target):
    call, shapes = PROGRAMS[name]
    arrays = [whole(rng, *shape(ROWS, 3)) for shape in shapes]
    expected = call(*arrays)
    (item,) = call(*(Tensor(a).realize() for a in arrays)).schedule()
    assert "join(" in lower_kernel(item.ast, target).choices
    for stage, graph in lowering_stages(item.ast, target):
        memories = [np.zeros(expected.size, np.float32), *(a.ravel().copy() for a in arrays)]
        run_kernel(graph, memories)
        np.testing.assert_array_equal(memories[0].reshape(expected.shape), expected, stage)


def test_three_vectors_are_eight_rows_and_no_mask_is_left():
    x, c = Tensor.ones(800, 3).contiguous().realize(), Tensor.ones(3).contiguous().realize()
    (item,) = (x * c).schedule()
    program = lower_kernel(item.ast, "C_AVX2")
    split = next(c for c in parse_choices(program.choices) if c.name == "split")
    assert split.operand == 24
    stores = [n for n in program.uops if n.op is Ops.STORE]
    assert [n.src[1].dtype.count for n in stores] == [8] * 3
    assert all(len(n.src) == 2 for n in stores)
    again = lower_kernel(item.ast.replace(arg=(program.name, program.choices)), "C_AVX2")
    assert again.source == program.source


@pytest.mark.parametrize(
    "value",
    [
        lambda: Tensor.ones(800, 16) * Tensor.arange(16.0),  # rows of whole vectors
        lambda: Tensor.ones(40, 3) * Tensor.arange(3.0).contiguous().realize(),  # few rows
        lambda: Tensor.arange(2400.0).contiguous().realize().reshape(800, 3) * 2,  # one long row
    ],
)
def test_others_stay_as_they_are(value):
    assert "join(" not in choices(value().contiguous())


def test_under_jit_in_place_and_of_any_size(rng):
    x, c = whole(rng, ROWS, 3), whole(rng, 3)
    memory, scale = Tensor(x).realize(), Tensor(c).realize()
    called = jit(lambda a, b: a * b + b)
    for number in range(4):
        memory[number] = float(number)
        x[number] = number
        np.testing.assert_array_equal(called(memory, scale).numpy(), x * c + c)
    memory += scale
    memory[1:] -= scale * 2
    x += c
    x[1:] -= c * 2
    np.testing.assert_array_equal(memory.numpy(), x)
    size = Variable("rows_of_three", 1, ROWS)
    for count in (1, 64, ROWS):
        found = (memory[: size.bind(count)] * scale).numpy()
        np.testing.assert_array_equal(found, x[:count] * c)


def test_several_results_of_one_kernel(rng):
    x, c = whole(rng, ROWS, 3), whole(rng, 3)
    a, b = Tensor(x).realize(), Tensor(c).realize()
    pair = a * b, a + b
    Tensor.realize(*pair)
    np.testing.assert_array_equal(pair[0].numpy(), x * c)
    np.testing.assert_array_equal(pair[1].numpy(), x + c)


def test_the_interpreter_agrees_at_every_entry(rng):
    x, c = whole(rng, ROWS, 5), whole(rng, 5)
    with Context(VERIFY=2):
        found = (Tensor(x) * Tensor(c).realize()).numpy()
    np.testing.assert_array_equal(found, x * c)
