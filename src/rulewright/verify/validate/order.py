"""The order of kernels: each reads the version of memory that it was given, before it is replaced.

The graph of calls names versions: AFTER(m, c) is memory m once call c has run. Running the list
means noting which calls have written each memory; a call is right if what has been written is
exactly what its own version stands for.
"""

from __future__ import annotations

from rulewright.errors import ValidationError
from rulewright.ir.ops import Ops
from rulewright.ir.uop import UOp

_SELECTIONS = frozenset({Ops.MSELECT, Ops.MSTACK})


def check_order(graph: UOp, linear: UOp) -> None:
    """Raise ValidationError if a list of calls is no order of a graph of versions."""
    calls = [n for n in graph.toposort(lambda n: n.op is not Ops.LINEAR) if n.op is Ops.CALL]
    wanted: dict[UOp, list[UOp]] = {}
    for call in calls:
        wanted.setdefault(_plain(call), []).append(call)
    written: dict[UOp, set[UOp]] = {}
    for number, item in enumerate(linear.src):
        if not wanted.get(item):
            raise ValidationError(
                f"item {number} of the schedule is no call of the graph", after=item
            )
        call = _next(wanted[item], written)
        for memory, makers in _versions(call).items():
            _check(call, number, memory, makers, written.get(memory, set()))
        bases = [base for argument in _written(call) for base in _bases(argument)]
        for memory in bases if _writes(call) else ():
            written.setdefault(memory, set()).add(call)
    left = [call for found in wanted.values() for call in found if _writes(call)]
    if left:
        raise ValidationError(
            f"{len(left)} calls of the graph are not in the schedule", after=left[0]
        )


def _written(call: UOp) -> list[UOp]:
    """The arguments that the stores of a kernel, or those of a list of calls, go to."""
    if call.src[0].op is Ops.LINEAR:
        memories = [m.base for item in call.src[0].src for m in _written(item)]
        slots = {m.arg[0] for m in memories if m.op is Ops.PARAM}
    else:
        slots = set()
        for node in call.src[0].toposort():
            target = node.src[0] if node.op is Ops.STORE else node
            while node.op is Ops.STORE and target.op is not Ops.PARAM and target.src:
                target = target.src[0]
            if node.op is Ops.STORE and target.op is Ops.PARAM:
                slots.add(target.arg[0])
    return [call.src[1 + slot] for slot in sorted(slots)]


def _writes(call: UOp) -> bool:
    """Whether a call writes anything: an empty part of memory is none, nor is a loop of no rounds.

    Such a call needs no kernel.
    """
    effects = call.src[0].src if call.src[0].op is Ops.SINK else ()
    idle = [any(r.op is Ops.RANGE and r.src[0].vmax == 0 for r in e.src) for e in effects]
    return not all(idle or [False]) and not all(0 in a.max_shape for a in _written(call))


def _next(same: list[UOp], written: dict[UOp, set[UOp]]) -> UOp:
    """Of calls that look alike in a list, the one whose versions are there; else the first."""
    for call in same:
        if all(written.get(m, set()) == makers for m, makers in _versions(call).items()):
            same.remove(call)
            return call
    return same.pop(0)


def _check(call: UOp, number: int, memory: UOp, makers: set[UOp], written: set[UOp]) -> None:
    name = f"{memory.op}[{memory.arg[0]}]"
    if makers - written:
        raise ValidationError(
            f"item {number} of the schedule uses {name} before it was written (read after write)",
            after=_plain(call),
        )
    if written - makers:
        raise ValidationError(
            f"item {number} of the schedule uses {name} after it was replaced (write after read)",
            after=_plain(call),
        )


def _versions(call: UOp) -> dict[UOp, set[UOp]]:
    """For each memory that a call is given, the calls that have written the newest version."""
    found: dict[UOp, set[UOp]] = {}
    for argument in call.src[1:]:
        for version in _selected(argument):
            makers = found.setdefault(version.base, set())
            while version.op is Ops.AFTER:
                makers |= {e for e in version.src[1:] if e.op is Ops.CALL and _writes(e)}
                version = version.src[0]
    return found


def _selected(argument: UOp) -> list[UOp]:
    if argument.op in _SELECTIONS:
        return [v for s in argument.src for v in _selected(s)]
    return [argument]


def _bases(argument: UOp) -> list[UOp]:
    return [version.base for version in _selected(argument)]


def _plain(call: UOp) -> UOp:
    """A call with memories in place of versions."""
    return call.replace(src=(call.src[0], *(_without_versions(a) for a in call.src[1:])))


def _without_versions(argument: UOp) -> UOp:
    if argument.op in _SELECTIONS:
        return argument.replace(src=tuple(_without_versions(s) for s in argument.src))
    return argument.base
