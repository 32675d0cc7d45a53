"""The axis choices that are one step from given ones: what a search over choices tries.

A step changes the size of a cut or the kind of a range, takes a choice back with what was made of
it, or adds one. Only such choices are named as the kernel and the target can have; whether they are
any good is for a clock to say.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from rulewright.codegen.axes import Axes
from rulewright.codegen.choices import Choice, parse_choices, print_choices
from rulewright.codegen.legal import check_target
from rulewright.errors import UsageError
from rulewright.ir.ops import Ops
from rulewright.ir.uop import UOp

FEW = 16
"""Sizes up to this are tried one by one, and ranges up to it without a loop."""
LONG = 4096
"""Values of a range that is vectorised as a whole, at most."""
BLOCKS = (16, 64, 256)
"""Sizes of blocks that have no kind of their own."""
_CUTS = ("split", "pad", "tail")
_STORED_KINDS = ("loop", "block", "upcast", "simd", "thread")
_REDUCED_KINDS = ("reduce", "unroll", "upcast", "simd")

Choices = tuple[Choice, ...]


def steps(ast: UOp, text: str, target: Any) -> list[str]:
    """Texts of the choices one step from `text`, without doubles, in a fixed order.

    `target` is one without workgroups: `ValueError` for others.
    """
    if target.has("workgroups"):
        raise ValueError("steps are known for targets without workgroups")
    return _Steps(ast, parse_choices(text), target).texts()


def plain_choices(ast: UOp) -> str:
    """Choices that leave every loop as it is."""
    axis = next((n for n in ast.toposort() if n.op is Ops.RANGE), None)
    return "" if axis is None else print_choices((Choice(axis.arg[1], axis.arg[0]),))


class _Steps:
    def __init__(self, ast: UOp, base: Choices, target: Any) -> None:
        self.ast, self.base, self.target = ast, base, target
        written = next(n for n in ast.toposort() if n.op is Ops.STORE).src[1].dtype
        self.lanes = max(1, (target.limit("vector_bits") or 128) // max(written.bits, 8))

    def texts(self) -> list[str]:
        """All of them."""
        tried = (*self.resized(), *self.other_kinds(), *self.taken_back(), *self.added())
        plain = plain_choices(self.ast)
        texts = dict.fromkeys(print_choices(choices) or plain for choices in tried)
        texts.pop(print_choices(self.base), None)
        return [text for text in texts if self.axes(parse_choices(text)) is not None]

    def axes(self, choices: Choices) -> Axes | None:
        """The kernel with these choices, or None if it cannot have them."""
        axes = Axes(self.ast)
        try:
            for choice in choices:
                check_target(axes, choice, self.target)
                axes.apply(choice)
        except UsageError:
            return None
        return axes

    # ---- changes ----------------------------------------------------------------------------

    def resized(self) -> Iterable[Choices]:
        """Each cut with other sizes, and where iterations are padded, a number that it divides."""
        for at, choice in enumerate(self.base):
            if choice.name in _CUTS:
                for size in self.sizes_near(choice.operand):
                    yield self.with_size(at, size)

    def sizes_near(self, size: int) -> list[int]:
        """Halves and doubles; neighbours of small sizes, whole vectors more or less of others."""
        step = 1 if size <= FEW else self.lanes
        near = [size // 2, size * 2, size - step, size + step, size * 3 // 2, size * 3]
        near += [size // self.lanes * self.lanes] if size > self.lanes else []
        return [n for n in dict.fromkeys(near) if n > 0 and n != size]

    def with_size(self, at: int, size: int) -> Choices:
        """The choices with another size of a cut. Around it iterations become multiples of it, and
        itself one of what it is cut into."""
        choices = list(self.base)
        for later in self.base:
            if later.name == "split" and later.axis in self.base[at].makes[1:]:
                size = max(size // later.operand, 1) * later.operand
        choices[at] = replace(choices[at], operand=size)
        for place, before in enumerate(self.base[:at]):
            if before.name == "pad" and choices[at].axis in before.makes[1:]:
                choices[place] = replace(before, operand=-(-before.operand // size) * size)
        return tuple(choices)

    def other_kinds(self) -> Iterable[Choices]:
        """Each range with another kind."""
        known = dict.fromkeys((*_STORED_KINDS, *_REDUCED_KINDS))  # copies have some of these
        for at, choice in enumerate(self.base):
            if choice.name in known:
                for kind in known:
                    changed = replace(choice, name=kind)
                    yield (*self.base[:at], changed, *self.base[at + 1 :])

    def taken_back(self) -> Iterable[Choices]:
        """Without one of the choices, and without all that used what it made."""
        for at, choice in enumerate(self.base):
            gone = set(choice.makes)
            kept = list(self.base[:at])
            for later in self.base[at + 1 :]:
                if gone.isdisjoint(later.used):
                    kept.append(later)
                else:
                    gone.update(later.makes)
            yield tuple(kept)

    # ---- new choices ------------------------------------------------------------------------

    def added(self) -> Iterable[Choices]:
        """One choice more, or a cut and the kind of its inner part."""
        axes = self.axes(self.base)
        if axes is None:
            return
        plain = [i for i in axes.open() if axes.kind(i) in ("loop", "reduce", "block")]
        for id in plain:
            for more in self.of_one(axes, id):
                yield (*self.base, *more)
        new = max((*axes.open(), *(m for c in self.base for m in c.makes)), default=0) + 1
        for a in plain:
            for b in plain:
                if a != b:
                    for pair in _of_two(a, b, new):
                        yield (*self.base, pair)

    def of_one(self, axes: Axes, id: int) -> Iterable[Choices]:
        """What can be made of one range."""
        reduced, size = bool(axes.closers(id).reduces), axes.size(id)
        kinds = _REDUCED_KINDS if reduced else _STORED_KINDS
        number = size if isinstance(size, int) else LONG
        for kind in kinds:
            small = kind in ("upcast", "unroll") or (reduced and kind == "simd")
            if number <= (FEW if small else LONG) or kind in ("thread", "block"):
                yield (Choice(kind, id),)
        new = max((*axes.open(), *(m for c in self.base for m in c.makes)), default=0) + 1
        parts = (new, new + 1)
        for count in self.counts(number):
            even = isinstance(size, int) and size % count == 0
            inner = [k for k in kinds if k in ("unroll", "upcast", "simd")]
            for kind in inner:
                if (kind == "simd") == (count % self.lanes == 0):
                    yield (Choice("split", id, count, parts), Choice(kind, new + 1))
                    if not even and not reduced:
                        yield (Choice("pad", id, count, parts), Choice(kind, new + 1))
        for count in (b for b in BLOCKS if b < number):
            yield (Choice("split", id, count, parts),)
        for count in (self.lanes, 4 * self.lanes):
            if isinstance(size, int) and size > count and size % count:
                yield (Choice("tail", id, size - size % count, parts),)

    def counts(self, size: int) -> list[int]:
        """Sizes of inner parts: a few for code of their own, whole vectors for lanes."""
        sizes = [2, 3, 4, 6, 8, self.lanes, 2 * self.lanes, 4 * self.lanes, 16 * self.lanes]
        return [n for n in dict.fromkeys(sizes) if n < size]


def _of_two(a: int, b: int, new: int) -> Sequence[Choice]:
    """What can be made of two ranges."""
    return (
        Choice("reorder", a, b),
        Choice("merge", a, b, (new,)),
        Choice("join", a, b, (new,)),
        Choice("keep", a, b, (new,)),
        Choice("pack", a, 0, (new, new + 1), (b,)),
    )
