"""Calls of functions, before a graph is scheduled.

A call of an "inline" FUNCTION becomes the function's body over the arguments. A "whole" one stays
a call: it gets memory for its results, and its body is scheduled once, however often it is called.
Either way memory inside of the body is fresh for each call.
"""

from __future__ import annotations

from collections import Counter
from itertools import count
from math import prod

from rulewright.errors import FunctionError
from rulewright.ir.dtypes import dtypes
from rulewright.ir.ops import Ops
from rulewright.ir.origins import Origins, rebuild
from rulewright.ir.uop import UOp
from rulewright.schedule.callees import written_slots

_CALLS = frozenset({Ops.RESULT, Ops.CALL})
_WHOLE = Ops.group("Outer")
_SAME_MEMORY = Ops.group("Reshaped")


def resolve_functions(sink: UOp, origins: Origins | None = None) -> UOp:
    """A graph without RESULTs: what is called from now on writes memory that it is given.

    Raises FunctionError for a call whose arguments do not fit the function's PARAMs.
    """
    if not any(n.op in (Ops.RESULT, Ops.CALL) for n in sink.toposort()):
        return sink
    return _stored_by_calls(_Resolver(sink, origins or Origins()).result)


class _Resolver:
    """One walk over a graph; functions inside of functions first."""

    def __init__(self, sink: UOp, origins: Origins) -> None:
        self.origins = origins
        slots = [n.arg[0] for n in sink.toposort() if n.op is Ops.SCRATCH]
        self.slots = count(1 + max(slots, default=-1))
        self.bodies: dict[UOp, tuple[UOp, ...]] = {}
        self.stores: dict[UOp, UOp] = {}
        self.results: dict[UOp, tuple[UOp, ...]] = {}  # of a call
        self.result = self.walk(sink)

    def walk(self, root: UOp) -> UOp:
        """A graph with its calls resolved, in which nothing within a function is looked at."""

        def resolved(node: UOp, src: tuple[UOp, ...]) -> UOp | None:
            if node.op is Ops.RESULT:
                return self.results_of(src[0])[node.arg[0]]
            return None if node.src[0].op is Ops.FUNCTION else _over_memory(node, src)

        return rebuild(root, resolved, _CALLS, _outside_functions, origins=self.origins)

    def results_of(self, call: UOp) -> tuple[UOp, ...]:
        """The values that a call stands for."""
        if call not in self.results:
            function, arguments = call.src[0], call.src[1:]
            check_arguments(function, arguments)
            inline = function.arg[1] == "inline"
            self.results[call] = (self.inlined if inline else self.called)(function, arguments)
        return self.results[call]

    def inlined(self, function: UOp, arguments: tuple[UOp, ...]) -> tuple[UOp, ...]:
        """The body with arguments for parameters and fresh memory for its own."""
        if function not in self.bodies:
            self.bodies[function] = self.walk(function.replace(op=Ops.TUPLE, arg=None)).src
        body = UOp(Ops.TUPLE, dtypes.void, self.bodies[function])
        changes: dict[UOp, UOp] = {}
        for node in body.toposort(lambda n: n.op is not Ops.FUNCTION):
            if node.op is Ops.PARAM:
                changes[node] = arguments[node.arg[0]]
            elif node.op is Ops.SCRATCH:
                changes[node] = node.replace(arg=(next(self.slots), *node.arg[1:]))
        return _renewed(body, changes, self.origins).src

    def called(self, function: UOp, arguments: tuple[UOp, ...]) -> tuple[UOp, ...]:
        """Memory for each result, after a call that stores into it."""
        if function not in self.stores:
            self.stores[function] = as_stores(function)
        stores = self.stores[function]
        targets = [store.src[0] for store in stores.src]
        memories = [t.replace(op=Ops.SCRATCH, arg=(next(self.slots), *t.arg[1:])) for t in targets]
        passed = [*memories, *map(as_memory, arguments)]
        call = UOp(Ops.CALL, dtypes.void, (stores, *passed))
        return tuple(memory.after(call) for memory in memories)


def _renewed(body: UOp, changes: dict[UOp, UOp], origins: Origins) -> UOp:
    """A body over arguments; kernels that it calls get them as memory."""
    calls = frozenset({Ops.CALL})
    # a function that is called whole has parameters of its own
    return rebuild(body, _over_memory, calls, _outside_functions, dict(changes), origins)


def _outside_functions(node: UOp) -> bool:
    return node.op is not Ops.FUNCTION


def _over_memory(call: UOp, src: tuple[UOp, ...]) -> UOp:
    """A call with its arguments as memory."""
    return call.replace(src=(src[0], *map(as_memory, src[1:])))


def as_memory(argument: UOp) -> UOp:
    """An argument as what a call can be given: memory, or a value that gets some."""
    memory = argument.past(_SAME_MEMORY)
    if memory.past({Ops.AFTER}).op in _WHOLE or memory.op is Ops.CONTIGUOUS:
        return memory
    return argument.contiguous()


def as_stores(function: UOp) -> UOp:
    """A function as one of stores: results go to its first PARAMs, its own PARAMs follow."""
    count = len(function.src)
    order = function.toposort(lambda n: n.op is not Ops.FUNCTION or n is function)
    changes = {n: n.replace(arg=(n.arg[0] + count, *n.arg[1:])) for n in order if n.op is Ops.PARAM}
    stores = []
    for slot, result in enumerate(_shifted(function, changes)):
        device = result.device or next((p.arg[2] for p in changes), None)
        target = UOp(Ops.PARAM, result.dtype, (), (slot, result.max_shape, device))
        stores.append(target.store(result))
    return UOp(Ops.FUNCTION, dtypes.void, tuple(stores), (function.arg[0], "stores", 0))


def _shifted(function: UOp, changes: dict[UOp, UOp]) -> tuple[UOp, ...]:
    """The results with other PARAMs; functions called inside keep theirs."""
    own = rebuild(
        function, enter=lambda n: n.op is not Ops.FUNCTION or n is function, memo=dict(changes)
    )
    return own.src


def check_arguments(function: UOp, arguments: tuple[UOp, ...]) -> None:
    """Raise FunctionError for arguments that are too few, or of another shape, dtype or device."""
    name = function.arg[0]
    order = function.toposort(lambda n: n.op is not Ops.FUNCTION or n is function)
    params = sorted((n for n in order if n.op is Ops.PARAM), key=lambda n: int(n.arg[0]))
    needed = 1 + max((p.arg[0] for p in params), default=-1)
    if len(arguments) < needed:
        raise FunctionError(
            f"function {name} takes {needed} arguments, its call passes {len(arguments)}"
        )
    for param in params:
        slot, shape, device = param.arg
        argument = arguments[slot]
        for what, expected, actual in [
            ("shape", shape, argument.shape),
            ("dtype", param.dtype.name, argument.dtype.name),
            ("device", _devices(device), _devices(_device(argument) or device)),
        ]:
            if expected is not None and expected != actual:
                raise FunctionError(
                    f"function {name}: argument {slot} has {what} {actual}, expected {expected}; "
                    "trace the function again for other arguments"
                )


def _devices(device: str | None) -> str | None:
    """Without the axis: of that a function says nothing."""
    return device and device.partition("@")[0]


def _device(argument: UOp) -> str | None:
    base = argument.base
    device: str | None = base.arg[2] if base.op in _WHOLE else argument.device
    return device


# ---- results that are stored --------------------------------------------------------------


def _stored_by_calls(sink: UOp) -> UOp:
    """Where all that happens to a call's result is that it is stored, the call writes the target.

    The target is memory that nothing else in the graph looks at.
    """
    order = sink.toposort(lambda n: n.op is not Ops.FUNCTION)
    users = Counter(s for n in order for s in dict.fromkeys(n.src))
    targets = {}
    for store in order:
        memory = _result_stored(store, users)
        if memory is not None:
            targets[memory] = store
    if not targets:
        return sink
    memories = {scratch: store.src[0] for scratch, store in targets.items()}
    stores = {store: scratch for scratch, store in targets.items()}

    def stored(node: UOp, src: tuple[UOp, ...]) -> UOp | None:
        if node in memories:
            return memories[node]
        if node in stores:
            value = src[1]
            while value.op is not Ops.AFTER:
                value = value.src[0]
            return value.src[1]  # the call itself is the effect
        return _over_memory(node, src) if node.op is Ops.CALL else None

    return rebuild(sink, stored, enter=_outside_functions)


def _result_stored(store: UOp, users: Counter[UOp]) -> UOp | None:
    """The memory of a call's result that goes nowhere but into a whole PARAM."""
    if store.op is not Ops.STORE or store.src[0].op is not Ops.PARAM:
        return None
    target, value = store.src
    while value.op in _SAME_MEMORY and users[value] == 1:
        value = value.src[0]
    if value.op is not Ops.AFTER or users[value] != 1 or len(value.src) != 2:
        return None
    memory, call = value.src
    if memory.op is not Ops.SCRATCH or call.op is not Ops.CALL or users[memory] != 2:
        return None
    own = [at for at, argument in enumerate(call.src[1:]) if argument is memory]
    fits = prod(memory.arg[1]) == prod(target.arg[1]) and memory.arg[2] == target.arg[2]
    written = len(own) == 1 and own[0] in written_slots(call.src[0])
    only = users[target] <= 2  # its store, and the AFTER that names the new version
    return memory if fits and written and only else None
