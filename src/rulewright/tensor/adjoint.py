"""Gradients: `backward()`, `gradient()`, and the walk against the arrows behind both.

For each node y with upstream gradient g the rule set `gradient` rewrites GRAD(y, g) to a TUPLE
with one gradient for each source of y. This module walks and adds up, goes through called functions
(whose derivatives are traced once, or given by the user), and holds the externs of these rules: the
adjoint of a movement takes a gradient of its result to one of its source, so that what was cut off
gets zero, what was padded is dropped, what was repeated is summed.
"""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from functools import reduce
from typing import TYPE_CHECKING, Any, NamedTuple
from weakref import WeakKeyDictionary

from rulewright.collector import without_gc
from rulewright.driver.capture import recorder
from rulewright.errors import ArgumentError, DTypeError, FunctionError, ShapeError, UsageError
from rulewright.ir.dtypes import dtypes
from rulewright.ir.ops import Ops
from rulewright.ir.rulesets import ruleset
from rulewright.ir.shapes import pairs
from rulewright.ir.uop import UOp
from rulewright.ir.watch import checks
from rulewright.options import options
from rulewright.tensor import history
from rulewright.tensor.assign import assign, rebind, unmoved, view_chain
from rulewright.tensor.core import Core
from rulewright.tensor.function_nodes import Derivative, called, closed, derivatives
from rulewright.tensor.history import LEAF, as_before, ends
from rulewright.tensor.kinds import accumulator
from rulewright.tensor.members import Members
from rulewright.tensor.modes import (
    GradMode,
    Training,
    enable_grad,
    inference_mode,
    is_grad_enabled,
    no_grad,
)
from rulewright.tensor.registry import leaves, lock
from rulewright.tensor.shapes import node_broadcast_to, node_joined, reaching, show
from rulewright.tensor.views import memory_of, rebased

if TYPE_CHECKING:
    from typing_extensions import Self

    from rulewright.tensor.tensor import Tensor


def unreshape(y: UOp, g: UOp) -> UOp:
    """The gradient in the shape of the source."""
    return g.reshape(y.src[0].shape or ())


def unpermute(y: UOp, g: UOp) -> UOp:
    """The gradient with axes back in their places."""
    return g.permute(tuple(y.arg.index(i) for i in range(len(y.arg))))


def unpad(y: UOp, g: UOp) -> UOp:
    """The part of the gradient that is not padding."""
    shape = y.src[0].shape or ()
    pads = pairs(y.arg, y.src[1:])
    return g.shrink(tuple((lo, lo + size) for size, (lo, _) in zip(shape, pads, strict=True)))


def unshrink(y: UOp, g: UOp) -> UOp:
    """The gradient with zeros where the source was cut off."""
    shape = y.src[0].shape or ()
    bounds = pairs(y.arg, y.src[1:])
    return g.pad(tuple((lo, size - hi) for size, (lo, hi) in zip(shape, bounds, strict=True)))


def unexpand(y: UOp, g: UOp) -> UOp:
    """The gradient summed over the axes that were repeated; narrow floats in float32."""
    old, new = y.src[0].shape or (), y.shape or ()
    axes = tuple(i for i, (a, b) in enumerate(zip(old, new, strict=True)) if a == 1 and b != 1)
    if not axes:
        return g
    kind = accumulator(g.dtype)
    return UOp(Ops.REDUCE_AXIS, kind, (g.cast(kind),), (Ops.ADD, axes)).cast(g.dtype)


def expand_like(x: UOp, value: UOp) -> UOp:
    """A reduced value repeated to the shape of x, what was reduced."""
    return value.expand(x.shape or ())


def outside_view(memory: UOp, view: UOp, g: UOp) -> UOp:
    """The gradient of a memory with zeros where a view of it shows."""
    inside = node_broadcast_to(UOp.const(dtypes.bool, True), view.shape or ())
    for node in view_chain(view, memory):
        inside = unmoved(node, inside)
    return inside.where(UOp.const(g.dtype, 0), g)


def inside_view(memory: UOp, view: UOp, g: UOp) -> UOp:
    """What a view of a memory shows of the memory's gradient."""
    return rebased(view, memory, g)


FEWEST = 8
"""Parts that are worth it: each element of a sum of few is added up as quickly as it is chosen."""


def added(parts: list[UOp]) -> UOp:
    """The sum of one node or more, in order; what parts of an axis add, as a loop over x[0], x[1]
    and so on leaves it, is one node along the axis. The list keeps the sum alone."""
    if len(parts) >= FEWEST:
        parts[:] = _put_together(parts)
    parts[:] = [reduce(UOp.__add__, parts)]
    return parts[0]


def _put_together(parts: Sequence[UOp]) -> list[UOp]:
    """The parts with one in the place of those that do not overlap along an axis."""
    joined: list[UOp] = []
    groups: dict[int, list[UOp]] = {}
    for part in parts:
        axis = _padded_axis(part)
        (joined if axis is None else groups.setdefault(axis, [])).append(part)
    for axis, group in groups.items():
        for row in _rows(group, axis):
            joined += [_along(row, axis)] if len(row) >= FEWEST else row
    return joined


def _padded_axis(part: UOp) -> int | None:
    """The one axis that a PAD by numbers makes longer; None for other nodes."""
    if part.op is not Ops.PAD:
        return None
    axes = [axis for axis, pads in enumerate(part.arg) if pads != (0, 0)]
    shape = part.src[0].shape or ()
    numbers = [*shape, *(end for pads in part.arg for end in pads)]
    known = all(isinstance(number, int) for number in numbers)
    return axes[0] if len(axes) == 1 and known else None


def _rows(parts: Sequence[UOp], axis: int) -> list[list[UOp]]:
    """PADs in as few rows as there can be, in each row one behind the other."""
    rows: list[list[UOp]] = []
    ends: list[int] = []
    for part in sorted(parts, key=lambda p: int(p.arg[axis][0])):
        first = part.arg[axis][0]
        row = next((row for row, end in enumerate(ends) if end <= first), len(rows))
        if row == len(rows):
            rows.append([])
            ends.append(0)
        rows[row].append(part)
        ends[row] = first + part.src[0].max_shape[axis]
    return rows


def _along(row: Sequence[UOp], axis: int) -> UOp:
    """What PADs of a row pad, one behind the other, with zeros between."""
    shape, nodes, end = row[0].max_shape, [], 0
    for part in row:
        nodes += _zeros(part, axis, part.arg[axis][0] - end)
        nodes.append(part.src[0])
        end = part.arg[axis][0] + part.src[0].max_shape[axis]
    return node_joined([*nodes, *_zeros(row[0], axis, shape[axis] - end)], axis)


def _zeros(like: UOp, axis: int, size: int) -> list[UOp]:
    """So many zeros along the axis of a node, if any."""
    shape = like.max_shape
    zero = UOp.const(like.dtype, 0)
    return [node_broadcast_to(zero, (*shape[:axis], size, *shape[axis + 1 :]))] if size else []


_CUTS = frozenset({Ops.DETACH, Ops.CONST, Ops.BUFFER, Ops.FUNCTION})


def gradients(
    root: UOp, seed: UOp, targets: Sequence[UOp], ends: Container[UOp] = ()
) -> dict[UOp, UOp]:
    """Gradients of `root` (weighted by `seed`, of its shape) by each target that it depends on.

    No gradient is followed beyond the nodes in `ends`.

    Raises UsageError, naming the op, where there is no gradient rule on the way.
    """
    return gradients_of({root: seed}, targets, ends)


@without_gc()
def gradients_of(
    seeds: Mapping[UOp, UOp], targets: Sequence[UOp], ends: Container[UOp] = ()
) -> dict[UOp, UOp]:
    """The same of several roots: the sum of their gradients. `seeds` gives each root's weight."""
    wanted = set(targets)

    def enter(node: UOp) -> bool:
        return node.op not in _CUTS and node not in ends

    needed = reaching(seeds, wanted, enter)
    parts_of = {node: [seed] for node, seed in seeds.items()}
    results: dict[UOp, dict[int, UOp]] = {}  # of calls: gradients by the number of the result
    for node in reversed(UOp.sink(*seeds).toposort(enter)):
        if node not in needed or node in ends or not any(s in needed for s in node.src):
            continue
        parts: list[tuple[UOp, UOp]] = []
        if node in results:
            parts = call_gradients(node, results[node], needed)
        elif node in parts_of and node.op is Ops.RESULT:
            results.setdefault(node.src[0], {})[node.arg[0]] = added(parts_of[node])
        elif node in parts_of:
            parts = _sources(node, added(parts_of[node]))
        for source, part in parts:
            if source in needed:
                parts_of.setdefault(source, []).append(part)
    return {target: added(parts_of[target]) for target in targets if target in parts_of}


def _sources(node: UOp, upstream: UOp) -> list[tuple[UOp, UOp]]:
    """Each source of a node with its gradient, where it has one."""
    rules = ruleset("gradient").match().get(Ops.GRAD)
    question = UOp(Ops.GRAD, dtypes.void, (node, upstream))
    answer = rules(question, None) if rules is not None else None
    if answer is None and node.op is Ops.AFTER and node.src[1].op is Ops.CALL:
        raise UsageError(
            f"no gradient rule for the kernel {node.src[1].src[0].arg[0]}, which is written in "
            "UOps: pass grad_fxn to custom_kernel, or use .detach() where no gradient is wanted"
        )
    if answer is None:
        raise UsageError(
            f"no gradient rule for {node.op.name} with {node.dtype.name} result: "
            "add one to spec/55-gradient/ or by load_rules(at='gradient'), "
            "or use .detach() where no gradient is wanted"
        )
    if options().VERIFY > 1:
        checks().check_gradient(question, answer)
    pairs = zip(node.src, answer.src, strict=False)  # symbolic sizes at the end have none
    return [(source, part) for source, part in pairs if part.op is not Ops.NOGRAD]


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
    derivative = derivatives.get(function)
    if derivative is not None:
        return _from_user(derivative, call, upstream)
    items = tuple(sorted(upstream))
    wanted = tuple(slot for slot, a in enumerate(arguments) if a in needed and a.dtype.is_float)
    known = _traced.setdefault(function, {})
    if (items, wanted) not in known:
        known[items, wanted] = _trace(function, items, wanted, len(arguments))
    traced = known[items, wanted]
    if traced.function is None:
        return []
    everything = [*arguments, *(upstream[item] for item in items)]
    computed = called(traced.function, [everything[at] for at in traced.takes])
    return [(arguments[slot], part) for slot, part in zip(traced.gives, computed, strict=True)]


def _trace(function: UOp, items: tuple[int, ...], wanted: tuple[int, ...], count: int) -> _Traced:
    """The function of arguments and upstream gradients that computes gradients of `wanted`."""
    from rulewright.tensor.adjoint import gradients_of

    order = function.toposort(lambda n: n.op is not Ops.FUNCTION or n is function)
    params = {n.arg[0]: n for n in order if n.op is Ops.PARAM}
    device = next((p.arg[2] for p in params.values()), None)
    seeds: dict[UOp, UOp] = {}
    for at, item in enumerate(items):
        result = function.src[item]
        seed = UOp(Ops.PARAM, result.dtype, (), (count + at, result.shape, device))
        seeds[result] = seeds[result] + seed if result in seeds else seed
    gradients = gradients_of(seeds, [params[slot] for slot in wanted if slot in params])
    gives = tuple(slot for slot in wanted if slot in params and params[slot] in gradients)
    name = f"{function.arg[0]}_backward"
    trace = closed([gradients[params[slot]] for slot in gives], name, function.arg[1])
    if not gives or trace is None:
        return _Traced(None, (), ())
    return _Traced(trace.function, tuple(p.arg[0] for p in trace.inputs), gives)


def _from_user(
    derivative: Derivative, call: UOp, upstream: Mapping[int, UOp]
) -> list[tuple[UOp, UOp]]:
    """What the user's function answers, checked."""
    from rulewright.tensor.tensor import Tensor

    function, arguments = call.src[0], call.src[1:]
    device = next((a.device for a in arguments if a.device is not None), None)

    def tensor(node: UOp) -> Tensor:
        return Tensor._make(node, device)

    results = called(function, arguments)[: derivative.results]
    if any(item >= len(results) for item in upstream):
        raise FunctionError(
            f"the gradient that was given for {function.arg[0]} is one of what it returns, not of "
            "what it writes: return that too, or detach() it"
        )
    weights = [
        tensor(upstream.get(i, node_broadcast_to(UOp.const(r.dtype, 0), r.shape or ())))
        for i, r in enumerate(results)
    ]
    sources = tuple(tensor(arguments[a]) if a is not None else None for a in derivative.arguments)
    answer = derivative.function(*weights, KernelCall(sources, tuple(map(tensor, results))))
    parts = _as_list(answer, len(derivative.arguments), function.arg[0])
    checked = []
    for place, (slot, part) in enumerate(zip(derivative.arguments, parts, strict=True)):
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
            checked.append((source, part.cast(source.dtype).uop))
    return checked


def _as_list(answer: Any, count: int, name: str) -> Sequence[Any]:
    parts = list(answer) if isinstance(answer, list | tuple) else [answer]
    if len(parts) != count:
        raise FunctionError(
            f"the gradient that was given for {name} answers {len(parts)} gradients, expected "
            f"{count}: one for each tensor that was passed, None where there is none"
        )
    return parts


_NO_IDENTITY = frozenset({Ops.CONST, Ops.IOTA})


class Autograd(Members):
    """backward and gradient, and the blocks of code in which there are none."""

    __slots__ = ()
    no_grad = staticmethod(no_grad)
    enable_grad = staticmethod(enable_grad)
    inference_mode = staticmethod(inference_mode)
    is_grad_enabled = staticmethod(is_grad_enabled)

    @classmethod
    def train(cls, mode: bool = True) -> Training:
        """A block, or a decorated function, in which `Tensor.training` is `mode`.

        >>> from rulewright import Tensor
        >>> with Tensor.train():
        ...     Tensor.training
        True
        >>> Tensor.training
        False
        """
        return Training(cls, mode)

    def gradient(
        self, *targets: Self, gradient: Any = None, materialize_grads: bool = False
    ) -> list[Self]:
        """Gradients of this by each target, in order; they have gradients themselves.

        gradient: what this is weighted by, of this shape; may be left out for one element.
        Raises UsageError for a target that this does not depend on, unless `materialize_grads`
        asks for zeros there, and where the old contents of memory are needed that was assigned to.

        >>> from rulewright import Tensor
        >>> x = Tensor([2.0, 3.0], requires_grad=True)
        >>> (first,) = (x ** 3).sum().gradient(x)
        >>> (second,) = first.sum().gradient(x)
        >>> first.tolist(), second.tolist()
        ([12.0, 27.0], [12.0, 18.0])
        """
        for target in targets:
            _check_target(target)
        seed = self._seed(gradient)
        with lock:
            nodes = _gradients(self.uop, seed, [_versions(t) for t in targets])
        results = []
        for place, (target, node) in enumerate(zip(targets, nodes, strict=True)):
            if node is None and not materialize_grads:
                raise UsageError(
                    f"gradient: the value does not depend on target {place} of shape "
                    f"{show(target.shape)}; materialize_grads=True gives zeros. What was realized "
                    "in between knows what it was made of only if the target requires_grad"
                )
            if node is None:
                node = node_broadcast_to(UOp.const(target.dtype, 0), target.shape)
            results.append(self._make(node, target._device))
        return results

    def backward(
        self, gradient: Any = None, retain_graph: bool | None = None, create_graph: bool = False
    ) -> Self:
        """Add to `.grad` of every leaf (`requires_grad`) that this depends on; returns this.

        A `.grad` that is there is added to in place: it stays the same tensor.
        gradient: what this is weighted by, of this shape; may be left out for one element.
        create_graph: whether the gradients have gradients themselves; as in PyTorch they do not.
        retain_graph: has no effect: graphs live as long as the tensors made of them.

        Raises UsageError if there is no such leaf, for several elements without `gradient`, and
        where the old contents of memory are needed that was assigned to.

        >>> from rulewright import Tensor
        >>> x = Tensor([2.0, 3.0], requires_grad=True)
        >>> _ = (x * x).backward(gradient=Tensor([1.0, 10.0]))
        >>> x.grad.tolist()
        [4.0, 60.0]
        """
        with lock:
            live = [t for t in leaves() if isinstance(t, Autograd)]
            nodes = _gradients(self.uop, self._seed(gradient), [_versions(t) for t in live])
            if all(node is None for node in nodes):
                raise UsageError(
                    "backward: the value depends on no tensor with requires_grad=True; "
                    "set it before the value is computed; nothing flows through rounding, "
                    "comparisons and integers"
                )
            with GradMode(create_graph):
                for leaf, node in zip(live, nodes, strict=True):
                    if node is not None:
                        _accumulate(leaf, self._make(node, leaf._device), create_graph)
        return self

    def _seed(self, gradient: Any) -> UOp:
        if not self.dtype.is_float:
            raise DTypeError(f"only floats have gradients, this tensor holds {self.dtype.name}")
        if gradient is None:
            if self.numel() != 1:
                raise ShapeError(
                    f"a gradient of several elements, shape {show(self.shape)}, needs weights: "
                    "reduce with sum() or mean(), or pass gradient="
                )
            return node_broadcast_to(UOp.const(self.dtype, 1), self.shape)
        weights = self._wrap(gradient, "gradient")
        if weights.shape != self.shape:
            raise ShapeError(
                f"gradient: expected weights of shape {show(self.shape)}, "
                f"found {show(weights.shape)}"
            )
        return weights.cast(self.dtype).uop


def _accumulate(leaf: Core, new: Core, create_graph: bool) -> None:
    """Add to `.grad` in place: the tensor stays, and its views see it; as in PyTorch not if the
    sum has a gradient itself, nor if `.grad` is expanded, nor in a capture, whose replays give
    leaves another `.grad`."""
    grad: Any = leaf.grad
    fixed = grad is not None and grad._alias is not None and not _is_writable(grad)
    if grad is None or create_graph or fixed or recorder() is not None:
        leaf._grad = new if grad is None else grad + new
        return
    total = (grad + new).uop
    if grad._alias is None:  # nothing else sees its memory: sums stay lazy, and are fused
        rebind(grad, total)
    else:
        assign(grad, total, leaf._device)


def _is_writable(grad: Core) -> bool:
    """Whether each element has a place of its own, which expanded ones have not."""
    assert grad._alias is not None
    node = grad.uop
    while node is not grad._alias.base and node.op is not Ops.EXPAND:
        node = node.src[0]
    return node is grad._alias.base


def _check_target(target: Any) -> None:
    if not isinstance(target, Autograd):
        raise ArgumentError(f"gradient: expected tensors as targets, found {target!r}")
    if not target.dtype.is_float:
        raise DTypeError(f"gradient: only floats have gradients, found {target.dtype.name}")
    if target.uop.base.op in _NO_IDENTITY or _is_expanded_constant(target.uop):
        raise UsageError(
            "gradient: the target is a constant, which cannot be told from other equal ones; "
            "create it with requires_grad=True"
        )


def _is_expanded_constant(node: UOp) -> bool:
    return all(n.op in _NO_IDENTITY for n in node.toposort() if not n.src)


def _versions(tensor: Core) -> list[UOp]:
    """A tensor's node, and if gradients end there what stands for its older contents."""
    memory = memory_of(tensor.uop)
    if tensor._requires_grad != LEAF or memory is None:
        return [tensor.uop]
    return [tensor.uop, *as_before(tensor.uop, history.earlier(memory))]


def _gradients(root: UOp, seed: UOp, targets: list[list[UOp]]) -> list[UOp | None]:
    """The gradient by each target, the sum of those by its nodes, through realised values too."""
    flat = [node for nodes in targets for node in nodes]
    stops = ends()
    history.note_followed(root, stops)
    (whole, *rest), back = history.unfold(root, *flat, *stops)
    inner, last = rest[: len(flat)], set(rest[len(flat) :])
    last.update(n for n, old in zip(inner, _is_leaf_of(targets), strict=True) if old)
    computed = gradients(whole, seed, inner, last)
    if not computed:
        return [None] * len(targets)
    sink = UOp.sink(*computed.values()).substitute(back)
    history.check_there(sink)
    by_node = dict(zip(computed, sink.src, strict=True))
    names = iter(inner)
    sums = []
    for nodes in targets:
        parts = [by_node.get(next(names)) for _ in nodes]
        there = [part for part in parts if part is not None]
        sums.append(reduce(lambda a, b: a + b, there) if there else None)
    return sums


def _is_leaf_of(targets: list[list[UOp]]) -> list[bool]:
    """For each node of each target whether it stands for older contents of a leaf."""
    return [place > 0 for nodes in targets for place in range(len(nodes))]
