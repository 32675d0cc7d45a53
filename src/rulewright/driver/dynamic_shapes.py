"""Programs that differ in sizes alone.

Sizes are constants of kernels, so that a program over arrays of another size is another program, to
be compiled anew: a text that grows by a token at a time would compile in each round. After a few
programs that say the same but for sizes, those sizes that differed are taken to be multiples of a
variable or two, and a program that agrees with that is one of variable size, which was compiled
before.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from math import isqrt, prod
from typing import Any, NamedTuple

from rulewright.driver.recent import Recent
from rulewright.driver.schedules import cache_lock
from rulewright.driver.sizes import Form, SizeForm, Sizes, form_of
from rulewright.driver.varying import memories_with, numbers_of, read_in
from rulewright.errors import RulewrightError, ShapeError
from rulewright.ir.derived import derive_shape
from rulewright.ir.dtypes import dtypes
from rulewright.ir.ops import Ops
from rulewright.ir.origins import rebuild
from rulewright.ir.shapes import Dim, as_dim, split_dims
from rulewright.ir.uop import UOp
from rulewright.runtime.device import Device
from rulewright.schedule.callify import BoundFunction
from rulewright.schedule.functions import resolve_functions

OF_ONE_SIZE = 2
"""How many programs that differ in sizes alone are compiled each for itself."""

ENOUGH = 1 << 27
"""So many elements computed at one size are worth kernels of that size."""

_LARGE, _PLANNED = 10, 7
"""What computes more than ENOUGH by two to this power has a plan each time, so that it is counted;
that takes as long as ENOUGH by two to this power."""

_MOST_NODES = 1 << 13
_MOST_PROGRAMS = 1024
_MOST_SEEN, _MOST_GENERALS = 8, 8
_MOST_SIZES = 256
_NAMES = ("size", "size_1")  # of its variables

_PLAIN = Ops.group("Movement") | {
    Ops.PARAM, Ops.CONST, Ops.IOTA, Ops.REDUCE_AXIS, Ops.DETACH, Ops.STORE, Ops.AFTER, Ops.SINK,
}  # fmt: skip
_SIZED = {op: kind for op in _PLAIN for _, kind in op.row["schema"] if kind in ("dims", "pairs")}
"""Ops whose argument is sizes, and whether it is one for each axis or two."""


class _Template(NamedTuple):
    """The body of a program of a variable size, and what each node of one program is there."""

    body: UOp
    nodes: tuple[UOp, ...]


class _Program(NamedTuple):
    """What programs may differ in: sizes, and constants that may be read from memory."""

    sizes: Sizes
    numbers: tuple[UOp, ...]


@dataclass(eq=False)
class _General:
    """A program of a variable size: the form of its sizes, and what its numbers are."""

    form: Form
    example: _Program
    read: frozenset[int]  # the numbers that are read from memory, for they differ
    template: _Template | None = None

    def values(self, program: _Program) -> Sizes | None:
        """The variables' values for which this is that program; None if there are none."""
        values = self.form.values(program.sizes)
        return values if values and _differing(program, self.example) <= self.read else None


def _differing(program: _Program, other: _Program) -> set[int]:
    """The numbers that are not the same."""
    pairs = zip(program.numbers, other.numbers, strict=True)
    return {place for place, (a, b) in enumerate(pairs) if a is not b}


@dataclass
class _Family:
    """Programs that differ in sizes and numbers alone: some of them, by their sizes, and what they
    have in common."""

    seen: Recent[Sizes, _Program] = field(default_factory=lambda: Recent(_MOST_SEEN))
    generals: list[_General] = field(default_factory=list)
    work: Recent[Sizes, int] = field(default_factory=lambda: Recent(_MOST_SIZES))
    is_refused: bool = False

    def refuse(self) -> None:
        """Let programs like these be compiled each for itself: one of a variable size is not."""
        self.is_refused = True

    def general_for(self, program: _Program, work: int) -> tuple[_General, Sizes] | None:
        """What this program is of a variable size, and the variables' values; None for programs
        that are compiled for themselves."""
        if self.is_refused:
            return None
        done = (self.work.get(program.sizes) or 0) + work
        done += ENOUGH >> _PLANNED if work > ENOUGH >> _LARGE else 0
        if self.work.put(program.sizes, done) > ENOUGH:
            return None
        for general in self.generals:
            values = general.values(program)
            if values is not None:
                return general, values
        return self._new(program, isqrt(ENOUGH // max(work, 1)))

    def _new(self, program: _Program, growth: int) -> tuple[_General, Sizes] | None:
        """The same for a program that is the first of its kind, whose sizes may grow so far."""
        others = [other for other in self.seen.values() if other.sizes != program.sizes]
        for pair in combinations(reversed(others), OF_ONE_SIZE):
            form = form_of([*(other.sizes for other in pair), program.sizes], growth)
            values = form.values(program.sizes) if form is not None else None
            if form is not None and values is not None:
                read = frozenset().union(*(_differing(program, other) for other in others))
                general = _General(form, program, read)
                self.generals = [*self.generals[1 - _MOST_GENERALS :], general]
                return general, values
        self.seen.put(program.sizes, program)
        return None


_programs: Recent[tuple[Any, ...], _Family] = Recent(_MOST_PROGRAMS)


class Resized(NamedTuple):
    """A function of a variable size in the place of another one, and what that is like."""

    function: BoundFunction
    family: _Family
    work: int

    @property
    def is_large(self) -> bool:
        """Whether this size is soon worth kernels of its own, so that what runs is counted."""
        return self.work > ENOUGH >> _LARGE


def of_any_size(function: BoundFunction) -> Resized | None:
    """A function of a variable size that computes the same; None if it is not known that sizes
    differ, or if so much is computed at this one that it is worth kernels of its own."""
    devices = {buffer.arg[2] for buffer in function.buffers}
    if len(devices) != 1 or not all(Device.device_class(name).is_native for name in devices):
        return None
    family, order, program = _family_of(function.body)
    if family is None:
        return None
    work = _work(order)
    with cache_lock:
        known = family.general_for(program, work)
    if known is None:
        return None
    general, values = known
    read, device = [program.numbers[place] for place in sorted(general.read)], devices.pop()
    try:
        if general.template is None:
            general.template = _template(order, general, read, len(function.buffers), device)
    except RulewrightError:  # a size is not known to fit
        family.refuse()
        return None
    body, new = general.template
    became = dict(zip(order, new, strict=True))
    nodes = {node: became.get(own, own) for node, own in function.nodes.items()}
    buffers = (*function.buffers, *memories_with(read, device))
    variables = {_NAMES[k]: value for k, value in enumerate(values)}
    return Resized(BoundFunction(body, buffers, variables, nodes, exact=False), family, work)


def _family_of(body: UOp) -> tuple[_Family | None, list[UOp], _Program]:
    """What is known of programs like one, its nodes, and its sizes and numbers."""
    order = body.toposort()
    if len(order) <= _MOST_NODES:
        order = _inlined(body, order).toposort()
    if len(order) > _MOST_NODES or not all(map(_is_plain, order)):
        return None, order, _Program((), ())
    constants, fixed = numbers_of(order), _changed(order)
    likeness = _likeness(order, set(constants), fixed)
    sizes = tuple(n for node in order if node not in fixed for n in _sizes_of(node))
    program = _Program(sizes, tuple(constants))
    with cache_lock:
        return _programs.get(likeness) or _programs.put(likeness, _Family()), order, program


def _inlined(body: UOp, order: list[UOp]) -> UOp:
    """A body without calls of functions that are written out where they are called."""
    called = [node.src[0] for node in order if node.op is Ops.CALL]
    is_inline = all(f.op is Ops.FUNCTION and f.arg[1] == "inline" for f in called)
    return resolve_functions(body) if called and is_inline else body


def _template(
    order: Sequence[UOp], general: _General, read: list[UOp], parameters: int, device: str
) -> _Template:
    """The program of a variable size; it reads numbers from parameters behind those it has.

    Raises ShapeError and its like where a size is not known to fit.
    """
    sized: dict[UOp, UOp] = {}
    final: dict[UOp, UOp] = {}
    body = rebuild(order[-1], _Resizer(general, order).resized, memo=sized)
    body = read_in(body, read, parameters, device, final)
    for node in body.toposort():
        derive_shape(node)
    return _Template(body, tuple(final.get(sized[node], sized[node]) for node in order))


def _is_plain(node: UOp) -> bool:
    """Whether nothing but the sizes that `_sizes_of` gives says how large a node is: of one that
    has a size as an operand, even as a constant, None stands among them."""
    if node.op is Ops.CONTIGUOUS:
        return node.arg is None  # the user chose no loops of the kernel
    return node.op.elementwise or (node.op in _PLAIN and None not in _sizes_of(node))


def _changed(order: Sequence[UOp]) -> set[UOp]:
    """Memory that is written and has a value before, or is read too: if it was of a variable size,
    a copy of it would be of all that there may be, not of what there is."""
    stores = [node for node in order if node.op is Ops.STORE]
    written, filled = {s.src[0].base for s in stores}, {s.src[0] for s in stores}
    read = {s for node in order for s in node.src[node.op is Ops.STORE :]}
    return {memory for memory in written if memory in read or memory not in filled}


def _sizes_of(node: UOp) -> tuple[int, ...]:
    if node.op is Ops.CONST:
        return (node.arg,) if node.dtype is dtypes.index else ()
    if node.op is Ops.PARAM:
        return node.arg[1]
    kind = _SIZED.get(node.op)
    if kind == "pairs":
        return tuple(size for pair in node.arg for size in pair)
    return node.arg if kind else ()


def _likeness(
    order: Sequence[UOp], numbers: Collection[UOp], fixed: Collection[UOp]
) -> tuple[Any, ...]:
    """What a program says but for its sizes and numbers."""
    place: dict[UOp, int] = {}
    parts: list[Any] = []
    for node in order:
        if node in numbers:
            parts.append(node.dtype)
        elif node in fixed:
            parts.append(node)
        elif node.op is Ops.PARAM:
            slot, shape, device = node.arg
            parts.append((node.dtype, slot, len(shape), device))
        elif node.op is Ops.CONST:
            parts.append(dtypes.index if node.dtype is dtypes.index else node)
        else:
            arg = len(node.arg) if node.op in _SIZED else node.arg
            parts.append((node.op, node.dtype, arg, *[place[s] for s in node.src]))
        place[node] = len(place)
    return tuple(parts)


def _work(order: Iterable[UOp]) -> int:
    """How many elements a program computes."""
    shapes = (node.max_shape for node in order if node.op.elementwise)
    return sum(map(prod, shapes))


class _Resizer:
    """Lets nodes of a program be of a variable size."""

    def __init__(self, general: _General, order: Sequence[UOp]) -> None:
        rest = iter(general.form.sizes)
        fixed = _changed(order)
        sized = [node for node in order if node not in fixed]
        self.sizes = {node: [next(rest) for _ in _sizes_of(node)] for node in sized}
        bounds = zip(_NAMES, general.form.bounds, strict=False)
        self.variables = [UOp.variable(name, *both) for name, both in bounds]

    def _dim(self, size: SizeForm) -> Dim:
        if not size.times:
            return size.more
        return as_dim(prod(self.variables[k] for k in size.variables) * size.times + size.more)

    def resized(self, node: UOp, src: tuple[UOp, ...]) -> UOp:
        """What a node becomes over what became of its operands."""
        dims = tuple(map(self._dim, self.sizes.get(node, ())))
        if node.op is Ops.CONST:
            return UOp.index_const(dims[0]) if dims else node
        if node.op is Ops.PARAM:
            return self._memory(node, dims) if dims else node
        if node.op not in _SIZED:
            return node.replace(src=src)
        arg, symbolic = split_dims(dims)
        in_pairs = _SIZED[node.op] == "pairs"
        whole = tuple(zip(arg[::2], arg[1::2], strict=True)) if in_pairs else arg
        view = node.replace(src=(*src, *symbolic), arg=whole)
        if node.op is Ops.RESHAPE:
            _check(view.size == src[0].size, node)
        elif node.op is Ops.EXPAND:
            sizes = zip(src[0].shape or (), dims, strict=True)
            _check(all(old in (1, new) for old, new in sizes), node)
        return view

    def _memory(self, node: UOp, dims: tuple[Dim, ...]) -> UOp:
        """The first elements of as much memory as there may be."""
        count = as_dim(prod(dims, start=UOp.index_const(1)))
        if isinstance(count, int):
            return node
        slot, _, device = node.arg
        memory = node.replace(arg=(slot, (int(count.vmax),), device))
        return memory.shrink(((0, count),)).reshape(dims)


def _check(fits: bool, node: UOp) -> None:
    """Raise ShapeError for a node that cannot be of a variable size, such as a view that is one by
    chance: of an axis that is one long at one of the sizes, and repeated."""
    if not fits:
        raise ShapeError(f"{node.op.name} of shape {node.shape} is of no variable size")
