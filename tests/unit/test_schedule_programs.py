"""Random programs of assignments, views, reductions and realisations, beside the same in numpy.

Views share memory in both; a value that is computed stays what it was when memory under it is
written. Everything alive at the end must be equal.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from hypothesis import given, settings, strategies as st

from rulewright import Context, Tensor
from rulewright.errors import RulewrightError

SHAPES = ((3, 4), (3, 4), (4,), (3, 1), (1, 4), (), (5,), (0, 4))


@dataclass
class Program:
    """Names are positions in these lists; `log` is the program as one would write it."""

    tensors: list[Tensor] = field(default_factory=list)
    arrays: list[np.ndarray] = field(default_factory=list)
    log: list[str] = field(default_factory=list)

    def add(self, tensor: Tensor, array: np.ndarray, text: str) -> None:
        self.log.append(f"t{len(self.tensors)} = {text}")
        self.tensors.append(tensor)
        self.arrays.append(np.asarray(array))

    def check(self) -> None:
        for i, (tensor, array) in enumerate(zip(self.tensors, self.arrays, strict=True)):
            text = "\n".join([*self.log, f"# t{i} is wrong"])
            assert tensor.shape == array.shape, text
            np.testing.assert_array_equal(tensor.numpy(), array, text)


def _pick(p: Program, data: st.DataObject) -> int:
    return data.draw(st.integers(0, len(p.tensors) - 1))


def _new(p: Program, data: st.DataObject) -> None:
    shape = data.draw(st.sampled_from(SHAPES))
    start = data.draw(st.integers(1, 9))
    array = (np.arange(np.prod(shape, dtype=int), dtype=np.int32) * 3 + start).reshape(shape)
    p.add(Tensor(array.copy()), array, f"Tensor(np.arange{shape} * 3 + {start})")


def _binary(p: Program, data: st.DataObject) -> None:
    a, b = _pick(p, data), _pick(p, data)
    if _broadcast(p.arrays[a], p.arrays[b]) is None:
        b = a
    sign = data.draw(st.sampled_from("+-*"))
    both = {"x": (p.tensors[a], p.tensors[b]), "y": (p.arrays[a], p.arrays[b])}
    found = {k: eval(f"v {sign} w", {"v": v, "w": w}) for k, (v, w) in both.items()}
    p.add(found["x"], found["y"], f"t{a} {sign} t{b}")


def _broadcast(a: np.ndarray, b: np.ndarray) -> tuple[int, ...] | None:
    try:
        return np.broadcast_shapes(a.shape, b.shape)
    except ValueError:
        return None


def _view(p: Program, data: st.DataObject) -> None:
    a = _pick(p, data)
    tensor, array = p.tensors[a], p.arrays[a]
    kind = data.draw(st.sampled_from(["flip", "turn", "part"]))
    if kind == "turn":
        p.add(tensor.permute(*range(array.ndim)[::-1]), array.T, f"t{a}.T")
    elif kind == "flip":
        turned = (*[slice(None, None, -1)] * array.ndim, ...)  # of no axes too a view
        p.add(tensor[turned], array[turned], f"t{a}[::-1…]")
    elif array.ndim:
        begin = data.draw(st.integers(0, array.shape[0]))
        p.add(tensor[begin:], array[begin:], f"t{a}[{begin}:]")


def _sum(p: Program, data: st.DataObject) -> None:
    a = _pick(p, data)
    array = p.arrays[a]
    axis = data.draw(st.sampled_from([None, *range(array.ndim)]))
    if data.draw(st.booleans()) or not array.size:
        found = p.tensors[a].sum(axis, keepdim=True), array.sum(axis, np.int32, keepdims=True)
        p.add(found[0].cast("int32"), found[1], f"t{a}.sum({axis})")
    else:
        found = p.tensors[a].max(axis, keepdim=True), array.max(axis, keepdims=True)
        p.add(*found, f"t{a}.max({axis})")


def _less_its_sum(p: Program, data: st.DataObject) -> None:
    """As in a softmax: a reduction is spread over what it reduced, twice."""
    a = _pick(p, data)
    tensor, array = p.tensors[a], p.arrays[a]
    if array.ndim and array.size:
        x = tensor - tensor.max(-1, keepdim=True)
        y = array - array.max(-1, keepdims=True)
        x = x * x.sum(-1, keepdim=True).cast("int32")
        p.add(x, y * y.sum(-1, np.int32, keepdims=True), f"less_its_sum(t{a})")


def _assign(p: Program, data: st.DataObject) -> None:
    a, b = _pick(p, data), _pick(p, data)
    if _broadcast(p.arrays[a], p.arrays[b]) != p.arrays[a].shape:
        b = a
    how = data.draw(st.sampled_from(["=", "+=", "flipped"]))
    target, value, array, other = p.tensors[a], p.tensors[b], p.arrays[a], p.arrays[b].copy()
    p.log.append(f"t{a} {how} t{b}")
    if how == "=":
        target.assign(value)
        array[...] = other
    elif how == "+=":
        target += value
        array += other
    else:
        target.assign(value.flip(tuple(range(other.ndim))) * 2 + 1)
        array[...] = other[(*[slice(None, None, -1)] * other.ndim, ...)] * 2 + 1


def _realize(p: Program, data: st.DataObject) -> None:
    chosen = data.draw(st.lists(st.integers(0, len(p.tensors) - 1), min_size=1, max_size=3))
    first, *rest = (p.tensors[i] for i in chosen)
    how = data.draw(st.sampled_from(["realize", "realize", "kernelize", "contiguous"]))
    p.log.append(f"{how}({', '.join(f't{i}' for i in chosen)})")
    if how == "realize":
        first.realize(*rest)
    elif how == "kernelize":
        first.kernelize(*rest)
    else:
        array = p.arrays[chosen[0]]
        p.add(first.contiguous() * 1, array * 1, f"t{chosen[0]}.contiguous() * 1")


STEPS = (_new, _binary, _binary, _view, _view, _sum, _less_its_sum, _assign, _assign, _realize)


@settings(max_examples=100)
@given(st.data())
def test_random_programs_are_numpys(data):
    with Context(DEVICE="INTERP", VERIFY=1):
        p = Program()
        _new(p, data)
        try:
            for step in data.draw(st.lists(st.sampled_from(STEPS), min_size=3, max_size=14)):
                step(p, data)
            p.check()
        except RulewrightError as error:
            raise AssertionError("\n".join(p.log)) from error
