"""Neighbours of few kinds in turns: each kind is a vector, and lanes of all are stored in turns."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from pairs import in_pairs

from rulewright import Tensor
from rulewright.codegen.lower import lower_kernel

Made = Callable[..., Any]


def both(x: Any, *parts: Any) -> Any:
    """Parts beside each other, of tensors or arrays."""
    return parts[0].stack(*parts[1:], dim=-1) if isinstance(x, Tensor) else np.stack(parts, -1)


def turned(x: Any, y: Any) -> Any:
    """Pairs turned by angles, as positions of a transformer are."""
    a, b, c, d = x[..., ::2], x[..., 1::2], y[..., ::2], y[..., 1::2]
    return both(x, a * c - b * d, a * d + b * c).reshape(x.shape)


def multiplied(x: Any, y: Any) -> Any:
    x, y = x.reshape(-1, 2), y.reshape(-1, 2)
    real = x[:, 0] * y[:, 0] - x[:, 1] * y[:, 1]
    return both(x, real, x[:, 0] * y[:, 1] + x[:, 1] * y[:, 0])


def differences(x: Any, y: Any) -> Any:
    return both(x, x[..., ::2] - y[..., 1::2], x[..., ::2] + y[..., 1::2])


def four(x: Any, y: Any) -> Any:
    return both(x, x + y, x - y, y - x, x * 2)


def three(x: Any, y: Any) -> Any:
    return both(x, x + y, x - y, y)


PROGRAMS: dict[str, Made] = {f.__name__: f for f in (turned, multiplied, differences, four, three)}


def programs(value: Tensor, on: str = "C_AVX2") -> list[Any]:
    return [lower_kernel(item.ast, on) for item in value.schedule() if item.is_kernel]


@pytest.mark.parametrize(
    ("name", "kind", "shape"),
    in_pairs(
        PROGRAMS,
        ["float32", "float64", "int8", "uint8", "int16", "int32", "uint64"],
        [(3, 64), (2, 2), (5, 6), (1, 14), (7, 32), (0, 8), (4, 130)],
    ),
)
def test_parts_in_turns_are_what_numpy_says(name: str, kind: str, shape: Any, rng: Any) -> None:
    x, y = (rng.integers(0, 90, shape).astype(kind) for _ in range(2))
    found = PROGRAMS[name](Tensor(x), Tensor(y))
    np.testing.assert_array_equal(found.numpy(), PROGRAMS[name](x, y))


@pytest.mark.parametrize("name", ["turned", "multiplied", "differences"])
@pytest.mark.parametrize("on", ["C", "C_AVX2", "C_NEON"])
def test_each_kind_is_a_vector(name: str, on: str, rng: Any) -> None:
    x, y = (Tensor(rng.standard_normal((8, 64)).astype("float32")) for _ in range(2))
    (program,) = programs(PROGRAMS[name](x, y).contiguous(), on)
    assert "shuffle_wide(" in program.source
    assert "omp simd" not in program.source


def test_gradients_of_what_is_read_in_turns_are_vectors(rng: Any) -> None:
    """Each other number gets one, or each gets one of another kind."""
    numbers = rng.standard_normal((8, 64))
    slopes = rng.standard_normal((8, 32))
    for make, wanted in (
        (lambda x: x[:, ::2] * 2, np.stack([2 * slopes, 0 * slopes], -1)),
        (lambda x: x[:, ::2] - x[:, 1::2], np.stack([slopes, -slopes], -1)),
    ):
        x = Tensor(numbers, requires_grad=True)
        (make(x) * Tensor(slopes)).sum().backward()
        sources = [program.source for program in programs(x.grad)]
        assert not any("omp simd" in source for source in sources)
        np.testing.assert_array_equal(x.grad.numpy(), wanted.reshape(8, 64))


@pytest.mark.parametrize("step", [2, 3, 4, 5])
@pytest.mark.parametrize("columns", [4, 64, 640])
def test_sums_of_rows_of_each_other_number(step: int, columns: int, rng: Any) -> None:
    """They are vectors of results, where they lie a few steps apart."""
    x = rng.integers(-9, 9, (400, columns * step)).astype("float32")
    sums = Tensor(x)[:, ::step].sum(0)
    (program,) = programs(sums)
    assert ("f32x8" in program.source) == (step < 5 and columns > 4)
    np.testing.assert_array_equal(sums.numpy(), x[:, ::step].sum(0))


def test_several_results_of_one_kernel_take_turns_together(rng: Any) -> None:
    """Those that turn alike do; beside a result that does not, none does."""
    x, y, angle = (rng.standard_normal((8, 64)).astype("float32") for _ in range(3))
    for other in (turned, lambda x, y: x * y):
        results = [turned(Tensor(x), Tensor(angle)), other(Tensor(y), Tensor(angle))]
        sources = [program.source for program in programs(results[0])]
        results[0].realize(results[1])
        np.testing.assert_allclose(results[0].numpy(), turned(x, angle), rtol=1e-6)
        np.testing.assert_allclose(results[1].numpy(), other(y, angle), rtol=1e-6)
        assert "shuffle_wide(" in sources[0]


@pytest.mark.parametrize("kinds", [2, 4])
@pytest.mark.parametrize("kind", ["float32", "float64", "int8", "bool"])
def test_constants_take_turns(kinds: int, kind: str) -> None:
    """Vectors of so few lanes that nothing else has them."""
    ones = Tensor.ones(7, 8, dtype=kind)
    parts = [ones, *[ones * number for number in range(1, kinds)]]
    found = parts[0].stack(*parts[1:], dim=-1).contiguous()
    wanted = np.stack([np.ones((7, 8), kind) * part for part in (1, *range(1, kinds))], -1)
    np.testing.assert_array_equal(found.numpy(), wanted.astype(found.numpy().dtype))
