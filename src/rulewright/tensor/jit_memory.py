"""Memory of results: new in each run, or that of arguments that the caller gives away.

A training step that returns new parameters, or a step of decoding that returns a new cache, holds
what it was given and what it returns at once. With `donate` the memory of an argument becomes a
result's, and the tensor that was passed means nothing any more: whoever uses it gets an error that
names the argument. This is how no memory that others have is ever overwritten:

- Which result takes the memory of which argument is planned once, from the kernels that were
  captured (`rulewright.driver.donation`): the argument is read for the last time before the result
  is written, or in the one loop that writes it, each element at its own place.
- In each call the tensor is given away first; if its BUFFER node then still is there, somebody else
  stands on it (a view, a lazy value, a thread), and if its buffer has other owners, an array or a
  view of it does. Then the result gets other memory, and what others have stays as it is.
- Memory of others (numpy arrays, blobs), parts of memory, views, symbolic sizes, arguments that the
  function writes and those that it returns as they are are not taken. An argument that is returned
  as it is comes back as a new tensor over its memory.
- The same memory given twice, or read by the function from outside, is an error.
- Calls that run or capture the function give arguments away once that ended well; one that runs
  kernels again does so before they begin, and if they fail the arguments are gone.

Up to 64 KiB nothing is taken, for memory of that size costs nothing. Inside of another jitted
function and with JIT=0 nothing is given away.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from sys import getrefcount
from typing import TYPE_CHECKING, Any
from weakref import getweakrefcount, ref

from rulewright.driver.donation import Donation
from rulewright.errors import ArgumentError, JitError, UsageError
from rulewright.ir.ops import Ops
from rulewright.ir.uop import UOp
from rulewright.runtime.buffer import Buffer
from rulewright.runtime.memories import Sharded, another, buffer_of
from rulewright.tensor.core import Core
from rulewright.tensor.nested import rebuilt
from rulewright.tensor.registry import leave, set_leaf
from rulewright.tensor.shapes import show

if TYPE_CHECKING:
    from rulewright.driver.capture import Noted, Recorder
    from rulewright.tensor.jit_arguments import Arguments
    from rulewright.tensor.jit_replay import Replaying

MOST_BYTES = 1 << 16
"""Memory of up to so many bytes is not taken from arguments."""
LARGE = 1 << 20
"""Memory of so many bytes costs little beside its kernels, and others may want it: none is kept."""


class Spares:
    """For each result the node and memory of the last run, if that is not large.

    They serve again once nobody refers to either and nothing has been noted about the node, so
    that nobody can tell them from new ones. That is so when as much refers to them as did when
    they were made.
    """

    def __init__(self, fresh: Sequence[UOp]) -> None:
        self._like = [(n, buffer_of(n)) if n.op is Ops.BUFFER else None for n in fresh]
        self._pairs: list[Any] = [(None, None)] * len(fresh)
        self._alone: list[tuple[int, int, int] | None] = [None] * len(fresh)

    def forget(self) -> None:
        """Whoever took a node was stopped before its memory was written: none serves again."""
        self._alone = [None] * len(self._alone)

    def _references(self, at: int) -> tuple[int, int, int]:
        node, buffer = self._pairs[at]
        return getrefcount(node), getweakrefcount(node), getrefcount(buffer)

    def take(self, at: int) -> tuple[UOp, Buffer, bool]:
        """A node and its memory for one result, and whether they are those of the last run."""
        if self._references(at) == self._alone[at]:
            return *self._pairs[at], True
        like = self._like[at]
        assert like is not None, "a gradient that is read has memory"
        pair = another(*like)
        if like[1].nbytes < LARGE and not isinstance(like[1], Sharded):
            self._alone[at] = None
            self._pairs[at] = pair
            self._alone[at] = self._references(at)
        return *pair, False


_BY_POSITION = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
_MORE = inspect.Parameter.VAR_POSITIONAL
_SLOT: Any = vars(Core)["_node"]


def _references_of_one() -> int:
    alone = object()
    return getrefcount(alone)


_OURS = _references_of_one()


def as_places(donate: Any, function: Callable[..., Any]) -> frozenset[int | str]:
    """Positions and names of the parameters that are given away, each by both if that is known.

    Raises ArgumentError for what is neither, and JitError for parameters that there are not.
    """
    wanted = donate if isinstance(donate, tuple | list) else (donate,)
    if not wanted:
        return frozenset()
    for each in wanted:
        if isinstance(each, bool) or not isinstance(each, int | str):
            raise ArgumentError(
                f"jit: donate names arguments by position or name, or is a tuple of these, "
                f"found {each!r}"
            )
    try:
        parameters = list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):
        return frozenset(wanted)
    kinds = {p.kind for p in parameters}
    names = [p.name for p in parameters if p.kind in _BY_POSITION]
    rest = [p.name for p in parameters if p.kind is inspect.Parameter.KEYWORD_ONLY]
    places: set[int | str] = set()
    for each in wanted:
        place = names.index(each) if each in names else each
        if isinstance(place, int) and 0 <= place < len(names):
            places |= {place, names[place]}
            continue
        more = inspect.Parameter.VAR_KEYWORD if isinstance(each, str) else _MORE
        if each not in rest and (more not in kinds or (isinstance(each, int) and each < 0)):
            raise JitError(
                f"jit: donate={each!r}, but the function has the parameters "
                f"({', '.join([*names, *rest])})"
            )
        places.add(each)
    return frozenset(places)


def check_outside(arguments: Arguments, used: Callable[[Buffer], bool]) -> None:
    """Raise JitError if a donated tensor's memory is used by the function from outside too."""
    for at in arguments.donated:
        if used(arguments.inputs[at].root):
            raise JitError(
                f"jit: the tensor of shape {show(arguments.inputs[at].tensor.shape)} in argument "
                f"{arguments.places[at]!r} is donated, and the function uses it from outside too; "
                "pass a clone()"
            )


def donated_items(
    capture: Replaying,
    arguments: Arguments,
    private: Mapping[Buffer, int],
    noted: Recorder,
    held: set[Buffer],
) -> tuple[list[Noted], dict[int, tuple[int, bool]]]:
    """The kernels of a capture with results in the memory of donated arguments, and of which:
    see `Replaying.taken`. `private` are the memories of the arguments, by slot, `held` what
    others know too."""
    kept = {slot for template in capture.templates for slot in template.slots.values()}
    kept |= capture.written_inputs
    returned = {t.argument for t in capture.templates} | {holder for holder, *_ in capture.grads}
    numbers = {
        capture.argument_slots[at]: at
        for at in arguments.donated
        if at not in returned
        and not arguments.inputs[at].copied
        and not arguments.inputs[at].symbolic
    }
    free = {b: numbers[s] for b, s in private.items() if s in numbers and s not in kept}
    memories = [buffer_of(n) if n.op is Ops.BUFFER else None for n in capture.fresh]
    wanted = {
        b: at
        for at, b in enumerate(memories)
        if b is not None and b.nbytes > MOST_BYTES and b not in noted.data
    }
    donation = Donation(noted.items, free, wanted, held)
    return donation.items, {
        wanted[b]: (free[t.argument], t.is_read) for b, t in donation.taken.items()
    }


# ---- tensors that are gone ----------------------------------------------------------------


def give_away(tensor: Core, place: int | str) -> None:
    """Let a tensor mean nothing any more, and let go of its memory."""
    reason = (
        f"a tensor of shape {show(tensor.shape)} {tensor.dtype.name} was donated to a jitted "
        f"function, as argument {place!r}: its memory is a result's; use the result, or pass a "
        "clone()"
    )
    leave(tensor)
    kind: Any = tensor.__class__
    tensor.__class__ = _donated_class(kind)
    _SLOT.__set__(tensor, reason)
    tensor._grad = tensor._alias = None
    tensor._requires_grad = 0


def is_donated(tensor: Core) -> bool:
    """Whether a tensor was donated."""
    return _SLOT.__get__(tensor).__class__ is str


@cache
def _donated_class(kind: Any) -> Any:
    """The class of tensors that were of a class before they were given away."""

    def uop(self: Core) -> Any:
        raise UsageError(_SLOT.__get__(self))

    def printed(self: Core) -> str:
        return "<Tensor, donated>"

    inside = {"__slots__": (), "__module__": kind.__module__, "__repr__": printed}
    return type(kind.__name__, (kind,), {**inside, "uop": property(uop)})


def handed_back(arguments: Arguments, result: Any) -> Any:
    """The result of a call that ran the function, whose donated tensors go: new ones, over the same
    memory, stand for those of them that it returns."""
    gone = {id(arguments.tensors[at]): arguments.places[at] for at in arguments.donated}
    successors: dict[int, Core] = {}

    def change(tensor: Core) -> Core:
        if id(tensor) not in gone:
            return tensor
        return successors.setdefault(id(tensor), successor(tensor))

    result = rebuilt(result, change)
    for at in arguments.donated:
        give_away(arguments.tensors[at], arguments.places[at])
    return result


def successor(tensor: Core) -> Core:
    """A tensor that stands for all that another one does."""
    new = type(tensor)._over(tensor.uop, tensor._device, tensor._alias)
    set_leaf(new, tensor._requires_grad)
    new._grad = tensor.grad
    return new


def let_go(arguments: Arguments) -> None:
    """Give away the donated tensors of a call that are still there, before it runs; in the call
    new ones stand for them."""
    for at in arguments.donated:
        tensor = arguments.tensors[at]
        if not is_donated(tensor):
            arguments.tensors[at] = successor(tensor)
            give_away(tensor, arguments.places[at])


def taken(arguments: Arguments, at: int) -> tuple[Buffer, bool]:
    """The memory of a donated tensor, which goes, and whether nobody else has it.

    The caller holds neither the node of the tensor nor its buffer.
    """
    entry = arguments.inputs[at]
    buffer, node = entry.buffer, ref(entry.node)
    give_away(entry.tensor, arguments.places[at])
    del entry.uop, entry.node, entry.buffer, entry.root
    is_alone = node() is None and getrefcount(buffer) == _OURS
    return buffer, is_alone and buffer.__class__ is Buffer and buffer.base is None
