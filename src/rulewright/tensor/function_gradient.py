"""Derivatives of called functions: traced once for each function, or given by the user."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple
from weakref import WeakKeyDictionary

from rulewright.errors import FunctionError, UsageError
from rulewright.ir.ops import Ops
from rulewright.ir.uop import UOp
from rulewright.tensor.function_nodes import Derivative, called, closed, derivatives
from rulewright.tensor.nodes import node_broadcast_to
from rulewright.tensor.shapes import show

if TYPE_CHECKING:
    from rulewright.tensor.tensor import Tensor


class KernelCall(NamedTuple):
    """What a `grad_fxn` is told of the call: the tensors passed, and the tensors that came out.

    Of a kernel's sources, those that are only written are None.
    """

    sources: tuple[Tensor | None, ...]
    results: tuple[Tensor, ...]


class _Traced(NamedTuple):
    function: UOp | None
    takes: tuple[int, ...]  # its arguments: those of the function, then upstream gradients
    gives: tuple[int, ...]  # the arguments that its results are the gradients of


_traced: WeakKeyDictionary[UOp, dict[Any, _Traced]] = WeakKeyDictionary()


def call_gradients(
    call: UOp, upstream: Mapping[int, UOp], needed: Container[UOp]
) -> list[tuple[UOp, UOp]]:
    """Arguments of a call with their gradients, given gradients of some of its results."""
    function, arguments = call.src[0], call.src[1:]
    if function.op is not Ops.FUNCTION:
        raise UsageError(
            "no gradient goes through a kernel that was chosen before: take it first, or detach()"
        )
    given = derivatives.get(function)
    if given is not None:
        return _given(given, call, upstream)
    items = tuple(sorted(upstream))
    wanted = tuple(slot for slot, a in enumerate(arguments) if a in needed and a.dtype.is_float)
    known = _traced.setdefault(function, {})
    if (items, wanted) not in known:
        known[items, wanted] = _trace(function, items, wanted, len(arguments))
    traced = known[items, wanted]
    if traced.function is None:
        return []
    everything = [*arguments, *(upstream[item] for item in items)]
    found = called(traced.function, [everything[at] for at in traced.takes])
    return [(arguments[slot], part) for slot, part in zip(traced.gives, found, strict=True)]


def _trace(function: UOp, items: tuple[int, ...], wanted: tuple[int, ...], count: int) -> _Traced:
    """The function of arguments and upstream gradients that computes gradients of `wanted`."""
    from rulewright.tensor.gradient import gradients_of

    order = function.toposort(lambda n: n.op is not Ops.FUNCTION or n is function)
    params = {n.arg[0]: n for n in order if n.op is Ops.PARAM}
    device = next((p.arg[2] for p in params.values()), None)
    seeds: dict[UOp, UOp] = {}
    for at, item in enumerate(items):
        result = function.src[item]
        seed = UOp(Ops.PARAM, result.dtype, (), (count + at, result.shape, device))
        seeds[result] = seeds[result] + seed if result in seeds else seed
    found = gradients_of(seeds, [params[slot] for slot in wanted if slot in params])
    gives = tuple(slot for slot in wanted if slot in params and params[slot] in found)
    name = f"{function.arg[0]}_backward"
    made = closed([found[params[slot]] for slot in gives], name, function.arg[1])
    if not gives or made is None:
        return _Traced(None, (), ())
    return _Traced(made.function, tuple(p.arg[0] for p in made.inputs), gives)


def _given(given: Derivative, call: UOp, upstream: Mapping[int, UOp]) -> list[tuple[UOp, UOp]]:
    """What the user's function answers, checked."""
    from rulewright.tensor.tensor import Tensor

    function, arguments = call.src[0], call.src[1:]
    device = next((a.device for a in arguments if a.device is not None), None)

    def tensor(node: UOp) -> Tensor:
        return Tensor._make(node, device)

    results = called(function, arguments)[: given.results]
    if any(item >= len(results) for item in upstream):
        raise FunctionError(
            f"the gradient that was given for {function.arg[0]} is one of what it returns, not of "
            "what it writes: return that too, or detach() it"
        )
    weights = [
        tensor(upstream.get(i, node_broadcast_to(UOp.const(r.dtype, 0), r.shape or ())))
        for i, r in enumerate(results)
    ]
    sources = tuple(tensor(arguments[a]) if a is not None else None for a in given.arguments)
    answer = given.function(*weights, KernelCall(sources, tuple(map(tensor, results))))
    parts = _as_list(answer, len(given.arguments), function.arg[0])
    found = []
    for place, (slot, part) in enumerate(zip(given.arguments, parts, strict=True)):
        if slot is None or part is None:
            continue
        source = arguments[slot]
        if not isinstance(part, Tensor) or part.shape != source.shape:
            what = show(part.shape) if isinstance(part, Tensor) else repr(part)
            raise FunctionError(
                f"the gradient that was given for {function.arg[0]} answers {what} for tensor "
                f"{place}, expected a tensor of shape {show(source.shape or ())} or None"
            )
        if source.dtype.is_float:
            found.append((source, part.cast(source.dtype).uop))
    return found


def _as_list(answer: Any, count: int, name: str) -> Sequence[Any]:
    parts = list(answer) if isinstance(answer, list | tuple) else [answer]
    if len(parts) != count:
        raise FunctionError(
            f"the gradient that was given for {name} answers {len(parts)} gradients, expected "
            f"{count}: one for each tensor that was passed, None where there is none"
        )
    return parts
