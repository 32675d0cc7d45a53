"""Which axis choices can be made: what is checked before one is carried out.

Everything here is about the choice and the loops of the kernel. That a kernel still computes the
same is what the rules of lowering keep, and what the interpreter checks.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NoReturn

from rulewright.codegen.choices import LISTS, Choice
from rulewright.codegen.cores import Product, cores, product_of
from rulewright.codegen.cuts import bounds, loop_count
from rulewright.codegen.kinds import GRID
from rulewright.codegen.online import fold_of, range_count
from rulewright.errors import UsageError
from rulewright.ir.ops import Ops
from rulewright.ir.shapes import is_multiple
from rulewright.ir.uop import UOp

if TYPE_CHECKING:
    from rulewright.codegen.axes import Axes

STORED = (
    "thread", "global", "local", "loop", "block", "stored", "upcast", "vector", "simd", "warp",
)  # fmt: skip
"""Kinds of ranges along which something is stored."""
REDUCED = ("reduce", "unroll", "upcast", "simd", "group", "block", "warp")
"""Kinds of ranges that are reduced."""
IN_ORDER = ("reduce", "unroll")
"""Kinds of ranges whose iterations a user's kernel does one after the other."""
COPIED = ("loop", "block", "local", "upcast", "vector", "simd", "warp")
"""Kinds of the ranges of a copy."""
WRITTEN_OUT = ("upcast", "unroll", "vector", "group", "warp")
"""Kinds of which each value needs code or memory of its own."""
MOST_WRITTEN_OUT = 1024
"""Values of such a range, at most."""
WIDE = (2, 4, 8, 16)
"""Elements that a GPU reads or writes at once."""
_CUTTING = ("split", "tail", "join", "merge", "unroll")
"""Choices after which a loop is another one, or none."""
_MAKES = {"split": 2, "pad": 2, "tail": 2, "merge": 1, "join": 1, "keep": 1, "hold": 2, "apart": 1}


@dataclass(frozen=True)
class Closers:
    """The nodes that close a range, by what they are."""

    ends: frozenset[UOp] = field(default_factory=frozenset)
    reduces: frozenset[UOp] = field(default_factory=frozenset)
    stages: frozenset[UOp] = field(default_factory=frozenset)


def closers(ast: UOp) -> dict[UOp, Closers]:
    """What closes each range of a kernel."""
    by_range: dict[UOp, dict[str, set[UOp]]] = {}
    names = {Ops.END: "ends", Ops.REDUCE: "reduces", Ops.STAGE: "stages"}
    for node in ast.toposort():
        for axis in node.src[1:] if node.op in names else ():
            by_range.setdefault(axis, {}).setdefault(names[node.op], set()).add(node)
    return {r: Closers(**{k: frozenset(v) for k, v in c.items()}) for r, c in by_range.items()}


def check_choice(axes: Axes, choice: Choice) -> None:
    """Raises UsageError for a choice that cannot be made of the ranges that there are now."""
    for id in choice.used:
        if not axes.has(id) or not axes.is_whole(id):
            there = ", ".join(f"r{i} ({_words(axes, i)})" for i in axes.open())
            _refuse(choice, f"there is no range r{id} now; there are {there or 'none'}")
    if len(set(choice.used)) < len(choice.used):
        _refuse(choice, "expected different ranges")
    if choice.name == "online":
        _check_online(axes, choice)
    reduces = [n for id in choice.used for n in axes.closers(id).reduces]
    if choice.name in _CUTTING and any(map(fold_of, reduces)):
        _refuse(choice, "the blocks of a row that is weighed stay one loop")
    _check_makes(axes, choice)
    if choice.name in ("split", "pad", "tail"):
        _check_cut(axes, choice)
    elif choice.name == "join":
        _check_join(axes, choice)
    elif choice.name == "reorder":
        _check_reorder(axes, choice)
    elif choice.name == "tc":
        checked_product(axes, choice)
    elif choice.name not in ("merge", "keep", "until", "since", "online", *LISTS):
        _check_kinds(axes, choice)


def check_target(axes: Axes, choice: Choice, target: Any) -> None:
    """Raises UsageError for a kind of ranges that a target does not have."""
    if choice.name == "tc":
        _check_core(axes, choice, target)
    if not target.has("workgroups"):
        if choice.name in (*GRID, "warp"):
            _refuse(choice, "this target has no workgroups; threads share a range: thread(…)")
    elif choice.name == "thread":
        _refuse(choice, "this target has workgroups: global(…) and local(…)")
    elif choice.name == "vector" and axes.has(choice.axis) and axes.size(choice.axis) not in WIDE:
        _refuse(choice, f"expected a range of {' or '.join(map(str, WIDE))} elements")


def _refuse(choice: Choice, why: str) -> NoReturn:
    raise UsageError(f"axis choices: `{choice}`: {why}")


def _words(axes: Axes, id: int) -> str:
    """A range as messages name it: its kind and its size."""
    size = axes.size(id)
    return f"{axes.kind(id)}, {size if isinstance(size, int) else 'symbolic'}"


def _check_makes(axes: Axes, choice: Choice) -> None:
    count = len(choice.used) if choice.name == "pack" else _MAKES.get(choice.name, 0)
    if choice.name == "online":
        [first] = axes.sources(choice.axis)
        beyond = range_count(axes.ast, first, choice.operand, beyond=True)
        if len(choice.makes) == beyond:
            count = beyond
        else:
            count = range_count(axes.ast, first, choice.operand)
    if choice.name == "pieces":
        count = _loops_of_pieces(axes, choice)
    if choice.name == "slide":  # a pair of ranges gives one
        count = max(-(-len(choice.used) // 2), min(len(choice.used) - 1, len(choice.makes)))
    if choice.name == "roll":  # rows and columns give one
        count = max(-(-len(choice.used) // 2) - 1, min(len(choice.used) - 2, len(choice.makes)))
    if len(choice.makes) != count:
        new = ("no range", "one range", "two ranges")[count] if count < 3 else f"{count} ranges"
        _refuse(choice, f"it makes {new}, found names for {len(choice.makes)}")
    for id in choice.makes:
        if axes.has(id) or choice.makes.count(id) > 1:
            _refuse(choice, f"there are two ranges r{id}; a new one takes a number of its own")


def _loops_of_pieces(axes: Axes, choice: Choice) -> int:
    """How many loops the pieces of a range have."""
    [axis] = axes.sources(choice.axis)
    closed = axes.closers(choice.axis)
    if choice.others or closed.reduces or closed.stages or axes.kind(choice.axis) != "loop":
        _refuse(choice, "expected one loop that something is stored along")
    if any(node.op is Ops.REDUCE for node in axes.ast.toposort()):
        _refuse(choice, "expected a kernel that reduces nothing")
    if not bounds(axes.ast, axis):
        _refuse(choice, "no condition turns along it")
    return loop_count(axes.ast, axis)


def _check_cut(axes: Axes, choice: Choice) -> None:
    size, count = axes.size(choice.axis), choice.operand
    most = size - 1 if choice.name == "tail" and isinstance(size, int) else None
    if count < 1 or (most is not None and count > most):
        expected = "1 or more" if most is None else f"1 to {most}"
        _refuse(choice, f"expected {expected} of the range ({_words(axes, choice.axis)})")
    if choice.name == "pad" and axes.closers(choice.axis).reduces:
        _refuse(choice, "only a stored range is padded")
    uneven = choice.name == "split" and not is_multiple(size, count)
    if uneven and axes.inside_padded(choice.axis):
        _refuse(choice, "expected a divisor: the inner part of a padded range is cut evenly")
    if axes.kind(choice.axis) == "thread":
        _refuse(choice, "threads share one loop: cut it first, then say thread for a part")


def _check_online(axes: Axes, choice: Choice) -> None:
    """A row has known size, and is reduced."""
    size, count = axes.size(choice.axis), choice.operand
    if not axes.closers(choice.axis).reduces or not isinstance(size, int):
        _refuse(choice, "expected a range of known size that is reduced")
    if not 1 <= count <= size:
        _refuse(choice, f"expected 1 to {size} of the range ({_words(axes, choice.axis)})")


def _check_join(axes: Axes, choice: Choice) -> None:
    a, b = (axes.closers(id) for id in choice.used)
    if a != b or a.stages:
        _refuse(choice, "expected two ranges that the same stores or reductions loop over")
    if a.ends and "reduce" in (axes.kind(choice.axis), axes.kind(choice.operand)):
        _refuse(choice, "the iterations of a loop come in the order in which the kernel has them")


def _check_reorder(axes: Axes, choice: Choice) -> None:
    a, b = (axes.closers(id) for id in choice.used)
    if not (a.ends & b.ends or a.reduces & b.reduces):
        _refuse(choice, "expected two ranges that one store or one reduction loops over")
    for id, closed in zip(choice.used, (a, b), strict=True):
        if closed.ends and axes.kind(id) == "reduce":
            _refuse(
                choice, "the iterations of a loop come in the order in which the kernel has them"
            )


def _check_kinds(axes: Axes, choice: Choice) -> None:
    """The kinds that ranges can have, by what closes them."""
    for id in choice.used:
        _check_kind(axes, choice, id)
    if choice.name == "thread":
        _check_thread(axes, choice)


def _check_kind(axes: Axes, choice: Choice, id: int) -> None:
    kind, closed, size = choice.name, axes.closers(id), axes.size(id)
    known: tuple[str, ...] = STORED
    what = "that is stored along"
    if closed.stages:
        known, what = COPIED, "of a copy"
    elif closed.ends and axes.kind(id) in IN_ORDER:
        known, what = IN_ORDER, "whose iterations come in order"
    elif closed.reduces:
        known, what = REDUCED, "that is reduced"
    if kind not in known:
        _refuse(choice, f"a range {what} can be {', '.join(known)}")
    if kind in WRITTEN_OUT or (kind == "simd" and closed.reduces):
        if not isinstance(size, int):
            _refuse(choice, "expected a range of known size: split off a part of it")
        if size > MOST_WRITTEN_OUT:
            _refuse(choice, f"{size} values, each with its own code; at most {MOST_WRITTEN_OUT}")


def checked_product(axes: Axes, choice: Choice) -> Product:
    """The product whose rows, columns and steps are given to tensor cores."""
    *stored, step = (axes.closers(id) for id in choice.used)
    if len(stored) != 2 and not (len(stored) == 1 and step.reduces):
        _refuse(choice, "expected three ranges: rows, columns, and what is reduced; no rows for "
                "small matrices that have one")  # fmt: skip
    row, column = stored[0], stored[-1]
    filled = len(column.stages) == 1 and not column.ends  # columns that are kept near by
    apart = row.reduces or row.stages or column.reduces or (row != column and not filled)
    if apart or len(step.reduces) != 1 or step.ends:
        _refuse(choice, "expected two ranges that are stored along and one that is reduced")
    if any(axes.kind(id) in IN_ORDER for id in choice.used[:-1]):
        _refuse(choice, "the iterations of a loop come in the order in which the kernel has them")
    if not all(isinstance(axes.size(id), int) for id in choice.used):
        _refuse(choice, "expected ranges of known size: split off parts of them")
    [reduction], ranges = step.reduces, [axes.sources(id)[0] for id in choice.used]
    *rows, columns, steps = ranges
    product = product_of(reduction, rows[0] if rows else None, columns, steps)
    if product is None:
        _refuse(choice, "expected a sum of products, of one value for each row and step and one "
                "for each column and step")  # fmt: skip
    return product


def _check_alone(axes: Axes, choice: Choice) -> None:
    """No other reduction nor copy goes along what is multiplied."""
    [reduction] = axes.closers(choice.used[-1]).reduces
    ranges = {axes.sources(id)[0] for id in choice.used}
    for node in axes.ast.toposort():
        other = node.op in (Ops.REDUCE, Ops.STAGE) and node is not reduction
        if other and not ranges.isdisjoint((*node.ranges, *node.src[1:])):
            _refuse(choice, "expected rows and columns of one product alone")


def _check_core(axes: Axes, choice: Choice, target: Any) -> None:
    """A target has such a product."""
    axes.settle()
    check_choice(axes, choice)
    product = checked_product(axes, choice)
    sizes = (*[1] * (3 - len(choice.used)), *(axes.size(id) for id in choice.used))
    core = product.core(target, sizes)
    if core is not None and core.lanes > 1:
        _check_alone(axes, choice)
    if core is None:
        there = ", ".join(map(str, cores(target)))
        numbers = ", ".join(map(str, sizes))
        _refuse(choice, f"tensor cores of this target multiply {there or 'nothing'}; "
                f"found ({numbers}) of {product}")  # fmt: skip


def _check_thread(axes: Axes, choice: Choice) -> None:
    shared = choice.used
    others = [id for id in axes.open() if axes.kind(id) == "thread" and id not in shared]
    if others:
        _refuse(choice, f"threads share r{others[0]} already; join the two ranges to share both")
    ends = [end for id in shared for end in axes.closers(id).ends]
    if len(ends) > len(set(ends)) or set(ends) != set(axes.ast.src):
        _refuse(
            choice,
            "threads share a range that every store of the kernel loops over, or one of each",
        )
    if len(shared) > 1:
        if not all(isinstance(n := axes.size(id), int) and n > 1 for id in shared):
            _refuse(choice, "expected loops of known size, of which each thread gets its part")
        if not are_apart(axes.ast):
            _refuse(choice, "a store reads what another one writes, perhaps in another thread")


def are_apart(ast: UOp) -> bool:
    """Whether no store of a kernel reads what another one writes; but for the very element that it
    writes itself, in memory that both write a part of."""
    places = [n.src[0] for n in ast.toposort() if n.op is Ops.STORE]
    for store in (n for n in ast.toposort() if n.op is Ops.STORE):
        for read in (n for n in store.src[1].toposort() if n.op is Ops.INDEX):
            if read is not store.src[0] and any(p.src[0].base is read.src[0].base for p in places):
                return False
    return True
