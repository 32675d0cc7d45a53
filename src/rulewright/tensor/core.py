"""The tensor's own state: a node of a graph, a device, and what views share its memory."""

from __future__ import annotations

from operator import attrgetter
from typing import TYPE_CHECKING, Any, ClassVar, NoReturn

from rulewright.errors import (
    ArgumentError,
    AxisError,
    DeviceError,
    DTypeError,
    ShapeError,
    UsageError,
)
from rulewright.ir.dtypes import DType, dtypes
from rulewright.ir.ops import Ops
from rulewright.ir.placement import names_of, placement_of, text_of
from rulewright.ir.uop import UOp
from rulewright.runtime.device import DISK, Device
from rulewright.schedule.typecheck import check_views
from rulewright.tensor import contents, forwarding
from rulewright.tensor.alias import Alias
from rulewright.tensor.assign import own_memory
from rulewright.tensor.kinds import array_of, as_dtype, constant, scalar_kind
from rulewright.tensor.modes import settled
from rulewright.tensor.registry import enter, lock, look, note_root, register, set_leaf, shared
from rulewright.tensor.shapes import normal_axis, numel, same_size, show
from rulewright.tensor.views import MEMORIES, rebased, shown_by
from rulewright.tensor.writes import note_asked

if TYPE_CHECKING:
    from typing_extensions import Self

    from rulewright.tensor.registry import TensorReference

Size = int | Any  # an index expression if it is symbolic, as type checkers need not be told
_new_object = object.__new__


class Core:
    """A handle on a node of the tensor stage. See `Tensor`.

    `uop` is the node; it changes when the tensor, or what it is computed from, is realised or
    assigned to.
    """

    __slots__ = (
        "__weakref__", "_device", "_grad", "_link", "_node", "_requires_grad", "_seen", "_shows",
    )  # fmt: skip
    __array_priority__ = 1000  # numpy leaves mixed arithmetic to the tensor
    training: ClassVar[bool] = False
    _grad: Self | None
    _link: TensorReference | None  # of a tensor that is known
    _node: UOp
    _seen: int  # the newest value that became memory in the node's graph, or is not in it

    def __init__(
        self, data: Any, dtype: Any = None, device: str | None = None, requires_grad: bool = False
    ) -> None:
        kind = None if dtype is None else as_dtype(dtype)
        self._device = None if device is None else Device.canonical(device)
        self._shows: Alias | None = None
        self._link = None
        self._requires_grad = 0
        self._grad = None
        self._stand_for(self._node_of(data, kind))
        if isinstance(data, Core) and self.uop is data.uop:
            data._alias = self._alias = data._alias or Alias(data.uop)
        register(self)
        if requires_grad:
            self.requires_grad = requires_grad

    def _node_of(self, data: Any, kind: DType | None) -> UOp:
        if isinstance(data, Core):
            if self._device not in (None, data._device):
                return _copied(data.uop, self._device, kind)
            self._device = data._device
            return _value_of(data.uop, kind)
        if isinstance(data, UOp):
            value = _value_of(data, kind)
            own = names_of(value.device)
            if own is not None and self._device not in (None, own):
                return note_asked(_copied(value, self._device, None))
            self._device = self._device or own
            return note_asked(value)
        if data.__class__ in (bool, int, float):
            return constant(kind or scalar_kind(data), data)
        if data is None:
            raise ArgumentError("expected data, found None; Tensor.empty makes a tensor without")
        if not isinstance(data, list | tuple | bytes) and getattr(data, "shape", None) != ():
            contents.note_copied(data, "host memory is copied into a tensor")
        array, dtype = array_of(data, kind)
        self._device = self._device or Device.default
        return contents.node_with(array, dtype, self._device)

    # ---- results of methods ---------------------------------------------------------------

    @classmethod
    def _make(cls, uop: UOp, device: Any, alias: Alias | None = None) -> Self:
        """A tensor of a node. Every result of every method comes from here."""
        if alias is None and uop.op in MEMORIES and (borrowed := shown_by(uop)) is not None:
            shared.add(borrowed.base)  # a new value that happens to be what is in memory
        if device.__class__ is tuple:
            placement_of(uop)  # an error belongs to the line that asks for what cannot be
        tensor = cls._of(settled(uop), device, alias)
        register(tensor)
        return tensor

    @classmethod
    def _over(cls, node: UOp, device: str | None, alias: Alias | None) -> Self:
        """A tensor over memory of its own, a BUFFER, or over that of an alias."""
        tensor = cls._of(node, device, alias)
        enter(tensor)
        return tensor

    @classmethod
    def _of(cls, node: UOp, device: str | None, alias: Alias | None) -> Self:
        """A tensor that nothing knows yet."""
        tensor = _new_object(cls)
        tensor._node = node
        tensor._seen = forwarding.newest
        tensor._grad = tensor._link = None
        tensor._device = device
        tensor._shows = alias
        if alias is not None:
            alias.add(tensor)
        tensor._requires_grad = 0
        return tensor

    @classmethod
    def _in_own_memory(cls, value: UOp, device: str) -> Self:
        """A tensor of a value in new memory, which no other tensor shows."""
        tensor = cls._make(own_memory(value, device), device)
        shared.discard(tensor.uop.base)
        return tensor

    def _new(self, uop: UOp) -> Self:
        """A new value on this device."""
        return self._make(uop, self._device)

    def _equal(self) -> Self:
        """A new value, equal to this: a later write to one does not show in the other."""
        return self._make(self.uop, self._device)

    def _view(self, uop: UOp) -> Self:
        """A view: it shares this tensor's memory, so that writing to one shows in the other."""
        if uop is self.uop:
            return self
        with lock:
            if self._alias is None:
                self._alias = Alias(self.uop)
            now = _of_now(uop, self.uop, self._alias.base)
            return self._make(now, self._device, self._alias)

    # ---- facts ----------------------------------------------------------------------------

    @property
    def uop(self) -> UOp:
        """The node of the tensor stage that it stands for."""
        owner = self._shows or self
        seen, node = owner._seen, self._node
        if seen == forwarding.newest == owner._seen:  # also after the node was read
            return node
        return look(self)

    @uop.setter
    def uop(self, node: object) -> NoReturn:
        raise AttributeError(
            "uop of a tensor is read alone; x.assign(y) writes a value of its shape, x.replace(y) "
            "has it stand for another tensor, such as Tensor(node)"
        )

    def _stand_for(self, node: UOp) -> None:
        if forwarding.hiding:
            self._seen, self._node = forwarding.HIDDEN, node
        else:  # in this order: who sees that it was seen sees the node
            self._node, self._seen = node, forwarding.newest
        note_root(self)

    def _share(self, alias: Alias | None) -> None:
        if alias is not None:  # first: a view that its memory does not know would be left behind
            alias.add(self)
        self._shows = alias
        note_root(self)

    _alias = property(attrgetter("_shows"), _share, doc="What it shares with views; None: nothing.")

    @property
    def shape(self) -> tuple[Size, ...]:
        """Sizes of the axes; `()` for a scalar. A symbolic size is an index expression."""
        return self.uop.shape or ()

    @property
    def dtype(self) -> DType:
        """Type of the elements."""
        return self.uop.dtype

    @property
    def device(self) -> Any:
        """Name of the device that holds the value, or will; the default one if any may. Of a value
        on several devices the tuple of theirs."""
        return self._device or Device.default

    @property
    def ndim(self) -> int:
        """Number of axes."""
        return len(self.shape)

    def size(self, dim: int | None = None) -> Any:
        """The shape, or the size of one axis.

        >>> from rulewright import Tensor
        >>> Tensor.ones(2, 3).size(), Tensor.ones(2, 3).size(1)
        ((2, 3), 3)
        """
        if dim is None:
            return self.shape
        at = normal_axis(dim, self.ndim, "size")
        if not self.shape:
            raise AxisError("size: a tensor without axes has a shape, and no size of one")
        return self.shape[at]

    def numel(self) -> Size:
        """Number of elements.

        >>> from rulewright import Tensor
        >>> Tensor.ones(2, 3).numel()
        6
        """
        return numel(self.shape)

    def dim(self) -> int:
        """Number of axes.

        >>> from rulewright import Tensor
        >>> Tensor.ones(2, 3).dim()
        2
        """
        return self.ndim

    def element_size(self) -> int:
        """Bytes an element.

        >>> Tensor([1.0, 2.0]).element_size()
        4
        """
        return self.dtype.itemsize

    def nbytes(self) -> Size:
        """Bytes of all elements.

        >>> from rulewright import Tensor
        >>> Tensor.ones(2, 3).nbytes()
        24
        """
        return self.numel() * self.dtype.itemsize

    def is_floating_point(self) -> bool:
        """Whether elements are floats.

        >>> Tensor([1, 2]).is_floating_point()
        False
        """
        return self.dtype.is_float

    @property
    def requires_grad(self) -> bool:
        """Whether gradients flow here: `backward()` fills `grad` if it was set, as on a leaf.

        Setting it makes the tensor a leaf, at which gradients end, or, if it depends on leaves,
        one between that gets its gradient too. Raises DTypeError when set on a tensor that does
        not hold floats, UsageError when unset on one that depends on leaves, ArgumentError for what
        is neither True nor False.

        >>> from rulewright import Tensor
        >>> x = Tensor([1.0], requires_grad=True)
        >>> x.requires_grad, (x * 2).requires_grad, (x * 2).detach().requires_grad
        (True, True, False)
        """
        from rulewright.tensor.history import depends

        return bool(self._requires_grad) or (self.dtype.is_float and depends(self.uop))

    @requires_grad.setter
    def requires_grad(self, value: bool) -> None:
        from rulewright.tensor.history import LEAF, make_leaf

        if not isinstance(value, int) or value not in (False, True):
            kind = type(value).__name__
            raise ArgumentError(f"requires_grad is True or False, found {value!r} of type {kind}")
        if not value:
            if self._requires_grad != LEAF and self.requires_grad:
                raise UsageError(
                    "requires_grad: this tensor depends on leaves, so that gradients flow through "
                    "it; detach() gives one through which none flow"
                )
            set_leaf(self, 0)
        elif not self._requires_grad:
            set_leaf(self, make_leaf(self))

    @property
    def grad(self) -> Self | None:
        """The gradient that `backward()` filled in or added to, or None.

        It may be set to a tensor of this shape, dtype and device, or to None. Raises ArgumentError
        for what is no tensor, ShapeError, DTypeError or DeviceError for one that does not fit.
        """
        return self._grad

    @grad.setter
    def grad(self, value: Self | None) -> None:
        if value is not None:
            self._check_grad(value)
        with lock:  # another thread's function may be about to put back the one that was
            self._grad = value

    def _check_grad(self, value: Any) -> None:
        wanted = f"grad is None, or a tensor of shape {show(self.shape)} and {self.dtype.name}"
        if not isinstance(value, Core):
            raise ArgumentError(f"{wanted}; found {value!r} of type {type(value).__name__}")
        if len(value.shape) != self.ndim or not all(map(same_size, value.shape, self.shape)):
            raise ShapeError(f"{wanted}; found shape {show(value.shape)}")
        if value.dtype is not self.dtype:
            raise DTypeError(f"{wanted}; found {value.dtype.name}: cast it first")
        if None not in (value._device, self._device) and value._device != self._device:
            raise DeviceError(f"{wanted} on {self.device}; found one on {value.device}")

    def requires_grad_(self, value: bool = True) -> Self:
        """Set `requires_grad`; returns the tensor.

        >>> from rulewright import Tensor
        >>> Tensor.ones(2).requires_grad_().is_leaf
        True
        """
        self.requires_grad = value
        return self

    def retain_grad(self) -> None:
        """Let `backward()` fill `grad` of this tensor although it is computed from others.

        >>> from rulewright import Tensor
        >>> x = Tensor([3.0], requires_grad=True)
        >>> y = x * 2
        >>> y.retain_grad()
        >>> _ = (y * y).sum().backward()
        >>> y.grad.item(), x.grad.item()
        (12.0, 24.0)
        """
        self.requires_grad = True

    @property
    def is_leaf(self) -> bool:
        """Whether no gradient flows on from here: it was set as a leaf, or depends on none."""
        from rulewright.tensor.history import LEAF

        return self._requires_grad == LEAF or not self.requires_grad

    @property
    def state(self) -> str:
        """ "realized": memory holds the value; "kernelized": kernels are chosen; else "lazy"."""
        if self.uop.base.op is not Ops.BUFFER:
            return "lazy"
        effects = [effect.op for effect in _effects(self.uop)]
        return "kernelized" if Ops.CALL in effects else "lazy" if effects else "realized"

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any:
        """numpy's functions and operators of tensors are the tensor's."""
        from rulewright.tensor.numpy_functions import apply_ufunc

        return apply_ufunc(ufunc.__name__, method, inputs, options)

    def __array_function__(self, function: Any, types: Any, args: Any, kwargs: Any) -> Any:
        """numpy's other functions are numpy's, of tensors that they take for arrays."""
        from rulewright.tensor.numpy_functions import apply_array_function

        return apply_array_function(function, types, args, kwargs)

    def __hash__(self) -> int:
        return id(self)

    def __len__(self) -> int:
        if not self.shape:
            raise TypeError("len() of a tensor without axes")
        return int(self.shape[0])

    def __repr__(self) -> str:
        facts = f"{show(self.shape)} {self.dtype.name} on {self.device}"
        gradient = " requires_grad" if self._requires_grad else ""
        return f"<Tensor {facts}, {self.state}{gradient}>"


def _of_now(view: UOp, shown: UOp, base: UOp) -> UOp:
    """A view of the memory's version `base`, on which it stands unless another thread has written
    since the view's node was made: then on the version before. `shown` stands on it."""
    below = view
    while below is not base and below is not shown:
        if below.op in (Ops.AFTER, Ops.BUFFER) or not below.src:
            return rebased(view, below, base) if below.shape == base.shape else view
        below = below.src[0]
    return view


def _effects(uop: UOp) -> list[UOp]:
    """What has to happen before the memory below a view holds its value."""
    effects: list[UOp] = []
    while uop.op is not Ops.BUFFER and uop.src:
        if uop.op is Ops.AFTER:
            effects.extend(uop.src[1:])
        uop = uop.src[0]
    return effects


def _copied(uop: UOp, device: str | None, kind: DType | None) -> UOp:
    copy = UOp(Ops.COPY, uop.dtype, (uop,), text_of(device))
    return copy.cast(kind) if kind is not None else copy


def _value_of(uop: UOp, kind: DType | None) -> UOp:
    """A node as a tensor's: a symbolic index expression becomes an integer scalar."""
    if uop.dtype is dtypes.index:
        return uop.cast(kind or scalar_kind(0))
    if uop.shape is None:
        raise UsageError(f"a tensor needs a node with a value, found {uop.op}")
    if uop.dtype.count > 1:
        raise DTypeError(f"a tensor has elements of one lane, found {uop.dtype.name}")
    check_views(uop)
    return uop.cast(kind) if kind is not None else uop


def apart(method: str, one: str, other: str) -> DeviceError:
    """The error for operands on two devices."""
    where = other if one == DISK else one  # nothing is moved to a file
    message = f"{method}: operands are on {one} and {other}; move one of them with .to({where!r})"
    return DeviceError(message)


def one_device(tensors: Any, method: str) -> str | None:
    """The device that all tensors are on. Raises DeviceError if they are on several."""
    common: str | None = None
    for tensor in tensors:
        device = tensor._device
        if device is None or device == common:
            continue
        if common is not None:
            raise apart(method, common, device)
        common = device
    return common
