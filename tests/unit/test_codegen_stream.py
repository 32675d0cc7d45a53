"""Results larger than the caches: whole vectors go past them, and nothing else changes."""

import numpy as np
import pytest
from codegen_kernels import (
    KERNELS,
    VARIABLES,
    compiled,
    elementwise,
    inputs,
    layernorm,
    matmul,
    run,
    same,
    softmax,
)
from pairs import in_turn

from rulewright import Tensor
from rulewright.codegen.lower import lower_fresh, lowering_stages
from rulewright.interp import run_kernel
from rulewright.ir.dtypes import dtypes
from rulewright.ir.ops import Ops
from rulewright.options import Context
from rulewright.render import target
from rulewright.render.usage import streamed
from rulewright.runtime.c import VECTOR_TARGETS
from rulewright.runtime.clib import load_function
from rulewright.runtime.compiler import compile_many, find_compiler

STREAMED = {
    "elementwise": elementwise(96),
    "one vector": elementwise(64),
    "a prime": elementwise(1009),
    "softmax": softmax(24, 256),
    "layernorm": layernorm(8, 640),
    "matmul": matmul(24, 64, 96),
}
ALL = {**KERNELS, **STREAMED}
ON: dict[str, list[str]] = {on: [*STREAMED] for on in VECTOR_TARGETS}
"""What runs on each target: all that is for this file there, and of the other kernels some."""
for _name, _on in in_turn([name for name in KERNELS if name not in STREAMED], VECTOR_TARGETS):
    ON[_on].append(_name)


@pytest.fixture(scope="module", params=VECTOR_TARGETS)
def streams(request):
    """A target that takes 64 bytes for more than the caches hold."""
    limits = target(request.param).row["limits"]
    usual = limits["stream_memory"]
    limits["stream_memory"] = 64
    yield request.param
    limits["stream_memory"] = usual


@pytest.fixture(scope="module")
def functions(streams):
    programs = {name: lower_fresh(ALL[name], streams) for name in ON[streams]}
    return compiled(programs, streams)


def placed(array: np.ndarray, offset: int) -> np.ndarray:
    """A copy that begins so many elements behind a multiple of 64 bytes."""
    room = np.empty(array.size + 64 + offset, array.dtype)
    first = -room.ctypes.data % 64 // array.itemsize + offset
    found = room[first : first + array.size].reshape(array.shape)
    found[...] = array
    return found


@pytest.mark.parametrize(
    ("streams", "name"),
    [(on, name) for on in ON for name in ON[on]],
    indirect=["streams"],
    scope="module",
)
@pytest.mark.parametrize("offset", [0, 1])
def test_streamed_results_are_the_interpreters(name, offset, functions, rng):
    program, function = functions[name]
    arrays = inputs(ALL[name], rng)
    expected = [a.copy() for a in arrays]
    run_kernel(ALL[name], expected, VARIABLES)
    found = [placed(a, offset) for a in arrays]
    run(function, program, found, parts=3 if program.threads else 1)
    same(found, expected)


@pytest.mark.parametrize("name", ["elementwise", "one vector", "softmax", "layernorm", "matmul"])
def test_whole_vectors_are_streamed(name, streams):
    assert "stream_f32x" in lower_fresh(STREAMED[name], streams).source


@pytest.mark.parametrize(
    ("streams", "name"),
    in_turn(VECTOR_TARGETS, STREAMED),
    indirect=["streams"],
    scope="module",
)
def test_the_program_means_the_same(name, streams, rng):
    arrays = inputs(STREAMED[name], rng)
    expected, found = [a.copy() for a in arrays], [a.copy() for a in arrays]
    run_kernel(STREAMED[name], expected)
    with Context(VERIFY=1):
        *_, (_, program) = lowering_stages(STREAMED[name], streams)
    run_kernel(program, found)
    same(found, expected)


@pytest.mark.parametrize("kind", ["bool", "i8", "f16", "i64", "f64"])
def test_every_dtype_is_streamed_or_stored(kind, streams, rng):
    x = rng.integers(0, 2, 1024).astype(getattr(dtypes, kind).np)
    (item,) = Tensor(x).realize().flip(0).contiguous().schedule()
    program = lower_fresh(item.ast, streams)
    assert ("stream_" in program.source) == target(streams).has_vectors(getattr(dtypes, kind))
    found = [np.zeros_like(x), x]
    (path,) = compile_many([program.source], find_compiler().kernel_flags, "tests")
    run(load_function(path, program.name), program, found)
    np.testing.assert_array_equal(found[0], x[::-1])


def test_what_a_kernel_reads_too_is_not_streamed(streams):
    x = Tensor(np.ones(256, np.float32)).realize()
    x += 1
    (item,) = x.schedule()
    assert "stream_" not in lower_fresh(item.ast, streams).source


def test_small_results_are_not_streamed():
    program = lower_fresh(elementwise(4096), "C")
    assert "stream_" not in program.source and not streamed(program.uops, target("C"))


def test_a_result_of_64_megabytes_is_streamed():
    """The limit of the spec, in a kernel that is never run."""
    (item,) = (Tensor.empty(1 << 24).realize() * 2).schedule()
    program = lower_fresh(item.ast, "C")
    assert "stream_f32x" in program.source
    assert {m.op for m in streamed(program.uops, target("C"))} == {Ops.PARAM}
