"""Making tensors: filled, counted, diagonal, like another."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, overload

from rulewright.errors import ChoiceError, DTypeError, RangeError, ShapeError, UsageError
from rulewright.ir.dtypes import DType, dtypes
from rulewright.ir.ops import Ops
from rulewright.ir.uop import UOp
from rulewright.runtime.device import Device
from rulewright.tensor import contents
from rulewright.tensor.joining import T, tensors_of
from rulewright.tensor.kinds import accumulator, as_dtype, constant, default_float, scalar_kind
from rulewright.tensor.members import Members, Self
from rulewright.tensor.shapes import as_shape, check_size, node_broadcast_to, node_cast, node_iota

_MOST_AXIS = 2**48  # elements of memory in any machine


class Creation(Members):
    """Constructors. `dtype`, `device` and `requires_grad` mean the same in all of them."""

    __slots__ = ()

    @classmethod
    def _created(cls, node: UOp, device: Any, requires_grad: bool = False) -> Self:
        tensor = cls._make(node, None if device is None else Device.canonical(device))
        if requires_grad:
            tensor.requires_grad = requires_grad
        return tensor

    # ---- filled ---------------------------------------------------------------------------

    @classmethod
    def full(
        cls,
        shape: Any,
        fill_value: bool | int | float,
        dtype: Any = None,
        device: Any = None,
        requires_grad: bool = False,
    ) -> Self:
        """A tensor of one value. Its dtype is that of the value unless given.

        Raises ShapeError for sizes that are none, RangeError for an integer too large.

        >>> Tensor.full((2, 2), 7).tolist()
        [[7, 7], [7, 7]]
        """
        kind = scalar_kind(fill_value) if dtype is None else as_dtype(dtype)
        sizes = as_shape(shape if isinstance(shape, tuple | list) else (shape,), "full")
        node = node_broadcast_to(constant(kind, fill_value), sizes)
        return cls._created(node, device, requires_grad)

    @classmethod
    def zeros(cls, *shape: Any, dtype: Any = None, **rest: Any) -> Self:
        """Zeros of the default float type, unless `dtype` says otherwise.

        >>> Tensor.zeros(2, 3).tolist()
        [[0.0, 0.0, 0.0], [0.0, 0.0, 0.0]]
        """
        kind = default_float() if dtype is None else dtype
        return cls.full(as_shape(shape, "zeros"), 0, kind, **rest)

    @classmethod
    def ones(cls, *shape: Any, dtype: Any = None, **rest: Any) -> Self:
        """Ones of the default float type, unless `dtype` says otherwise.

        >>> Tensor.ones(2, dtype="int32").tolist()
        [1, 1]
        """
        kind = default_float() if dtype is None else dtype
        return cls.full(as_shape(shape, "ones"), 1, kind, **rest)

    @classmethod
    def empty(cls, *shape: Any, dtype: Any = None, **rest: Any) -> Self:
        """A tensor to write into. It holds zeros, so that every program is deterministic.

        >>> Tensor.empty(2, 3).shape
        (2, 3)
        """
        return cls.zeros(*shape, dtype=dtype, **rest)

    def full_like(self, fill_value: bool | int | float, dtype: Any = None, **rest: Any) -> Self:
        """One value in this tensor's shape, dtype and device.

        >>> Tensor([1, 2]).full_like(5).tolist()
        [5, 5]
        """
        kind = self.dtype if dtype is None else dtype
        device = rest.setdefault("device", self._device)
        if isinstance(device, tuple) and device == self._device and self.uop.device:
            node = self.full(self.shape, fill_value, kind).uop
            return self._created(UOp(Ops.COPY, node.dtype, (node,), self.uop.device), **rest)
        return self.full(self.shape, fill_value, kind, **rest)

    def const_like(self, fill_value: bool | int | float) -> Self:
        """`full_like`, as tinygrad also names it.

        >>> Tensor([1.0, 2.0]).const_like(3).tolist()
        [3.0, 3.0]
        """
        return self.full_like(fill_value)

    def zeros_like(self, **rest: Any) -> Self:
        """Zeros in this tensor's shape, dtype and device.

        >>> Tensor([1, 2]).zeros_like().tolist()
        [0, 0]
        """
        return self.full_like(0, **rest)

    def ones_like(self, **rest: Any) -> Self:
        """Ones in this tensor's shape, dtype and device.

        >>> Tensor([3.0, 4.0]).ones_like().tolist()
        [1.0, 1.0]
        """
        return self.full_like(1, **rest)

    def empty_like(self, **rest: Any) -> Self:
        """`empty` in this tensor's shape, dtype and device.

        >>> Tensor([3.0, 4.0]).empty_like().shape
        (2,)
        """
        return self.zeros_like(**rest)

    # ---- counted --------------------------------------------------------------------------

    @classmethod
    def arange(
        cls,
        start: int | float,
        stop: int | float | None = None,
        step: int | float = 1,
        dtype: Any = None,
        device: Any = None,
        requires_grad: bool = False,
    ) -> Self:
        """start, start + step … before stop; from 0 if only one number is given.

        int64 if all numbers are ints, else the default float. Raises UsageError for step 0 or
        numbers that are not finite, RangeError for numbers that an integer dtype does not hold.

        >>> Tensor.arange(5, 0, -2).tolist()
        [5, 3, 1]
        """
        first: Any = 0 if stop is None else start
        last: Any = start if stop is None else stop
        if isinstance(first, UOp) or isinstance(last, UOp):
            return cls._symbolic_arange(first, last, step, dtype, device)
        if step == 0:
            raise UsageError("arange: step must not be 0")
        if not all(math.isfinite(v) for v in (first, last, step)):
            raise UsageError(f"arange: expected finite numbers, found {first}, {last} and {step}")
        whole = all(isinstance(v, int) for v in (first, last, step))
        kind = scalar_kind(0 if whole else 0.0) if dtype is None else as_dtype(dtype)
        count = max(0, -((first - last) // step) if whole else math.ceil((last - first) / step))
        wide = kind if whole or kind.is_float else default_float()
        if count and not kind.is_float:
            _check_ends(first, first + (count - 1) * step, kind)
        node = _counted(count, first, step, accumulator(wide))
        return cls._created(node_cast(node, kind), device, requires_grad)

    @classmethod
    def _symbolic_arange(
        cls, first: Any, last: Any, step: Any, dtype: Any, device: str | None
    ) -> Self:
        if step != 1:
            raise UsageError("arange: a symbolic bound needs step 1")
        kind = scalar_kind(0) if dtype is None else as_dtype(dtype)
        begin = UOp.index_const(first)
        size = UOp.index_const(last) - begin
        node = node_iota(size.simplify(), 0, (size.simplify(),))
        return cls._created((node + begin).cast(kind), device)

    @classmethod
    def linspace(
        cls,
        start: int | float,
        stop: int | float,
        steps: int,
        dtype: Any = None,
        device: Any = None,
        requires_grad: bool = False,
    ) -> Self:
        """`steps` numbers from start to stop, both included, at equal distances.

        Counted from the nearer end, so that both are exact. Raises ShapeError for negative steps,
        DTypeError for bool.

        >>> Tensor.linspace(0, 1, 5).tolist()
        [0.0, 0.25, 0.5, 0.75, 1.0]
        """
        kind = default_float() if dtype is None else as_dtype(dtype)
        if kind.is_bool:
            raise DTypeError("linspace: expected numbers, found bool; compare them first")
        count = check_size(steps, "linspace")
        if not isinstance(count, int):
            raise ShapeError("linspace: steps is a whole number, found a symbolic one")
        gap = (stop - start) / (count - 1) if count > 1 else 0.0
        wide = accumulator(kind) if kind.is_float else dtypes.f64
        up = _counted(count, float(start), gap, wide)
        down = _counted(count, float(stop) - gap * max(count - 1, 0), gap, wide)
        half = node_iota(count, 0, (count,)) < UOp.index_const((count + 1) // 2)
        return cls._created(node_cast(half.where(up, down), kind), device, requires_grad)

    # ---- diagonal -------------------------------------------------------------------------

    @classmethod
    def eye(
        cls,
        n: int,
        m: int | None = None,
        dtype: Any = None,
        device: Any = None,
        requires_grad: bool = False,
    ) -> Self:
        """(n, m) with ones on the diagonal; square if m is left out.

        >>> Tensor.eye(2).tolist()
        [[1.0, 0.0], [0.0, 1.0]]
        """
        shape = as_shape((n, n if m is None else m), "eye")
        node = node_iota(shape[0], 0, shape).eq(node_iota(shape[1], 1, shape))
        kind = default_float() if dtype is None else as_dtype(dtype)
        return cls._created(node.cast(kind), device, requires_grad)

    def tril(self, diagonal: int = 0) -> Self:
        """The last two axes on and below a diagonal, zero above it.

        Raises ShapeError for less than two axes.

        >>> Tensor([[1, 2], [3, 4]]).tril().tolist()
        [[1, 0], [3, 4]]
        """
        return self._half_of_square(diagonal, lower=True)

    def triu(self, diagonal: int = 0) -> Self:
        """The last two axes on and above a diagonal, zero below it.

        Raises ShapeError for less than two axes.

        >>> Tensor([[1, 2], [3, 4]]).triu(1).tolist()
        [[0, 2], [0, 0]]
        """
        return self._half_of_square(diagonal, lower=False)

    def _half_of_square(self, diagonal: int, lower: bool) -> Self:
        if self.ndim < 2:
            raise ShapeError(f"tril and triu: expected 2 axes or more, found {self.ndim}")
        shape = self.shape
        reach = max(-_MOST_AXIS, min(diagonal, _MOST_AXIS))  # further than any axis goes
        row = node_iota(shape[-2], self.ndim - 2, shape) + UOp.index_const(reach)
        column = node_iota(shape[-1], self.ndim - 1, shape)
        keep = self._new(column <= row if lower else row <= column)
        return keep.where(self, self.zeros_like())

    @classmethod
    def tri(cls, n: int, m: int | None = None, diagonal: int = 0, **rest: Any) -> Self:
        """(n, m) with ones on and below a diagonal; square if m is left out.

        >>> Tensor.tri(2, 3).tolist()
        [[1.0, 0.0, 0.0], [1.0, 1.0, 0.0]]
        """
        wanted = rest.pop("requires_grad", False)
        triangle = cls.ones(n, n if m is None else m, **rest).tril(diagonal)
        return triangle.requires_grad_() if wanted else triangle

    @classmethod
    def tril_indices(
        cls, row: int, col: int, offset: int = 0, dtype: Any = None, device: Any = None
    ) -> Self:
        """Positions (2, n) of the elements of a (row, col) matrix on and below a diagonal, row by
        row; int64 unless `dtype` says otherwise.

        Raises ShapeError for negative sizes.

        >>> Tensor.tril_indices(2, 3).tolist()
        [[0, 1, 1], [0, 0, 1]]
        """
        return cls._half_positions("tril", row, col, offset, dtype, device)

    @classmethod
    def triu_indices(
        cls, row: int, col: int, offset: int = 0, dtype: Any = None, device: Any = None
    ) -> Self:
        """Positions (2, n) of the elements of a (row, col) matrix on and above a diagonal, row by
        row; int64 unless `dtype` says otherwise.

        Raises ShapeError for negative sizes.

        >>> Tensor.triu_indices(2, 3, 1).tolist()
        [[0, 0, 1], [1, 2, 2]]
        """
        return cls._half_positions("triu", row, col, offset, dtype, device)

    @classmethod
    def _half_positions(
        cls, half: str, row: int, col: int, offset: int, dtype: Any, device: str | None
    ) -> Self:
        import numpy as np

        sizes = [check_size(size, f"{half}_indices") for size in (row, col)]
        if not all(isinstance(size, int) for size in sizes):
            raise ShapeError(f"{half}_indices: sizes are whole numbers, found symbolic ones")
        reach = max(-_MOST_AXIS, min(offset, _MOST_AXIS))
        positions = np.stack(getattr(np, f"{half}_indices")(sizes[0], reach, sizes[1]))
        kind = dtypes.i64 if dtype is None else as_dtype(dtype)
        where = Device.default if device is None else Device.canonical(device)
        node = contents.node_with(positions.astype(kind.np), kind, where)
        return cls._created(node, where)

    @overload
    def meshgrid(self, *others: Any, indexing: str = "ij") -> tuple[Self, ...]: ...

    @overload
    def meshgrid(self: T | Sequence[T], *, indexing: str = "ij") -> tuple[T, ...]: ...

    def meshgrid(self: T | Sequence[T], *others: Any, indexing: str = "ij") -> tuple[T, ...]:
        """Coordinates of a grid: each tensor of at most one axis along an axis of its own.

        Tensors are given as for `cat`. indexing: "xy" swaps the first two axes. Raises
        ChoiceError for another word, ShapeError for more axes.

        >>> [t.tolist() for t in Tensor([1, 2]).meshgrid(Tensor([3, 4, 5]))]
        [[[1, 1, 1], [2, 2, 2]], [[3, 4, 5], [3, 4, 5]]]
        """
        if indexing not in ("ij", "xy"):
            raise ChoiceError(f"meshgrid: indexing is 'ij' or 'xy', found {indexing!r}")
        parts, _ = tensors_of(self, others, 0, "meshgrid")
        if any(t.ndim > 1 for t in parts):
            raise ShapeError("meshgrid: expected tensors of one axis")
        flat = [t.flatten() for t in parts]
        order = list(range(len(flat)))
        if indexing == "xy" and len(flat) > 1:
            order[0], order[1] = 1, 0
        shape = [flat[i].shape[0] for i in order]
        spread = [[s if order[i] == k else 1 for i, s in enumerate(shape)] for k in order]
        by_tensor = dict(zip(order, spread, strict=True))
        return tuple(t.reshape(by_tensor[k]).expand(shape) for k, t in enumerate(flat))


def _check_ends(first: float, last: float, kind: DType) -> None:
    """Raise RangeError unless a dtype, of integers or bool, holds both numbers."""
    if min(first, last) < kind.min or max(first, last) > kind.max:
        raise RangeError(
            f"arange: {first} to {last} is outside {kind.name}, which holds {kind.min} to "
            f"{kind.max}; give a wider dtype"
        )


def _counted(count: int, first: int | float, step: int | float, kind: DType) -> UOp:
    """first + i * step, in `kind`."""
    node = node_iota(count, 0, (count,)).cast(kind)
    if step != 1:
        node = node * UOp.const(kind, step)
    return node + UOp.const(kind, first) if first != 0 else node
