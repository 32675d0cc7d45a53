"""What a traced function writes into tensors from outside: new values, assigned after the call.

While a function is traced a write into a tensor from outside leaves its memory alone: the tensor,
and all views of it, stand for the value that the memory would have. That value becomes one more
result of the call, and is assigned once the tensors are what they were.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from rulewright.errors import FunctionError
from rulewright.ir.ops import Ops
from rulewright.ir.uop import UOp
from rulewright.tensor.assign import assign, memory_of
from rulewright.tensor.core import Alias, Core
from rulewright.tensor.history import differentiable
from rulewright.tensor.registry import live_tensors, rebased
from rulewright.tensor.shapes import show


class Before(NamedTuple):
    """A tensor as it was when a trace began; `base` is that of its alias, or its node."""

    tensor: Core
    uop: UOp
    alias: Alias | None
    base: UOp
    grad: Core | None

    def put_back(self) -> None:
        """Let the tensor be what it was."""
        tensor = self.tensor
        if tensor.uop is not self.uop:
            tensor.uop, tensor._alias = self.uop, self.alias
        if self.alias is not None:
            self.alias.base = self.base
        tensor.grad = self.grad


Entry = tuple[Core, UOp, Alias | None, UOp, Core | None]


class Write(NamedTuple):
    """What `before` becomes, or all of its memory if `whole`. `views` is what its views had in
    common meanwhile."""

    before: Before
    value: UOp
    views: Alias | None
    whole: bool


def before_of(tensor: Core) -> Before:
    """A tensor as it is."""
    alias = tensor._alias
    base = tensor.uop if alias is None else alias.base
    return Before(tensor, tensor.uop, alias, base, tensor.grad)


def snapshot(tensors: Iterable[Core]) -> list[Entry]:
    """Many tensors as they are: what `Before` holds, in plain tuples, which cost a tenth."""
    return [
        (t, t.uop, a, t.uop if a is None else a.base, t.grad) for t in tensors for a in [t._alias]
    ]


def changed(entries: Sequence[Entry]) -> list[Before]:
    """Those of many tensors that are no longer what they were."""
    return [Before(*e) for e in entries if e[0].uop is not e[1] or e[0].grad is not e[4]]


def own_writes(name: str, stands: Mapping[UOp, Before]) -> list[Write]:
    """The writes into tensors that a trace has stand-ins for."""
    found = []
    for stand, before in stands.items():
        new = before.tensor.uop
        if new is not stand:
            _check(name, before, stand, new)
            found.append(Write(before, new, before.tensor._alias, False))
    return found


def outer_writes(name: str, others: Sequence[Before]) -> list[Write]:
    """The writes into other tensors, which are then what they were, as are views made since."""
    found: dict[object, Write] = {}
    for before in others:
        tensor = before.tensor
        alias = tensor._alias
        if tensor.uop is before.uop or (alias or tensor) in found:
            continue
        new = tensor.uop if alias is None else alias.base
        if before.alias not in (None, alias):
            raise _refusal(name, tensor)
        _check(name, before, before.base, new)
        found[alias or tensor] = Write(before, new, alias, True)
    for write in found.values():
        _restore(write)
    return list(found.values())


def _restore(write: Write) -> None:
    before, value, alias, _ = write
    if alias is None:
        before.tensor.uop = before.uop
        return
    for tensor in live_tensors():
        if tensor._alias is alias:
            tensor.uop = rebased(tensor.uop, value, before.base)
    alias.base = before.base


def _check(name: str, before: Before, old: UOp, new: UOp) -> None:
    """Raise FunctionError unless the new value fits into the old one's memory, left as it was, and
    no gradient ends there, which would not be told from that of the old value."""
    memory = memory_of(new)
    kernel = new.op is Ops.AFTER and new.base is old.base
    same = memory is not None and new is not old and memory.base is old.base
    if kernel or same or (new.shape, new.dtype) != (old.shape, old.dtype):
        raise _refusal(name, before.tensor)
    group = [t for t in live_tensors() if t._alias is before.alias] if before.alias else []
    if any(t._requires_grad for t in [before.tensor, *group]):
        raise FunctionError(
            f"function {name} writes to a tensor of shape {show(before.tensor.shape)} that "
            "requires a gradient itself; return the new value, and assign it outside"
        )


def _refusal(name: str, tensor: Core) -> FunctionError:
    return FunctionError(
        f"function {name} gives a tensor of shape {show(tensor.shape)} from outside another value "
        "by replace() or by a kernel in UOps; return the value, and assign it outside"
    )


def check_apart(
    name: str, writes: Sequence[Write], stands: Mapping[UOp, Before], computed: Sequence[UOp]
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
                f"function {name} writes to a tensor of shape {show(before.tensor.shape)} and uses "
                "the same memory by way of another tensor, as which it would not see the write; "
                "pass one of the two, and take views of it inside"
            )


def apply(writes: Sequence[Write], values: Sequence[UOp], given: Mapping[UOp, UOp]) -> None:
    """Assign what a call gave for each write. `given` maps stand-ins to what they stand for."""
    sources = [_sources(write.value, given) for write in writes]
    grown = set(differentiable(dict.fromkeys(s for found in sources for s in found)))
    for write, value, found in zip(writes, values, sources, strict=True):
        before = write.before
        target, alias = before.tensor, before.alias
        if write.whole and alias is not None and before.uop is not before.base:
            target = target._make(before.base, target._device, alias)
        flows = any(source in grown for source in found)
        assign(target, value if flows else value.detach(), target._device)


def _sources(value: UOp, given: Mapping[UOp, UOp]) -> list[UOp]:
    """What gradients of a value could flow to, if these require one."""
    nodes = value.toposort(lambda n: n.op not in (Ops.DETACH, Ops.FUNCTION))
    return [given.get(n, n) for n in nodes if n in given or n.op is Ops.BUFFER]
