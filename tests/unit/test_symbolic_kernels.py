"""Kernels of a symbolic number of rows, columns or terms: values at each of them, and tiles and
vectors as those of a known number have."""

import numpy as np
import pytest

from rulewright import Tensor, Variable, jit
from rulewright.codegen.choices import parse_choices
from rulewright.codegen.lower import lower_kernel

MOST = 70
NUMBERS = (MOST, 1, 5, 16, 17, 33, 64, 69)

PROGRAMS = {
    "rows": lambda n, x, w, y, z: x[:n] @ w,
    "rows and bias": lambda n, x, w, y, z: (x[:n] @ w + w[0]).maximum(0),
    "turned rows": lambda n, x, w, y, z: y[:, :n].T @ w,
    "columns": lambda n, x, w, y, z: w.T @ y[:, :n],
    "turned columns": lambda n, x, w, y, z: w.T @ x[:n].T,
    "terms": lambda n, x, w, y, z: y[:, :n] @ z[:n],
    "rows and columns": lambda n, x, w, y, z: x[:n] @ x[:n].T,
    "all three": lambda n, x, w, y, z: (x[:n] @ x[:n].T) @ z[:n],
    "two products": lambda n, x, w, y, z: (x[:n] @ w) @ w.T,
    "stored": lambda n, x, w, y, z: y[:, :n] * 2 + 1,
    "stored across": lambda n, x, w, y, z: x[:n] + y[:, :n].T,
    "rest": lambda n, x, w, y, z: x[n - 1 :] @ w,
    "running sum": lambda n, x, w, y, z: x[:n].cumsum(0),
    "softmax": lambda n, x, w, y, z: y[:, :n].softmax(-1),
}
NP_SOFTMAX = {"softmax": lambda y: np.exp(y) / np.exp(y).sum(-1, keepdims=True)}


def operands(rng, dtype=np.float32):
    shapes = (MOST, 96), (96, 72), (96, MOST), (MOST, 72)
    return [(rng.normal(size=shape) * 3).astype(dtype) for shape in shapes]


def expected(name, n, arrays):
    if name in NP_SOFTMAX:
        return NP_SOFTMAX[name](arrays[2][:, :n].astype(np.float64))
    if name == "rows and bias":
        x, w, *_ = (a.astype(np.float64) for a in arrays)
        return np.maximum(x[:n] @ w + w[0], 0)
    return PROGRAMS[name](n, *(a.astype(np.float64) for a in arrays))


@pytest.mark.parametrize("name", PROGRAMS)
def test_values_at_each_number(name, rng):
    arrays = operands(rng)
    tensors = [Tensor(a).realize() for a in arrays]
    step = jit(lambda n: PROGRAMS[name](n, *tensors).realize())
    for n in NUMBERS:
        got = step(Variable("n", 1, MOST).bind(n)).numpy()
        want = expected(name, n, arrays)
        np.testing.assert_allclose(got, want, rtol=1e-4, atol=1e-5 * abs(want).max())


@pytest.mark.parametrize("name", ["all three", "columns", "rows", "terms"])
@pytest.mark.parametrize("dtype", ["float16", "int8", "int32"])
def test_values_of_other_dtypes(name, dtype, rng):
    arrays = [np.round(a).astype(dtype) for a in operands(rng)]
    tensors = [Tensor(a).realize() for a in arrays]
    for n in NUMBERS[:4]:
        bound = Variable("n", 1, MOST).bind(n)
        got = PROGRAMS[name](bound, *tensors).numpy()
        if dtype == "float16":
            want = expected(name, n, arrays)
            np.testing.assert_allclose(got, want, rtol=1e-2, atol=abs(want).max() / 100)
        else:
            whole = PROGRAMS[name](n, *(a.astype(np.int64) for a in arrays))
            np.testing.assert_array_equal(got, whole.astype(got.dtype))  # which wraps


def test_attention_over_a_symbolic_number_of_tokens(rng):
    q, k, v = (rng.normal(size=(2, MOST, 32)).astype(np.float32) for _ in range(3))
    tensors = [Tensor(a).realize() for a in (q, k, v)]
    n = Variable("n", 1, MOST)
    for number in NUMBERS:
        bound = n.bind(number)
        got = Tensor.scaled_dot_product_attention(*(t[:, :bound] for t in tensors)).numpy()
        scores = q[:, :number] @ k[:, :number].transpose(0, 2, 1) / np.sqrt(32)
        weights = NP_SOFTMAX["softmax"](scores.astype(np.float64))
        np.testing.assert_allclose(got, weights @ v[:, :number], rtol=1e-4, atol=1e-4)


FAR = {
    "rows apart": lambda n, x, w: x[:, :n].T @ w,
    "computed rows": lambda n, x, w: (x.T[:n] * 2 + 1) @ w,
    "turned": lambda n, x, w: x[:, :n].T * 2,
    "turned the other way": lambda n, x, w: x[:n].T * 2,
}


@pytest.mark.parametrize("name", FAR)
def test_what_lies_apart_is_copied_or_turned_in_squares(name, rng):
    a, b = (rng.normal(size=s).astype(np.float32) for s in ((320, 320), (320, 40)))
    x, w = Tensor(a).realize(), Tensor(b).realize()
    step = jit(lambda n: FAR[name](n, x, w).realize())
    n = Variable("n", 1, 320)
    for number in (320, 1, 15, 16, 17, 63, 64, 65, 300, 319):
        got = step(n.bind(number)).numpy()
        want = FAR[name](number, a.astype(np.float64), b.astype(np.float64))
        np.testing.assert_allclose(got, want, rtol=1e-4, atol=1e-5 * abs(want).max())
    (program,) = lowered(FAR[name](n.bind(300), x, w))
    is_copied = program.choices.count("pack(") == 2
    assert is_copied if "rows" in name else {"tail", "upcast", "simd"} <= kinds(program)


def lowered(result):
    schedule, _ = result.schedule_with_vars()
    return [lower_kernel(item.ast, "C") for item in schedule if item.is_kernel]


def kinds(program):
    return {choice.name for choice in parse_choices(program.choices)}


@pytest.mark.parametrize("name", ["columns", "rows", "rows and columns", "terms"])
def test_products_are_tiled(name, rng):
    tensors = [Tensor(a).realize() for a in operands(rng)]
    (program,) = lowered(PROGRAMS[name](Variable("n", 1, MOST).bind(60), *tensors))
    assert {"pack", "pad", "simd", "upcast"} <= kinds(program)


def test_neighbours_are_stored_as_vectors_with_masks(rng):
    tensors = [Tensor(a).realize() for a in operands(rng)]
    (program,) = lowered(PROGRAMS["stored"](Variable("n", 1, MOST).bind(60), *tensors))
    assert {"simd", "split"} <= kinds(program)
    assert "store_masked" in program.source


def test_threads_get_as_many_rows_as_are_worth_it(rng):
    x = Tensor(rng.normal(size=(4096, 64)).astype(np.float32)).realize()
    n = Variable("n", 1, 4096).bind(4000)
    ((_, (symbolic,)),) = [p.launch for p in lowered(x[:n] * 2 + 1)]
    ((_, (known,)),) = [p.launch for p in lowered(x[:4095].reshape(4095, 64)[:, :63] * 2 + 1)]
    assert 0.5 * known <= symbolic <= 2 * known
    assert symbolic > 1


@pytest.mark.parametrize("name", ["cumsum", "cumprod", "cummax", "logcumsumexp"])
def test_running_sums_take_no_square_of_steps(name, rng):
    x = Tensor(rng.normal(size=4096).astype(np.float32)).realize()
    running = getattr(x[: Variable("n", 1, 4096).bind(4000)], name)(0)
    running = running[0] if isinstance(running, tuple) else running
    steps = sum(program.estimates.at({"n": 4000})[0] for program in lowered(running))
    assert 4000 <= steps <= 4000 * 300


def test_half_as_many_columns_as_rows_are_sorted(rng):
    """A gate that holds for the last row alone says how many columns there are."""
    rows = rng.normal(size=(MOST, MOST)).astype(np.float32)
    x, length = Tensor(rows).realize(), Variable("n", 1, MOST)
    step = jit(lambda n: x[:n, : n // 2].sort(0)[0].realize())
    for n in NUMBERS:
        np.testing.assert_array_equal(step(length.bind(n)).numpy(), np.sort(rows[:n, : n // 2], 0))
