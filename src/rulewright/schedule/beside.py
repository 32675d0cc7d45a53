"""Kernels side by side: what many small kernels do that do not wait for each other, one does.

An optimiser's step is a kernel a parameter, most of them of a few hundred elements. Kernels that
are as far from the end of a schedule as each other do not wait for each other, and no cycle comes
to be if they are one: the loops of each follow those of the one before. Small ones may have any
loops, for no thread helps with them. Those at the end, of parameters of one shape, share the
outermost loop and with it the threads, and go over a row of one parameter after the other.

Where that makes several kernels of parameters that come again layer by layer, each takes whole
layers: those of the next ones are the same kernel over other parts of memory, compiled once.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import prod

from rulewright.ir.dtypes import dtypes
from rulewright.ir.known import remembered
from rulewright.ir.ops import Ops
from rulewright.ir.origins import Origins, rebuild
from rulewright.ir.uop import UOp
from rulewright.schedule.callees import written_slots
from rulewright.schedule.near import target_row
from rulewright.schedule.order import Waits, in_order, scratch_needed, waits
from rulewright.schedule.parts import over_parts
from rulewright.schedule.requests import trips

SMALL = 1 << 13
"""Elements up to which a kernel is small: one thread does it, whatever its loops are."""
FEWEST = 4
"""Kernels that are worth another one: two results of a program are a kernel each."""
LARGE = 1 << 18
"""Elements from which on a kernel stays alone: to launch it takes no time beside what it does, and
it is compiled once for all that have its shape."""
_KNOWN = {  # and what is elementwise
    Ops.CONST, Ops.VAR, Ops.RANGE, Ops.INDEX, Ops.PARAM, Ops.INVALID, Ops.STORE, Ops.END, Ops.SINK,
    Ops.REDUCE,
}  # fmt: skip


def kernels_side_by_side(sink: UOp, origins: Origins | None = None) -> UOp:
    """A graph of kernels with one CALL in the place of several that may be done side by side.

    Memory that is filled on the way is none of theirs if more of it would be in use at once.
    """
    limits = target_row(sink.toposort()).get("limits", {})
    most = limits.get("side_by_side", 0)
    most = min(most, limits.get("buffers", most))
    before: Waits = waits(sink) if most else {}
    if sum(plain(call.src[0]) is not None for call in before) < FEWEST:
        return sink
    needed = None
    for with_scratch in (True, False):
        groups = _groups(before, most, with_scratch)
        if len(groups) == len(before):
            return sink
        joined = _rebuilt(sink, groups, origins)
        needed = scratch_needed(before) if needed is None else needed
        if scratch_needed(waits(joined)) <= needed:
            return joined
    return sink


@dataclass(frozen=True, eq=False)
class Plain:
    """A kernel that stores elements where they are computed: the loops of its stores, those over
    which it adds up, how many values its longest walk goes over, and the variables that it takes
    beside memories."""

    loops: tuple[UOp, ...]
    steps: tuple[UOp, ...]
    work: int
    variables: frozenset[UOp]


@remembered(1024)
def plain(kernel: UOp) -> Plain | None:
    """What a kernel does if it may be one of several; None if it may not, as one that somebody
    chose how to run."""
    if kernel.op is not Ops.SINK or kernel.arg is not None or not kernel.src:
        return None
    loops = {effect.src[1:] if effect.op is Ops.END else () for effect in kernel.src}
    nodes = kernel.toposort()
    places = [n.src[0] for n in nodes if n.op is Ops.STORE]
    known = all(n.op.elementwise or n.op in _KNOWN for n in nodes) and all(
        p.op is Ops.INDEX for p in places
    )
    if not known or len(loops) > 1:
        return None
    if any(n.op is Ops.INDEX for p in places for n in p.src[1].toposort()):
        return None
    if any(not isinstance(n.size, int) for n in nodes if n.op is Ops.RANGE):
        return None
    (stored,) = loops
    sums = [n for n in nodes if n.op is Ops.REDUCE]
    walks = [stored, *(n.src[0].ranges for n in sums)]
    steps = dict.fromkeys(r for n in sums for r in n.src[1:])
    work = max(prod(map(trips, walk)) for walk in walks)
    return Plain(stored, tuple(steps), work, frozenset(n for n in nodes if n.op is Ops.VAR))


class _Chunk:
    """Calls that become one, and the versions of memory that they are given, by memory."""

    def __init__(self) -> None:
        self.calls: list[UOp] = []
        self.versions: dict[UOp, UOp] = {}
        self.written: set[UOp] = set()
        self.variables: frozenset[UOp] = frozenset()

    def takes(self, call: UOp, most: int) -> bool:
        """Take in one more call, if it fits: it touches nothing that the others write."""
        versions = {version.base: version for version in call.src[1:]}
        written = {call.src[1 + slot].base for slot in written_slots(call.src[0])}
        apart = self.written.isdisjoint(versions) and written.isdisjoint(self.versions)
        same = all(
            self.versions.get(base, version) is version for base, version in versions.items()
        )
        kernel = plain(call.src[0])
        variables = self.variables | (kernel.variables if kernel else frozenset())
        count = len(self.versions.keys() | versions.keys()) + len(variables)
        if self.calls and not (apart and same and count <= most):
            return False
        self.variables = variables
        self.calls.append(call)
        self.versions |= versions
        self.written |= written
        return True


def _groups(before: Waits, most: int, with_scratch: bool) -> list[list[UOp]]:
    """The calls in groups, in order: those that are farthest from the end first."""
    calls = in_order(before)
    level = dict.fromkeys(calls, 0)
    for call in reversed(calls):
        for other in before[call]:
            level[other] = max(level[other], level[call] + 1)
    calls.sort(key=lambda c: -level[c])
    kinds = {call: _kind(call, level[call], with_scratch) for call in calls}
    chunks = _chunks(kinds, most, {})
    lengths = _lengths(chunks, kinds)
    return [
        calls
        for chunk in (_chunks(kinds, most, lengths) if lengths else chunks)
        for calls in ([chunk.calls] if len(chunk.calls) >= FEWEST else [[c] for c in chunk.calls])
    ]


def _chunks(kinds: Mapping[UOp, object], most: int, lengths: Mapping[object, int]) -> list[_Chunk]:
    """Calls of one kind in chunks of so many memories, and of calls where `lengths` says so."""
    last: dict[object, _Chunk] = {}
    chunks: list[_Chunk] = []
    for call, kind in kinds.items():
        chunk = last.get(kind)
        full = chunk is None or len(chunk.calls) == lengths.get(kind)
        if kind is None or chunk is None or full or not chunk.takes(call, most):
            chunk = _Chunk()
            chunk.takes(call, most)
            chunks.append(chunk)
            last[kind] = chunk
    return chunks


def _lengths(chunks: Iterable[_Chunk], kinds: Mapping[UOp, object]) -> dict[object, int]:
    """How many calls a chunk takes of a kind of which there are several chunks, so that one is what
    the next ones are, over other memory."""
    by_kind: dict[object, list[_Chunk]] = {}
    for chunk in chunks:
        by_kind.setdefault(kinds[chunk.calls[0]], []).append(chunk)
    lengths = {}
    for kind, several in by_kind.items():
        if kind is not None and len(several) > 1:
            forms = [over_parts(call.src[0], 1)[0] for chunk in several for call in chunk.calls]
            fit = min(len(chunk.calls) for chunk in several[:-1])
            period = _period(forms, fit)
            lengths[kind] = fit // period * period
    return lengths


def _period(forms: Sequence[UOp], most: int) -> int:
    """The least distance, up to `most`, at which three of four forms come again; else `most`."""
    for distance in range(1, most):
        again = [a is b for a, b in zip(forms, forms[distance:], strict=False)]
        if 4 * sum(again) >= 3 * len(again):
            return distance
    return most


def _kind(call: UOp, level: int, with_scratch: bool) -> object:
    """What calls have in common that may be one; None if a call stays alone."""
    body = plain(call.src[0])
    allowed = {Ops.PARAM, Ops.SCRATCH} if with_scratch else {Ops.PARAM}
    memories = {argument.past({Ops.AFTER}).op for argument in call.src[1:]}
    if body is None or not memories <= allowed:  # a part of memory is none of the known
        return None
    device = call.src[1].base.arg[2]
    if body.work <= SMALL:
        return device, level
    is_row = len(body.loops) > 1 and not body.steps and body.work < LARGE
    return (device, level, body.loops) if is_row and not level else None


def _rebuilt(sink: UOp, groups: Iterable[list[UOp]], origins: Origins | None) -> UOp:
    """The graph with one CALL a group."""
    done: dict[UOp, UOp] = {}
    for calls in groups:
        if len(calls) > 1:
            joined = _joined(calls, done)
        else:
            joined = calls[0].replace(
                src=(calls[0].src[0], *(rebuild(v, memo=done) for v in calls[0].src[1:]))
            )
        done.update(dict.fromkeys(calls, joined))
        if origins is not None and (notes := origins.gather(calls)):
            origins.notes[joined] = notes
    return rebuild(sink, memo=done)


def _joined(calls: list[UOp], done: dict[UOp, UOp]) -> UOp:
    """The CALL of one kernel that does what several do: what is written comes first."""
    versions = {version.base: version for call in calls for version in call.src[1:]}
    written = [c.src[1 + slot].base for c in calls for slot in written_slots(c.src[0])]
    bases = dict.fromkeys((*written, *versions))
    slots = {base: slot for slot, base in enumerate(bases)}
    first = plain(calls[0].src[0])
    assert first is not None, "others stay alone"
    shared = first.loops[:1] if first.work > SMALL else ()
    effects: list[UOp] = []
    number = len(shared)
    for call in calls:
        body = plain(call.src[0])
        assert body is not None, "others stay alone"
        changes = dict(zip(body.loops, shared, strict=False))
        for loop in (*body.loops[len(shared) :], *body.steps):
            changes[loop] = UOp.range(loop.size, number, loop.arg[1])
            number += 1
        for node in call.src[0].toposort():
            if node.op is Ops.PARAM:
                slot = slots[call.src[1 + node.arg[0]].base]
                changes[node] = node.replace(arg=(slot, *node.arg[1:]))
        effects += call.src[0].substitute(changes).src
    arguments = [rebuild(versions[base], memo=done) for base in bases]
    return UOp(Ops.CALL, dtypes.void, (UOp.sink(*effects), *arguments))
