"""The order of kernels: each reads the version of memory that it was given, before it is replaced.

The graph of calls names versions: AFTER(m, c) is memory m once call c has run. Running the list
means noting which calls have written each memory; a call is right if what has been written is
exactly what its own version stands for.
"""

from __future__ import annotations

from collections.abc import Container

from rulewright.errors import ValidationError
from rulewright.ir.ops import Ops
from rulewright.ir.uop import UOp


def check_order(graph: UOp, linear: UOp) -> None:
    """Raise ValidationError if a list of calls is no order of a graph of versions."""
    calls = [n for n in graph.toposort(lambda n: n.op is not Ops.LINEAR) if n.op is Ops.CALL]
    wanted: dict[UOp, list[UOp]] = {}
    for call in calls:
        wanted.setdefault(_plain(call), []).append(call)
    history = _History()
    for number, item in enumerate(linear.src):
        if not wanted.get(item):
            raise ValidationError(
                f"item {number} of the schedule is no call of the graph", after=item
            )
        call = _next(wanted[item], history)
        if not history.is_ready(call):
            for memory, makers in history.versions(call).items():
                _check(call, number, memory, makers, history.written.get(memory, set()))
        history.run(call)
    left = [call for group in wanted.values() for call in group if history.writes(call)]
    if left:
        raise ValidationError(
            f"{len(left)} calls of the graph are not in the schedule", after=left[0]
        )


class _History:
    """The calls that have run, of those that write each memory.

    What has made a version is what has made the one before, and a few calls: it is looked at once.
    """

    def __init__(self) -> None:
        self.written: dict[UOp, set[UOp]] = {}
        self.known: dict[UOp, bool] = {}  # whether a call writes
        self.there: set[UOp] = set()  # versions all of whose makers have run
        self.counts: dict[UOp, int] = {}  # how many makers a version has
        self.places: dict[UOp, list[UOp]] = {}  # the versions that a call makes

    def writes(self, call: UOp) -> bool:
        """Whether a call writes anything."""
        if call not in self.known:
            self.known[call] = _writes(call)
        return self.known[call]

    def run(self, call: UOp) -> None:
        """Note that a call has run."""
        if self.writes(call):
            for argument in _written(call):
                for version in _selected(argument):
                    self.written.setdefault(version.base, set()).add(call)

    def is_ready(self, call: UOp) -> bool:
        """Whether each memory that a call is given is written as its version says, and no more."""
        states = dict.fromkeys(v for argument in call.src[1:] for v in _selected(argument))
        if len({version.base for version in states}) < len(states):  # two versions of one memory
            versions = self.versions(call).items()
            return all(self.written.get(memory, set()) == makers for memory, makers in versions)
        return all(map(self._is_newest, states))

    def versions(self, call: UOp) -> dict[UOp, set[UOp]]:
        """For each memory that a call is given, the calls that have written the newest version."""
        versions: dict[UOp, set[UOp]] = {}
        for argument in call.src[1:]:
            for version in _selected(argument):
                makers = versions.setdefault(version.base, set())
                while version.op is Ops.AFTER:
                    makers.update(self._makers(version))
                    version = version.src[0]
        return versions

    def _makers(self, version: UOp) -> dict[UOp, None]:
        """The calls that a version adds to those of the version before."""
        return dict.fromkeys(e for e in version.src[1:] if e.op is Ops.CALL and self.writes(e))

    def _is_newest(self, version: UOp) -> bool:
        for newer in _newer(version, self.there):
            makers = self.written.get(newer.base, set())
            if any(call not in makers for call in self._makers(newer)):
                return False
            self.there.add(newer)  # and stays there
        return self._count(version) == len(self.written.get(version.base, ()))

    def _count(self, version: UOp) -> int:
        for newer in _newer(version, self.counts):
            count = self.counts.get(newer.src[0], 0)
            for call in self._makers(newer):
                places = self.places.setdefault(call, [])
                again = places and not _newer(newer.src[0], ()).keys().isdisjoint(places)
                count += not again
                places.append(newer)
            self.counts[newer] = count
        return self.counts.get(version, 0)


def _newer(version: UOp, known: Container[UOp]) -> dict[UOp, None]:
    """A version and those before it up to one that is known, the oldest first."""
    newer = []
    while version.op is Ops.AFTER and version not in known:
        newer.append(version)
        version = version.src[0]
    return dict.fromkeys(reversed(newer))


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
    """Whether a call writes anything: not into empty memory, nor in a loop without iterations.

    Else it needs no kernel.
    """
    effects = call.src[0].src if call.src[0].op is Ops.SINK else ()
    idle = [any(r.op is Ops.RANGE and r.src[0].vmax == 0 for r in e.src) for e in effects]
    return not all(idle or [False]) and not all(0 in a.max_shape for a in _written(call))


def _next(same: list[UOp], history: _History) -> UOp:
    """Of calls that look alike in a list, the one whose versions are there; else the first."""
    for call in same:
        if history.is_ready(call):
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


def _selected(argument: UOp) -> list[UOp]:
    if argument.op is Ops.MSTACK:
        return [v for s in argument.src for v in _selected(s)]
    return [argument]


def _plain(call: UOp) -> UOp:
    """A call with memories in place of versions."""
    return call.replace(src=(call.src[0], *(_without_versions(a) for a in call.src[1:])))


def _without_versions(argument: UOp) -> UOp:
    if argument.op is Ops.MSTACK:
        return argument.replace(src=tuple(_without_versions(s) for s in argument.src))
    return argument.base
