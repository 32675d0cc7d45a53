"""Kernels of several outputs: which ones the scheduler makes, and that their values stay right."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from outputs_helpers import DEVICES, Array, device, numbers, outputs
from pairs import in_pairs

from rulewright import Context, Tensor, Variable, dtypes, jit
from rulewright.nn.optim import LAMB, SGD, Adam, AdamW

__all__ = ["device"]

# ---- optimisers ---------------------------------------------------------------------------------


def trained(kind: Callable[..., Any], steps: int, device: str, **options: float) -> tuple[Any, Any]:
    """A parameter after steps of an optimiser, and what the last step's kernels wrote."""
    p = Tensor(numbers(5, 7), requires_grad=True, device=device)
    optimiser = kind([p], lr=0.1, **options)
    for step in range(steps):
        p.grad = Tensor(numbers(5, 7, seed=step + 1), device=device).realize()
        changed = optimiser.schedule_step()
        written = outputs(*changed)
    return p.numpy(), written


def adam(steps: int, decay: float = 0.0, decoupled: float = 0.0) -> Array:
    """What Kingma and Ba's algorithm gives in double precision, with either weight decay."""
    p, m, v = numbers(5, 7).astype(np.float64), np.zeros((5, 7)), np.zeros((5, 7))
    for step in range(1, steps + 1):
        g = numbers(5, 7, seed=step) + decay * p
        m, v = 0.9 * m + 0.1 * g, 0.999 * v + 0.001 * g * g
        root = np.sqrt(v / (1 - 0.999**step))
        p = p - 0.1 * (m / (1 - 0.9**step) / (root + 1e-8) + decoupled * p)
    return p


def test_a_step_of_adam_goes_through_memory_once(device: str) -> None:
    found, written = trained(Adam, 3, device)
    assert max(written) == 3 and len(written) == 3  # and two powers of one element each
    np.testing.assert_allclose(found, adam(3), rtol=1e-3, atol=1e-5)


def test_weight_decay_reads_the_parameter_before_it_is_overwritten(device: str) -> None:
    found, written = trained(Adam, 3, device, weight_decay=0.1)
    assert max(written) == 3
    np.testing.assert_allclose(found, adam(3, decay=0.1), rtol=1e-3, atol=1e-5)


def test_adamw_is_one_kernel(device: str) -> None:
    found, written = trained(AdamW, 3, device, weight_decay=0.1)
    assert max(written) == 3
    np.testing.assert_allclose(found, adam(3, decoupled=0.1), rtol=1e-3, atol=1e-5)


@pytest.mark.parametrize("decay", [0.0, 0.2])
def test_momentum_and_the_parameter_are_one_kernel(device: str, decay: float) -> None:
    found, written = trained(SGD, 3, device, momentum=0.9, weight_decay=decay)
    assert written == [2]
    p, b = numbers(5, 7), np.zeros((5, 7))
    for step in range(3):
        b = 0.9 * b + numbers(5, 7, seed=step + 1) + decay * p
        p = p - 0.1 * b
    np.testing.assert_allclose(found, p, rtol=1e-5, atol=1e-6)


def test_the_averages_of_lamb_and_its_direction_are_one_kernel() -> None:
    assert 3 in trained(LAMB, 2, "C")[1]


# ---- rows ---------------------------------------------------------------------------------------


SHAPES = [(20, 30), (33, 7), (16, 1), (1, 9), (3, 300), (17, 64)]


@pytest.mark.parametrize(
    ("device", "axis", "shape"), in_pairs(DEVICES, [0, 1], SHAPES), indirect=["device"]
)
def test_two_reductions_of_a_tensor_read_it_once(
    device: str, shape: tuple[int, int], axis: int
) -> None:
    x = numbers(*shape)
    t = Tensor(x, device=device).realize()
    mean, most = t.mean(axis), t.max(axis)
    written = outputs(mean, most)
    assert written == [2]
    np.testing.assert_allclose(mean.numpy(), x.mean(axis), rtol=1e-5, atol=1e-6)
    np.testing.assert_array_equal(most.numpy(), x.max(axis))


def test_reductions_of_everything_are_one_kernel(device: str) -> None:
    x = numbers(11, 13)
    t = Tensor(x, device=device).realize()
    least, most, total = t.min(), t.max(), t.sum()
    assert outputs(least, most, total) == [3]
    assert (least.item(), most.item()) == (x.min(), x.max())
    np.testing.assert_allclose(total.item(), x.sum(), rtol=1e-5)


@pytest.mark.parametrize("shape", [(16, 100), (40, 33), (64, 17)])
def test_a_variance_goes_over_its_rows_behind_their_mean(
    device: str, shape: tuple[int, int]
) -> None:
    x = numbers(*shape) + 3
    t = Tensor(x, device=device).realize()
    mean, variance = t.mean(1), t.var(1)
    assert outputs(mean, variance) == [2]
    np.testing.assert_allclose(mean.numpy(), x.mean(1), rtol=1e-5)
    np.testing.assert_allclose(variance.numpy(), x.var(1, ddof=1), rtol=1e-4)


@pytest.mark.parametrize(("shape", "axis"), [((3, 200), 1), ((60, 20), 0)])
def test_few_rows_or_far_ones_are_gone_over_apart(shape: tuple[int, int], axis: int) -> None:
    t = Tensor(numbers(*shape)).realize()
    mean, variance = t.mean(axis), t.var(axis)
    assert outputs(mean, variance) == [2, 1]
    np.testing.assert_allclose(variance.numpy(), numbers(*shape).var(axis, ddof=1), rtol=1e-4)


def test_a_running_mean_is_updated_where_the_mean_is_made(device: str) -> None:
    x = numbers(6, 40)
    running = Tensor.zeros(40, device=device).contiguous().realize()
    mean = Tensor(x, device=device).realize().mean(0)
    running.assign(running * 0.9 + mean * 0.1)
    assert outputs(mean, running) == [2]
    np.testing.assert_allclose(mean.numpy(), x.mean(0), rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(running.numpy(), x.mean(0) * np.float32(0.1), rtol=1e-4, atol=1e-6)


def test_nan_stays_in_its_row(device: str) -> None:
    x = numbers(4, 9)
    x[2, 5] = np.nan
    t = Tensor(x, device=device).realize()
    mean, most = t.mean(1), t.max(1)
    assert outputs(mean, most) == [2]
    np.testing.assert_array_equal(np.isnan(mean.numpy()), [False, False, True, False])
    np.testing.assert_array_equal(most.numpy(), x.max(1))


# ---- elements -----------------------------------------------------------------------------------


@pytest.mark.parametrize("shape", [(), (1,), (0,), (5, 0), (3, 5, 7), (1000,)])
def test_two_results_of_one_operand(device: str, shape: tuple[int, ...]) -> None:
    x = numbers(*shape)
    t = Tensor(x, device=device).realize()
    a, b = t * 2 + 1, t.relu()
    assert outputs(b, a) == ([2] if x.size else [])
    np.testing.assert_allclose(a.numpy(), x * 2 + 1, rtol=1e-6)
    np.testing.assert_array_equal(b.numpy(), np.maximum(x, 0))


@pytest.mark.parametrize("dtype", [dtypes.bool, dtypes.i8, dtypes.i64, dtypes.f16, dtypes.bf16])
def test_results_of_other_dtypes(device: str, dtype: Any) -> None:
    values = [0, 1, 3, 7, 0, 2, 100, 5, 1]
    t = Tensor(values, dtype=dtype, device=device).realize()
    wide, flags = t.cast(dtypes.f32), t == 0
    assert outputs(wide, flags) == [2]
    held = [bool(v) for v in values] if dtype is dtypes.bool else values
    assert wide.tolist() == [float(v) for v in held]
    assert flags.tolist() == [not v for v in held]


def test_what_is_handed_on_is_rounded_as_in_memory() -> None:
    x = numbers(50)
    half = Tensor.zeros(50, dtype=dtypes.f16).contiguous().realize()
    half.assign(Tensor(x).realize().cast(dtypes.f16))
    back = half.cast(dtypes.f32) + 0.0
    assert outputs(half, back) == [2]
    np.testing.assert_array_equal(back.numpy(), x.astype(np.float16).astype(np.float32))


def test_a_view_that_both_read_in_the_same_way(device: str) -> None:
    x = numbers(6, 8)
    view = Tensor(x, device=device).realize().T[1:, ::2]
    a, b = view + 1, view * 3
    assert outputs(a, b) == [2]
    np.testing.assert_array_equal(a.numpy(), x.T[1:, ::2] + 1)
    np.testing.assert_array_equal(b.numpy(), x.T[1:, ::2] * np.float32(3))


def test_a_mask_and_what_it_lets_through(device: str) -> None:
    x = numbers(70)
    t = Tensor(x, device=device).realize()
    mask = t > 0
    passed = mask.where(t, 0.0)
    assert outputs(mask, passed) == [2]
    np.testing.assert_array_equal(mask.numpy(), x > 0)
    np.testing.assert_array_equal(passed.numpy(), np.where(x > 0, x, 0))


def test_what_nobody_else_reads_is_not_stored() -> None:
    t = Tensor(numbers(40, 50)).realize()
    mean, variance = t.mean(1), t.var(1)
    (item,) = mean.schedule(variance)
    assert len(item.written) == 2 and len(item.buffers) == 3


def test_one_of_two_results_is_not_asked_for() -> None:
    t = Tensor(numbers(30)).realize()
    a, _ = t + 1, t * 2
    assert outputs(a) == [1]


def test_under_the_jit(device: str) -> None:
    @jit
    def both(x: Tensor) -> tuple[Tensor, Tensor]:
        a, b = x.sum(1), x.max(1)
        Tensor.realize(a, b)
        return a, b

    for seed in range(4):
        x = numbers(4, 6, seed=seed)
        total, most = both(Tensor(x, device=device))
        np.testing.assert_allclose(total.numpy(), x.sum(1), rtol=1e-5, atol=1e-6)
        np.testing.assert_array_equal(most.numpy(), x.max(1))


def test_symbolic_sizes() -> None:
    n = Variable("n", 1, 20)
    t = Tensor(numbers(20)).realize()
    for size in (1, 7, 20):
        part = t[: n.bind(size)]
        a, b = (part * 2).sum(), (part + 1).sum()
        with Context(VERIFY=2):
            Tensor.realize(a, b)
        np.testing.assert_allclose(a.item(), numbers(20)[:size].sum() * 2, rtol=1e-4, atol=1e-5)
        np.testing.assert_allclose(b.item(), numbers(20)[:size].sum() + size, rtol=1e-4, atol=1e-5)


# ---- how they run -------------------------------------------------------------------------------


def test_a_fused_kernel_names_the_methods_of_all_its_tensors() -> None:
    t = Tensor(numbers(6, 9)).realize()
    (item,) = t.mean(1).schedule(t.max(1))
    assert {"mean", "max"} <= {str(m).split()[0].split(".")[-1] for m in item.metadata}


PAIRS: dict[str, Callable[[Tensor], tuple[Tensor, Tensor]]] = {
    "rows": lambda t: (t.mean(1), t.max(1)),
    "rows behind rows": lambda t: (t.std(1), t.mean(1)),
    "columns": lambda t: (t.mean(0), t.max(0)),
    "short columns": lambda t: (t.reshape(8, -1).std(0), t.reshape(8, -1).mean(0)),
    "elements": lambda t: (t * 2, t + 1),
}


@pytest.mark.parametrize("name", PAIRS)
def test_fused_kernels_have_vectors_and_threads(name: str) -> None:
    with Context(DEVICE="C"):
        tensors = PAIRS[name](Tensor(numbers(2048, 4096)).realize())
        *_, last = tensors[0].schedule(*tensors[1:])
        program = last.lower()
    assert program is not None and len(last.written) == 2
    assert "thread(r" in program.choices and "simd(r" in program.choices


@pytest.mark.parametrize("size", [1, 2, 3, 4, 5, 8, 12, 15, 16, 17, 24, 31, 33, 40, 1000])
def test_vectors_of_any_length_are_read_before_one_of_them_is_overwritten(size: int) -> None:
    """What is left over behind whole vectors, too: each piece is done for all stores at once."""
    a = np.arange(size, dtype=np.float32) + 1
    x, y, z = (Tensor(a * k).realize() for k in (1, 2, 3))
    turned, mixed, less = y * 1, x * 2 + z, x - y
    x.assign(turned), y.assign(mixed), z.assign(less)
    Tensor.realize(x, y, z)
    np.testing.assert_array_equal([x.numpy(), y.numpy(), z.numpy()], [2 * a, 5 * a, -a])
