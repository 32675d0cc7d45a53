"""Functions as nodes: values, gradients, memory, arguments, errors; scheduled once."""

from __future__ import annotations

import pickle
import re
from functools import partial
from itertools import product
from typing import Any

import numpy as np
import pytest
from function_helpers import callee, numbers, precompile

from rulewright import Context, Tensor, UOp, Variable, dtypes, function, jit, nn
from rulewright.errors import FunctionError
from rulewright.ir.ops import Ops
from rulewright.nn.state import get_parameters
from rulewright.schedule.functions import resolve_functions
from rulewright.tensor.function import Function, Once

__all__ = ["precompile"]

# ---- values -----------------------------------------------------------------------------------


def test_results_are_those_of_the_plain_function(precompile: bool) -> None:
    def plain(x: Tensor, w: Tensor) -> tuple[Tensor, dict[str, Tensor]]:
        y = (x @ w).relu()
        return y, {"sum": y.sum(0), "largest": y.max()}

    x, w = numbers(4, 5), numbers(5, 3)
    y, others = function(precompile=precompile)(plain)(Tensor(x), Tensor(w))
    assert y.uop.op is Ops.RESULT
    expected = np.maximum(x @ w, 0)
    with Context(VERIFY=2):
        Tensor.realize(y, *others.values())
    np.testing.assert_allclose(y.numpy(), expected, rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(others["sum"].numpy(), expected.sum(0), rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(others["largest"].numpy(), expected.max(), rtol=1e-5)


def test_calls_that_do_the_same_are_calls_of_one_node(precompile: bool) -> None:
    f = function(precompile=precompile)(lambda x, y: x * 2 + y.sum())
    first = f(Tensor(numbers(3)), Tensor(numbers(4)))
    second = f(Tensor(numbers(3) + 1), Tensor(numbers(4)) * 3)
    assert callee(first) is callee(second)
    assert callee(f(Tensor(numbers(4)), Tensor(numbers(3)))) is not callee(first)


@pytest.mark.parametrize("device", ["C", "INTERP", "OPENCL"])
def test_functions_of_functions(precompile: bool, device: str) -> None:
    if device == "OPENCL":
        pytest.importorskip("pyopencl")

    @function(precompile=precompile)
    def inner(x: Tensor) -> tuple[Tensor, Tensor]:
        return x.softmax(-1), x * 2

    @function(precompile=precompile)
    def outer(x: Tensor) -> Tensor:
        a, b = inner(x + 1)
        c, _ = inner(b)
        return a + c

    def softmax(x: Any) -> Any:
        e = np.exp(x - x.max(-1, keepdims=True))
        return e / e.sum(-1, keepdims=True)

    x = numbers(3, 4)
    with Context(VERIFY=1):
        y = outer(outer(Tensor(x, device=device)))
        y.realize()

    def expected(x: Any) -> Any:
        return softmax(x + 1) + softmax((x + 1) * 2)

    np.testing.assert_allclose(y.numpy(), expected(expected(x)), rtol=1e-4)


def test_recursion(precompile: bool) -> None:
    def power(x: Tensor, n: int) -> Tensor:
        return x if n == 0 else traced(x * 2, n - 1) + 1

    traced: Function[Tensor] = function(precompile=precompile)(power)
    assert traced(Tensor([1.0, 3.0]), 4).tolist() == [20, 52]


def test_a_precompiled_function_is_scheduled_once_and_is_a_border() -> None:
    f = function(precompile=True)(lambda x: (x + 1).sum(-1, keepdim=True) * x)
    x = Tensor(numbers(3, 4)).realize()
    items = f(f(f(x))).schedule()
    assert len({item.ast for item in items}) * 3 == len(items)
    inline = function(lambda x: x + 1)
    assert len(inline(inline(inline(x))).schedule()) == 1


def test_the_last_call_writes_the_result() -> None:
    f = function(precompile=True)(lambda x: x * 2)
    assert len(f(Tensor([1.0, 2.0]).realize()).schedule()) == 1


def test_memory_inside_is_fresh_for_each_call(precompile: bool) -> None:
    def plain(x: Tensor) -> Tensor:
        copy = (x + 1).clone()
        copy[1:] = copy[1:] * 10
        return copy + (x * 2).contiguous()

    f = function(precompile=precompile)(plain)
    a, b = f(Tensor([1.0, 2.0])), f(Tensor([5.0, 6.0]))
    with Context(VERIFY=1):
        Tensor.realize(a, b)
    assert (a.tolist(), b.tolist()) == ([4, 34], [16, 82])


def test_order_with_writes_around_it(precompile: bool) -> None:
    f = function(precompile=precompile)(lambda x: x * 2)
    x = Tensor([1.0, 2.0]).realize()
    before = f(x)
    x.assign(f(x) + 1)
    after = f(x)
    with Context(VERIFY=1):
        Tensor.realize(x, before, after)
    assert (before.tolist(), x.tolist(), after.tolist()) == ([2, 4], [3, 5], [6, 10])


def test_old_and_new_contents_in_one_call(precompile: bool) -> None:
    f = function(precompile=precompile)(lambda old, new: old * 100 + new)
    x = Tensor([1.0, 2.0]).realize()
    old = x.clone() * 1
    x += 10
    assert f(old, x).tolist() == [111, 212]
    lazy = x * 1  # memory as it is, until it is written
    x += 10
    assert f(lazy, x).tolist() == [1121, 1222]


# ---- arguments --------------------------------------------------------------------------------


class Affine:
    """A layer whose call is a function."""

    def __init__(self, size: int) -> None:
        self.layers = [nn.Linear(size, size), nn.Linear(size, size)]
        self.scale = {"by": Tensor([2.0])}

    @function(precompile=True)
    def __call__(self, x: Tensor, *, add: float = 0.0) -> Tensor:
        for layer in self.layers:
            x = layer(x)
        return x * self.scale["by"] + add


def test_methods_keywords_and_containers() -> None:
    one, two = Affine(3), Affine(3)
    Tensor.realize(*get_parameters([one, two]))
    x = numbers(2, 3)
    first, second = one(Tensor(x), add=1.0), two(Tensor(x), add=1.0)
    assert callee(first) is callee(second)
    for layer, found in [(one, first), (two, second)]:
        expected = x
        for linear in layer.layers:
            assert linear.bias is not None
            expected = expected @ linear.weight.numpy().T + linear.bias.numpy()
        np.testing.assert_allclose(found.numpy(), expected * 2 + 1, rtol=1e-4, atol=1e-5)


def test_tensors_around_the_function_are_passed(precompile: bool) -> None:
    weight = Tensor([3.0, 4.0]).realize()
    f = function(precompile=precompile)(lambda x: x * weight)
    before = f(Tensor([1.0, 1.0]))
    weight.assign(weight + 1)
    after = f(Tensor([1.0, 1.0]))
    assert (before.tolist(), after.tolist()) == ([3, 4], [4, 5])


def test_an_argument_or_a_view_of_one_comes_back_as_such() -> None:
    f = function(lambda x: (x, x[0], x.sum()))
    x = Tensor([[1.0, 2.0], [3.0, 4.0]])
    same, row, total = f(x)
    assert same is x
    row.assign(Tensor([7.0, 8.0]))
    assert (x.tolist(), total.item()) == ([[7, 8], [3, 4]], 10)


def test_results_that_share_memory_go_on_sharing() -> None:
    def pair(x: Tensor) -> tuple[Tensor, Tensor]:
        y = x * 2
        return y, y[0]

    whole, row = function(pair)(Tensor([[1.0], [2.0]]))
    row.assign(Tensor([9.0]))
    assert whole.tolist() == [[9], [4]]


def test_plain_values_and_constants_pass_through() -> None:
    f = function(lambda x, n, flag: (n, [flag, None], Tensor(2.0), x * Tensor(n)))
    n, rest, two, y = f(Tensor([1.0]), 3, True)
    assert (n, rest, two.item(), y.tolist()) == (3, [True, None], 2.0, [3.0])


def test_sizes_that_depend_on_variables_make_a_plain_call(precompile: bool) -> None:
    f = function(precompile=precompile)(lambda x: (x * 2).sum())
    size = Variable("n", 1, 8).bind(3)
    x = Tensor(np.arange(8, dtype=np.float32))[:size]
    assert f(x).item() == 6.0


def test_random_numbers_differ_from_call_to_call(precompile: bool) -> None:
    f = function(precompile=precompile)(lambda x: x + Tensor.rand(4))
    Tensor.manual_seed(1)
    a, b = f(Tensor.zeros(4)).tolist(), f(Tensor.zeros(4)).tolist()
    Tensor.manual_seed(1)
    assert a != b
    assert a == Tensor.rand(4).tolist()


def test_under_the_jit(precompile: bool) -> None:
    f = function(precompile=precompile)(lambda x: (x * 2).sum(-1))
    step = jit(lambda x: f(x) + f(x + 1))
    for seed in range(4):
        x = numbers(2, 3) + seed
        np.testing.assert_allclose(step(Tensor(x)).numpy(), (4 * x + 2).sum(-1), rtol=1e-5)
    assert step.captures == 1


# ---- errors -----------------------------------------------------------------------------------


def test_values_are_not_known_inside(precompile: bool) -> None:
    @function(precompile=precompile)
    def branch(x: Tensor) -> Tensor:
        return x if x.sum() > 0 else -x

    x = Tensor([1.0])
    with pytest.raises(FunctionError, match=r"test_function.py:\d+, inside a function that is"):
        branch(x)
    assert x.tolist() == [1.0]


def test_gradients_filled_inside_are_errors() -> None:
    leaf = Tensor([1.0], requires_grad=True)

    @function
    def backward(x: Tensor) -> Tensor:
        (x * leaf).sum().backward()
        return x * 2

    with pytest.raises(FunctionError, match="changes the gradient of"):
        backward(Tensor([5.0]))


def test_tensors_kept_inside_are_errors() -> None:
    kept = []

    @function
    def keeps(x: Tensor) -> Tensor:
        kept.append(x * 3)
        return x * 2

    with pytest.raises(FunctionError, match=r"function keeps: a tensor .* is kept without"):
        keeps(Tensor([5.0]))
    kept.clear()


class Pair:
    __slots__ = ("first", "last")

    def __init__(self, first: Any, last: Any) -> None:
        self.first, self.last = first, last


@pytest.mark.parametrize(
    "pack", [lambda y: {y}, lambda y: [1, Pair(3, y)], lambda y: partial(max, y)]
)
def test_tensors_in_results_that_cannot_be_made_again_are_errors(pack: Any) -> None:
    message = "function packs: the function returns a (set|Pair|partial): expected tensors"

    @function
    def packs(x: Tensor) -> Any:
        return pack(x * 2)

    with pytest.raises(FunctionError, match=message):
        packs(Tensor([5.0]))


def test_objects_without_tensors_of_the_call_pass_through() -> None:
    pair = Pair(Tensor([2.0]), 3)
    same, scaled = function(lambda p, x: (p, p.first * x))(pair, Tensor([4.0]))
    assert same is pair and scaled.item() == 8 and pair.first.item() == 2


def test_tensors_in_slots_and_in_partial_calls_are_arguments() -> None:
    f = function(lambda p, x: p.first * x)
    calls = [f(Pair(Tensor([i]) * 2.0, 0), Tensor([4.0])) for i in range(2)]
    assert callee(calls[0]) is callee(calls[1])
    assert [c.item() for c in calls] == [0, 8]
    g = function(partial(lambda w, x: w * x, Tensor([3.0]) + 1))
    assert g(Tensor([2.0])).item() == 8


@function(precompile=True)
def doubled(x: Tensor) -> Tensor:
    return x * 2


def test_functions_are_pickled_by_name_or_made_again() -> None:
    assert pickle.loads(pickle.dumps(doubled)) is doubled
    again = pickle.loads(pickle.dumps(function(precompile=True)(np.negative)))
    assert again.precompile and again(Tensor([2.0])).item() == -2


def test_what_is_no_function() -> None:
    with pytest.raises(FunctionError, match="expected a function, found int"):
        function(3)  # type: ignore[call-overload]


def call_of(shape: tuple[int, ...], *arguments: UOp) -> UOp:
    """A SINK that stores the result of calling x * 2, for x of a shape, with arguments."""
    x = UOp(Ops.PARAM, dtypes.f32, (), (0, shape, "C"))
    twice = UOp(Ops.FUNCTION, dtypes.void, (x * 2.0,), ("twice", "inline", 0))
    call = UOp(Ops.CALL, dtypes.void, (twice, *arguments))
    out = UOp(Ops.PARAM, dtypes.f32, (), (0, shape, "C"))
    return UOp.sink(out.store(UOp(Ops.RESULT, dtypes.f32, (call,), (0, shape))))


def memory(kind: Any = dtypes.f32, shape: tuple[int, ...] = (4,), device: str = "C") -> UOp:
    return UOp(Ops.PARAM, kind, (), (1, shape, device))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "function twice takes 1 arguments, its call passes 0"),
        ((memory(shape=(5,)),), "argument 0 has shape (5,), expected (4,)"),
        ((memory(dtypes.i32),), "argument 0 has dtype i32, expected f32"),
        ((memory(device="INTERP"),), "argument 0 has device INTERP, expected C"),
    ],
)
def test_arguments_that_do_not_fit(arguments: tuple[UOp, ...], message: str) -> None:
    with pytest.raises(FunctionError, match=re.escape(message)):
        resolve_functions(call_of((4,), *arguments))


@pytest.mark.parametrize("precompile", [False, True])
def test_a_function_that_calls_itself_without_end_is_named(precompile):
    x = Tensor([1.0])

    @function(precompile=precompile)
    def endless(x):
        return other(x) + 1

    @function(precompile=precompile)
    def other(x):
        return endless(x * 2)

    with pytest.raises(FunctionError, match=r"function (endless|other) calls itself"):
        endless(x)
    assert (x + 1).tolist() == [2.0]  # what the trace stood for is put back


@pytest.mark.parametrize("precompile", [False, True])
def test_a_function_may_call_itself_a_known_number_of_times(precompile):
    @function(precompile=precompile)
    def power(x, n):
        return x if n == 0 else power(x * 2, n - 1) + 1

    assert power(Tensor([1.0]), 20).tolist() == [2.0**20 + 20]


def test_a_recursion_of_the_users_own_keeps_its_error():
    def deep(n):
        return deep(n + 1)

    with pytest.raises(RecursionError):
        function(lambda x: deep(0))(Tensor([1.0]))


@pytest.mark.parametrize("kinds", list(product((False, True, None), repeat=3)), ids=str)
def test_functions_within_functions(kinds):
    """Each calls the one below twice: inline, called whole, or not as a function."""

    def around(below):
        return lambda x: below(below(x)) - x

    ours = theirs = lambda x: x * 2 + 1
    for kind in kinds:
        ours, theirs = around(ours), around(theirs)
        ours = ours if kind is None else function(precompile=kind)(ours)
    x = Tensor([0.0, 1.0, 2.0], requires_grad=True)
    found = ours(x)
    assert found.tolist() == theirs(np.arange(3.0)).tolist()
    found.sum().backward()
    assert x.grad.tolist() == [theirs(1.0) - theirs(0.0)] * 3
    if kinds[0] is None:
        captured = jit(lambda x: ours(x).realize())
        for i in range(3):
            assert captured(Tensor([float(i)]).realize()).item() == theirs(float(i))


@pytest.mark.parametrize("use", [Tensor.realize, Tensor.numpy, lambda s: s.assign(Tensor.ones(3))])
def test_constants_from_outside_may_be_computed_after_a_call(use):
    positions = Tensor.arange(3).float()
    added = function(lambda x: x * 2 + positions)(Tensor([1.0]))
    use(positions)
    assert added.tolist() == [2, 3, 4]


# ---- traced once ---------------------------------------------------------------------------------


def test_a_function_of_tensors_alone_is_traced_once() -> None:
    runs: list[int] = []

    def step(a: Tensor, b: Tensor) -> tuple[Tensor, Tensor]:
        runs.append(1)
        return a + 2 * b, a * b

    once = Once(step)
    a, b = Tensor([1.0, 2.0], requires_grad=True), Tensor([3.0, 4.0])
    x, y = once(a, b)
    for _ in range(3):
        x, y = once(x, y)
    want = np.array([1.0, 2.0]), np.array([3.0, 4.0])
    for _ in range(4):
        want = want[0] + 2 * want[1], want[0] * want[1]
    np.testing.assert_allclose(x.numpy(), want[0], rtol=1e-6)
    np.testing.assert_allclose(y.numpy(), want[1], rtol=1e-6)
    assert len(runs) == 1
    x.sum().backward()
    assert a.grad is not None and a.grad.shape == (2,)


def test_a_constant_or_the_same_twice_is_traced_again() -> None:
    runs: list[int] = []

    def product(a: Tensor, b: Tensor) -> Tensor:
        runs.append(1)
        return a * b

    once, a = Once(product), Tensor([2.0, 3.0])
    assert once(a, a).tolist() == [4.0, 9.0]
    assert once(a, Tensor.ones(2)).tolist() == [2.0, 3.0]  # ones are part of what is traced
    assert once(a, Tensor([5.0, 6.0])).tolist() == [10.0, 18.0]
    assert once(Tensor([1.0, 1.0]), a).tolist() == [2.0, 3.0]
    assert len(runs) == 3
