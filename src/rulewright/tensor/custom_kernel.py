"""Kernels that users write in UOps, as tensor methods."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

from rulewright.errors import FunctionError
from rulewright.ir.uop import UOp
from rulewright.schedule.callees import written_slots
from rulewright.tensor.core import Core, one_device
from rulewright.tensor.members import Members
from rulewright.tensor.shapes import show

if TYPE_CHECKING:
    from typing_extensions import Self


class KernelInfo(NamedTuple):
    """What may stand as `info` of a kernel's SINK.

    name: of the kernel, as reports and generated code show it; that of the Python function and the
    sizes of the loops where it is left out.
    choices: how its loops run, as `rulewright compile --stage axes` prints it, such as
    "r2, r3 = split(r0, 16); simd(r3)"; the heuristics choose where it is left out.

    >>> from rulewright import KernelInfo
    >>> KernelInfo("triple", "simd(r0)").name
    'triple'
    """

    name: str | None = None
    choices: str = ""


class Custom(Members):
    """custom_kernel."""

    __slots__ = ()

    def custom_kernel(
        self,
        *others: Self,
        fxn: Callable[..., UOp],
        grad_fxn: Callable[..., Any] | None = None,
    ) -> list[Self]:
        """Run a kernel written in UOps over this tensor and others.

        fxn: gets one placeholder for each tensor, in its shape and dtype, and answers the kernel:
        a SINK of stores in loops. Its ranges are `UOp.range(size, id, kind)`, kind being "loop",
        "reduce", or a choice of how the loop runs, such as "global", "local", "upcast"; elements
        are `placeholder.index(i, j)`, indices being UOps. `store(value)` writes one, `end(...)`
        closes loops, `reduce(op, ...)` combines over loops; `UOp.local`, `UOp.register` and
        `UOp.barrier` are for kernels that say all themselves.
        grad_fxn: the derivative: a function of a gradient for each tensor written and a
        `KernelCall` of the tensors passed and of those that came out. It answers a gradient, or
        None, for each tensor passed.

        Gives a tensor for each one passed: where the kernel writes, a new one, elsewhere the same.
        The tensors passed keep their values; what a kernel does not write of a tensor, the new one
        has from the old one. `Tensor.empty` is for outputs.

        Raises FunctionError for what is no kernel, with the node that is wrong, and DeviceError
        for tensors on several devices.

        >>> from rulewright import Tensor, UOp
        >>> def triple(out, x):
        ...     i = UOp.range(x.shape[0], 0)
        ...     return out.index(i).store(x.index(i) * 3).end(i).sink()
        >>> x = Tensor([1, 2])
        >>> Tensor.empty(2, dtype=x.dtype).custom_kernel(x, fxn=triple)[0].tolist()
        [3, 6]
        """
        from rulewright.tensor.custom_build import kernel_of, kernel_results

        tensors = (self, *others)
        _check_tensors(tensors)
        device = one_device(tensors, "custom_kernel") or self.device
        kernel = kernel_of(fxn, [(t.dtype, t.shape) for t in tensors])
        written = written_slots(kernel)
        made = kernel_results(kernel, [t.uop for t in tensors], device, grad_fxn)
        new = dict(zip(written, made, strict=True))
        return [
            self._make(new[slot], device) if slot in new else tensor
            for slot, tensor in enumerate(tensors)
        ]


def _check_tensors(tensors: tuple[Any, ...]) -> None:
    """Raise FunctionError for what is no tensor, or has a symbolic size."""
    for place, tensor in enumerate(tensors):
        if not isinstance(tensor, Core) or any(not isinstance(s, int) for s in tensor.shape):
            what = f"shape {show(tensor.shape)}" if isinstance(tensor, Core) else repr(tensor)
            raise FunctionError(
                f"custom_kernel: expected a tensor of known sizes as number {place}, found {what}"
            )
