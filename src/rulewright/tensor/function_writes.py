"""What traced functions write into tensors from outside.

While a function is traced a write into a tensor from outside leaves its memory alone: the tensor,
and all views of it, stand for the value that the memory would have. That value becomes one more
result of the call, and is assigned once the tensors are what they were.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from rulewright.errors import FunctionError
from rulewright.ir.ops import Ops
from rulewright.ir.uop import UOp
from rulewright.tensor.alias import Alias
from rulewright.tensor.assign import assign
from rulewright.tensor.history import differentiable
from rulewright.tensor.registry import Move, move, moves_of
from rulewright.tensor.shapes import show
from rulewright.tensor.trace import Before, Traced
from rulewright.tensor.views import memory_of


class FunctionWrite(NamedTuple):
    """What `before` becomes, or all of its memory if `whole`. `views` is what its views had in
    common meanwhile."""

    before: Before
    value: UOp
    views: Alias | None
    whole: bool


def own_writes(owner: Traced[Any], stands: Mapping[UOp, Before]) -> list[FunctionWrite]:
    """The writes into tensors that a trace has stand-ins for."""
    writes = []
    for stand, before in stands.items():
        new = before.tensor.uop
        if new is not stand:
            _check(owner, before, stand, new)
            writes.append(FunctionWrite(before, new, before.tensor._alias, False))
    return writes


def outer_writes(owner: Traced[Any], others: Sequence[Before]) -> list[FunctionWrite]:
    """The writes into other tensors, which are then what they were, as are views made since."""
    writes: dict[object, FunctionWrite] = {}
    for before in others:
        tensor = before.tensor
        alias = tensor._alias
        if tensor.uop is before.uop or (alias or tensor) in writes:
            continue
        new = tensor.uop if alias is None else alias.base
        if before.alias not in (None, alias):
            owner.refuse_memory(tensor)
        _check(owner, before, before.base, new)
        writes[alias or tensor] = FunctionWrite(before, new, alias, True)
    for write in writes.values():
        _restore(write)
    return list(writes.values())


def _restore(write: FunctionWrite) -> None:
    before, value, alias, _ = write
    if alias is None:
        move([Move(before.tensor, before.uop)])
    else:
        move(moves_of(alias, value, before.base))


def _check(owner: Traced[Any], before: Before, old: UOp, new: UOp) -> None:
    """Raise FunctionError unless the new value fits into the old one's memory, left as it was, and
    no gradient ends there, which would not be told from that of the old value."""
    memory = memory_of(new)
    kernel = new.op is Ops.AFTER and new.base is old.base
    same = memory is not None and new is not old and memory.base is old.base
    if kernel or same or (new.shape, new.dtype) != (old.shape, old.dtype):
        owner.refuse_memory(before.tensor)
    group = before.alias.views() if before.alias else []
    if any(t._requires_grad for t in [before.tensor, *group]):
        raise FunctionError(
            f"{owner.title} writes to a tensor of shape {show(before.tensor.shape)} that "
            "requires a gradient itself; return the new value, and assign it outside"
        )


def check_apart(
    owner: Traced[Any],
    writes: Sequence[FunctionWrite],
    stands: Mapping[UOp, Before],
    computed: Sequence[UOp],
) -> None:
    """Raise FunctionError if memory that is written is also used by way of another tensor."""
    aliases = [w.before.alias for w in writes if w.before.alias is not None]
    if not aliases:
        return
    used = set(UOp.sink(*computed).toposort())
    for write in writes:
        before = write.before
        others = [
            stand
            for stand, b in stands.items()
            if b.alias is before.alias and b.tensor is not before.tensor
        ]
        twice = before.alias is not None and aliases.count(before.alias) > 1
        memory = memory_of(before.base)
        own = any(b.tensor is before.tensor for b in stands.values())
        around = own and memory is not None and memory.base in used
        if before.alias is not None and (twice or around or any(s in used for s in others)):
            raise FunctionError(
                f"{owner.title} writes to a tensor of shape {show(before.tensor.shape)} and uses "
                "the same memory by way of another tensor, as which it would not see the write; "
                "pass one of the two, and take views of it inside"
            )


def apply(
    writes: Sequence[FunctionWrite], values: Sequence[UOp], passed: Mapping[UOp, UOp]
) -> None:
    """Assign what a call gave for each write. `passed` maps stand-ins to what they stand for."""
    sources = [_sources(write.value, passed) for write in writes]
    grown = set(differentiable(dict.fromkeys(s for flowing in sources for s in flowing)))
    for write, value, flowing in zip(writes, values, sources, strict=True):
        before = write.before
        target, alias = before.tensor, before.alias
        if write.whole and alias is not None and before.uop is not before.base:
            target = target._make(before.base, target._device, alias)
        flows = any(source in grown for source in flowing)
        assign(target, value if flows else value.detach(), target._device)


def _sources(value: UOp, passed: Mapping[UOp, UOp]) -> list[UOp]:
    """What gradients of a value could flow to, if these require one."""
    nodes = value.toposort(lambda n: n.op not in (Ops.DETACH, Ops.FUNCTION))
    return [passed.get(n, n) for n in nodes if n in passed or n.op is Ops.BUFFER]
