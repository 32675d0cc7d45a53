"""Values too large for memory of their own: each kernel that reads one computes it again."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from rulewright import Context, Tensor, Variable
from rulewright.codegen import rows
from rulewright.codegen.lower import lowering_stages
from rulewright.driver.execute import ExecItem
from rulewright.ir.ops import Ops
from rulewright.schedule import near, stages
from rulewright.schedule.near import Room
from rulewright.tensor.core import Core
from rulewright.tensor.realize import schedule

SHAPE = (1, 2, 67, 20)  # batches, heads, positions, features
SCORES = 2 * 67 * 67


@pytest.fixture(autouse=True)
def little_room(monkeypatch: pytest.MonkeyPatch) -> None:
    """Room for rows of these shapes, and not for all scores."""
    monkeypatch.setattr(stages, "room_near_by", lambda order: Room(12_000, SCORES * 2))


@pytest.mark.parametrize("n", [1, 300, 1024])
def test_rows_of_a_symbolic_length_end_where_they_do(n: int, rng: np.random.Generator) -> None:
    a, b = rng.standard_normal((40, 8)), rng.standard_normal((8, 1024))
    columns = Tensor(b.astype(np.float32)).realize()[:, : Variable("n", 1, 1024).bind(n)]
    found = (Tensor(a.astype(np.float32)) @ columns).logsumexp(-1).numpy()
    np.testing.assert_allclose(found, np.log(np.exp(a @ b[:, :n]).sum(-1)), rtol=1e-5, atol=1e-5)


def drawn(count: int, shape: tuple[int, ...] = SHAPE) -> list[np.ndarray]:
    rng = np.random.default_rng(7)
    return [rng.standard_normal(shape).astype(np.float32) for _ in range(count)]


def items_of(values: list[Core], verify: int = 1) -> list[ExecItem]:
    """The kernels of values, which run."""
    with Context(VERIFY=verify):
        made = schedule(values)
        assert made is not None
        made.run()
    return made.items


def largest(items: list[ExecItem]) -> int:
    return max(buffer.size for item in items for buffer in item.buffers)


def exact(
    q: np.ndarray, k: np.ndarray, v: np.ndarray, g: np.ndarray, seen: np.ndarray | bool = True
) -> list[np.ndarray]:
    """The result of attention and what reaches its operands of `g`, in float64."""
    q, k, v, g = (x.astype(np.float64) for x in (q, k, v, g))
    scale = q.shape[-1] ** -0.5
    scores = np.where(seen, q @ np.swapaxes(k, -1, -2) * scale, -np.inf)
    powers = np.exp(scores - scores.max(-1, keepdims=True))
    weights = powers / powers.sum(-1, keepdims=True)
    back = g @ np.swapaxes(v, -1, -2)
    slopes = weights * (back - (weights * back).sum(-1, keepdims=True)) * scale
    turned = np.swapaxes(slopes, -1, -2) @ q
    return [weights @ v, slopes @ k, turned, np.swapaxes(weights, -1, -2) @ g]


def attended(
    arrays: list[np.ndarray], attend: Callable[[Tensor, Tensor, Tensor], Tensor]
) -> list[Core]:
    """The result of attention and its gradients, nothing computed yet."""
    q, k, v, g = map(Tensor, arrays)
    for leaf in (q, k, v):
        leaf.requires_grad = True
    found = attend(q, k, v)
    (found * g).sum().backward()
    assert q.grad is not None and k.grad is not None and v.grad is not None
    return [found, q.grad, k.grad, v.grad]


LOWER = np.tril(np.ones((67, 67), bool))
WAYS: dict[str, tuple[Callable[[Tensor, Tensor, Tensor], Tensor], np.ndarray | bool]] = {
    "plain": (lambda q, k, v: q.scaled_dot_product_attention(k, v), True),
    "causal": (lambda q, k, v: q.scaled_dot_product_attention(k, v, is_causal=True), LOWER),
    "masked": (lambda q, k, v: q.scaled_dot_product_attention(k, v, Tensor(LOWER)), LOWER),
    "by hand": (lambda q, k, v: (q @ k.mT * 20**-0.5).softmax(-1) @ v, True),
    "turned": (lambda q, k, v: (v.mT @ (k @ q.mT * 20**-0.5).softmax(-2)).mT, True),
}


@pytest.mark.parametrize("way", WAYS)
def test_attention_and_its_gradients_need_no_memory_for_scores(way: str) -> None:
    arrays = drawn(4)
    attend, seen = WAYS[way]
    values = attended(arrays, attend)
    assert largest(items_of(values)) < SCORES
    for found, wanted in zip(values, exact(*arrays, seen), strict=True):
        np.testing.assert_allclose(found.numpy(), wanted, rtol=2e-4, atol=5e-6)


def test_heads_that_share_keys_need_no_memory_for_scores_either() -> None:
    q, k, v, g = drawn(4)
    values = attended(
        [q, k[:, :1], v[:, :1], g],
        lambda q, k, v: q.scaled_dot_product_attention(k, v, enable_gqa=True),
    )
    assert largest(items_of(values)) < SCORES
    found, own, *shared = exact(q, k[:, :1], v[:, :1], g)
    wanted = [found, own, *(x.sum(1, keepdims=True) for x in shared)]
    for value, other in zip(values, wanted, strict=True):
        np.testing.assert_allclose(value.numpy(), other, rtol=2e-4, atol=1e-5)


def test_weights_that_are_asked_for_are_right_too() -> None:
    q, k, v, _ = drawn(4)
    weights = (Tensor(q) @ Tensor(k).mT).softmax(-1)
    mixed = weights @ Tensor(v)
    items_of([weights, mixed])
    ones = np.eye(67, dtype=np.float32)
    for found, values in ((weights, np.broadcast_to(ones, (1, 2, 67, 67))), (mixed, v)):
        wanted = exact(q * 20**0.5, k, values, np.zeros_like(values))[0]
        np.testing.assert_allclose(found.numpy(), wanted, 2e-4, 5e-6)


def test_an_activation_that_is_too_large_is_computed_again_in_the_gradient() -> None:
    x, w, u, g = drawn(1, (300, 12)) + drawn(1, (12, 33)) + drawn(1, (33, 9)) + drawn(1, (300, 9))
    leaves = [Tensor(a) for a in (x, w, u)]
    for leaf in leaves:
        leaf.requires_grad = True
    found = (leaves[0] @ leaves[1]).tanh() @ leaves[2]
    (found * Tensor(g)).sum().backward()
    values = [found, *(leaf.grad for leaf in leaves if leaf.grad is not None)]
    assert len(values) == 4
    items_of(values)
    hidden = np.tanh(x.astype(np.float64) @ w)
    back = (g.astype(np.float64) @ u.T) * (1 - hidden**2)
    for value, other in zip(
        values, [hidden @ u, back @ w.T, x.T @ back, hidden.T @ g], strict=True
    ):
        np.testing.assert_allclose(value.numpy(), other, rtol=2e-4, atol=5e-5)


@pytest.mark.parametrize(("name", "error"), [("half", 2e-2), ("double", 1e-12)])
def test_scores_of_other_floats(name: str, error: float) -> None:
    arrays = [getattr(Tensor(x), name)().numpy() for x in drawn(4)]
    values = attended(arrays, lambda q, k, v: q.scaled_dot_product_attention(k, v))
    assert largest(items_of(values)) < SCORES
    for value, other in zip(values, exact(*arrays), strict=True):
        np.testing.assert_allclose(value.double().numpy(), other, 0, error)


# ---- rows that are kept a block at a time -------------------------------------------------------


@pytest.fixture
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Blocks of 32 to 48, and no room for a row of all scores, in memory near by either."""
    monkeypatch.setattr(near, "LEAST_BLOCK", 32)
    monkeypatch.setattr(near, "MOST_BLOCK", 48)
    monkeypatch.setattr(stages, "room_near_by", lambda order: Room(4_000, SCORES))
    monkeypatch.setattr(rows, "is_long", lambda reduction, count, target: True)


@pytest.mark.usefixtures("small_blocks")
@pytest.mark.parametrize(("queries", "keys"), [(96, 96), (70, 105), (33, 128)])
@pytest.mark.parametrize("is_causal", [False, True])
def test_long_rows_are_kept_in_blocks(queries: int, keys: int, is_causal: bool) -> None:
    q, g = drawn(2, (1, 2, queries, 20))
    k, v = drawn(2, (1, 2, keys, 20))
    seen = np.tril(np.ones((queries, keys), bool)) if is_causal else True
    attend = Tensor.scaled_dot_product_attention
    found = attend(Tensor(q), Tensor(k), Tensor(v), is_causal=is_causal)
    items = items_of([found])
    assert largest(items) < 2 * queries * keys
    assert len(items) == 1 and kept_elements(items[0]) < keys
    values = attended([q, k, v, g], lambda q, k, v: attend(q, k, v, is_causal=is_causal))
    items = items_of(values, verify=0)
    assert all(kept_elements(item) < keys for item in items)
    choices = [item.lower().choices for item in items]
    ends = {how: sum(f"{how}(" in text for text in choices) for how in ("until", "since")}
    assert (ends["until"] > 0) is is_causal
    # blocks of keys divide keys, and those of queries, which values get something of, queries
    assert (ends["since"] > 0) is (is_causal and queries == 96)
    wanted = exact(q, k, v, g, seen)
    for value, other in zip([found, *values], [wanted[0], *wanted], strict=True):
        np.testing.assert_allclose(value.numpy(), other, rtol=2e-4, atol=1e-5)


@pytest.mark.usefixtures("small_blocks")
@pytest.mark.parametrize("keys", [97, 101])
def test_rows_that_nothing_divides_leave_a_rest(keys: int) -> None:
    q, k, v = drawn(3, (1, 2, keys, 20))
    found = Tensor(q).scaled_dot_product_attention(Tensor(k), Tensor(v))
    [item] = items_of([found])
    assert largest([item]) < 2 * keys * keys and kept_elements(item) < keys
    np.testing.assert_allclose(found.numpy(), exact(q, k, v, v)[0], rtol=2e-4, atol=5e-6)


def kept_elements(item: ExecItem) -> int:
    """How many elements of a row a kernel keeps near by, at most."""
    graph = next(graph for entry, graph in lowering_stages(item.ast, "C") if entry == "axes")
    kept = [n for n in graph.toposort() if n.op is Ops.STAGE and len(n.src) == 2]
    return max((int(n.src[1].vmax) + 1 for n in kept), default=0)
