"""How the lanes of a warp hold a small matrix: a layout, as text and as numbers.

A lane has some elements of the matrix. Each bit of its number, and each bit of the number of an
element that it has, adds something to the row or the column of that element. The text says what,
the lowest bit first, lanes before the bar: in "k2 k4 m1 m2 m4 | k1 m8 k8" element 5 of lane 6 is
at row m = 1 and column k = 4 + 1 + 8. So a layout is data, and each place is held once. What one
work item of a CPU holds alone is held by a warp of a single lane: "| k1 k2 m1 m2".

What lanes read from memory that they share lies there the same for all: "k8:1 m64:8 k8:520" says
how far apart the values of each digit of a row or column lie, the lowest digit first. In a
target's file distances are left out, "k8 m64 k8, m8 k64 m8": each digit lies behind those before
it, and the values of the last one lie apart as far as one likes; either of two will do.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache, reduce
from math import prod
from operator import add
from typing import Any, NamedTuple

Bit = tuple[str, int]
_BIT = re.compile(r"([kmn])([1-9]\d*)")
_DIGIT = re.compile(r"([kmn])([1-9]\d*)(?::([1-9]\d*))?")
_AXES = {"a": "mk", "b": "kn", "c": "mn"}


class Run(NamedTuple):
    """Bits that add to one axis, from a step on, so that they count to a size."""

    axis: str
    step: int
    size: int


@dataclass(frozen=True)
class Layout:
    """What each bit of the number of a lane, and of an element that it has, adds to which axis."""

    lane: tuple[Bit, ...]
    item: tuple[Bit, ...]

    @property
    def lanes(self) -> int:
        """How many lanes hold the matrix."""
        return 1 << len(self.lane)

    @property
    def items(self) -> int:
        """How many elements each lane has."""
        return 1 << len(self.item)

    def size(self, axis: str) -> int:
        """The size of the matrix along "m", "n" or "k"."""
        return 1 + sum(step for name, step in (*self.lane, *self.item) if name == axis)

    def runs(self) -> list[Run]:
        """The bits of the number of an element that count on together, the highest first."""
        runs: list[Run] = []
        for name, step in self.item:
            last = runs[0] if runs else None
            if last is not None and last.axis == name and last.step * last.size == step:
                runs[0] = last._replace(size=2 * last.size)
            else:
                runs.insert(0, Run(name, step, 2))
        return runs

    def elements(self, axis: str) -> Run:
        """The elements of a lane along an axis, where those count on together: one if none do."""
        return next((run for run in self.runs() if run.axis == axis), Run(axis, 1, 1))

    def number(self, places: Mapping[str, Any]) -> Any:
        """The number of the element at these places, where one lane has all."""
        total, span = None, 1
        for axis, step, size in reversed(self.runs()):
            part = places[axis] // step if step > 1 else places[axis]
            part = part % size if step * size <= self.size(axis) - 1 else part
            part = part * span if span > 1 else part
            total, span = part if total is None else part + total, span * size
        return 0 if total is None else total

    def place(self, axis: str, lane: Any, item: Any) -> Any:
        """The row or column of an element of a lane: of numbers, arrays or nodes."""
        parts = [*_parts(self.lane, axis, lane), *_parts(self.item, axis, item)]
        return reduce(add, parts) if parts else 0


def _parts(bits: Sequence[Bit], axis: str, number: Any) -> list[Any]:
    """What the bits of a number add to an axis: those that count on together are one part of it."""
    parts, first = [], 0
    while first < len(bits):
        name, step = bits[first]
        end = first + 1
        while end < len(bits) and bits[end] == (name, step << (end - first)):
            end += 1
        if name == axis:
            part = number // (1 << first) if first else number
            part = part % (1 << (end - first)) if end < len(bits) else part
            parts.append(part * step if step > 1 else part)
        first = end
    return parts


@lru_cache(maxsize=256)
def read_layout(text: str) -> Layout:
    """A layout from its text. Raises ValueError for what is none."""
    halves = [half.split() for half in text.split("|")]
    matched = [[_BIT.fullmatch(word) for word in half] for half in halves]
    if len(matched) != 2 or not all(map(all, matched)):
        raise ValueError(f'expected a layout such as "m1 m2 | k1", found "{text}"')
    lane, item = (tuple((m[1], int(m[2])) for m in half if m) for half in matched)
    return Layout(lane, item)


class Digit(NamedTuple):
    """A digit of the number of a row or column: how many values it has, and how far apart elements
    lie for which it differs by one."""

    axis: str
    size: int
    distance: int


@dataclass(frozen=True)
class MemoryLayout:
    """Where in memory each element of a matrix is, by digits of its row and column."""

    digits: tuple[Digit, ...]

    def size(self, axis: str) -> int:
        """The size of the matrix along "m", "n" or "k"."""
        return prod(digit.size for digit in self.digits if digit.axis == axis)

    @property
    def span(self) -> int:
        """Elements from the first to the last, both counted."""
        return 1 + sum((digit.size - 1) * digit.distance for digit in self.digits)

    def place(self, numbers: Mapping[str, Any]) -> Any:
        """Where the element is whose row and column are these: of numbers or arrays."""
        left, total = dict(numbers), 0
        for axis, size, distance in self.digits:
            total = total + left[axis] % size * distance
            left[axis] = left[axis] // size
        return total

    def __str__(self) -> str:
        return " ".join(f"{axis}{size}:{distance}" for axis, size, distance in self.digits)


@lru_cache(maxsize=256)
def read_memory_layout(text: str) -> MemoryLayout:
    """A layout from its text; distances may be left out. Raises ValueError for what is none."""
    matched = [_DIGIT.fullmatch(word) for word in text.split()]
    if not text.strip() or not all(matched):
        raise ValueError(f'expected digits such as "k8 m64 k8" or "k8:1 m64:8", found "{text}"')
    digits: list[Digit] = []
    behind = 1
    for axis, size, distance in (m.groups() for m in matched if m):
        digits.append(Digit(axis, int(size), int(distance or behind)))
        behind = digits[-1].size * digits[-1].distance
    return MemoryLayout(tuple(digits))


def read_choices(text: str) -> tuple[MemoryLayout, ...]:
    """Layouts, either of which will do. Raises ValueError for another text."""
    return tuple(map(read_memory_layout, text.split(",")))


def is_shared(text: str) -> bool:
    """Whether a text says where a matrix lies in memory, not how lanes hold it."""
    return "|" not in text


@lru_cache(maxsize=256)
def read_small_layout(text: str, columns: int | None = None) -> Layout:
    """The layout by which lanes get elements of a small matrix, of rows m and columns k, so many if
    that is said, each of them once. Raises ValueError for another one."""
    layout = read_layout(text)
    bits = sorted((*layout.lane, *layout.item))
    counts = {"k": columns, "m": None}
    steps = {axis: 1 << sum(name == axis for name, _ in bits) for axis in counts}
    wanted = [
        (axis, 1 << i)
        for axis, count in counts.items()
        for i in range((count or steps[axis]).bit_length() - 1)
    ]
    if bits != wanted:
        words = " ".join(f"{axis}{step}" for axis, step in wanted)
        raise ValueError(f'expected the bits {words}, each once, found "{text}"')
    return layout


@lru_cache(maxsize=256)
def check_layouts(a: str, b: str, c: str) -> None:
    """Raises ValueError for layouts that do not hold each element of their matrices once, or that
    do not belong together. Where `a` lies in memory that lanes share, so does `b`."""
    texts = {"a": a, "b": b, "c": c}
    shared = [name for name in "ab" if is_shared(texts[name])]
    if len(shared) == 1:
        raise ValueError(f"expected both a and b in memory, or neither; {shared[0]} is")
    held: list[tuple[str, Layout | MemoryLayout]] = []
    for name, text in texts.items():
        held += [(name, x) for x in (read_choices(text) if name in shared else [read_layout(text)])]
    sizes: dict[str, int] = {}
    for name, layout in held:
        _check_elements(name, layout)
        for axis in sorted(_AXES[name]):
            if sizes.setdefault(axis, layout.size(axis)) != layout.size(axis):
                raise ValueError(f"{name}: {axis} is {layout.size(axis)}, elsewhere {sizes[axis]}")
    lanes = {name: layout.lanes for name, layout in held if isinstance(layout, Layout)}
    if len({*lanes.values()}) > 1:
        counts = ", ".join(f"{name} {count}" for name, count in lanes.items())
        raise ValueError(f"expected as many lanes in each layout, found {counts}")


def _check_elements(name: str, layout: Layout | MemoryLayout) -> None:
    """Raises ValueError for a layout that does not hold each element of matrix a, b or c once."""
    axes = sorted(_AXES[name])
    if isinstance(layout, MemoryLayout):
        if {digit.axis for digit in layout.digits} != {*axes}:
            raise ValueError(f"{name}: expected digits of {' and '.join(axes)}")
        behind = 1
        for digit in sorted(layout.digits, key=lambda digit: digit.distance):
            if digit.distance < behind:
                raise ValueError(f"{name}: elements lie at one place: {layout}")
            behind = digit.size * digit.distance
        return
    bits = sorted((*layout.lane, *layout.item))
    wanted = [(x, 1 << i) for x in axes for i in range(sum(x == axis for axis, _ in bits))]
    if bits != wanted or {axis for axis, _ in bits} not in ({*axes}, {*axes} - {"m"}):
        words = " ".join(f"{axis}{step}" for axis, step in wanted)
        raise ValueError(f"{name}: expected the bits {words or ' and '.join(axes)}, each once")
