"""`backward()` and `gradient()`, and the blocks of code in which there are none."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce
from typing import Any, TypeVar, overload

from rulewright.driver.capture import recorder
from rulewright.errors import ArgumentError, DTypeError, ShapeError, UsageError
from rulewright.ir.expected import refuse
from rulewright.ir.ops import Ops
from rulewright.ir.placement import placed_like
from rulewright.ir.uop import UOp
from rulewright.tensor import history, repeated
from rulewright.tensor.adjoint import gradients
from rulewright.tensor.assign import assign, rebind
from rulewright.tensor.core import Core, one_device
from rulewright.tensor.derived_again import asked
from rulewright.tensor.history import LEAF, as_before, ends
from rulewright.tensor.members import Members, Self
from rulewright.tensor.modes import GradMode, Training, is_grad_enabled
from rulewright.tensor.registry import leaves, lock, numbers_of
from rulewright.tensor.shapes import node_broadcast_to, show
from rulewright.tensor.views import memory_of

_Function = TypeVar("_Function", bound=Callable[..., Any])

_NO_IDENTITY = frozenset({Ops.CONST, Ops.IOTA})


class Autograd(Members):
    """backward and gradient, and the blocks of code in which there are none."""

    __slots__ = ()
    is_grad_enabled = staticmethod(is_grad_enabled)

    @overload
    @staticmethod
    def no_grad() -> GradMode: ...

    @overload
    @staticmethod
    def no_grad(function: _Function) -> _Function: ...

    @staticmethod
    def no_grad(function: Any = None) -> Any:
        """A block in which computed values depend on no leaf: `with no_grad():` or `@no_grad()`.

        What is computed inside is as if detached, also after the block, and what is written changes
        values alone: gradients through a tensor that was written go on as before. It holds for this
        thread and task only. As in PyTorch; `@no_grad` without parentheses decorates too.

        >>> from rulewright import Tensor
        >>> x = Tensor([2.0], requires_grad=True)
        >>> with Tensor.no_grad():
        ...     y = x * 3
        >>> _ = (y * x).sum().backward()
        >>> x.grad.item()
        6.0
        """
        if function is not None and not callable(function):
            refuse("no_grad", "a function or nothing", function)
        mode = GradMode(False)
        return mode if function is None else mode(function)

    @staticmethod
    def enable_grad() -> GradMode:
        """A block, inside of one of `no_grad()`, whose values get gradients again. As in PyTorch.

        >>> from rulewright import Tensor
        >>> with Tensor.no_grad(), Tensor.enable_grad():
        ...     Tensor.is_grad_enabled()
        True
        """
        return GradMode(True)

    @staticmethod
    def inference_mode(mode: bool = True) -> GradMode:
        """PyTorch's other word for `no_grad()`; with `mode=False` a block that changes nothing.

        >>> from rulewright import Tensor
        >>> with Tensor.inference_mode():
        ...     Tensor.is_grad_enabled()
        False
        """
        if not isinstance(mode, bool):
            refuse("inference_mode", "True or False", mode)
        return GradMode(not mode and is_grad_enabled())

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
        seed, device = self._seed(gradient)
        with lock:
            nodes = _gradients(self.uop, seed, [_versions(t) for t in targets])
            _check_not_hidden(self, targets)
        results = []
        for place, (target, node) in enumerate(zip(targets, nodes, strict=True)):
            if node is None and not materialize_grads:
                raise UsageError(
                    f"gradient: the value does not depend on target {place} of shape "
                    f"{show(target.shape)}; materialize_grads=True gives zeros. What was realized "
                    "in between knows what it was made of only if the target requires_grad"
                )
            if node is None:
                zeros = node_broadcast_to(UOp.const(target.dtype, 0), target.shape)
                node = placed_like(zeros, target.uop)
            results.append(self._make(node, target._device or device))
        if len(results) > 1 and all(target._requires_grad for target in targets):
            # what they are made of is kept
            own = [self] if gradient is None else []
            repeated.note_gradients(numbers_of(results), numbers_of(own))
        return results

    def backward(
        self, gradient: Any = None, retain_graph: bool | None = None, create_graph: bool = False,
        inputs: Any = None,
    ) -> Self:  # fmt: skip
        """Add to `.grad` of every leaf (`requires_grad`) that this depends on; returns this.

        A `.grad` that is there is added to in place: it stays the same tensor.
        gradient: what this is weighted by, of this shape; may be left out for one element.
        create_graph: whether the gradients have gradients themselves; as in PyTorch they do not.
        retain_graph: has no effect: graphs live as long as the tensors made of them.
        inputs: the leaf, or several, whose `.grad` is added to, and no other's.

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
            if inputs is not None:
                live = _chosen(self, inputs, live)
            seed, device = self._seed(gradient)
            nodes = _gradients(self.uop, seed, [_versions(t) for t in live])
            if all(node is None for node in nodes):
                raise UsageError(
                    "backward: the value depends on no tensor with requires_grad=True; "
                    "set it before the value is computed; nothing flows through rounding, "
                    "comparisons and integers"
                )
            with GradMode(create_graph):
                for leaf, node in zip(live, nodes, strict=True):
                    if node is not None:
                        grad = self._make(node, leaf._device or device)
                        _accumulate(leaf, grad, create_graph)
            if not create_graph:
                new = [leaf._grad for leaf, n in zip(live, nodes, strict=True) if n is not None]
                numbers = numbers_of([grad for grad in new if grad is not None])
                own = [self] if gradient is None else []
                repeated.note_gradients(numbers, numbers_of(own))
        return self

    def _seed(self, gradient: Any) -> tuple[UOp, str | None]:
        """What this is weighted by, and where the gradients of constants are."""
        if not self.dtype.is_float:
            raise DTypeError(f"only floats have gradients, this tensor holds {self.dtype.name}")
        if gradient is None:
            if self.numel() != 1:
                raise ShapeError(
                    f"a gradient of several elements, shape {show(self.shape)}, needs weights: "
                    "reduce with sum() or mean(), or pass gradient="
                )
            return node_broadcast_to(UOp.const(self.dtype, 1), self.shape), self._device
        weights = self._wrap(gradient, "gradient")
        if weights.shape != self.shape:
            raise ShapeError(
                f"gradient: expected weights of shape {show(self.shape)}, "
                f"found {show(weights.shape)}"
            )
        return weights.cast(self.dtype).uop, one_device([self, weights], "gradient")


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


def _chosen(loss: Autograd, inputs: Any, live: list[Autograd]) -> list[Autograd]:
    """The leaves that are asked for. Raises UsageError for what is none."""
    asked = list(inputs) if isinstance(inputs, list | tuple) else [inputs]
    asked = [loss._wrap(tensor, "backward inputs") for tensor in asked]
    for place, tensor in enumerate(asked):
        if not any(tensor is leaf for leaf in live):
            raise UsageError(
                f"backward: inputs are tensors with requires_grad=True, found {tensor!r} as "
                f"number {place}; gradient() takes others"
            )
    return [leaf for leaf in live if any(leaf is tensor for tensor in asked)]


def _check_target(target: Any) -> None:
    if not isinstance(target, Autograd):
        raise ArgumentError(f"gradient: expected tensors as targets, found {target!r}")
    if not target.dtype.is_float:
        raise DTypeError(f"gradient: only floats have gradients, found {target.dtype.name}")
    leaves_of = [node.op for node in target.uop.toposort() if not node.src]
    if target.uop.base.op in _NO_IDENTITY or _NO_IDENTITY.issuperset(leaves_of):
        raise UsageError(
            "gradient: the target is a constant, which cannot be told from other equal ones; "
            "create it with requires_grad=True"
        )


def _check_not_hidden(value: Core, targets: Sequence[Core]) -> None:
    """Raise UsageError if values that were computed several times, and got memory thereby, were
    made of a target that has no gradient through memory."""
    if not repeated.any_parts():
        return
    plain = [(n, t) for n, t in enumerate(targets) if not t._requires_grad]
    nodes = history.followed_from([value.uop]) if plain else ()
    for place, target in plain:
        if repeated.hides(nodes, target.uop):
            raise UsageError(
                f"gradient: the value depends on target {place} of shape {show(target.shape)} by "
                "way of a tensor that got memory, since it was computed several times, too; call "
                "requires_grad_() on the target before anything is computed of it"
            )


def _versions(tensor: Core) -> list[UOp]:
    """A tensor's node, and if gradients end there what stands for its older contents."""
    memory = memory_of(tensor.uop)
    if tensor._requires_grad != LEAF or memory is None:
        return [tensor.uop]
    return [tensor.uop, *as_before(tensor.uop, history.earlier(memory))]


def _gradients(root: UOp, seed: UOp, targets: list[list[UOp]]) -> list[UOp | None]:
    """The gradient by each target, the sum of those by its nodes, through realised values too."""
    stops = ends()
    history.note_followed(root, stops)
    question = asked(root, seed, targets, stops)
    sums = question.known() if question else None
    if sums is None:
        sums = _derived(root, seed, targets, stops)
        if question:
            question.remember(sums)
    return sums


def _derived(root: UOp, seed: UOp, targets: list[list[UOp]], stops: set[UOp]) -> list[UOp | None]:
    """The same, by the rules."""
    flat = [node for nodes in targets for node in nodes]
    (whole, *rest), back = history.unfold(root, *flat, *stops)
    inner, last = rest[: len(flat)], set(rest[len(flat) :])
    is_old = [place > 0 for nodes in targets for place in range(len(nodes))]  # contents of a leaf
    last.update(node for node, old in zip(inner, is_old, strict=True) if old)
    computed = gradients({whole: seed}, inner, last)
    if not computed:
        return [None] * len(targets)
    sink = UOp.sink(*computed.values()).substitute(back)
    history.check_there(sink)
    by_node = dict(zip(computed, sink.src, strict=True))
    names = iter(inner)
    sums: list[UOp | None] = []
    for nodes in targets:
        parts = [by_node.get(next(names)) for _ in nodes]
        there = [placed_like(part, nodes[0]) for part in parts if part is not None]
        sums.append(reduce(lambda a, b: a + b, there) if there else None)
    return sums
