"""Gradients of tensors: `backward()` fills `.grad` of leaves, `gradient()` returns them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rulewright.errors import DTypeError, ShapeError, UsageError
from rulewright.ir.ops import Ops
from rulewright.ir.uop import UOp
from rulewright.tensor import history
from rulewright.tensor.execution import Execution
from rulewright.tensor.gradient import gradients
from rulewright.tensor.nodes import node_broadcast_to
from rulewright.tensor.registry import live_tensors, lock
from rulewright.tensor.shapes import show

if TYPE_CHECKING:
    from typing_extensions import Self

_NO_IDENTITY = frozenset({Ops.CONST, Ops.IOTA})


class Autograd(Execution):
    """backward and gradient."""

    __slots__ = ()

    def gradient(
        self, *targets: Self, gradient: Any = None, materialize_grads: bool = False
    ) -> list[Self]:
        """Gradients of this by each target, in order.

        gradient: what this is weighted by, of this shape; may be left out for one element.
        Raises UsageError for a target that this does not depend on, unless `materialize_grads`
        asks for zeros there.
        """
        for target in targets:
            _check_target(target)
        seed = self._seed(gradient)
        found = _gradients(self.uop, seed, [t.uop for t in targets])
        results = []
        for place, target in enumerate(targets):
            node = found.get(target.uop)
            if node is None and not materialize_grads:
                raise UsageError(
                    f"gradient: the value does not depend on target {place} of shape "
                    f"{show(target.shape)}; materialize_grads=True gives zeros"
                )
            if node is None:
                node = node_broadcast_to(UOp.const(target.dtype, 0), target.shape)
            results.append(self._make(node, target._device))
        return results

    def backward(self, gradient: Any = None) -> Self:
        """Add to `.grad` of every leaf (`requires_grad`) that this depends on; returns this.

        Raises UsageError if there is no such leaf, or for several elements without `gradient`.
        """
        leaves = [t for t in live_tensors() if t._requires_grad and isinstance(t, Autograd)]
        found = _gradients(self.uop, self._seed(gradient), [t.uop for t in leaves])
        if not found:
            raise UsageError(
                "backward: the value depends on no tensor with requires_grad=True; "
                "set it before the value is computed"
            )
        for leaf in leaves:
            node = found.get(leaf.uop)
            if node is not None:
                new = self._make(node, leaf._device)
                leaf.grad = new if leaf.grad is None else leaf.grad + new
        return self

    def _seed(self, gradient: Any) -> UOp:
        if not self.dtype.is_float:
            raise DTypeError(f"only floats have gradients, this tensor holds {self.dtype.name}")
        if gradient is None:
            if self.numel() != 1:
                raise UsageError(
                    f"a gradient of several elements, shape {show(self.shape)}, needs weights: "
                    "reduce with sum() or mean(), or pass gradient="
                )
            return node_broadcast_to(UOp.const(self.dtype, 1), self.shape)
        weights = self._wrap(gradient)
        if weights.shape != self.shape:
            raise ShapeError(
                f"gradient: expected weights of shape {show(self.shape)}, "
                f"found {show(weights.shape)}"
            )
        return weights.cast(self.dtype).uop


def _check_target(target: Any) -> None:
    if not isinstance(target, Autograd):
        raise UsageError(f"gradient: expected tensors as targets, found {target!r}")
    if not target.dtype.is_float:
        raise DTypeError(f"gradient: only floats have gradients, found {target.dtype.name}")
    if target.uop.base.op in _NO_IDENTITY or _is_expanded_constant(target.uop):
        raise UsageError(
            "gradient: the target is a constant, which cannot be told from other equal ones; "
            "create it with requires_grad=True"
        )


def _is_expanded_constant(node: UOp) -> bool:
    return all(n.op in _NO_IDENTITY for n in node.toposort() if not n.src)


def _gradients(root: UOp, seed: UOp, targets: list[UOp]) -> dict[UOp, UOp]:
    """Gradients by target, through realised values too."""
    with lock:
        (whole, *inner), back = history.unfold(root, *targets)
        found = gradients(whole, seed, inner)
        names = dict(zip(inner, targets, strict=True))
        if not found:
            return {}
        sink = UOp.sink(*found.values()).substitute(back)
        return {names[node]: grad for node, grad in zip(found, sink.src, strict=True)}
