"""`jit`: run a function of tensors again without building its graphs again.

There is a short way into a replay, `Quick`, for calls like the one before but for the memory of
their tensors. What such a call shares with the one before need not be found out again: its key, its
arguments' shapes, where their memory goes. What may have changed is compared in as few steps as
Python needs; where anything has, the call goes the long way, which knows all cases.
"""

from __future__ import annotations

import inspect
import threading
import weakref
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from types import MethodType
from typing import TYPE_CHECKING, Any, Generic, overload
from weakref import ref

from rulewright.driver.capture import recorder
from rulewright.driver.recent import Recent
from rulewright.driver.replay import one_by_one
from rulewright.errors import ArgumentError, JitError
from rulewright.ir import uop
from rulewright.ir.dtypes import DType, dtypes
from rulewright.ir.ops import Ops
from rulewright.ir.rulesets import overlay_key
from rulewright.ir.shapes import Dim
from rulewright.ir.uop import UOp
from rulewright.options import options
from rulewright.runtime.memories import buffer_of
from rulewright.tensor import contents
from rulewright.tensor.core import Core
from rulewright.tensor.function_nodes import tracing
from rulewright.tensor.jit_arguments import PLAIN, Arguments
from rulewright.tensor.jit_capture import Capture, run_plainly
from rulewright.tensor.jit_memory import as_places, handed_back
from rulewright.tensor.modes import is_grad_enabled
from rulewright.tensor.nested import STATIC, is_scalar
from rulewright.tensor.registry import lock
from rulewright.tensor.tensor import Tensor
from rulewright.tensor.trace import R, Traced

if TYPE_CHECKING:
    from rulewright.driver.row import Row
    from rulewright.tensor.jit_replay import Replaying

MISSED = object()
"""Stands for the result of a call that has to go the long way."""


def modes() -> tuple[Any, ...]:
    """What a capture depends on beside its function, arguments and device."""
    return dtypes.current(), Tensor.training, is_grad_enabled(), overlay_key()


def sees_order(function: Callable[..., Any]) -> bool:
    """Whether a function may tell in which order the words of a call come."""
    code = getattr(function, "__code__", None)
    return code is None or bool(code.co_flags & inspect.CO_VARKEYWORDS)


def _tells(value: Any) -> bool:
    """Whether a plain value is told from others of its class by `==`: not 0.0, -0.0, nan."""
    return value.__class__ in STATIC or (
        is_scalar(value) and not isinstance(value, complex) and value == value and bool(value)
    )


def _nothing() -> None:
    """A dead reference."""


class _Place:
    """An argument: a tensor, of which `seen` is what it stood for in the last call."""

    __slots__ = ("device", "dtype", "kind", "leaf", "seen", "shape", "slot")

    def __init__(self, tensor: Core, node: UOp, slot: int) -> None:
        self.kind, self.leaf, self.slot = tensor.__class__, tensor._requires_grad, slot
        self.shape: tuple[Dim, ...] | None = tensor.uop.shape
        self.dtype: DType = node.dtype
        self.device: str = node.arg[2]
        self.seen: Any = _nothing


class Quick:
    """Calls with tensors in memory of their own, and plain values, in places that do not change.

    One tensor may stand in several places, if it does so in each call.
    """

    def __init__(
        self,
        capture: Replaying,
        row: Row,
        arguments: Arguments,
        values: Sequence[Any],
        names: tuple[str, ...],
    ) -> None:
        self._capture, self._row = capture, row
        self._names = names
        self._modes, self._options = modes(), options()
        self._plain = [(at, v) for at, v in enumerate(values) if not isinstance(v, Core)]
        self._tensors = [at for at, v in enumerate(values) if isinstance(v, Core)]
        self._count = len(values)
        first: dict[int, int] = {}  # by slot: a tensor in several places has one
        for at, slot in enumerate(capture.argument_slots):
            first.setdefault(slot, at)
        inputs, slots = arguments.inputs, enumerate(capture.argument_slots)
        self._places = [_Place(inputs[at].tensor, inputs[at].node, s) for s, at in first.items()]
        self._firsts = list(first.values())
        self._again = [(at, first[slot]) for at, slot in slots if first[slot] != at]

    @classmethod
    def of(
        cls, capture: Replaying, arguments: Arguments, args: Any, kwargs: Mapping[str, Any]
    ) -> Quick | None:
        """The short way for calls like this one, which the capture fits; None if there is none."""
        names = tuple(kwargs)
        row, values = capture.replays.row, (*args, *kwargs.values())
        if not all(isinstance(v, Core) or _tells(v) for v in values):
            return None
        if (
            row is None
            or one_by_one()
            or arguments.variables
            or capture.written_inputs
            or capture.constants
        ):
            return None
        if any(i.copied or i.symbolic or i.buffer.base is not None for i in arguments.inputs):
            return None
        if len({i.node for i in arguments.inputs}) < len({id(i.tensor) for i in arguments.inputs}):
            return None  # one memory under several tensors
        return cls(capture, row, arguments, values, names)

    def forget(self) -> None:
        """The slots hold other memory than that of the tensors of the last call through here."""
        for place in self._places:
            place.seen = _nothing

    def call(self, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Any:
        """The result of a call, or MISSED."""
        values = args
        if kwargs or self._names:
            if tuple(kwargs) != self._names:
                return MISSED
            values = (*args, *kwargs.values())
        if len(values) != self._count:
            return MISSED
        for at, plain in self._plain:
            if values[at].__class__ is not plain.__class__ or values[at] != plain:
                return MISSED
        now = options()
        if modes() != self._modes or (now is not self._options and now != self._options):
            return MISSED
        tensors = each = [values[at] for at in self._tensors] if self._plain else values
        if self._again:
            if not all(tensors[at] is tensors[first] for at, first in self._again):
                return MISSED
            each = [tensors[at] for at in self._firsts]
        try:
            if not self._take(each):
                self.forget()  # some of them may have been taken
                return MISSED
            if not self._capture.unchanged(tensors):
                return MISSED
            return self._capture.run_again(self._row, tensors, each)
        except BaseException:  # Ctrl-C, anywhere: addresses may be set for memory that is gone
            self.forget()
            self._capture.spares.forget()
            raise

    def _take(self, tensors: Sequence[Any]) -> bool:
        """Whether these are such tensors as in the last call; their memory is then in the slots."""
        moved = False
        for tensor, place in zip(tensors, self._places, strict=True):
            if tensor.__class__ is not place.kind or tensor._requires_grad != place.leaf:
                return False
            if place.seen() is not tensor._node:  # which is memory, and so what it is now
                if not self._move(place, tensor.uop):
                    return False
                moved = True
        return not moved or len({id(t.uop.base) for t in tensors}) == len(tensors)

    def _move(self, place: _Place, uop: UOp) -> bool:
        """Put a tensor's memory in its slot, if it is all of some memory that is its own."""
        node = uop.past(PLAIN)
        same = node.op is Ops.BUFFER and node.dtype is place.dtype and node.arg[2] == place.device
        if not same or uop.shape != place.shape:
            return False
        buffer = buffer_of(node)
        if buffer.base is not None or not buffer.is_allocated or self._capture.is_outside(buffer):
            return False
        self._row.put(place.slot, buffer)
        place.seen = ref(uop)
        return True


uop.number_taken = contents.refuse
Donated = int | str | tuple[int | str, ...]
MOST_CAPTURES = 64  # kinds of arguments that are remembered; those not used for longest go first
_MOST_VARIANTS = 4  # captures for the same kind of arguments and other values around them


class _JitDepth(threading.local):
    depth = 0  # jitted functions whose Python code runs in this thread


_local = _JitDepth()


@contextmanager
def _inside() -> Iterator[None]:
    _local.depth += 1
    try:
        yield
    finally:
        _local.depth -= 1


class Jit(Traced[R]):
    """A jitted function; see `jit`. `captures` counts how often it was captured."""

    error = JitError
    doing = "captured"
    why = "a replay does not run Python code"
    lost = "a replay could not renew it"

    def __init__(
        self, function: Callable[..., R], strict: bool = True, donate: Donated = ()
    ) -> None:
        super().__init__("jit", function, strict, donate)
        if not isinstance(strict, bool):
            raise ArgumentError(f"jit: strict is True or False, found {strict!r}")
        self.strict = strict
        self.donate = donate
        self._places = as_places(donate, function)
        self._sees_order = sees_order(function)
        self.captures = 0
        self._known: Recent[Any, list[Capture]] = Recent(MOST_CAPTURES)
        self._quick: Quick | None = None  # for calls like the last one
        self._methods: dict[int, tuple[weakref.ref[Any], Jit[R]]] = {}

    def reset(self) -> None:
        """Forget all captures, and free the memory that they hold."""
        self._known.clear()
        self._quick = None
        self._methods.clear()

    def __get__(self, instance: Any, owner: type | None = None) -> Jit[R] | BoundJit[R]:
        if instance is None:
            return self
        return BoundJit(self._of(instance), instance)

    def _of(self, instance: Any) -> Jit[R]:
        """The jit of one instance, which goes with it."""
        known = self._methods.get(id(instance))
        if known is not None and known[0]() is instance:
            return known[1]
        key, methods = id(instance), self._methods
        try:
            alive = weakref.ref(instance, lambda _: methods.pop(key, None))
        except TypeError:
            raise JitError(
                f"jit: a method of {type(instance).__name__}, which takes no weak references; add "
                "'__weakref__' to its __slots__, or jit a function"
            ) from None
        methods[key] = alive, Jit(*self.settings)
        return methods[key][1]

    def __call__(self, *args: Any, **kwargs: Any) -> R:
        """Run, capture or replay."""
        return self._call((), args, kwargs)

    def _call(self, first: tuple[Any, ...], args: tuple[Any, ...], kwargs: dict[str, Any]) -> R:
        if recorder() is not None or tracing.depth or not options().JIT:
            return self.function(*first, *args, **kwargs)
        if len(kwargs) > 1 and not self._sees_order:
            kwargs = dict(sorted(kwargs.items()))
        with lock:
            if self._quick is not None:
                result = self._quick.call(args, kwargs)
                if result is not MISSED:
                    return result
            arguments = Arguments(args, kwargs, self._donated(len(first)))
            key = (arguments.key, options().DEVICE, *modes())
            variants = self._known.get(key)
            if variants is None:
                with _inside():
                    result = run_plainly(self, first, args, kwargs)
                self._known.put(key, [])
                return handed_back(arguments, result) if arguments.donated else result
            for capture in variants:
                if capture.fits(arguments):
                    result = capture.replay(arguments)
                    if capture.quick is None and not arguments.donated:
                        capture.quick = Quick.of(capture, arguments, args, kwargs)
                    self._quick = capture.quick
                    return result
            capture = Capture(self, first, args, kwargs, arguments)
            if not capture.spoiled:
                variants.append(capture)
                del variants[:-_MOST_VARIANTS]
                self.captures += 1
            result = capture.take_result()
            return handed_back(arguments, result) if arguments.donated else result

    def _donated(self, bound: int) -> Collection[int | str]:
        """What is donated, by the positions behind the object that a method is bound to: nothing
        inside of another jitted function, whose caller gave nothing away."""
        if not self._places or _local.depth:
            return ()
        return {at - bound if isinstance(at, int) else at for at in self._places}


class BoundJit(Generic[R]):
    """A jitted method of one object."""

    __slots__ = ("_instance", "jit")

    def __init__(self, jitted: Jit[R], instance: Any) -> None:
        self.jit, self._instance = jitted, instance

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickled as the method of the object, by its name."""
        return getattr, (self._instance, self.jit.function.__name__)

    @property
    def __wrapped__(self) -> Callable[..., R]:
        return MethodType(self.jit.function, self._instance)

    @property
    def captures(self) -> int:
        """How often the method was captured for this object."""
        return self.jit.captures

    def reset(self) -> None:
        """Forget the captures for this object."""
        self.jit.reset()

    def __call__(self, *args: Any, **kwargs: Any) -> R:
        """Run, capture or replay."""
        return self._call(args, kwargs)

    def _call(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> R:
        return self.jit._call((self._instance,), args, kwargs)


@overload
def jit(function: Callable[..., R], *, strict: bool = True, donate: Donated = ()) -> Jit[R]: ...


@overload
def jit(*, strict: bool = True, donate: Donated = ()) -> Callable[[Callable[..., R]], Jit[R]]: ...


def jit(function: Any = None, *, strict: bool = True, donate: Donated = ()) -> Any:
    """Make calls of a function cheap: kernels are captured once and then only run again.

    The first call for a kind of arguments runs the function; the second runs it and captures its
    kernels; later ones run these over the new arguments and give new tensors, without running the
    function's Python code. Tensors, in lists, tuples, dicts and dataclasses too, may have other
    values each time, and so may bound variables, in sizes too: one capture decodes at all positions
    of a cache. Another shape, dtype, device, mode or other argument makes another capture. Results,
    gradients, assignments and random numbers are those of the plain function. Results are
    realised, in memory that is new each time. Gradients do not flow through the border of the
    function. Methods have captures for each object; jitted functions may call each other. A view of
    an argument, or of a tensor from outside, is returned as a copy; the tensor itself as itself.

    What a replay could not repeat raises JitError while capturing: reading a value (`item`,
    `numpy`, `if tensor`), sharing host arrays, copying those that are made inside, seeding the
    random generator, changing Python values around the function, and what holds its arguments (with
    `strict=False` a warning), keeping a tensor that is not returned; and on any call: arguments of
    host memory, and memory which the function also writes by another name. Python values around the
    function are looked at in each call, as are the contents of numpy's arrays there: a change is
    captured anew. `donate` names arguments, by position or name, that the caller gives away: their
    memory becomes that of results where it fits and nobody else has it, so that a step which
    returns new parameters or a new cache holds them once, and writes them in place. Whoever uses a
    tensor after it was donated gets a UsageError. Printing happens, and numbers drawn by Python are
    drawn, only when the function itself runs. Pickling leaves the captures behind.

    >>> from rulewright import Tensor, jit
    >>> double = jit(lambda x: x * 2)
    >>> [double(Tensor([i])).item() for i in range(4)]
    [0, 2, 4, 6]
    >>> step = jit(lambda weight, slope: weight - slope / 2, donate="weight")
    >>> weight = Tensor([3.0])
    >>> for _ in range(4):
    ...     weight = step(weight, Tensor([1.0]))
    >>> weight.item()
    1.0

    Raises ArgumentError for `donate` of another kind, JitError for one that names no parameter, and
    for a call in which donated memory is given twice or used by the function from outside.
    """
    if function is None:
        return lambda function: Jit(function, strict, donate)
    return Jit(function, strict, donate)
