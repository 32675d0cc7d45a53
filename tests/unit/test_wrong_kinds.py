"""Whatever stands in the place of an argument, a method takes it or says what it expected."""

from __future__ import annotations

import inspect

import numpy as np
import pytest
from arrays import square

from rulewright import Tensor, UOp, Variable, dtypes, jit
from rulewright.errors import (
    ArgumentError,
    FunctionError,
    JitError,
    RulewrightError,
    ShapeError,
    UsageError,
)


class Thing:
    """An object that no method knows."""


ODD = (
    "a", None, 1.5, -7, 1 << 70, float("nan"), [1, "a"], (None,), {}, Thing(), b"x", int,
    dtypes.f32, Variable("n", 1, 4), [[1], [2, 3]], 1j, np.float32(1.5), np.array(["a"]),
    slice(1, 2), ..., range(3), np.array([1, 2, 3]), np.array(1.5),
)  # fmt: skip
GOOD = {
    "target": lambda: Tensor([0, 1]), "index": lambda: Tensor([[0, 1], [1, 0]]),
    "shape": lambda: (2, 2), "sizes": lambda: 1, "mask": lambda: square() > 1,
    "equation": lambda: "ij->ji", "formula": lambda: "a b -> b a", "order": lambda: (1, 0),
    "bounds": lambda: ((0, 1), (0, 2)), "padding": lambda: ((1, 1), (0, 0)), "axis": lambda: 0,
    "dim": lambda: 0, "repeats": lambda: 2, "num_classes": lambda: 3, "chunks": lambda: 2,
    "layers": lambda: [lambda x: x], "dtype": lambda: dtypes.f32, "array": lambda: np.ones(3, "f4"),
    "steps": lambda: 1, "coefficients": lambda: (1,), "k": lambda: 1, "size": lambda: 2,
    "shifts": lambda: 1, "fxn": lambda: lambda *places: places[0], "fn": lambda: lambda x: x,
}  # fmt: skip


def methods() -> list[tuple[str, bool, list[inspect.Parameter]]]:
    """Each public method that takes something: its name, whether it is of the class, and what."""
    found = []
    for name in dir(Tensor):
        static = inspect.getattr_static(Tensor, name)
        of_class = isinstance(static, classmethod | staticmethod)
        if name.startswith("_") or not (of_class or inspect.isfunction(static)):
            continue
        parameters = list(inspect.signature(getattr(Tensor, name)).parameters.values())
        taken = parameters[0 if of_class else 1 :]
        if taken and name not in ("from_blob", "manual_seed"):  # memory; the state of all tests
            found.append((name, of_class, taken))
    return found


def call(name: str, of_class: bool, taken: list[inspect.Parameter], odd: str, value: object):
    """Call a method with a value for one of its parameters, and with good ones where it must."""
    places, named = [], {}
    rest = any(p.kind is p.VAR_POSITIONAL for p in taken)
    for parameter in taken:
        mine = parameter.name == odd
        optional = parameter.default is not parameter.empty
        if not mine and (optional or parameter.kind in (parameter.VAR_POSITIONAL, 4)):
            continue
        given = value if mine else GOOD.get(parameter.name, square)()
        if parameter.kind is parameter.VAR_POSITIONAL:
            places.append(given)
        elif parameter.kind is parameter.VAR_KEYWORD:
            named["unheard_of"] = given
        elif parameter.kind is parameter.KEYWORD_ONLY or rest or optional:
            named[parameter.name] = given
        else:
            places.append(given)
    return getattr(Tensor if of_class else square(), name)(*places, **named)


def test_there_are_many_methods():
    assert len(methods()) > 200


@pytest.mark.parametrize(("name", "of_class", "taken"), methods(), ids=[m[0] for m in methods()])
def test_a_method_takes_it_or_says_what_it_expected(name, of_class, taken):
    for parameter in taken:
        for value in ODD:
            try:
                call(name, of_class, taken, parameter.name, value)
            except RulewrightError as error:
                assert len(str(error)) > 15


WRONG = [
    (lambda x: x.contiguous(arg=np.array(1.5)), "contiguous"),
    (lambda x: x.to([]), "device: expected a name such as 'C', found []"),
    (lambda x: x.to(17), "device: expected a name such as 'C', found 17"),
    (lambda x: x.full((2,), np.array([1, 2])), "or a number, found array([1, 2])"),
    (lambda x: x.dropout(int), "p is a number"),
    (lambda x: x.elu(np.array(["a"])), "alpha is a number"),
    (lambda x: x.sum(int), "sum: expected an axis as a whole number"),
    (lambda x: x.max_pool2d(int), "must be a whole number"),
    (lambda x: x.chunk(Variable("n", 1, 4)), "chunk: chunks: expected a known number"),
    (lambda x: x.split(Variable("n", 1, 4)), "found the symbolic n"),
    (lambda x: x.diff(Variable("n", 1, 4)), "diff: n: expected a known number, found the symbolic"),
    (lambda x: x.roll(Variable("n", 1, 4)), "roll: shifts: expected a known number"),
    (lambda x: x.roll(1, Variable("n", 1, 4)), "roll: dims: expected a known number"),
    (lambda x: x.tensor_split([1, Variable("n", 1, 4)]), "expected a known number"),
    (lambda x: Tensor.randint(2, low=Variable("n", 1, 4)), "randint: bounds: expected a known"),
    (lambda x: x.norm(np.array([1, 2])), "norm: p is a number or 'fro'"),
    (lambda x: x.avg_pool1d(2, nonsense=1), "unexpected keyword argument 'nonsense'; expected avg"),
    (lambda x: Tensor.zeros(2, nonsense=1), "expected full(shape, fill_value"),
    (lambda x: x.sum(0, False, 1, 2, 3, 4), "; expected sum(axis=None"),
    (lambda x: x.custom_kernel(), "missing 1 required keyword-only argument: 'fxn'"),
]


@pytest.mark.parametrize(("wrong", "says"), WRONG)
def test_a_wrong_argument_is_named(wrong, says):
    with pytest.raises(ArgumentError) as caught:
        wrong(square())
    assert says in str(caught.value)


@pytest.mark.parametrize("repeats", [[[1], [2, 3]], (None,), [None], np.array(["a"]), [1.5]])
def test_repeats_are_whole_numbers(repeats):
    with pytest.raises(RulewrightError, match="repeat_interleave"):
        square().repeat_interleave(repeats, 0)


def test_repeats_that_jit_cannot_read_are_refused_as_that() -> None:
    step = jit(lambda t: t.repeat_interleave(Tensor([0, 2, 1]), 0))
    assert step(Tensor([4, 5, 6])).tolist() == [5, 5, 6]
    with pytest.raises(JitError, match="repeat_interleave: jit: a value is read"):
        step(Tensor([4, 5, 6]))


def test_a_kernel_takes_as_many_placeholders_as_there_are_tensors():
    with pytest.raises(FunctionError, match="expected a function of 2 placeholders"):
        square().custom_kernel(square(), fxn=lambda only: only)


def test_what_a_function_raises_inside_is_its_own():
    def inside(*places: UOp) -> UOp:
        raise TypeError("of my own")

    with pytest.raises(TypeError, match=r"^of my own$"):
        square().custom_kernel(fxn=inside)
    with pytest.raises(TypeError, match=r"^of my own$"):
        square().sequential([inside])


def test_what_would_never_end_is_refused():
    with pytest.raises(UsageError, match="-308 to 308 decimals, found 1180591620717411303424"):
        square().round(1 << 70)
    with pytest.raises(UsageError, match="-308 to 308 decimals"):
        square().round(309)
    with pytest.raises(ShapeError, match="at most 1048576 parts"):
        square().tensor_split(1 << 70)
    assert Tensor([1.239, -1.231], dtype="float64").round(2).tolist() == [1.24, -1.23]
