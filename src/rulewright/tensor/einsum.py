"""Sums of products written as a formula, such as "ij,jk->ik"."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from rulewright.errors import ShapeError, UsageError
from rulewright.ir.dtypes import DType
from rulewright.tensor.kinds import accumulator
from rulewright.tensor.members import Members
from rulewright.tensor.products import product_dtype
from rulewright.tensor.shapes import same_size, show

if TYPE_CHECKING:
    from typing_extensions import Self

_DOTS = "0123456789"  # what the axes under an ellipsis are called, counted from the last


class Einsum(Members):
    """einsum."""

    __slots__ = ()

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
        given = one if isinstance(one, list | tuple) else operands
        tensors = [t if isinstance(t, cls) else cls(t) for t in given]
        inputs, output = _parsed(formula, [t.ndim for t in tensors])
        _check_sizes(formula, inputs, [t.shape for t in tensors])
        kind = product_dtype("einsum", dtype, *(t.dtype for t in tensors))
        wide = accumulator(kind)
        terms = [t.cast(wide)._diagonals(names) for t, names in zip(tensors, inputs, strict=True)]
        first, names = terms[0]
        for place in range(1, len(terms)):
            later = output + "".join(n for _, n in terms[place + 1 :])
            first, names = first._combined(names, *terms[place], later, wide)
        found = first._summed_to(names, output, wide)
        return found.cast(kind)

    def _diagonals(self, names: str) -> tuple[Self, str]:
        """This with each name once."""
        found = self
        for name in sorted(set(names)):
            while names.count(name) > 1:
                a = names.index(name)
                b = names.index(name, a + 1)
                found = found.diagonal(0, a, b)
                names = names[:a] + names[a + 1 : b] + names[b + 1 :] + name
        return found, names

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
        found = self.sum(axes, dtype=kind) if axes else self
        return found._laid_out("".join(n for n in names if n in output), output)


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
