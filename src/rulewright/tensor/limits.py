"""What is no ordinary number, and what lies out of bounds, element by element."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from rulewright.errors import UsageError
from rulewright.ir.dtype_info import finfo
from rulewright.tensor.core import Core
from rulewright.tensor.kinds import weak
from rulewright.tensor.members import Members

if TYPE_CHECKING:
    from typing_extensions import Self


class Limits(Members):
    """NaN and infinities, closeness, bounds."""

    __slots__ = ()

    def isnan(self) -> Self:
        """Where elements are NaN, as bools.

        >>> Tensor([0.0, float("nan")]).isnan().tolist()
        [False, True]
        """
        return self.ne(self)

    def isinf(self, detect_positive: bool = True, detect_negative: bool = True) -> Self:
        """Where elements are infinite, as bools; one sign may be left out.

        >>> Tensor([float("inf"), float("-inf"), 0.0]).isinf(detect_negative=False).tolist()
        [True, False, False]
        """
        if not self.dtype.is_float:
            return self.ne(self)
        if not (detect_positive or detect_negative):
            return self < -math.inf
        if not (detect_positive and detect_negative):
            return self == (math.inf if detect_positive else -math.inf)
        return (self == math.inf).logical_or(self == -math.inf)

    def isfinite(self) -> Self:
        """Where elements are neither infinite nor NaN, as bools.

        >>> Tensor([1.0, float("inf"), float("nan")]).isfinite().tolist()
        [True, False, False]
        """
        return self.isinf().logical_or(self.isnan()).logical_not()

    def isclose(
        self, other: Any, rtol: float = 1e-5, atol: float = 1e-8, equal_nan: bool = False
    ) -> Self:
        """Where |x - y| <= atol + rtol * |y|, as bools; infinities are close to themselves only.

        equal_nan: whether NaN is close to NaN. Raises UsageError for a negative tolerance.

        >>> Tensor([1.0, 1.0]).isclose(Tensor([1.000001, 1.1])).tolist()
        [True, False]
        """
        if not (rtol >= 0 and atol >= 0):
            raise UsageError(f"isclose: tolerances are 0 or more, found {rtol} and {atol}")
        x, y, device = self._pair(other, "isclose")
        mine, theirs = self._make(x, device), self._make(y, device)
        found = mine == theirs
        if not x.dtype.is_bool:
            apart = (mine < theirs).where(theirs - mine, mine - theirs)
            size = (theirs < 0).where(-theirs, theirs) if x.dtype.min < 0 else theirs
            near = apart <= size * rtol + atol
            found = found.logical_or(near.logical_and(apart.isfinite()))
        both = mine.isnan().logical_and(theirs.isnan())
        return found.logical_or(both) if equal_nan and x.dtype.is_float else found

    def nan_to_num(
        self, nan: float = 0.0, posinf: float | None = None, neginf: float | None = None
    ) -> Self:
        """Other numbers for NaN and the infinities, for these the largest finite ones if not given.

        >>> Tensor([float("nan"), 1.0, float("inf")]).nan_to_num(posinf=9).tolist()
        [0.0, 1.0, 9.0]
        """
        if not self.dtype.is_float:
            return self._equal()
        most = float(finfo(self.dtype).max)
        above, below = most if posinf is None else posinf, -most if neginf is None else neginf
        found = self.isnan().where(nan, self)
        return (found == math.inf).where(above, (found == -math.inf).where(below, found))

    def clip(self, min: Any = None, max: Any = None) -> Self:
        """Elements below `min` become `min`, those above `max` become `max`; NaN stays.

        min, max: numbers or tensors that broadcast; where min > max, it is max. The derivative is
        1 at the bounds. Raises UsageError if neither is given.

        >>> Tensor([-3, 0, 9]).clip(-1, 2).tolist()
        [-1, 0, 2]
        """
        if min is None and max is None:
            raise UsageError("clip: expected min, max or both, found neither")
        low = self if min is None else self._bounded(weak(min), "lt")
        return low if max is None else low._bounded(weak(max), "gt")

    def _bounded(self, bound: Any, beyond: str) -> Self:
        if not isinstance(bound, Core):
            return self._chosen(getattr(self, beyond)(bound), bound, self)
        inside = self.ge(bound) if beyond == "lt" else self.le(bound)
        return self._chosen(inside.logical_or(self.isnan()), self, bound)

    def _chosen(self, condition: Self, yes: Any, no: Any) -> Self:
        return condition.where(yes, no)

    def clamp(self, min: Any = None, max: Any = None) -> Self:
        """`clip`.

        >>> Tensor([-3, 0, 9]).clamp(min=0).tolist()
        [0, 0, 9]
        """
        return self.clip(min, max)

    def masked_fill(self, mask: Any, value: Any) -> Self:
        """`value` where the bool `mask` holds, else this.

        >>> Tensor([1, 2, 3]).masked_fill(Tensor([True, False, True]), 9).tolist()
        [9, 2, 9]
        """
        filled = self._wrap(mask, "masked_fill mask").where(value, self)
        return self._new(filled.cast(self.dtype).uop)
