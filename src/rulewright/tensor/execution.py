"""Values: realising tensors, reading them, moving them, writing into them, users' kernels."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

from rulewright.codegen.choices import choices_text
from rulewright.driver import graphs
from rulewright.errors import (
    ArgumentError,
    DeviceError,
    DTypeError,
    FunctionError,
    ShapeError,
    UsageError,
)
from rulewright.ir.dtypes import dtypes
from rulewright.ir.ops import Ops
from rulewright.ir.uop import UOp
from rulewright.runtime.device import DISK, Device, file_of
from rulewright.schedule.callees import written_slots
from rulewright.tensor import contents
from rulewright.tensor.alias import Alias
from rulewright.tensor.assign import assign, item_value, own_memory
from rulewright.tensor.core import Core, one_device
from rulewright.tensor.kinds import as_dtype, category
from rulewright.tensor.members import Members, Self
from rulewright.tensor.metadata import caller, metadata_of
from rulewright.tensor.picking import set_item
from rulewright.tensor.realize import kernelize, realize, schedule
from rulewright.tensor.registry import Move, lock, move
from rulewright.tensor.shapes import as_shape, show
from rulewright.tensor.views import memory_of, shown_by

if TYPE_CHECKING:
    import numpy as np

    from rulewright.codegen.choices import Choice
    from rulewright.driver.execute import ExecItem


class Execution(Members):
    """realize, numpy, item, to, assign, custom_kernel and their kin."""

    __slots__ = ()

    # ---- computing ------------------------------------------------------------------------

    def realize(self, *others: Self) -> Self:
        """Compute this and others now; returns this. A failure leaves all tensors as they were.

        >>> from rulewright import Tensor
        >>> (Tensor([1.0]) + 1).realize().state
        'realized'
        """
        realize([self, *others])
        return self

    def kernelize(self, *others: Self) -> Self:
        """Choose the kernels of this and others without running them; returns this.

        What is fused stays lazy. Later graphs load this tensor's memory.

        >>> from rulewright import Tensor
        >>> x = (Tensor([1.0]) + 1).kernelize()
        >>> x.state, (x * 3).item()
        ('kernelized', 6.0)
        """
        kernelize([self, *others])
        return self

    def schedule(self, *others: Self) -> list[ExecItem]:
        """The kernels that compute this and others, in order, to be run once by the caller.

        The tensors stay lazy until all have run, and are realized then. To ask is no promise to
        run them: what reads the tensors computes them by kernels of its own. A write that has
        happened since, when tensors were read or realized, happens again if these run then.

        Raises UsageError if they use symbolic variables: `schedule_with_vars` gives their values.

        >>> from rulewright import Tensor
        >>> x = Tensor([1.0, 2.0]) + 1
        >>> for kernel in x.schedule():
        ...     _ = kernel.run()
        >>> x.tolist()
        [2.0, 3.0]
        """
        items, values = self.schedule_with_vars(*others)
        if values:
            raise UsageError(
                f"schedule: the kernels use variables ({', '.join(values)}); "
                "call schedule_with_vars()"
            )
        return items

    def schedule_with_vars(self, *others: Self) -> tuple[list[ExecItem], dict[str, int]]:
        """The kernels that compute this and others, and the values of variables they run with.

        >>> from rulewright import Tensor
        >>> from rulewright import Variable
        >>> x = Tensor([1.0, 2.0, 3.0])[: Variable("n", 1, 3).bind(2)].sum()
        >>> kernels, values = x.schedule_with_vars()
        >>> len(kernels), values
        (1, {'n': 2})
        """
        plan = schedule([self, *others])
        return (plan.items, plan.variables) if plan is not None else ([], {})

    # ---- reading --------------------------------------------------------------------------

    def numpy(self, *, force: bool = False) -> np.ndarray[Any, Any]:
        """The value as a fresh numpy array. What is computed of a file is computed for that.

        force: as in PyTorch, which needs it for a tensor of another device or with a gradient; here
        both are copied anyway.

        >>> from rulewright import Tensor
        >>> Tensor([1, 2]).numpy()
        array([1, 2])
        """
        if self._device == DISK and shown_by(self.uop) is None:
            return self._read_from_file().numpy()
        with lock:  # another thread may write meanwhile
            if self._device or shown_by(self.uop) is not None:
                realize([self])
            if isinstance(self._device, tuple):
                return self._on_device(self._device[0]).numpy()
            node = self.uop
            shape = node.shape or ()
            if not all([isinstance(size, int) for size in shape]):
                shape = tuple(int(size) for size in _concrete(node).shape or ())
            node = node.past({Ops.RESHAPE})
            if node.op is not Ops.BUFFER:
                node = _concrete(node)
                array = contents.read_run(node)
                if array is not None:
                    return array.reshape(shape)
                node = _copy_out(node, node.device or self.device)
            return contents.read(node).reshape(shape)

    def item(self) -> Any:
        """The one element as a Python number. Raises ShapeError if there are more or none.

        >>> from rulewright import Tensor
        >>> Tensor([2.5]).item()
        2.5
        """
        if self.numel() != 1:
            raise ShapeError(f"item: expected one element, found shape {show(self.shape)}")
        return self.numpy().reshape(()).item()

    def tolist(self) -> Any:
        """The value as nested lists of Python numbers.

        >>> from rulewright import Tensor
        >>> Tensor.eye(2).tolist()
        [[1.0, 0.0], [0.0, 1.0]]
        """
        return self.numpy().tolist()

    def __bool__(self) -> bool:
        return bool(self._only("bool"))

    def __float__(self) -> float:
        return float(self._only("float"))

    def __int__(self) -> int:
        return int(self._only("int"))

    def __index__(self) -> int:
        if self.dtype.is_float:
            raise TypeError(f"an index must be an integer, found a {self.dtype.name} tensor")
        return int(self._only("int"))

    def __format__(self, spec: str) -> str:
        """By `spec` as the one element is; without one what `str` says, which runs nothing."""
        return format(self._only("format"), spec) if spec else str(self)

    def _only(self, kind: str) -> Any:
        if self.numel() != 1:
            raise ShapeError(
                f"{kind}() of a tensor needs one element, found shape {show(self.shape)}; "
                "use any(), all() or tolist()"
            )
        return self.item()

    # ---- memory ---------------------------------------------------------------------------

    def _on_device(self, device: str | None) -> Self:
        """This on another device; itself if it is there already."""
        if device is not None and (path := file_of(device)):
            return self._in_file(path)
        where = Device.canonical(device)
        if where == self.device:
            return self
        if self._device is None:
            return self._make(self.uop, where)
        if isinstance(where, tuple):
            return self.shard(where)
        return self._make(UOp(Ops.COPY, self.dtype, (self.uop,), where), where)

    def cpu(self) -> Self:
        """This on the device "C".

        >>> from rulewright import Tensor
        >>> Tensor([1], device="INTERP").cpu().device
        'C'
        """
        return self._on_device("C")

    def contiguous(self, *, arg: str | Iterable[Choice] | None = None) -> Self:
        """This in row-major memory of its own; itself if it is that already.

        Of a constant too: equal ones can then be told apart, written and differentiated by.

        arg: axis choices of the kernel that computes this, as text or as `Choice`s, in the place of
        the heuristic's; they are written as `rulewright.codegen.axes` says, and the choices of a
        kernel are what `schedule()[0].lower().choices` prints. Gradients have choices of their own.
        Raises UsageError for what is no choice, and for a tensor in memory, which no kernel
        computes; when it is realised, for choices that its kernel cannot have.

        >>> from rulewright import Tensor
        >>> Tensor([[1, 2], [3, 4]]).T.contiguous().tolist()
        [[1, 3], [2, 4]]
        >>> x = (Tensor.ones(64) + 1).contiguous(arg="r1, r2 = split(r0, 16); simd(r2)")
        >>> x.schedule()[0].lower().choices
        'r1, r2 = split(r0, 16); simd(r2)'
        """
        if arg is not None:
            return self._with_choices(choices_text(arg))
        if self.uop.op is Ops.CONTIGUOUS or memory_of(self.uop) is self.uop:
            return self
        if self.uop.base.op is Ops.CONST:
            return self._in_own_memory(self.uop, self.device)
        return self._new(self.uop.contiguous())

    def _with_choices(self, choices: str) -> Self:
        """This in memory of its own, by a kernel with these choices."""
        node = self.uop.src[0] if self.uop.op is Ops.CONTIGUOUS else self.uop
        if node.op is Ops.BUFFER:
            raise UsageError(
                "contiguous(arg=…): axis choices are for the kernel that computes a tensor; "
                "this one is in memory already"
            )
        marked = node.contiguous(choices or None)
        if node.base.op is Ops.CONST:
            return self._in_own_memory(marked, self.device)
        return self._new(marked)

    def contiguous_backward(self) -> Self:
        """This; tinygrad has its gradient in row-major memory, as every gradient here is.

        >>> from rulewright import Tensor
        >>> Tensor([1, 2]).contiguous_backward().tolist()
        [1, 2]
        """
        return self

    def clone(self, device: Any = None) -> Self:
        """A copy with memory of its own, to write into; on another device if one is named.

        >>> from rulewright import Tensor
        >>> x = Tensor([1, 2])
        >>> y = x.clone()
        >>> y[0] = 5
        >>> x.tolist(), y.tolist()
        ([1, 2], [5, 2])
        """
        moved = self if device is None else self._on_device(device)
        return self._in_own_memory(moved.uop, moved.device)

    def detach(self) -> Self:
        """A view through which no gradient flows. What is written into it changes values alone.

        >>> from rulewright import Tensor
        >>> x = Tensor([2.0], requires_grad=True)
        >>> _ = (x * x.detach()).sum().backward()
        >>> x.grad.item()
        2.0
        """
        if self._alias is None:
            self._alias = Alias(self.uop)
        return self._make(self.uop.detach(), self._device, self._alias)

    def assign(self, value: Any) -> Self:
        """Write a value, broadcast and cast, into this tensor's memory; views see it.

        Raises ShapeError if it does not fit, DeviceError if it is on another device.

        >>> from rulewright import Tensor
        >>> x = Tensor([1, 2, 3])
        >>> view = x[1:]
        >>> _ = view.assign(7)
        >>> x.tolist()
        [1, 7, 7]
        """
        with lock:
            node, device = item_value(self, value)
            if node is not self.uop:
                if self._device is None:  # a constant: it is where the value is, with all views
                    for tensor in [self] if self._alias is None else self._alias.views():
                        tensor._device = device
                assign(self, node, device)
        return self

    def __setitem__(self, key: Any, value: Any) -> None:
        """Write into the part that `key` names: any key that reading takes, views included.

        Where positions repeat, the last value counts. Positions in tensors that are out of range
        write nothing. A mask that stands alone stays lazy: values go to where it holds in order,
        and neither too many nor too few of them are an error.
        Raises ShapeError if the value does not broadcast to the part.
        """
        with lock:  # the views on the way stay views of what other threads make of the memory
            set_item(self, key, value)

    def replace(self, other: Self) -> Self:
        """Let this tensor stand for another value; memory stays untouched.

        >>> from rulewright import Tensor
        >>> x, y = Tensor([1, 2]), Tensor([3])
        >>> x.replace(y).tolist()
        [3]
        """
        contents.note_rebound(self)
        move([Move(self, other.uop, other._alias)])
        self._device = other._device
        return self

    def _update(self, function: Callable[..., Self], *args: Any, **named: Any) -> Self:
        """Write a function of this into this. No thread writes here between reading and writing.

        Raises DTypeError where that would cut floats to integers, or numbers to bool.
        """
        with lock:
            value = function(self, *args, **named)
            if category(value.dtype) > category(self.dtype):
                raise DTypeError(
                    f"a {self.dtype.name} tensor cannot hold the {value.dtype.name} result; "
                    "write x = x + y, which makes a new tensor, or cast the result"
                )
            return self.assign(value)

    # ---- kernels of users ------------------------------------------------------------------

    def custom_kernel(
        self, *others: Self, fxn: Callable[..., UOp], grad_fxn: Callable[..., Any] | None = None
    ) -> list[Self]:
        """Run a kernel written in UOps over this tensor and others.

        fxn: gets one placeholder for each tensor, in its shape and dtype, and answers the kernel:
        a SINK of stores in loops. Its ranges are `UOp.range(size, id, kind)`, kind being "loop",
        "reduce", or a choice of how the loop runs, such as "global", "local", "upcast"; elements
        are `placeholder.index(i, j)`, indices being UOps. `store(value)` writes one, `end(...)`
        closes loops, `reduce(Ops.ADD, ...)` combines over loops, with the Ops of
        `rulewright.ir.ops`, and so `x.alu(Ops.EXP)`; `UOp.local`, `UOp.register` and
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
        from rulewright.tensor.custom_kernel import kernel_of, kernel_results

        tensors = (self, *others)
        _check_tensors("custom_kernel", tensors)
        read = [t._read_from_file() if t._device == DISK else t for t in tensors]
        device = _own_device(read, "custom_kernel")
        kernel = kernel_of(fxn, [(t.dtype, t.shape) for t in tensors])
        written = written_slots(kernel)
        results = kernel_results(kernel, [t.uop for t in read], device, grad_fxn)
        new = dict(zip(written, results, strict=True))
        return [
            self._make(new[slot], device) if slot in new else tensor
            for slot, tensor in enumerate(tensors)
        ]

    @classmethod
    def custom_function(
        cls,
        fn: Callable[..., Any],
        *inputs: Self,
        shape: Any = None,
        dtype: Any = None,
        in_place: bool = False,
        grad_fxn: Callable[..., Any] | None = None,
    ) -> Self:
        """What a function of Python gives of the numpy arrays of tensors, as a tensor.

        fn: gets a read-only array for each tensor, in its shape and dtype, and answers an array of
        `shape` and `dtype`, which are those of the first tensor unless given. It is an item of the
        schedule, called when the value is computed: behind what it reads and before that is written
        again, in every replay of `jit`, and once for equal calls; VERIFY calls it more often. On
        devices with memory of their own it works on copies.
        in_place: the first array is to be written into, and that tensor is what it holds then, as
        by `assign`. Of a function that raises nothing is written.
        grad_fxn: a function of a gradient of the result and a `KernelCall`, which answers a
        gradient, or None, for each tensor; without one `backward` through it is a UsageError.

        Raises FunctionError for tensors of symbolic sizes and, when it is computed, for what the
        function raises and for a result of another shape or dtype; the message names the function.

        >>> import numpy as np
        >>> from rulewright import Tensor
        >>> Tensor.custom_function(np.sort, Tensor([3, 1, 2]) * 2).tolist()
        [2, 4, 6]
        >>> def clear(out, mask):
        ...     out[mask] = 0
        >>> x = Tensor([1, 2])
        >>> _ = Tensor.custom_function(clear, x, x > 1, in_place=True)
        >>> x.tolist()
        [1, 0]
        """
        from rulewright.tensor.host_function import host_result, named_function

        _check_tensors("custom_function", inputs)
        kind = None if dtype is None else as_dtype(dtype)
        sizes = _host_shape(inputs, shape)
        own = inputs[0].dtype if inputs else dtypes.default_float
        if in_place and inputs and kind not in (None, own):
            raise DTypeError(f"custom_function: in place {own.name} stays, found dtype={kind!r}")
        host = named_function(fn, sizes, kind or own, tuple(t.shape for t in inputs), in_place)
        read = [t._read_from_file() if t._device == DISK else t for t in inputs]
        device = _own_device(read, "custom_function")
        result = cls._make(host_result(host, [t.uop for t in read], device, grad_fxn), device)
        return inputs[0].assign(result) if in_place else result


def _own_device(tensors: Sequence[Core], method: str) -> str:
    """The device of tensors that no rule takes apart. Raises DeviceError if these are several."""
    device = one_device(tensors, method) or Device.default
    if isinstance(device, str):
        return device
    raise DeviceError(
        f"{method}: expected tensors on one device, found {device}; gather each of them with "
        f".to({device[0]!r})"
    )


def _host_shape(inputs: Sequence[Core], shape: Any) -> tuple[int, ...]:
    if shape is None and not inputs:
        raise ArgumentError("custom_function: shape says what a function of no tensors gives")
    sizes = inputs[0].shape if shape is None else as_shape((shape,), "custom_function")
    return tuple(map(int, sizes))


def _concrete(node: UOp) -> UOp:
    """A node with the values of variables in the place of their names."""
    binds = {n: n.src[1] for n in node.toposort() if n.op is Ops.BIND}
    return node.substitute(binds)


def _copy_out(node: UOp, device: str) -> UOp:
    """A view or constant in a buffer of its own."""
    memory = own_memory(node, device)
    assert memory_of(memory) is not None
    graphs.run(UOp.sink(memory.src[1]), caller, metadata_of)
    return memory.src[0]


def _check_tensors(method: str, tensors: tuple[Any, ...]) -> None:
    """Raise FunctionError for what is no tensor, or has a symbolic size."""
    for place, tensor in enumerate(tensors):
        if not isinstance(tensor, Core) or any(not isinstance(s, int) for s in tensor.shape):
            what = f"shape {show(tensor.shape)}" if isinstance(tensor, Core) else repr(tensor)
            raise FunctionError(
                f"{method}: expected a tensor of known sizes as number {place}, found {what}"
            )
