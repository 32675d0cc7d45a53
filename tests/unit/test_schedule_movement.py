"""Random chains of movement ops, with arithmetic and reductions between, against numpy."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

import numpy as np
from hypothesis import given, settings, strategies as st
from schedule_helpers import array_of, buffer, computed, reduced, scheduled

from rulewright.driver.graphs import schedule
from rulewright.ir.dtypes import dtypes
from rulewright.ir.ops import Ops
from rulewright.ir.shapes import Dim
from rulewright.ir.uop import UOp
from rulewright.options import Context
from rulewright.schedule.movement import move_index

SIZES = st.sampled_from([0, 1, 1, 2, 3, 4, 5, 6, 7, 8, 11, 13])
SHAPES = st.lists(SIZES, min_size=0, max_size=4).map(tuple).filter(lambda s: prod(s) <= 3000)
MOST = 20_000  # elements that a chain may grow to


@dataclass
class Pair:
    """A graph and the array that it should be."""

    node: UOp
    array: np.ndarray

    @property
    def shape(self) -> tuple[int, ...]:
        return self.array.shape


def _numbers(shape: tuple[int, ...]) -> np.ndarray:
    """1, 2, 3 …: a zero can only come from padding."""
    return np.arange(1, prod(shape) + 1, dtype=np.int32).reshape(shape)


def _permute(pair: Pair, draw: st.DataObject) -> Pair:
    order = tuple(draw.draw(st.permutations(range(len(pair.shape)))))
    return Pair(pair.node.permute(order), pair.array.transpose(order))


def _flip(pair: Pair, draw: st.DataObject) -> Pair:
    flags = tuple(draw.draw(st.booleans()) for _ in pair.shape)
    slices = tuple(slice(None, None, -1 if flag else 1) for flag in flags)
    return Pair(pair.node.flip(flags), pair.array[(*slices, ...)])


def _pad(pair: Pair, draw: st.DataObject) -> Pair:
    pads = tuple((draw.draw(st.integers(0, 2)), draw.draw(st.integers(0, 2))) for _ in pair.shape)
    return Pair(pair.node.pad(pads), np.pad(pair.array, pads) if pads else pair.array)


def _shrink(pair: Pair, draw: st.DataObject) -> Pair:
    bounds = []
    for size in pair.shape:
        begin = draw.draw(st.integers(0, size))
        bounds.append((begin, draw.draw(st.integers(begin, size))))
    slices = tuple(slice(begin, end) for begin, end in bounds)
    return Pair(pair.node.shrink(tuple(bounds)), pair.array[(*slices, ...)])


def _expand(pair: Pair, draw: st.DataObject) -> Pair:
    """Axes of size 1 repeated, also zero times; a new axis in front now and then."""
    node, array = pair.node, pair.array
    if draw.draw(st.booleans()):
        array = array.reshape(1, *array.shape)
        node = node.reshape(array.shape)
    shape = tuple(
        draw.draw(st.sampled_from([1, 0, 2, 3, 5])) if size == 1 else size for size in array.shape
    )
    return Pair(node.expand(shape), np.broadcast_to(array, shape))


def _reshape(pair: Pair, draw: st.DataObject) -> Pair:
    """Axes merged at random places, then split by a divisor, then axes of 1 put in."""
    shape: list[int] = []
    for size in pair.shape:
        if shape and draw.draw(st.booleans()):
            shape[-1] *= size
        else:
            shape.append(size)
    split: list[int] = []
    for size in shape:
        parts = [d for d in range(2, size) if size % d == 0]
        if parts and draw.draw(st.booleans()):
            part = draw.draw(st.sampled_from(parts))
            split += [part, size // part]
        else:
            split.append(size)
    if draw.draw(st.booleans()):
        split.insert(draw.draw(st.integers(0, len(split))), 1)
    return Pair(pair.node.reshape(tuple(split)), pair.array.reshape(split))


def _stride(pair: Pair, draw: st.DataObject) -> Pair:
    """Every k-th element of each axis, as slicing with a step makes it: pad, reshape, shrink."""
    node, array = pair.node, pair.array
    steps = [draw.draw(st.integers(1, 3)) for _ in array.shape]
    node = node.pad(tuple((0, -size % k) for size, k in zip(array.shape, steps, strict=True)))
    counts = [-(-size // k) for size, k in zip(array.shape, steps, strict=True)]
    node = node.reshape(tuple(n for pair in zip(counts, steps, strict=True) for n in pair))
    node = node.shrink(tuple(p for count in counts for p in ((0, count), (0, 1))))
    return Pair(node.reshape(tuple(counts)), array[tuple(slice(None, None, k) for k in steps)])


def _arithmetic(pair: Pair, draw: st.DataObject) -> Pair:
    """A value and its mirror image: the two are read at different places."""
    flags = (True,) * len(pair.shape)
    return Pair(pair.node * 2 - pair.node.flip(flags), pair.array * 2 - np.flip(pair.array))


def _keep(pair: Pair, draw: st.DataObject) -> Pair:
    return Pair(pair.node.contiguous(), pair.array)


def _sum(pair: Pair, draw: st.DataObject) -> Pair:
    axes = tuple(a for a in range(len(pair.shape)) if draw.draw(st.booleans()))
    if not axes:
        return pair
    total = pair.array.sum(axes, keepdims=True, dtype=np.int32)
    return Pair(reduced(Ops.ADD, pair.node, *axes), total)


MOVES = (_permute, _flip, _pad, _shrink, _expand, _reshape, _stride)


def _chain(draw: st.DataObject, steps: tuple) -> Pair:
    array = _numbers(draw.draw(SHAPES, label="shape"))
    pair = Pair(buffer(array), array)
    for step in draw.draw(st.lists(st.sampled_from(steps), min_size=1, max_size=6), label="steps"):
        moved = step(pair, draw)
        if moved.array.size <= MOST:
            pair = moved
    return pair


@settings(max_examples=150)
@given(st.data())
def test_chains_of_movement_are_numpys(data):
    pair = _chain(data, MOVES)
    assert pair.node.shape == pair.shape
    np.testing.assert_array_equal(computed(pair.node)[0].reshape(pair.shape), pair.array)


@settings(max_examples=100)
@given(st.data())
def test_chains_with_arithmetic_and_sums_are_numpys(data):
    pair = _chain(data, (*MOVES, _arithmetic, _keep, _sum))
    assert pair.node.shape == pair.shape
    np.testing.assert_array_equal(computed(pair.node)[0].reshape(pair.shape), pair.array)


@settings(max_examples=40)
@given(st.data())
def test_a_store_through_views_writes_where_numpy_writes(data):
    array = _numbers(data.draw(SHAPES))
    held = buffer(array)
    expected = array.copy()
    view = Pair(held, expected)
    for step in data.draw(st.lists(st.sampled_from([_permute, _flip, _shrink]), max_size=4)):
        # numpy's views share the memory that is expected, so storing into the last one fills it
        view = step(view, data)
    value = _numbers(view.shape) * -1
    view.array[...] = value
    with Context(VERIFY=1):
        schedule(UOp.sink(held.after(view.node.store(buffer(value))))).run()
    np.testing.assert_array_equal(array_of(held), expected)


# ---- symbolic sizes ---------------------------------------------------------------------------


@st.composite
def symbolic_programs(draw):
    """A matrix whose first rows only are used, moved about: (name, graph of rows, numpy twin)."""
    columns = draw(st.sampled_from([1, 3, 5]))
    low = draw(st.integers(0, 2))
    high = draw(st.integers(low + 1, 7))
    kind = draw(st.sampled_from(sorted(PROGRAMS)))
    return columns, low, high, kind


def _rows(node: UOp, count: UOp, columns: int) -> UOp:
    return node.shrink(((0, count), (0, columns)))


def _flat(node: UOp) -> UOp:
    size: Dim = 1
    for dim in node.shape or ():
        size = size * dim
    return node.reshape((size,))


PROGRAMS = {
    "plain": (lambda x: x, lambda a: a),
    "turned": (lambda x: x.permute((1, 0)), lambda a: a.T),
    "flipped": (lambda x: x.flip((True, True)), lambda a: a[::-1, ::-1]),
    "flat": (_flat, lambda a: a.reshape(-1)),
    "flat backwards": (lambda x: _flat(x).flip((True,)), lambda a: a.reshape(-1)[::-1]),
    "turned flat": (lambda x: _flat(x.permute((1, 0))), lambda a: a.T.reshape(-1)),
    "padded": (lambda x: x.pad(((2, 1), (0, 1))), lambda a: np.pad(a, ((2, 1), (0, 1)))),
    "with itself": (lambda x: x + x.flip((True, False)), lambda a: a + a[::-1]),
    "summed": (
        lambda x: reduced(Ops.ADD, x, 0), lambda a: a.sum(0, keepdims=True, dtype=np.int32),
    ),
    "row sums": (
        lambda x: reduced(Ops.ADD, x, 1), lambda a: a.sum(1, keepdims=True, dtype=np.int32),
    ),
    "less its sum": (
        lambda x: x - reduced(Ops.ADD, x, 0).expand(x.shape),
        lambda a: a - a.sum(0, keepdims=True, dtype=np.int32),
    ),
    "kept": (lambda x: (x * 3).contiguous().flip((True, False)), lambda a: (a * 3)[::-1]),
    "largest": (
        lambda x: reduced(Ops.MAX, x.pad(((1, 0), (0, 0))), 0),
        lambda a: np.pad(a, ((1, 0), (0, 0))).max(0, keepdims=True),
    ),
}  # fmt: skip


@settings(max_examples=150)
@given(symbolic_programs(), st.data())
def test_symbolic_sizes_are_numpys(program, data):
    columns, low, high, kind = program
    build, twin = PROGRAMS[kind]
    array = _numbers((high, columns))
    rows = UOp.variable("rows", low, high)
    held = buffer(array)
    for value in data.draw(st.lists(st.integers(low, high), min_size=1, max_size=3)):
        node = build(_rows(held, rows.bind(value), columns))
        expected = twin(array[:value])
        made, outputs = scheduled(node)
        made.run()
        found = array_of(outputs[0]).reshape(-1)
        # memory has the size of the upper bound; values fill the shape of the bound variable
        if any(not isinstance(size, int) for size in node.shape):
            shape = node.max_shape
            part = tuple(slice(0, n) for n in expected.shape)
            np.testing.assert_array_equal(found.reshape(shape)[part], expected)
        else:
            np.testing.assert_array_equal(found.reshape(expected.shape), expected)


def test_axes_of_size_1_move_without_arithmetic():
    value = buffer(np.zeros((1, 64, 1, 9), np.float32)).reshape((64, 1, 3, 3, 1))
    channel, row, column = (UOp.range(n, id) for id, n in enumerate((64, 3, 3)))
    zero = UOp.index_const(0)
    found = move_index(value, channel, zero, row, column, zero)
    assert found is not None
    assert found[0] is found[2] is zero and found[1] is channel
    assert found[3].simplify() is (row * 3 + column).simplify()


def test_an_index_that_may_be_outside_keeps_its_validity_as_axes_of_size_1_move():
    value = buffer(np.zeros((5,), np.float32)).reshape((5, 1))
    place, zero = UOp.range(5, 0), UOp.index_const(0)
    gated = (place < 4).where(place, UOp(Ops.INVALID, dtypes.index))
    found = move_index(value, gated, zero)
    assert found is not None
    assert any(n.op is Ops.INVALID for n in found[0].simplify().toposort())
