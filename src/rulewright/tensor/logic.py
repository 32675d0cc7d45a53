"""Logic, bits, choice and conversion, element by element."""

from __future__ import annotations

from typing import Any

from rulewright.errors import ArgumentError, DTypeError, ShapeError
from rulewright.ir.dtypes import DType, dtypes
from rulewright.ir.ops import Op, Ops
from rulewright.ir.uop import UOp
from rulewright.tensor.core import Core
from rulewright.tensor.elementwise import SCALARS
from rulewright.tensor.kinds import as_dtype, constant, is_dtype_or_name, weak
from rulewright.tensor.members import Members, Self
from rulewright.tensor.shapes import node_broadcast_to, node_cast, node_iota, nodes_broadcast

_BITWISE = {
    Ops.AND: "bitwise_and",
    Ops.OR: "bitwise_or",
    Ops.XOR: "bitwise_xor",
    Ops.SHL: "lshift",
    Ops.SHR: "rshift",
}
"""Methods by their op."""


class Logic(Members):
    """Logic, bits, choice between values, other dtypes."""

    __slots__ = ()

    # ---- dtypes ---------------------------------------------------------------------------

    def cast(self, dtype: Any) -> Self:
        """Elements converted to another dtype, given as one, by name, or as bool, int or float.

        Integers wrap. Floats become integers by rounding toward zero; out of range gives the
        nearest bound, NaN gives 0. To a float: to nearest even; too large becomes infinity, in
        those of 8 bits that have none NaN: of fp8e4m3 `clip(-448, 448)` first saturates, of
        fp8e4m3fnuz `clip(-240, 240)`. What is not zero is true.
        Raises DTypeError for what is no dtype of tensors.

        >>> Tensor([1.9, -300.0, float("nan")]).cast(dtypes.i8).tolist()
        [1, -128, 0]

        >>> Tensor([1.9, -1.9]).cast("int32").tolist()
        [1, -1]
        """
        kind = as_dtype(dtype)
        return self if kind is self.dtype else self._new(node_cast(self.uop, kind))

    def to(
        self, device: Any = None, dtype: Any = None, non_blocking: bool = False, copy: bool = False
    ) -> Self:
        """This on another device and as another dtype; itself if it is that already.

        device: a name, None for the default device, a dtype or its name instead
        (`x.to(dtypes.f16)`, `x.to("float16")`), or a tensor whose device and dtype are taken.
        dtype: as `cast` takes it. non_blocking: no effect, for what is needed waits. copy: in
        memory of its own, also if it is that already. Raises DeviceError for an unknown device,
        DTypeError for an unknown dtype.

        >>> Tensor([1, 2]).to(dtypes.f16).dtype
        dtypes.f16
        """
        if copy:
            moved = self.to(device, dtype)
            return moved.clone() if moved is self else moved
        if isinstance(device, Core):
            return self.to(device.device, device.dtype if dtype is None else dtype)
        if is_dtype_or_name(device):
            if dtype is not None:
                raise ArgumentError(f"to: expected one dtype, found {device} and {dtype!r}")
            return self.cast(device)
        moved = self if device is None and dtype is not None else self._on_device(device)
        return moved if dtype is None else moved.cast(dtype)

    def to_(self, device: Any) -> Self:
        """Let this stand for what `to` gives; as a leaf it stays one.

        >>> weight = Tensor([1.0], requires_grad=True)
        >>> weight.to_("INTERP").device, weight.is_leaf
        ('INTERP', True)
        """
        return self.replace(self.detach().to(device))

    def type(self, dtype: Any) -> Self:
        """`cast`, as PyTorch calls it.

        >>> Tensor([1, 2]).type(dtypes.u8).dtype
        dtypes.u8
        """
        return self.cast(as_dtype(dtype))

    def type_as(self, other: Core) -> Self:
        """`cast` to the dtype of another tensor.

        >>> Tensor([1, 2]).type_as(Tensor([1.5])).dtype
        dtypes.f32
        """
        return self.cast(other.dtype)

    def is_signed(self) -> bool:
        """Whether elements can be negative.

        >>> Tensor([1, 2]).is_signed()
        True
        """
        return bool(self.dtype.min < 0)

    def bitcast(self, dtype: Any) -> Self:
        """The same bits read as another dtype.

        To a dtype of the same size a view, else a new value: a narrower dtype splits each element
        of the last axis, low bits first, a wider one joins neighbours there: (…, n) becomes
        (…, n * bytes before / bytes after). A byte read as bool is true if it is not 0. It has no
        gradient: detach() first. Raises DTypeError where a tensor without axes would change its
        size, ShapeError if the last axis holds no whole elements.

        >>> Tensor([1.0, -2.0]).bitcast(dtypes.u16).tolist()
        [0, 16256, 0, 49152]

        >>> Tensor([1.0, -2.0]).bitcast("int32").tolist()
        [1065353216, -1073741824]
        """
        kind = as_dtype(dtype)
        if kind is self.dtype:
            return self
        if kind.is_bool or self.dtype.is_bool:
            byte = self.cast(dtypes.u8) if self.dtype.is_bool else self.bitcast(dtypes.u8)
            return byte.cast(dtypes.bool) if kind.is_bool else byte.bitcast(kind)
        before, after = self.dtype.itemsize, kind.itemsize
        if before == after:
            return self._view(self.uop.bitcast(kind))
        if not self.ndim:
            raise DTypeError(
                f"bitcast: {self.dtype.name} has {before} bytes, {kind.name} has {after}; they "
                "must be equal for a tensor without axes"
            )
        there = self._file_as(kind)
        if there is not None:
            return there
        bits, parts = self.uop.bitcast(_unsigned(before)), _unsigned(after)
        return self._new((_split if after < before else _joined)(bits, parts).bitcast(kind))

    def _bitwise(self, op: Op, other: Any, swapped: bool = False) -> Self:
        method = _BITWISE[op]
        a, b, device = self._pair(other, method)
        shifts = "Shift" in op.groups
        if a.dtype.is_float or (shifts and a.dtype.is_bool):
            wanted = "integers" if shifts else "bool or integers"
            raise DTypeError(f"{method}: expected {wanted}, found {a.dtype.name}; cast first")
        return self._make(b.alu(op, a) if swapped else a.alu(op, b), device)

    # ---- logic and bits -------------------------------------------------------------------

    def bitwise_not(self) -> Self:
        """Every bit the other way; logical not for bools. Raises DTypeError for floats.

        >>> Tensor([0, 5]).bitwise_not().tolist()
        [-1, -6]
        """
        if self.dtype.is_float:
            raise DTypeError(f"bitwise_not: expected bool or integers, found {self.dtype.name}")
        return self._new(self.uop.alu(Ops.NOT))

    def nextafter(self, other: Any) -> Self:
        """The number of this dtype that comes next on the way to another; that one, if it is equal.

        NaN beside NaN. It has no gradient. Raises DTypeError for integers and floats of 8 bits.

        >>> Tensor([1.0, -1.0]).nextafter(Tensor([2.0, -2.0])).tolist() == [1 + 2**-23, -1 - 2**-23]
        True
        """
        x, y = (each._constant() for each in self._both(other, "nextafter"))
        kind = x.dtype
        if not kind.is_float or kind.bits < 16:
            raise DTypeError(
                f"nextafter: expected floats of 16 bits or more, found {kind.name}; cast first"
            )
        bits, sign = x.bitcast(f"uint{kind.bits}"), 1 << (kind.bits - 1)
        least = (y < 0).cast(bits.dtype) * sign + 1
        outward = (x < y).eq(x > 0)
        moved = (x == 0).where(least, outward.where(bits + 1, bits - 1))
        value = (x == y).where(y, moved.bitcast(kind))
        return x.isnan().logical_or(y.isnan()).where(float("nan"), value)

    def logical_not(self) -> Self:
        """Where elements are zero, as bools.

        >>> Tensor([0.0, 0.5]).logical_not().tolist()
        [True, False]
        """
        return self.cast(dtypes.bool).bitwise_not()

    def logical_and(self, other: Any) -> Self:
        """Where both elements are not zero, as bools.

        >>> Tensor([0, 1, 2]).logical_and(True).tolist()
        [False, True, True]
        """
        return self._logical(Ops.AND, other, "logical_and")

    def logical_or(self, other: Any) -> Self:
        """Where either element is not zero, as bools.

        >>> Tensor([0, 1, 2]).logical_or(Tensor([0, 0, 1])).tolist()
        [False, True, True]
        """
        return self._logical(Ops.OR, other, "logical_or")

    def logical_xor(self, other: Any) -> Self:
        """Where exactly one of the elements is not zero, as bools.

        >>> Tensor([0, 1, 2]).logical_xor(True).tolist()
        [True, False, False]
        """
        return self._logical(Ops.XOR, other, "logical_xor")

    def _logical(self, op: Op, other: Any, method: str) -> Self:
        if other.__class__ in SCALARS:
            truth: Any = bool(other)
        else:
            truth = self._wrap(other, method).cast(dtypes.bool)
        return self.cast(dtypes.bool)._binary(op, truth, method)

    def _wrap(self, other: Any, name: str = "operand") -> Members:
        """An operand as a tensor of this class; errors call it by its name."""
        operand = self._operand(other, name)
        assert isinstance(operand, Members)
        return operand

    def bitwise_and(self, other: Any) -> Self:
        """`&` bit by bit. Raises DTypeError for floats.

        >>> Tensor([6, 5]).bitwise_and(3).tolist()
        [2, 1]
        """
        return self._bitwise(Ops.AND, other)

    def bitwise_or(self, other: Any) -> Self:
        """`|` bit by bit. Raises DTypeError for floats.

        >>> Tensor([6, 5]).bitwise_or(3).tolist()
        [7, 7]
        """
        return self._bitwise(Ops.OR, other)

    def bitwise_xor(self, other: Any) -> Self:
        """`^` bit by bit. Raises DTypeError for floats.

        >>> Tensor([6, 5]).bitwise_xor(3).tolist()
        [5, 6]
        """
        return self._bitwise(Ops.XOR, other)

    def lshift(self, other: Any) -> Self:
        """Bits shifted up; a count of the width or more gives 0. Integers only.

        >>> Tensor([1, -3]).lshift(2).tolist()
        [4, -12]
        """
        return self._bitwise(Ops.SHL, other)

    def rshift(self, other: Any) -> Self:
        """Bits shifted down, keeping the sign. Integers only.

        >>> Tensor([9, -9]).rshift(2).tolist()
        [2, -3]
        """
        return self._bitwise(Ops.SHR, other)

    # ---- choice ---------------------------------------------------------------------------

    def where(self, yes: Any, no: Any) -> Self:
        """`yes` where this holds, else `no`. Raises DTypeError if this is not bool.

        >>> x = Tensor([-1, 2])
        >>> (x < 0).where(0, x).tolist()
        [0, 2]
        """
        if not self.dtype.is_bool:
            raise DTypeError(
                f"where: expected a bool condition, found {self.dtype.name}; compare first, "
                "such as (x != 0).where(a, b); the condition stands first: PyTorch's "
                "a.where(condition, b) is condition.where(a, b)"
            )
        a, b, device = self._branches(weak(yes), weak(no))
        condition, a, b = nodes_broadcast([self.uop, a, b], "where")
        return self._make(condition.where(a, b), device)

    def _branches(self, yes: Any, no: Any) -> tuple[UOp, UOp, str | None]:
        """The two values of a `where`, in one dtype."""
        if yes.__class__ in SCALARS and no.__class__ in SCALARS:
            widest = max(yes, no, key=lambda v: SCALARS.index(v.__class__))
            kind = as_dtype(widest.__class__)
            return constant(kind, yes), constant(kind, no), self._device
        first, second = (no, yes) if yes.__class__ in SCALARS else (yes, no)
        tensor = self._wrap(first)
        a, b, device = tensor._pair(second, "where")
        if first is no:
            a, b = b, a
        return a, b, self._joint_device(self._make(a, device), "where")


def _unsigned(size: int) -> DType:
    """The unsigned integer of that many bytes."""
    return as_dtype(f"u{8 * size}")


def _split(bits: UOp, part: DType) -> UOp:
    """Each unsigned integer of the last axis as several of type `part`, the lowest first."""
    *rest, size = bits.shape or ()
    count = bits.dtype.itemsize // part.itemsize
    shape = (*rest, size, count)
    place = node_iota(count, len(rest) + 1, shape, bits.dtype)
    spread = node_broadcast_to(bits.reshape((*rest, size, 1)), shape)
    parts = node_cast(spread.alu(Ops.SHR, place * UOp.const(bits.dtype, part.bits)), part)
    return parts.reshape((*rest, size * count))


def _joined(bits: UOp, whole: DType) -> UOp:
    """Neighbours of the last axis, unsigned integers, as one of type `whole`."""
    *rest, size = bits.shape or ()
    count = whole.itemsize // bits.dtype.itemsize
    if isinstance(size, int) and size % count:
        raise ShapeError(
            f"bitcast: the last axis has {size} elements of {bits.dtype.itemsize} bytes; "
            f"expected a multiple of {count}, for {whole.itemsize} bytes each"
        )
    shape = (*rest, size // count, count)
    place = node_iota(count, len(rest) + 1, shape, whole)
    parts = node_cast(bits.reshape(shape), whole)
    moved = parts.alu(Ops.SHL, place * UOp.const(whole, bits.dtype.bits))
    total = UOp(Ops.REDUCE_AXIS, whole, (moved,), (Ops.ADD, (len(rest) + 1,)))
    return total.reshape(shape[:-1])
