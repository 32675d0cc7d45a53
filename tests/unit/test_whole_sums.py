"""Reductions along rows and of everything in vectors, whatever their number of elements."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from outside_tools import OUTSIDE, run

from rulewright import Context, Tensor, dtypes
from rulewright.codegen.cpu_tiles import LOOP_LANES, loop_lanes
from rulewright.codegen.lower import lower_kernel
from rulewright.errors import UsageError

SIZES = [1, 2, 16, 17, 63, 159, 160, 161, 257, 1009, 4099, 65537]


APART = f"""
import numpy as np
from rulewright import Tensor, load_spec, op
from rulewright.codegen.lower import lower_kernel
load_spec({str(OUTSIDE / "cube/cube.uop")!r})
[kernel] = op("CUBE", Tensor(np.ones((50, 100))).realize()).max(-1).schedule()
print(lower_kernel(kernel.ast, "C").choices)
"""


def choices(value: Tensor) -> str:
    """The axis choices of the first kernel of a value on the C device."""
    with Context(DEVICE="C"):
        return lower_kernel(value.schedule()[0].ast, "C").choices


FUNCTIONS: dict[str, tuple[Callable[[Tensor], Tensor], Callable[[Any], Any]]] = {
    "sum": (lambda x: x.sum(), np.sum),
    "mean of exp": (lambda x: x.exp().mean(), lambda x: np.exp(x).mean()),
    "product": (lambda x: (x * 0.01 + 1).prod(), lambda x: (x * 0.01 + 1).prod()),
    "largest": (lambda x: x.max(), np.max),
    "smallest of tanh": (lambda x: x.tanh().min(), lambda x: np.tanh(x).min()),
    "how many": (lambda x: (x > 0).sum(), lambda x: (x > 0).sum()),
    "deviation": (lambda x: x.std(correction=0), np.std),
}


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("name", FUNCTIONS)
def test_everything_is_reduced(name: str, size: int) -> None:
    ours, theirs = FUNCTIONS[name]
    x = np.random.default_rng(size).standard_normal(size).astype(np.float32)
    found = ours(Tensor(x).realize())
    np.testing.assert_allclose(found.numpy(), theirs(x.astype(np.float64)), 2e-5, 2e-3)


@pytest.mark.parametrize("dtype", [dtypes.i8, dtypes.i64, dtypes.f16, dtypes.bf16, dtypes.f64])
def test_everything_of_other_dtypes_is_reduced(dtype: Any) -> None:
    values = np.arange(1009) % 5
    x = Tensor(values, dtype=dtype).realize()
    assert x.sum(dtype=dtypes.i64).item() == values.sum()
    assert (x.max().item(), x.min().item()) == (4, 0)
    assert not x.all().item() and x.any().item()


def test_nan_is_the_largest_and_stays_in_sums() -> None:
    x = np.ones(4099, np.float32)
    x[4098] = np.nan
    t = Tensor(x).realize()
    assert np.isnan([t.max().item(), t.min().item(), t.sum().item()]).all()


@pytest.mark.parametrize("shape", [(65537,), (1009, 5), (4099, 487), (12422, 161), (2029, 7, 161)])
def test_a_number_of_elements_without_divisors_is_summed_in_vectors(shape: tuple[int, ...]) -> None:
    assert "simd(" in choices(Tensor(np.ones(shape, np.float32)).realize().sum())


@pytest.mark.parametrize("columns", [160, 161, 300, 1000, 1023, 4096, 50257])
@pytest.mark.parametrize("name", ["exp", "tanh", "sigmoid", "log"])
def test_sums_of_functions_of_rows(name: str, columns: int) -> None:
    x = np.random.default_rng(columns).random((3, columns)).astype(np.float32) + 0.5
    found = getattr(Tensor(x).realize(), name)().sum(-1)
    wide = x.astype(np.float64)
    exact = {"exp": np.exp, "tanh": np.tanh, "log": np.log}.get(
        name, lambda v: 1 / (1 + np.exp(-v))
    )
    np.testing.assert_allclose(found.numpy(), exact(wide).sum(-1), 1e-5, 1e-3)


@pytest.mark.parametrize("lanes", [4, 8, 16])
@pytest.mark.parametrize("size", [*SIZES, 170, 512, 777, 1000])
def test_such_sums_go_over_long_loops_that_leave_little_over(size: int, lanes: int) -> None:
    count = loop_lanes(size, lanes)
    least, most = LOOP_LANES
    if size < least:
        assert count == 0
    else:
        assert least <= count <= min(most, size) and count % lanes == 0
        others = range(least, min(most, size) + 1, lanes)
        assert size % count == min(size % other for other in others)


# ---- rows that are computed before they are reduced ---------------------------------------------

ROWS = [17, 33, 64, 100, 128, 159, 257, 513, 1025, 2049, 2050, 4100]


@pytest.mark.parametrize("columns", ROWS)
@pytest.mark.parametrize("rows", [1, 5, 976])
def test_extremes_and_sums_of_functions_of_rows(rows: int, columns: int) -> None:
    x = np.random.default_rng(columns).standard_normal((rows, columns)).astype(np.float32)
    t, wide = Tensor(x).realize(), x.astype(np.float64)
    wanted = np.log(np.exp(wide).sum(-1))
    np.testing.assert_allclose(t.exp().max(-1).numpy(), np.exp(wide).max(-1), 1e-6)
    np.testing.assert_allclose(t.tanh().min(-1).numpy(), np.tanh(wide).min(-1), 2e-6)
    np.testing.assert_allclose(t.logsumexp(-1).numpy(), wanted, 1e-6, 1e-6)
    np.testing.assert_allclose(t.exp().sum(-1).numpy(), np.exp(wide).sum(-1), 1e-5)


def test_a_row_without_vector_spelling_is_computed_before(tmp_path: Path) -> None:
    """As of an op of a user's file, which spells single numbers."""
    assert run(tmp_path, code=APART).startswith("r2 = apart(r1); simd(r2)")
    t = Tensor(np.ones((50, 100), np.float64)).realize()
    assert "apart" not in choices(t.float().sin().max(-1))
    assert "apart" not in choices(t.exp().max(-1))
    assert "apart" not in choices(t.sin().max(-1))
    assert "apart" not in choices(t.erf().max(-1))
    assert "apart" not in choices(t.max(-1))


@pytest.mark.parametrize("device", ["C", "INTERP"])
def test_users_choose_it_too(device: str) -> None:
    x = np.random.default_rng(0).standard_normal((6, 40)).astype(np.float32)
    value = (Tensor(x, device=device) * 2).sum(-1).contiguous(arg="r2 = apart(r1); simd(r2)")
    with Context(VERIFY=2):
        np.testing.assert_allclose(value.numpy(), (x * 2).sum(-1), 1e-5, 1e-5)


@pytest.mark.parametrize(
    ("given", "found"),
    [
        ("r2, r3 = apart(r1)", "it makes one range"),
        ("r2 = apart(r0)", "no single value is reduced along r0 alone"),
        ("r2 = apart(r0, r1)", "apart takes one range of known size"),
    ],
)
def test_what_cannot_be_computed_before_is_refused(given: str, found: str) -> None:
    value = Tensor(np.ones((6, 40), np.float32)).realize().sum(-1)
    with pytest.raises(UsageError, match=found):
        value.contiguous(arg=given).realize()


@pytest.mark.parametrize("dtype", ["f16", "bf16", "f32", "f64"])
def test_many_equal_numbers_are_counted_to_the_last(dtype: str) -> None:
    """One f32 counts to 2^24 and no further; a mean of equal numbers is one of them."""
    count = 3 << 24
    assert Tensor.ones(count, dtype=dtype).mean().item() == 1.0
    x = Tensor([[0.5], [-2.0]], dtype=dtype).realize()
    sums = x.expand(2, count).sum(1, dtype="f32")
    assert sums.tolist() == [0.5 * count, -2.0 * count]
    assert x.reshape(1, 2).expand(count, 2).sum(0, dtype="f32").tolist() == sums.tolist()
    assert Tensor([np.inf, np.nan], dtype=dtype).expand(1000, 2).sum(0).isfinite().tolist() == [
        False, False,
    ]  # fmt: skip


def test_a_gradient_that_many_elements_share_is_counted_to_the_last() -> None:
    w = Tensor([2.0], requires_grad=True)
    w.expand(3 << 24).sum().backward()
    assert w.grad is not None and w.grad.tolist() == [float(3 << 24)]
