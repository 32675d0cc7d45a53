"""Products of matrices that a library may do: which they are, told from a kernel's graph.

A kernel that is asked to be done by a library keeps its loops, which say what it means; its source
calls the library instead of them.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

from rulewright.codegen.nests import Nest, fixed, nests, single_stores
from rulewright.errors import UsageError
from rulewright.ir.dtypes import DType
from rulewright.ir.linear import LinearForm, linear
from rulewright.ir.ops import Ops
from rulewright.ir.uop import UOp
from rulewright.render import CallOfProduct, Matrix
from rulewright.render.target import Target

_MOST = 1 << 31
"""Sizes and distances are below: a library takes them as int."""


def library_product(sink: UOp, on: Target) -> CallOfProduct | None:
    """The product that a kernel is, if it is one of two matrices in memory and no more.

    None for all else: other dtypes than the target's libraries have, symbolic sizes, matrices of
    which neither the rows nor the columns lie side by side, anything computed before or after.
    """
    all_nests = [*nests(sink), *single_stores(sink)]
    if len(all_nests) != 1:
        return None
    nest = all_nests[0]
    total = nest.store.src[1]
    is_sum = total.op is Ops.REDUCE and total.arg is Ops.ADD
    product, *depth = total.src if is_sum else (total,)  # nothing is summed over one element
    if product.op is not Ops.MUL or not on.has_text(f"product_{total.dtype.name}"):
        return None
    accesses = (nest.store.src[0], *product.src)
    if any(a.op is not Ops.INDEX or a.src[0].op is not Ops.PARAM for a in accesses):
        return None
    out, left, right = (_Access(a.src[0].arg[0], linear(a.src[1])) for a in accesses)
    return _Roles(nest, depth, out, left, right).product(total.dtype)


def sums_nothing(sink: UOp) -> bool:
    """Whether a kernel stores zeros, as a product over no elements is: no library is called."""
    values = [nest.store.src[1] for nest in (*nests(sink), *single_stores(sink))]
    return all(value.op is Ops.CONST and value.arg == 0 for value in values)


def check_library(sink: UOp, on: Target, name: str) -> None:
    """Raises UsageError if a kernel cannot be done by a library."""
    if library_product(sink, on) is None:
        raise UsageError(
            f"kernel {name}: `blas` is for a product of two matrices in memory, of f32 or f64 and "
            f"known sizes, on the device C; this is none for {on.name}. Leave the choice to the "
            "compiler, or compute operands and what follows apart: contiguous()"
        )


@dataclass(frozen=True)
class _Access:
    slot: int
    form: LinearForm


@dataclass(frozen=True)
class _Roles:
    """A nest around a sum of products, and what its ranges are."""

    nest: Nest
    depth: list[UOp]
    out: _Access
    left: _Access
    right: _Access

    def product(self, dtype: DType) -> CallOfProduct | None:
        """The call, if each range has a role and each matrix a form that libraries know."""
        forms = [access.form for access in (self.out, self.left, self.right)]
        sizes = [fixed(axis) for axis in (*self.nest.axes, *self.depth)]
        if any(form.opaque for form in forms) or not all(sizes):
            return None
        if self.out.slot in (self.left.slot, self.right.slot):
            return None
        rows = self._used_by(left=True, right=False)
        columns = self._used_by(left=False, right=True)
        batch = self._used_by(left=True, right=True)
        if len(rows) + len(columns) + len(batch) < len(self.nest.axes):
            return None
        both = all(f.uses(axis) for f in forms[1:] for axis in self.depth)
        if not both or _one_axis(self.depth, self.left, self.right)[1]:
            return None
        rows, more = _one_axis(rows, self.out, self.left)
        columns, others = _one_axis(columns, self.out, self.right)
        batch += [*more, *others]
        return (
            self._call(dtype, self.left, self.right, rows, columns, batch)
            # a result that lies column by column is that of the turned operands, row by row
            or self._call(dtype, self.right, self.left, columns, rows, batch)
        )

    def _used_by(self, left: bool, right: bool) -> list[UOp]:
        forms = self.left.form, self.right.form
        wanted = (left, right)
        return [a for a in self.nest.axes if tuple(f.uses(a) for f in forms) == wanted]

    def _call(
        self,
        dtype: DType,
        left: _Access,
        right: _Access,
        rows: list[UOp],
        columns: list[UOp],
        batch: list[UOp],
    ) -> CallOfProduct | None:
        out = _matrix(self.out, rows, columns, batch)
        first = _matrix(left, rows, self.depth, batch)
        second = _matrix(right, self.depth, columns, batch)
        if out is None or first is None or second is None or out.turned:
            return None
        sizes = _size(rows), _size(columns), _size(self.depth)
        if max(*sizes, *(m.apart for m in (out, first, second))) >= _MOST:
            return None
        around = tuple(_size([axis]) for axis in batch)
        return CallOfProduct(dtype, sizes, around, out, first, second)


def _one_axis(axes: list[UOp], *accesses: _Access) -> tuple[list[UOp], list[UOp]]:
    """Axes that memory is stepped along as if they were one, the innermost among them; the rest."""
    first = len(axes) - 1
    while first > 0 and all(_follow(axes[first - 1], axes[first], a.form) for a in accesses):
        first -= 1
    return axes[max(first, 0) :], axes[: max(first, 0)]


def _follow(outer: UOp, inner: UOp, form: LinearForm) -> bool:
    """Whether a step of one axis is as far as all steps of the other."""
    return form.strides.get(outer) == form.strides.get(inner, 0) * _size([inner])


def _size(axes: list[UOp]) -> int:
    return prod(fixed(axis) or 0 for axis in axes)


def _matrix(access: _Access, down: list[UOp], across: list[UOp], batch: list[UOp]) -> Matrix | None:
    """How a matrix lies whose rows go along `across` and follow each other along `down`."""
    strides = access.form.strides
    steps = tuple(strides.get(axis, 0) for axis in batch)
    for far, near, turned in ((down, across, False), (across, down, True)):
        apart = strides.get(far[-1], 0) if far else _size(near)
        if (not near or strides.get(near[-1]) == 1) and apart >= _size(near):
            return Matrix(access.slot, access.form.constant, apart, turned, steps)
    return None
