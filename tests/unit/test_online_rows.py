"""Rows that are weighed by softmax and done a block at a time, with sums that are scaled."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from attention_values import exact
from pairs import in_pairs

from rulewright import Context, Tensor
from rulewright.codegen.axes import Axes
from rulewright.codegen.choices import parse_choices
from rulewright.codegen.folds import fold_of
from rulewright.errors import UsageError
from rulewright.ir.ops import Ops
from rulewright.ir.uop import UOp
from rulewright.tensor.core import Core
from rulewright.tensor.realize import schedule

ROWS, LENGTH = 9, 24
Made = Callable[[Tensor, Tensor], Tensor]


def numbers(odd: bool = True, length: int = LENGTH) -> tuple[np.ndarray, np.ndarray]:
    """What is weighed, and what is summed: rows with hidden parts, infinities and NaN if `odd`."""
    rng = np.random.default_rng(7)
    x = rng.normal(size=(ROWS, length)).astype(np.float32) * 9
    w = rng.normal(size=(ROWS, length)).astype(np.float32)
    if odd:
        x[1] = -np.inf
        x[2, : length // 3] = -np.inf
        x[3, length // 4 :] = -np.inf
        x[4, 20], x[5, 9], x[6] = np.nan, np.inf, 88.0
        x[7, 5], x[8] = 3.0e38, np.linspace(-3.4e38, -3.0e38, length)
    return x, w


def weights(x: np.ndarray) -> np.ndarray:
    """exp(x - max) in float64."""
    wide = x.astype(np.float64)
    with np.errstate(all="ignore"):
        found: np.ndarray = np.exp(wide - wide.max(-1, keepdims=True))
    return found


def powers(x: Tensor) -> Tensor:
    return (x - x.max(-1, keepdim=True)).exp()


MADE: dict[str, tuple[Made, Callable[[np.ndarray, np.ndarray], np.ndarray]]] = {
    "mean": (
        lambda x, w: (x.softmax(-1) * w).sum(-1),
        lambda p, w: (p / p.sum(-1, keepdims=True) * w).sum(-1),
    ),
    "mean, divided once": (
        lambda x, w: (powers(x) * w).sum(-1) / powers(x).sum(-1),
        lambda p, w: (p * w).sum(-1) / p.sum(-1),
    ),
    "sum": (lambda x, w: powers(x).sum(-1), lambda p, w: p.sum(-1)),
    "negative": (lambda x, w: (-powers(x) * w * 2).sum(-1), lambda p, w: -2 * (p * w).sum(-1)),
    "two sums": (
        lambda x, w: (powers(x) * w).sum(-1) - (w * w * powers(x) / 3).sum(-1),
        lambda p, w: (p * w).sum(-1) - (w * w * p / 3).sum(-1),
    ),
    "some seen": (
        lambda x, w: (w > 0).where(powers(x), 0).sum(-1),
        lambda p, w: np.where(w > 0, p, 0).sum(-1),
    ),
}


def kernel_of(made: Tensor) -> UOp:
    """The one kernel that computes a tensor."""
    [item] = made.schedule()
    return item.ast


def online(kernel: UOp, count: int, beyond: bool = False) -> str:
    """The choice that does the row of a kernel in blocks, as text."""
    axes = Axes(kernel)
    [first, *_] = [n for n in kernel.toposort() if n.op is Ops.REDUCE and n.arg is Ops.MAX]
    axes.online(first.src[1].arg[0], count, beyond)
    return str(axes.choices[-1])


@pytest.mark.parametrize(
    ("name", "count", "beyond"), in_pairs(MADE, [1, 5, 8, LENGTH], [False, True])
)
def test_a_row_in_blocks_is_summed_like_a_whole_one(name: str, count: int, beyond: bool) -> None:
    make, expected = MADE[name]
    x, w = numbers()
    text = online(kernel_of(make(Tensor(x), Tensor(w))), count, beyond)
    with Context(VERIFY=2):  # each stage against the interpreter
        found = make(Tensor(x), Tensor(w)).contiguous(arg=text).numpy()
    with np.errstate(all="ignore"):
        np.testing.assert_allclose(found, expected(weights(x), w), rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("dtype", ["float64", "float16"])
def test_other_floats_have_their_own_lowest_number(dtype: str) -> None:
    x, w = (a.astype(dtype) for a in numbers(odd=False))
    x[1], x[2, :10] = -np.inf, -np.inf

    def make() -> Tensor:
        return (powers(Tensor(x)) * Tensor(w)).sum(-1)

    text = online(kernel_of(make()), 8)
    with np.errstate(all="ignore"):
        expected = (weights(x) * w).sum(-1)
    error = {"float64": 1e-12, "float16": 2e-2}[dtype]
    found = make().contiguous(arg=text).numpy()
    np.testing.assert_allclose(found, expected, rtol=error, atol=error)


def test_all_sums_and_the_largest_value_share_one_loop() -> None:
    make, _ = MADE["mean, divided once"]
    kernel = kernel_of(make(*map(Tensor, numbers())))
    axes = Axes(kernel)
    axes.apply(parse_choices(online(kernel, 8))[0])
    graph = axes.graph()
    folds = [fold for fold in map(fold_of, graph.toposort()) if fold is not None]
    assert len(folds) == 2 and folds[0].top is folds[1].top
    made = make(*map(Tensor, numbers())).contiguous(arg=online(kernel, 8))
    [item] = made.schedule()
    block = axes.choices[0].makes[0]
    loops = [n for n in item.lower().uops if n.op is Ops.RANGE and n.arg[0] == block]
    assert len(loops) == 1


def squares(x: Tensor, w: Tensor) -> Tensor:
    return (powers(x) * powers(x) * w).sum(-1)


REFUSED: dict[str, tuple[Made, str]] = {
    "squares": (squares, "what is summed is not in proportion to its weights"),
    "one more": (lambda x, w: (powers(x) + w).sum(-1), "not in proportion"),
    "quotient": (lambda x, w: (w / powers(x)).sum(-1), "not in proportion"),
    "choice": (lambda x, w: (w > 0).where(powers(x), 1).sum(-1), "not in proportion"),
    "largest": (lambda x, w: (powers(x) * w).max(-1), "weights are not summed"),
    "stored": (lambda x, w: x.softmax(-1), "something is stored along it"),
    "no weights": (lambda x, w: x.max(-1), "nothing is weighed along it"),
    "whole row before": (
        lambda x, w: (powers(x) * (w - x.max(-1, keepdim=True))).sum(-1),
        "a sum needs the whole row before",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_be_done_in_blocks_is_refused(name: str) -> None:
    make, why = REFUSED[name]
    kernel = kernel_of(make(*map(Tensor, numbers())))
    with pytest.raises(UsageError, match=f"axis choices: a row along r.* in blocks: .*{why}"):
        online(kernel, 8)


def test_a_row_that_is_summed_less_its_largest_value_is_not_done_in_blocks() -> None:
    x, w = (Tensor.rand(n, 16).realize() for n in (600, 512))
    shifted = x @ w.T - (x @ w.T).max(-1, keepdim=True)
    kernel = kernel_of(shifted.exp().sum(-1) + shifted.sum(-1))
    with pytest.raises(UsageError, match="a reduction goes along more, or needs the whole row"):
        online(kernel, 64)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("r9 = online(r7, 8)", "there is no range r7 now"),
        ("r9, r10, r11 = online(r0, 8)", "expected a range of known size that is reduced"),
        ("r9, r10, r11 = online(r{top}, 25)", "expected 1 to 24 of the range"),
        ("r9, r10, r11 = online(r{top}, 0)", "expected 1 to 24 of the range"),
        ("r9, r10 = online(r{top}, 8)", "it makes 3 ranges, found names for 2"),
        ("r9, r10, r10 = online(r{top}, 8)", "there are two ranges r10"),
    ],
)
def test_choices_that_name_wrong_ranges_are_refused(text: str, why: str) -> None:
    make, _ = MADE["sum"]
    kernel = kernel_of(make(*map(Tensor, numbers())))
    [top] = [n for n in kernel.toposort() if n.op is Ops.REDUCE and n.arg is Ops.MAX]
    axes = Axes(kernel)
    with pytest.raises(UsageError, match=why):
        axes.apply(parse_choices(text.format(top=top.src[1].arg[0]))[0])


MORE = {
    "simd(r5); simd(r6); simd(r7)": "",
    "r8, r9 = split(r0, 4); upcast(r9)": "",
    "r8, r9 = split(r0, 3); block(r4); block(r8); upcast(r9)": "",
    "thread(r0)": "",
    "upcast(r4)": "",
    "r8, r9 = split(r4, 2)": "stay one loop",
    "r8, r9 = tail(r4, 2)": "stay one loop",
    "unroll(r4)": "stay one loop",
}


@pytest.mark.parametrize("more", MORE)
def test_choices_go_on_from_blocks(more: str) -> None:
    make, expected = MADE["mean"]
    x, w = numbers()
    made = make(Tensor(x), Tensor(w))
    text = f"{online(kernel_of(make(Tensor(x), Tensor(w))), 8)}; {more}"
    if MORE[more]:
        with pytest.raises(UsageError, match=f"blocks of a row that is weighed {MORE[more]}"):
            made.contiguous(arg=text).realize()
        return
    with np.errstate(all="ignore"):
        found = made.contiguous(arg=text).numpy()
        np.testing.assert_allclose(found, expected(weights(x), w), rtol=1e-4, atol=1e-5)


# ---- attention ----------------------------------------------------------------------------------


def choices(value: Core) -> list[str]:
    """The choices of the kernels that compute a value, which are then run."""
    made = schedule([value])
    assert made is not None
    made.run()
    return [item.lower().choices for item in made.items]


SIZES = {  # queries, keys, features, features of values
    "even": (64, 4096, 64, 64),
    "one query": (1, 16384, 64, 64),
    "rows of odd sizes": (77, 2500, 65, 17),
    "values of two panels": (150, 2304, 128, 200),
    "a prime number of keys": (130, 2053, 128, 65),
}
SEEN = ("all", "causal", "mask", "blocks hidden")


@pytest.mark.parametrize("how", SEEN)
@pytest.mark.parametrize("size", SIZES)
def test_attention_to_many_keys_is_one_kernel_that_holds_no_row(size: str, how: str) -> None:
    queries, keys, features, wide = SIZES[size]
    rng = np.random.default_rng(3)
    shapes = (2, queries, features), (2, keys, features), (2, keys, wide)
    q, k, v = (rng.standard_normal(shape).astype(np.float32) for shape in shapes)
    seen = np.tril(np.ones((queries, keys), bool)) if how == "causal" else np.array(True)
    if how == "mask":
        seen = rng.random((queries, keys)) < 0.4
    elif how == "blocks hidden":
        seen = np.zeros((queries, keys), bool)
        seen[1:, 700:900] = True
    mask = Tensor(seen) if how in ("mask", "blocks hidden") else None
    found = Tensor(q).scaled_dot_product_attention(
        Tensor(k), Tensor(v), attn_mask=mask, is_causal=how == "causal"
    )
    made = choices(found)
    if queries > 1:
        assert len(made) == 1 and " = online(" in made[0], made
    np.testing.assert_allclose(found.numpy(), exact(q, k, v, seen), rtol=1e-4, atol=2e-6)


LONG = (70, 2304)


def beside(x: Tensor, w: Tensor) -> list[Tensor]:
    """The same weights where others need them, or the largest value, or the scores too."""
    scores = x @ w.T
    p = powers(scores)
    return [
        scores.logsumexp(-1),
        p.sum(-1) + scores.sum(-1),
        (p * p).sum(-1),
        p.max(-1),
        scores.softmax(-1) @ w,
        scores.softmax(-1),
        scores.max(-1) + (p @ w).sum(-1),
    ]


@pytest.mark.parametrize("number", range(7))
def test_weights_that_others_need_too_are_right(number: int) -> None:
    rng = np.random.default_rng(5)
    x, w = (rng.standard_normal((n, 128)).astype(np.float32) / 4 for n in LONG)
    found = beside(Tensor(x), Tensor(w))[number].numpy()
    scores = x.astype(np.float64) @ w.T
    top = scores.max(-1)
    p = weights(scores)
    mean = p / p.sum(-1, keepdims=True)
    expected = [
        top + np.log(p.sum(-1)),
        p.sum(-1) + scores.sum(-1),
        (p * p).sum(-1),
        p.max(-1),
        mean @ w,
        mean,
        top + (p @ w).sum(-1),
    ][number]
    np.testing.assert_allclose(found, expected, rtol=2e-4, atol=2e-4)


@pytest.mark.parametrize("length", [20000, 100000])
def test_scores_that_are_those_of_every_row_are_begun_anew_for_each(length, rng):
    """What is summed of rows that are all alike stands in the same loop as what is not."""
    w = rng.normal(size=(64, length))
    scores = Tensor.ones(64, 4, dtype="f64") @ Tensor.ones(length, 4, dtype="f64").T
    weighed = (scores.softmax(1) * Tensor(w).realize()).sum(1)
    assert len(weighed.schedule()) == 1
    np.testing.assert_allclose(weighed.numpy(), w.mean(1), rtol=1e-9, atol=1e-12)
