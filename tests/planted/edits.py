"""What the planted passes do to a graph, and what stands in place of functions."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace

from rulewright.codegen.cores import cores
from rulewright.codegen.folds import fold_of
from rulewright.codegen.fragments import _begin as fragments_begin
from rulewright.driver import memory, schedules
from rulewright.driver.recent import Recent
from rulewright.ir.dtypes import dtypes
from rulewright.ir.known import forget_results
from rulewright.ir.ops import Ops
from rulewright.ir.uop import UOp

# the true ones, before any of them is replaced
from rulewright.render import join_kernels, write_kernel
from rulewright.runtime.buffer import Buffer
from rulewright.schedule.movement import Indices, Sizes, flat_index as _flat_index

_lifetimes, _plan, _view, _argument = (
    memory.buffer_lifetimes, memory.plan_memory, Buffer.view, schedules.argument_of,
)  # fmt: skip


@contextmanager
def fresh_caches() -> Iterator[None]:
    """Nothing compiled before is found, and nothing compiled meanwhile is found later."""
    from rulewright.driver import execute

    def clear() -> None:
        forget_results()
        schedules.clear_schedule_cache()
        execute._loaded.clear()

    clear()
    try:
        yield
    finally:
        clear()


def rebuilt(root: UOp, change: Callable[[UOp], UOp]) -> UOp:
    """A graph with `change` applied to every node once its operands are done."""
    memo: dict[UOp, UOp] = {}
    for node in root.toposort():
        memo[node] = change(node.replace(src=tuple(memo[s] for s in node.src)))
    return memo[root]


# ---- functions --------------------------------------------------------------------------------


def without_last_effect(sink: UOp) -> UOp:
    return sink.replace(src=sink.src[:-1])


def with_values_swapped(sink: UOp) -> UOp:
    first, second = sink.src[:2]
    swapped = (first.src[0].store(second.src[1]), second.src[0].store(first.src[1]))
    return sink.replace(src=(*swapped, *sink.src[2:]))


def resized_ranges(kind: str, step: int) -> Callable[[UOp], UOp]:
    """Loops of a kind run some rounds more or less."""

    def change(node: UOp) -> UOp:
        if node.op is not Ops.RANGE or node.arg[1] != kind or node.src[0].op is not Ops.CONST:
            return node
        return UOp.range(node.src[0].arg + step, *node.arg)

    return lambda sink: rebuilt(sink, change)


def resized_kernels(kind: str, step: int) -> Callable[[UOp], UOp]:
    return resized_ranges(kind, step)


def swapped_flat_index(shape: Sizes, indices: Indices) -> UOp:
    """The position of an element of a matrix with rows for columns."""
    return _flat_index(shape, indices[::-1] if len(shape) == 2 else indices)


def with_one_kernel(sink: UOp) -> UOp:
    """Kernels of as many arguments are taken for equal."""
    first: dict[int, UOp] = {}

    def change(node: UOp) -> UOp:
        if node.op is not Ops.CALL:
            return node
        kernel = first.setdefault(len(node.src), node.src[0])
        return node.replace(src=(kernel, *node.src[1:]))

    return rebuilt(sink, change)


def with_arguments_swapped(sink: UOp) -> UOp:
    def change(node: UOp) -> UOp:
        if node.op is not Ops.CALL or len(node.src) < 4:
            return node
        kernel, out, a, b, *rest = node.src
        return node.replace(src=(kernel, out, b, a, *rest))

    return rebuilt(sink, change)


def last_first(linear: UOp) -> UOp:
    return linear.replace(src=(linear.src[-1], *linear.src[:-1]))


# ---- kernels ----------------------------------------------------------------------------------


def _into_register(node: UOp) -> bool:
    return node.op is Ops.STORE and node.src[0].src[0].base.op is Ops.DEFINE_REG


def with_identity_one(kernel: UOp) -> UOp:
    def change(node: UOp) -> UOp:
        if _into_register(node) and node.src[1].op is Ops.CONST:
            return node.src[0].store(UOp.const(node.src[1].dtype, 1))
        return node

    return rebuilt(kernel, change)


def without_weights_of_blocks(kernel: UOp) -> UOp:
    """Sums of blocks are added up as they are, each relative to its own largest value."""

    def change(node: UOp) -> UOp:
        fold = fold_of(node)
        return fold.value.reduce(Ops.ADD, *node.src[1:]) if fold is not None else node

    return rebuilt(kernel, change)


def with_rests_one_earlier(kernel: UOp) -> UOp:
    """What is left over of a loop that threads share begins at the last element before it."""

    def change(node: UOp) -> UOp:
        of = [s.op for s in node.src]
        if node.op is Ops.ADD and of == [Ops.RANGE, Ops.CONST] and node.src[0].arg[1] == "thread":
            return node.src[0] + (node.src[1].arg - 1)
        return node

    return rebuilt(kernel, change)


def other_choice(piece, where: UOp) -> UOp | None:
    """In each piece of a range, what is not chosen there."""
    condition = where.src[0].substitute({piece.axis: piece.place})
    if condition.vmin != condition.vmax:
        return None
    return where.src[2] if condition.vmin else where.src[1]


def one_more(a: UOp, b: UOp) -> UOp:
    """One more than the smaller of two numbers of lanes."""
    return a.alu(Ops.MIN, b) + 1


def with_sums_unscaled(kernel: UOp) -> UOp:
    """What was added up stays as it is when a block has a larger value than those before it."""

    def change(node: UOp) -> UOp:
        if _into_register(node) and [s.op for s in node.src[1].src] == [Ops.MUL, Ops.MUL]:
            (total, _), added = node.src[1].src[0].src, node.src[1].src[1]
            return node.src[0].store(total + added)
        return node

    return rebuilt(kernel, change)


def with_lanes_swapped(kernel: UOp) -> UOp:
    """Each lane reads what another one should multiply."""

    def change(node: UOp) -> UOp:
        if not _into_register(node) or node.src[1].op not in (Ops.INDEX, Ops.FRAGMENT):
            return node
        place, value = node.src
        lanes = {r: (r - 31) * -1 for r in value.ranges if r.arg[1] == "lane"}
        if value.op is Ops.INDEX:
            return place.store(value.substitute(lanes))
        return place.store(value.replace(src=(value.src[0].substitute(lanes), value.src[1])))

    return rebuilt(kernel, change)


def with_bits_swapped(target: object) -> list:
    """The lanes' elements of a, read as another target may have them."""
    return [replace(c, texts=(_swapped(c.texts[0]), *c.texts[1:])) for c in cores(target)]


def _swapped(layout: str) -> str:
    first, second, *rest = layout.split()
    return " ".join((second, first, *rest))


def one_lane_away(uops, on, name):
    """A lane does not come where the others multiply."""
    made = write_kernel(uops, on, name)
    return replace(made, text=made.text.replace("  mma_", "  if (lidx0 != 7) mma_"))


def with_a_distance_twice(op, value, item, distances, alike=True):
    """Lanes read from as far away as the last time, where it is half as far."""
    for distance in [distances[0], *distances[:-1]]:
        value = value.alu(op, UOp(Ops.SHUFFLE, value.dtype, (value, item), distance))
    return value


def with_matrices_swapped(rest, axis, lane, side):
    """Where small matrices begin, as if they were counted along the other axis first."""
    return fragments_begin(tuple(reversed(rest)), axis, lane, side)


def one_lane_reads_nothing(uops, on, name):
    """A lane does not come where the others read each other's values."""
    made = write_kernel(uops, on, name)
    return replace(made, text=re.sub(r"(__shfl|simd_sh)", r"lidx0 == 7 ? 0 : \1", made.text))


def without_barriers(kernel: UOp) -> UOp:
    def change(node: UOp) -> UOp:
        if node.op is Ops.AFTER and any(s.op is Ops.BARRIER for s in node.src[1:]):
            effects = [e for s in node.src[1:] for e in (s.src if s.op is Ops.BARRIER else (s,))]
            return node.src[0].after(*(e for e in effects if e.dtype is dtypes.void))
        return node

    return rebuilt(kernel, change)


def with_lanes_reversed(kernel: UOp) -> UOp:
    def change(node: UOp) -> UOp:
        return node.replace(src=node.src[::-1]) if node.op is Ops.STACK else node

    return rebuilt(kernel, change)


def with_first_lane(kernel: UOp) -> UOp:
    def change(node: UOp) -> UOp:
        return node.replace(arg=(0,)) if node.op is Ops.LANE else node

    return rebuilt(kernel, change)


def narrow(sink: UOp, target: object) -> object:
    return dtypes.i8


def without_first_store(linear: UOp) -> UOp:
    """The first store into a register is lost: its accumulator holds anything."""
    first = next((n for n in linear.src if _into_register(n)), None)
    return linear.replace(src=tuple(n for n in linear.src if n is not first))


# ---- memory, binding, device ------------------------------------------------------------------


def no_padding_before(arg, sources):
    from rulewright.ir.shapes import pairs

    return tuple((0, high) for _, high in pairs(arg, sources))


def short_lifetimes(steps, held):
    return {key: replace(life, last=life.first) for key, life in _lifetimes(steps, held).items()}


def plan_at_zero(steps, held, alignment):
    plan = _plan(steps, held, alignment)
    return replace(plan, placements={k: (arena, 0) for k, (arena, _) in plan.placements.items()})


def view_at_zero(self, offset, *rest):
    return _view(self, 0, *rest)


def swapped_argument(parameter, buffers, exact):
    slot = {1: 2, 2: 1}.get(parameter.arg[0], parameter.arg[0])
    return _argument(parameter.replace(arg=(slot, *parameter.arg[1:])), buffers, exact)


class Colliding(Recent):
    """A cache whose keys are all one."""

    def __init__(self) -> None:
        super().__init__(8)

    def get(self, key):
        return super().get("")

    def put(self, key, value):
        super().put("", value)


def wrong_source(kernels, target):
    return join_kernels(kernels, target).replace(" - ", " + ")
