"""Attention without a buffer of scores: rows that a kernel keeps near by between two products."""

from __future__ import annotations

import numpy as np
import pytest
from attention_values import exact

from rulewright import Context, Tensor, Variable, jit
from rulewright.codegen.lower import lower_kernel, lowering_stages
from rulewright.ir.ops import Ops
from rulewright.schedule import stages
from rulewright.schedule.near import Room
from rulewright.tensor.core import Core
from rulewright.tensor.realize import schedule

HEADS = 3  # on two batches


def inputs(queries: int, keys: int, size: int = 24, seed: int = 0) -> list[np.ndarray]:
    """Queries, keys and values of standard normal numbers, as float32."""
    rng = np.random.default_rng(seed)
    shapes = (2, HEADS, queries, size), (2, HEADS, keys, size), (2, HEADS, keys, size + 5)
    return [rng.standard_normal(shape).astype(np.float32) for shape in shapes]


def causal(queries: int, keys: int) -> np.ndarray:
    return np.tril(np.ones((queries, keys), bool))


def kernels(value: Core) -> int:
    """How many kernels compute a value; they run."""
    made = schedule([value])
    assert made is not None
    made.run()
    return len(made.items)


@pytest.mark.parametrize("keys", [511, 512, 513, 600])
@pytest.mark.parametrize("queries", [500, 511, 512, 513])
def test_attention_of_any_size_is_one_kernel(queries: int, keys: int) -> None:
    q, k, v = inputs(queries, keys)
    found = Tensor(q).scaled_dot_product_attention(Tensor(k), Tensor(v))
    assert kernels(found) == 1
    np.testing.assert_allclose(found.numpy(), exact(q, k, v), rtol=1e-4, atol=2e-6)


@pytest.mark.parametrize("size", [500, 511, 512, 513])
def test_causal_attention_is_one_kernel_that_ends_rows_where_nothing_is_seen(size: int) -> None:
    q, k, v = inputs(size, size)
    found = Tensor(q).scaled_dot_product_attention(Tensor(k), Tensor(v), is_causal=True)
    [item] = found.schedule()
    assert "until(" in lower_kernel(item.ast, "C").choices
    assert kernels(found) == 1
    np.testing.assert_allclose(
        found.numpy(), exact(q, k, v, causal(size, size)), rtol=1e-4, atol=2e-6
    )


@pytest.mark.parametrize("is_causal", [False, True])
@pytest.mark.parametrize("queries", ["n", 40])
def test_attention_of_a_symbolic_number_of_tokens_is_one_kernel(
    queries: str | int, is_causal: bool
) -> None:
    q, k, v = inputs(530, 530)
    held = [Tensor(x).realize() for x in (q, k, v)]
    variable = Variable("n", 0, 530)

    def attention(n: Variable) -> Tensor:
        rows, *columns = (x[:, :, :n] for x in held)
        rows = rows if queries == "n" else held[0][:, :, :queries]
        return rows.scaled_dot_product_attention(*columns, is_causal=is_causal)

    step = jit(lambda n: attention(n).realize())
    for n in (530, 0, 1, 15, 16, 17, 64, 500, 511, 512, 529):
        found = step(variable.bind(n))
        count = n if queries == "n" else int(queries)
        seen = causal(count, n) if is_causal else True
        expected = exact(q[:, :, :count], k[:, :, :n], v[:, :, :n], seen)
        np.testing.assert_allclose(found.numpy(), expected, rtol=1e-4, atol=2e-6)
    assert step.captures == 1
    items, _ = attention(variable.bind(99)).schedule_with_vars()
    assert len(items) == 1 or queries != "n"


@pytest.mark.parametrize("is_causal", [False, True])
@pytest.mark.parametrize("around", [(), (1,), (1, 3), (2, 1), (1, 1), (1, 2, 1)])
def test_axes_of_one_do_not_keep_scores_in_memory(around: tuple[int, ...], is_causal: bool) -> None:
    rng = np.random.default_rng(len(around))
    q, k, v = (rng.standard_normal((*around, 530, 20)).astype(np.float32) for _ in range(3))
    found = Tensor(q).scaled_dot_product_attention(Tensor(k), Tensor(v), is_causal=is_causal)
    assert kernels(found) == 1
    seen = causal(530, 530) if is_causal else True
    np.testing.assert_allclose(found.numpy(), exact(q, k, v, seen), rtol=1e-4, atol=2e-6)


def test_a_query_that_sees_nothing_gives_zeros() -> None:
    q, k, v = inputs(512, 520)
    seen = np.random.default_rng(1).random((512, 520)) < 0.5
    seen[[0, 7, 511]] = False
    found = Tensor(q).scaled_dot_product_attention(Tensor(k), Tensor(v), Tensor(seen))
    assert kernels(found) == 1
    result = found.numpy()
    assert not result[:, :, [0, 7, 511]].any()
    np.testing.assert_allclose(result, exact(q, k, v, seen), rtol=1e-4, atol=2e-6)


def test_a_mask_of_numbers_is_added() -> None:
    q, k, v = inputs(512, 512)
    mask = np.where(causal(512, 512), 0, -np.inf).astype(np.float32)
    found = Tensor(q).scaled_dot_product_attention(Tensor(k), Tensor(v), Tensor(mask))
    assert kernels(found) == 1
    np.testing.assert_allclose(
        found.numpy(), exact(q, k, v, causal(512, 512)), rtol=1e-4, atol=2e-6
    )


def test_heads_share_keys_and_values() -> None:
    q, k, v = inputs(512, 512)
    k, v = k[:, :1], v[:, :1]
    found = Tensor(q).scaled_dot_product_attention(Tensor(k), Tensor(v), enable_gqa=True)
    assert kernels(found) == 1
    np.testing.assert_allclose(found.numpy(), exact(q, k, v), rtol=1e-4, atol=2e-6)


def test_what_is_no_number_spoils_its_own_query_only() -> None:
    q, k, v = inputs(512, 512)
    q[0, 0, 3, 1] = np.nan
    found = Tensor(q).scaled_dot_product_attention(Tensor(k), Tensor(v)).numpy()
    assert np.isnan(found[0, 0, 3]).all()
    found[0, 0, 3], q[0, 0, 3] = 0, 0
    wanted = exact(q, k, v)
    wanted[0, 0, 3] = 0
    np.testing.assert_allclose(found, wanted, rtol=1e-4, atol=2e-6)


@pytest.mark.parametrize("size", [1, 5, 37])
def test_few_scores_are_kept_in_memory(size: int) -> None:
    q, k, v = inputs(size, size)
    found = Tensor(q).scaled_dot_product_attention(Tensor(k), Tensor(v))
    np.testing.assert_allclose(found.numpy(), exact(q, k, v), rtol=1e-4, atol=2e-6)


@pytest.mark.parametrize("masked", [False, True])
@pytest.mark.parametrize(("queries", "keys"), [(3, 0), (0, 3), (0, 0)])
def test_no_keys_give_zeros_and_no_queries_nothing(queries: int, keys: int, masked: bool) -> None:
    q, k, v = inputs(queries, keys)
    mask = Tensor(np.ones((queries, keys), bool)) if masked else None
    found = Tensor(q).scaled_dot_product_attention(Tensor(k), Tensor(v), mask).numpy()
    np.testing.assert_array_equal(found, np.zeros((2, HEADS, queries, 29), np.float32))


@pytest.mark.parametrize(("name", "error"), [("half", 3e-3), ("bfloat16", 2e-2), ("double", 1e-13)])
@pytest.mark.parametrize("is_causal", [False, True])
def test_attention_of_other_floats(name: str, error: float, is_causal: bool) -> None:
    given = [getattr(Tensor(x), name)().realize() for x in inputs(512, 512)]
    q, k, v = (x.double().numpy() for x in given)
    found = given[0].scaled_dot_product_attention(given[1], given[2], is_causal=is_causal)
    assert kernels(found) == 1
    seen = causal(512, 512) if is_causal else True
    np.testing.assert_allclose(found.double().numpy(), exact(q, k, v, seen), 0, error)


def test_scores_that_are_asked_for_are_computed_once() -> None:
    a, b, c = (x[0, 0] for x in inputs(600, 600))
    scores = Tensor(a) @ Tensor(b).T
    weights = scores.softmax(-1)
    mixed = weights @ Tensor(c)
    made = schedule([weights, mixed])
    assert made is not None
    made.run()
    assert len(made.items) == 3
    np.testing.assert_allclose(mixed.numpy(), exact(a * 24**0.5, b, c), 1e-4, 2e-6)
    np.testing.assert_allclose(weights.numpy().sum(-1), np.ones(600), 1e-5)


def test_what_is_read_again_for_each_row_is_small() -> None:
    """A perceptron's activations go to memory: its second matrix would be read for each tile."""
    x, first, second = (Tensor.ones(*shape) for shape in ((512, 64), (64, 1024), (1024, 512)))
    x, first, second = (t.contiguous().realize() for t in (x, first, second))
    assert kernels((x @ first).relu() @ second) == 2


@pytest.mark.parametrize("name", ["float", "half", "bfloat16"])
def test_what_tensor_cores_multiply_is_in_memory(name: str, rng: np.random.Generator) -> None:
    """Some processors multiply pairs of bfloat16 from memory; rows near by are of float32."""
    arrays = [rng.standard_normal(shape) / 16 for shape in ((512, 256), (256, 1024), (1024, 256))]
    x, first, second = (getattr(Tensor(a), name)().realize() for a in arrays)
    found = (x @ first).relu() @ second
    assert kernels(found) == (2 if name == "bfloat16" else 1)
    x, first, second = (t.double().numpy() for t in (x, first, second))
    wanted = np.maximum(x @ first, 0) @ second
    np.testing.assert_allclose(found.double().numpy(), wanted, 0, 2e-2 * np.abs(wanted).max())


def test_work_items_of_a_gpu_keep_no_rows() -> None:
    """They have no memory for it."""
    with Context(DEVICE="OPENCL"):
        q, k, v = (Tensor(x) for x in inputs(512, 512))
        made = schedule([q.scaled_dot_product_attention(k, v)])
    assert made is not None
    assert len(made.items) == 3


BESIDE = {
    "rows": lambda a, b, c, d: a @ b + c @ d + a.sum(1, keepdims=True),
    "largest": lambda a, b, c, d: (a @ b) * (c @ d) + a.max(1, keepdims=True),
    "divided": lambda a, b, c, d: (a @ b) / (a * a).sum(1, keepdims=True) + c @ d,
    "both normalised": lambda a, b, c, d: (
        (a / (a * a).sum(1, keepdims=True)) @ b + (c / (c * c).sum(1, keepdims=True)) @ d
    ),
    "three": lambda a, b, c, d: a @ b + c @ d + a @ d + c.sum(1, keepdims=True),
    "columns of their own": lambda a, b, c, d: (
        (a @ b)[:, :, None] * (c @ d)[:, None, :] + a.sum(1)[:, None, None]
    ),
}
"""Products in one kernel with another reduction of their rows, as numpy has them too."""


@pytest.mark.parametrize("shape", [(5, 7, 6), (65, 33, 129), (48, 48, 16)])
@pytest.mark.parametrize("name", BESIDE)
def test_products_beside_each_other_and_a_reduction(
    name: str, shape: tuple[int, int, int], rng: np.random.Generator
) -> None:
    m, k, n = shape if name != "columns of their own" else (shape[0], shape[1], shape[2] // 6)
    arrays = [rng.standard_normal(s).astype(np.float32) for s in ((m, k), (k, n)) * 2]
    found = BESIDE[name](*map(Tensor, arrays))
    wanted = BESIDE[name](*(a.astype(np.float64) for a in arrays))
    np.testing.assert_allclose(found.numpy(), wanted, 2e-4, 2e-4)


@pytest.mark.parametrize(("queries", "keys"), [(16, 32), (17, 33), (40, 47), (64, 37)])
def test_few_rows_of_few_columns_are_right_too(
    queries: int, keys: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stages, "room_near_by", lambda order: Room(1600))
    q, k, v = (x[:1] for x in inputs(queries, keys, 2))
    found = Tensor(q).scaled_dot_product_attention(Tensor(k), Tensor(v), is_causal=True)
    assert kernels(found) == 1
    np.testing.assert_allclose(
        found.numpy(), exact(q, k, v, causal(queries, keys)), rtol=1e-4, atol=2e-6
    )


def test_scores_are_scaled_as_they_are_stored_and_weighed_as_vectors() -> None:
    q, k, v = (Tensor(x) for x in inputs(512, 512, 64))
    (item,) = q.scaled_dot_product_attention(k, v[..., :64]).schedule()
    assert len([n for n in item.ast.toposort() if n.op is Ops.STAGE]) == 2  # scores and weights
    source = lower_kernel(item.ast, "C").source
    assert "shuffle(" in source  # keys are turned in registers
    assert "#pragma omp simd" not in source  # nor are weights left to the compiler


def test_a_mask_is_added_to_scores_as_they_are_stored() -> None:
    q, k, v = (Tensor(x) for x in inputs(512, 512, 64))
    bias = Tensor(np.zeros((512, 512), np.float32)).realize()
    (item,) = q.scaled_dot_product_attention(k, v, attn_mask=bias).schedule()
    assert len([n for n in item.ast.toposort() if n.op is Ops.STAGE]) == 2


def test_a_row_near_by_is_no_other_rows_to_share() -> None:
    """A tile of rows would have to keep all of their weights, and leave what is stored a loop."""
    rng = np.random.default_rng(0)
    scores, slopes = (rng.standard_normal((16, 32, 32)).astype(np.float32) for _ in range(2))
    x = rng.standard_normal((16, 32, 64)).astype(np.float32)
    top = Tensor(scores.max(-1, keepdims=True)).realize()
    weights, y, z = (Tensor(scores) - top).exp(), Tensor(slopes), Tensor(x)
    slope = (y - (y * weights).sum(-1, keepdim=True)) * weights
    value = slope[..., None] * (z[:, :, None] + z[:, None]).tanh()
    (item,) = value.schedule()
    graph = next(graph for entry, graph in lowering_stages(item.ast, "C") if entry == "axes")
    ranges = {n for n in graph.toposort() if n.op is Ops.RANGE}
    assert (64, "simd") in {(n.size, n.arg[1]) for n in ranges}  # what is stored, as vectors
    exact_weights = np.exp(scores - scores.max(-1, keepdims=True), dtype=np.float64)
    mean = (slopes * exact_weights).sum(-1, keepdims=True)
    expected = ((slopes - mean) * exact_weights)[..., None] * np.tanh(x[:, :, None] + x[:, None])
    np.testing.assert_allclose(value.numpy(), expected, rtol=1e-4, atol=1e-4)
