"""Products of matrices and vectors, made of movement ops, MUL and sums, and `einsum`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any, cast

from rulewright.errors import ArgumentError, DTypeError, ShapeError, UsageError
from rulewright.ir.dtypes import DType
from rulewright.ir.expected import refuse
from rulewright.ir.ops import Ops
from rulewright.ir.uop import UOp
from rulewright.tensor.core import Core
from rulewright.tensor.kinds import accumulator, as_dtype, common_dtype
from rulewright.tensor.members import Members, Self
from rulewright.tensor.patterns import patterned
from rulewright.tensor.shapes import (
    known_numbers,
    node_cast,
    node_last_swapped,
    node_reduced,
    node_unsqueezed,
    nodes_broadcast,
    normal_axis,
    numel,
    same_size,
    show,
    show_size,
)

_DOTS = "0123456789"  # what the axes under an ellipsis are called, counted from the last


class Products(Members):
    """matmul, dot, outer, einsum and their kin.

    Narrow floats are accumulated in float32 and rounded once; integers wrap. `dtype` is the type
    of the result, in which products are added up too.
    """

    __slots__ = ()

    def _other(self, operand: Any, name: str = "operand") -> Self:
        """Another operand as a tensor of this class; errors call it by its name."""
        return cast("Self", self._wrap(operand, name))

    def matmul(self, other: Any, dtype: Any = None) -> Self:
        """Matrix product: (…, n, k) @ (…, k, m) is (…, n, m); a vector on either side is one axis.

        Leading axes broadcast. Raises ShapeError if the inner sizes differ or a side is a scalar,
        DTypeError for bools.

        >>> (Tensor([[1, 2], [3, 4]]) @ Tensor([[1, 0], [1, 1]])).tolist()
        [[3, 2], [7, 4]]
        """
        a, b = self, self._other(other)
        if not a.ndim or not b.ndim:
            raise ShapeError("matmul: expected 1 axis or more on both sides, found a scalar")
        inner = b.shape[0] if b.ndim == 1 else b.shape[-2]
        if not same_size(a.shape[-1], inner):
            raise ShapeError(
                f"matmul: shapes {show(a.shape)} and {show(b.shape)}: the last axis of the first, "
                f"{show_size(a.shape[-1])}, must equal "
                f"{'the' if b.ndim == 1 else 'the last but one'} axis of the second, "
                f"{show_size(inner)}"
            )
        kind = product_dtype("matmul", dtype, a.dtype, b.dtype)
        rows, columns = a.uop, b.uop
        if b.ndim > 1:
            columns = node_last_swapped(columns)
            if a.ndim > 1:
                rows = node_unsqueezed(rows, a.ndim - 1)
                columns = node_unsqueezed(columns, b.ndim - 2)
        return self._sum_of_products(rows, columns, b, kind)

    def _sum_of_products(self, mine: UOp, theirs: UOp, other: Core, kind: DType) -> Self:
        """The sum over the last axis of this tensor's node times that of another, broadcast."""
        wide = accumulator(kind)
        a, b = nodes_broadcast([node_cast(mine, wide), node_cast(theirs, wide)], "matmul")
        sums = node_reduced(a.alu(Ops.MUL, b), Ops.ADD, (len(a.shape or ()) - 1,))
        return self._make(node_cast(sums, kind), self._joint_device(other, "matmul"))

    def _accumulate_last(self, kind: DType, axes: int = 1) -> Self:
        return self.sum(tuple(range(-axes, 0)), dtype=kind)

    def _matrix_product(self, other: Any, swapped: bool = False) -> Self:
        return self._other(other).matmul(self) if swapped else self.matmul(other)

    def mm(self, other: Any) -> Self:
        """`matmul` of (n, k) and (k, m). Raises ShapeError unless both have two axes.

        >>> Tensor.eye(2).mm(Tensor([[1.0, 2.0], [3.0, 4.0]])).tolist()
        [[1.0, 2.0], [3.0, 4.0]]
        """
        return self._of_ranks(other, (2, 2), "mm")

    def mv(self, other: Any) -> Self:
        """`matmul` of (n, k) and (k,). Raises ShapeError for another number of axes.

        >>> Tensor([[1, 2], [3, 4]]).mv(Tensor([1, 1])).tolist()
        [3, 7]
        """
        return self._of_ranks(other, (2, 1), "mv")

    def bmm(self, other: Any) -> Self:
        """`matmul` of (b, n, k) and (b, k, m). Raises ShapeError unless both have three axes.

        >>> Tensor.ones(2, 3, 4).bmm(Tensor.ones(2, 4, 5)).shape
        (2, 3, 5)
        """
        return self._of_ranks(other, (3, 3), "bmm")

    def _of_ranks(self, other: Any, ranks: tuple[int, int], method: str) -> Self:
        right = self._wrap(other)
        fits = (self.ndim, right.ndim) == ranks and (
            ranks[1] < 3 or same_size(self.shape[0], right.shape[0])
        )
        if not fits:
            raise ShapeError(
                f"{method}: expected tensors of {ranks[0]} and {ranks[1]} axes"
                f"{', the first of one size' if ranks[1] == 3 else ''}, "
                f"found {show(self.shape)} and {show(right.shape)}; matmul takes any"
            )
        return self.matmul(right)

    def addmm(self, mat1: Core, mat2: Any, *, beta: float = 1, alpha: float = 1) -> Self:
        """beta * self + alpha * (mat1 @ mat2) of matrices; with a beta of 0 this is not looked at.

        >>> Tensor([1, 2]).addmm(Tensor([[1, 2]]), Tensor([[1, 0], [0, 1]]), alpha=10).tolist()
        [[11, 22]]
        """
        return self._beside(self._other(mat1)._of_ranks(mat2, (2, 2), "addmm"), beta, alpha)

    def addmv(self, mat: Core, vec: Any, *, beta: float = 1, alpha: float = 1) -> Self:
        """beta * self + alpha * (mat @ vec) of a matrix and a vector.

        >>> Tensor(1).addmv(Tensor([[1, 2], [3, 4]]), Tensor([1, 1])).tolist()
        [4, 8]
        """
        return self._beside(self._other(mat)._of_ranks(vec, (2, 1), "addmv"), beta, alpha)

    def baddbmm(self, batch1: Core, batch2: Any, *, beta: float = 1, alpha: float = 1) -> Self:
        """beta * self + alpha * (batch1 @ batch2) of as many matrices on both sides.

        >>> Tensor(1).baddbmm(Tensor([[[2]], [[3]]]), Tensor([[[4]], [[5]]]), beta=2).tolist()
        [[[10]], [[17]]]
        """
        return self._beside(self._other(batch1)._of_ranks(batch2, (3, 3), "baddbmm"), beta, alpha)

    def _beside(self, product: Self, beta: float, alpha: float) -> Self:
        """beta * self + alpha * product, in the shape of the product."""
        known_numbers((beta, alpha), "addmm", "beta and alpha")
        scaled = product if alpha == 1 else product * alpha
        if beta == 0:
            return scaled
        return (self if beta == 1 else self * beta).expand(product.shape) + scaled

    def kron(self, other: Any) -> Self:
        """Kronecker's product: each element of this times all of the other, as one block.

        Axes are counted from the last; the tensor with fewer gets some of size 1.

        >>> Tensor([1, 2]).kron(Tensor([[1, 10]])).tolist()
        [[1, 10, 2, 20]]
        """
        right = self._other(other)
        rank = max(self.ndim, right.ndim)
        mine, theirs = ((*[1] * (rank - t.ndim), *t.shape) for t in (self, right))
        outer = self.reshape([s for size in mine for s in (size, 1)]) * right.reshape(
            [s for size in theirs for s in (1, size)]
        )
        return outer.reshape([a * b for a, b in zip(mine, theirs, strict=True)])

    def outer(self, other: Any) -> Self:
        """x[i] * y[j] for two vectors: shape (n, m). Raises ShapeError for other ranks.

        >>> Tensor([1, 2]).outer(Tensor([3, 4, 5])).tolist()
        [[3, 4, 5], [6, 8, 10]]
        """
        right = self._wrap(other)
        if self.ndim != 1 or right.ndim != 1:
            raise ShapeError(
                f"outer: expected two vectors, found {show(self.shape)} and {show(right.shape)}"
            )
        return self.unsqueeze(-1) * right

    def inner(self, other: Any) -> Self:
        """Sums of products over the last axis of both: (…, k) and (—, k) give (…, —).

        A scalar multiplies. Raises ShapeError if the last sizes differ.

        >>> Tensor([[1, 2], [3, 4]]).inner(Tensor([10, 1])).tolist()
        [12, 34]
        """
        right = self._other(other)
        if not self.ndim or not right.ndim:
            return self * right
        if not same_size(self.shape[-1], right.shape[-1]):
            raise ShapeError(
                f"inner: the last axes of {show(self.shape)} and {show(right.shape)} must be equal"
            )
        kind = product_dtype("inner", None, self.dtype, right.dtype)
        lead = (*self.shape[:-1], *(1,) * (right.ndim - 1), self.shape[-1])
        return self._sum_of_products(self.uop.reshape(lead), right.uop, right, kind)

    @patterned
    def linear(self, weight: Any, bias: Any = None, dtype: Any = None) -> Self:
        """x @ weight + bias, for x (…, in), weight (in, out) or (in,), bias (out,).

        A weight of one axis multiplies element by element, as in tinygrad. With `dtype`, all
        three are converted first. Raises ShapeError if sizes do not fit.

        >>> Tensor([1.0, 2.0]).linear(Tensor([[1.0], [10.0]]), Tensor([0.5])).tolist()
        [21.5]
        """
        if dtype is not None:
            kind = as_dtype(dtype)
            bias = None if bias is None else self._wrap(bias).cast(kind)
            return self.cast(kind).linear(self._wrap(weight).cast(kind), bias)
        weight = self._wrap(weight)
        product = self * weight if weight.ndim == 1 else self.matmul(weight)
        return product if bias is None else product + bias

    def sequential(self, layers: Sequence[Callable[[Any], Any]]) -> Self:
        """What comes out of the last of some functions, each called with the result before it.

        Raises ArgumentError for what is no function.

        >>> Tensor([-1.0, 2.0]).sequential([Tensor.relu, lambda x: x + 1]).tolist()
        [1.0, 3.0]
        """
        result: Any = self
        for layer in layers:
            if not callable(layer):
                refuse("sequential", "functions as layers", layer)
            result = layer(result)
        return result

    def tensordot(self, other: Any, dims: Any = 2) -> Self:
        """The sum of products over axes of both: those that are left of this, then of the other.

        dims: how many, of the last ones of this and the first ones of the other, or the axes of
        each, two lists. Raises ShapeError if their sizes differ, ArgumentError for other `dims`.

        >>> Tensor([[1, 2], [3, 4]]).tensordot(Tensor([[1, 1], [1, 0]]), ([0], [1])).tolist()
        [[4, 1], [6, 2]]
        """
        b = self._other(other, "tensordot")
        own, others = _summed_axes(dims, self.ndim, b.ndim)
        sizes = [self.shape[axis] for axis in own], [b.shape[axis] for axis in others]
        if not all(map(same_size, *sizes)):
            raise ShapeError(
                f"tensordot: axes {own} of {show(self.shape)} and {others} of {show(b.shape)} have "
                f"sizes {show(sizes[0])} and {show(sizes[1])}; they must be equal"
            )
        left = [axis for axis in range(self.ndim) if axis not in own]
        right = [axis for axis in range(b.ndim) if axis not in others]
        count = numel(sizes[0])
        shape = [*(self.shape[axis] for axis in left), *(b.shape[axis] for axis in right)]
        rows = self.permute(*left, *own).reshape(numel([self.shape[axis] for axis in left]), count)
        columns = b.permute(*others, *right).reshape(count, numel([b.shape[a] for a in right]))
        return rows.matmul(columns).reshape(shape)

    # ---- formulas --------------------------------------------------------------------------

    @classmethod
    def einsum(cls, formula: str, *operands: Any, dtype: Any = None) -> Self:
        """Sum of products after Einstein: axes with one letter run together, and letters that the
        result does not name are summed over.

        A letter twice in one operand takes its diagonal; "..." stands for any leading axes, which
        broadcast; without "->" the result has, in alphabetical order, the letters that occur once.
        Operands are combined two by two from the left. Raises UsageError for a formula that is
        none, ShapeError where it does not fit the shapes.

        >>> Tensor.einsum("ij,jk->ki", Tensor([[1, 2]]), Tensor([[3], [4]])).tolist()
        [[11]]
        """
        one = operands[0] if len(operands) == 1 else None
        factors = one if isinstance(one, list | tuple) else operands
        tensors = [t if isinstance(t, cls) else cls(t) for t in factors]
        inputs, output = _parsed(formula, [t.ndim for t in tensors])
        _check_sizes(formula, inputs, [t.shape for t in tensors])
        kind = product_dtype("einsum", dtype, *(t.dtype for t in tensors))
        wide = accumulator(kind)
        terms = [t.cast(wide)._diagonals(names) for t, names in zip(tensors, inputs, strict=True)]
        first, names = terms[0]
        for place in range(1, len(terms)):
            later = output + "".join(n for _, n in terms[place + 1 :])
            first, names = first._combined(names, *terms[place], later, wide)
        total = first._summed_to(names, output, wide)
        return total.cast(kind)

    def _diagonals(self, names: str) -> tuple[Self, str]:
        """This with each name once."""
        diagonals = self
        for name in sorted(set(names)):
            while names.count(name) > 1:
                a = names.index(name)
                b = names.index(name, a + 1)
                diagonals = diagonals.diagonal(0, a, b)
                names = names[:a] + names[a + 1 : b] + names[b + 1 :] + name
        return diagonals, names

    def _laid_out(self, names: str, order: str) -> Self:
        """Axes in the order of names, of size 1 where this has none of a name."""
        own = [n for n in order if n in names]
        moved = self.permute([names.index(n) for n in own])
        sizes = iter(moved.shape)
        return moved.reshape([next(sizes) if n in names else 1 for n in order])

    def _combined(
        self, names: str, other: Self, others: str, later: str, kind: DType
    ) -> tuple[Self, str]:
        """The product of two terms, summed over names that nothing later needs."""
        mine = self._summed_to(names, "".join(n for n in names if n in others + later), kind)
        names = "".join(n for n in names if n in others + later)
        theirs = "".join(n for n in others if n in names + later)
        right = other._summed_to(others, theirs, kind)
        both = names + "".join(n for n in theirs if n not in names)
        kept = "".join(n for n in both if n in later)
        order = kept + "".join(n for n in both if n not in later)
        product = mine._laid_out(names, order) * right._laid_out(theirs, order)
        summed = len(order) - len(kept)
        return (product._accumulate_last(kind, summed) if summed else product), kept

    def _summed_to(self, names: str, output: str, kind: DType) -> Self:
        axes = tuple(i for i, n in enumerate(names) if n not in output)
        summed = self.sum(axes, dtype=kind) if axes else self
        return summed._laid_out("".join(n for n in names if n in output), output)


def product_dtype(method: str, dtype: Any, *kinds: DType) -> DType:
    """The type of a sum of products: what was asked for, or where the operands meet.

    Raises DTypeError for bool, whose sums are not numbers.
    """
    kind = common_dtype(*kinds) if dtype is None else as_dtype(dtype)
    if kind.is_bool:
        raise DTypeError(f"{method}: expected numbers, found bool; cast first")
    return kind


def _parsed(formula: str, ranks: Sequence[int]) -> tuple[list[str], str]:
    """The names of each operand's axes and of the result's. Raises UsageError or ShapeError."""
    text = formula.replace(" ", "")
    left, arrow, right = text.partition("->")
    inputs = left.split(",")
    if len(inputs) != len(ranks):
        raise UsageError(f"einsum: {formula!r} names {len(inputs)} operands, found {len(ranks)}")
    dots = [_dots_of(term, rank, formula) for term, rank in zip(inputs, ranks, strict=True)]
    under = _DOTS[: max(dots)][::-1]
    spelled = [
        term.replace("...", under[len(under) - count :])
        for term, count in zip(inputs, dots, strict=True)
    ]
    counts = Counter("".join(spelled))
    if arrow:
        _check_letters(right, formula)
        output = right.replace("...", under)
    else:
        output = under + "".join(sorted(n for n in counts if counts[n] == 1 and n not in under))
    for name in output:
        if output.count(name) > 1 or name not in counts:
            raise UsageError(
                f"einsum: {formula!r}: the result names {name!r} "
                f"{'twice' if output.count(name) > 1 else 'which no operand has'}"
            )
    return spelled, output


def _check_letters(term: str, formula: str) -> None:
    rest = term.replace("...", "", 1)
    if not all(c.isascii() and c.isalpha() for c in rest):
        raise UsageError(
            f"einsum: expected letters, at most one '...' a term, ',' and '->', found {formula!r}"
        )


def _dots_of(term: str, rank: int, formula: str) -> int:
    """How many axes the ellipsis of a term stands for."""
    _check_letters(term, formula)
    letters = len(term.replace("...", ""))
    rest = rank - letters
    if rest < 0 or (rest and "..." not in term) or rest > len(_DOTS):
        raise ShapeError(
            f"einsum: {term!r} of {formula!r} names {letters} axes, the operand has {rank}"
        )
    return rest


def _check_sizes(formula: str, inputs: Sequence[str], shapes: Sequence[Any]) -> None:
    sizes: dict[str, Any] = {}
    for names, shape in zip(inputs, shapes, strict=True):
        own: dict[str, Any] = {}
        for name, size in zip(names, shape, strict=True):
            if not same_size(own.setdefault(name, size), size):
                raise ShapeError(
                    f"einsum: {formula!r}: axes called {name!r} of one operand have sizes "
                    f"{show((own[name], size))}; a diagonal needs equal ones"
                )
            known = sizes.get(name, 1)
            if same_size(known, 1):
                sizes[name] = size
            elif not same_size(size, known) and not same_size(size, 1):
                raise ShapeError(
                    f"einsum: {formula!r}: axes called {name!r} have sizes "
                    f"{show((known, size))}; they must be equal"
                )


def _summed_axes(dims: Any, left: int, right: int) -> tuple[list[int], list[int]]:
    """The axes over which `tensordot` sums, of each of its operands."""
    if isinstance(dims, int) and not isinstance(dims, bool):
        if not 0 <= dims <= min(left, right):
            raise ShapeError(
                f"tensordot: dims is from 0 to {min(left, right)}, what both have, found {dims}"
            )
        return list(range(left - dims, left)), list(range(dims))
    axes = (
        [[a] if isinstance(a, int) else a for a in dims] if isinstance(dims, list | tuple) else []
    )
    if len(axes) != 2 or not all(isinstance(a, list | tuple) for a in axes):
        raise ArgumentError(f"tensordot: dims is a number, or axes of each operand, found {dims!r}")
    own, others = (
        [normal_axis(axis, ndim, "tensordot") for axis in each]
        for each, ndim in zip(axes, (left, right), strict=True)
    )
    if len(own) != len(others) or len({*own}) < len(own) or len({*others}) < len(others):
        raise ArgumentError(
            f"tensordot: expected as many axes of each operand, none of them twice, found {dims!r}"
        )
    return own, others
