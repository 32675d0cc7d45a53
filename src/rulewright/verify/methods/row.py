"""What a row of the table of methods says."""

from __future__ import annotations

from dataclasses import dataclass

from rulewright.verify.methods.text import Expression, text_of

Shape = tuple[int, ...]

FLOATS = ("f32", "f64", "f16", "bf16")
INTS = ("i32", "i64", "i8", "i16", "u8", "u16", "u32", "u64")
NUMBERS = ("f32", "i32", "f64", "f16", "bf16", "i64", "i8", "i16", "u8", "u16", "u32", "u64")
ALL = (*NUMBERS, "bool")

ODD: tuple[tuple[Shape, ...], ...] = (
    ((3, 5),),
    ((),),
    ((1,),),
    ((0,),),
    ((7, 1, 2),),
    ((2, 0, 3),),
)
"""Shapes of one operand that find mistakes at edges."""

PAIRS: tuple[tuple[Shape, ...], ...] = (
    ((3, 5), (3, 5)),
    ((), (4,)),
    ((3, 1), (1, 5)),
    ((0, 2), (2,)),
    ((1,), (7, 1)),
)
"""Shapes of two operands that broadcast."""


@dataclass(frozen=True)
class Method:
    """A call of a tensor method and what it equals.

    name: the method, as an attribute of Tensor.
    call: a function of the operands, which are tensors; its parameters are called x, y, z, w.
    equals: a function of the operands as numpy arrays (float64 for floats, else as they are): an
      array, or a tuple of arrays where the call gives a tuple. None: `check` says what must hold.
    check: whether a result is right, a function of it (a tuple where the call gives one) and of the
      operands as arrays of their dtypes.
    shapes: for each variant the shape of each operand. The first is the plainest.
    dtypes: of the first operand; of the others too, unless `others` names theirs, or says same.
    domain: values of the operands, one word for all or one for each: any (normal numbers, and NaN,
      infinities and signed zero where `special`), positive, unit (between -1 and 1), above1, bool,
      distinct (no two equal), index:N (integers from 0 to N - 1), sorted, nonzero, prob.
    gives: dtype of the result: same, float (the same float, float32 of integers), bool, sum
      (int64 of integers), or a dtype's name; several, separated by spaces, for a tuple.
    tolerance: units of the dtype's epsilon, relative to the largest element expected.
    gradient: whether the derivative is compared with differences of `equals` in float64.
    """

    name: str
    call: Expression
    equals: Expression | None = None
    shapes: tuple[tuple[Shape, ...], ...] = ODD
    dtypes: tuple[str, ...] = FLOATS
    others: tuple[str, ...] = ()
    domain: str | tuple[str, ...] = "any"
    gives: str = "same"
    tolerance: float = 8
    special: bool = False
    gradient: bool = False
    check: Expression | None = None

    @property
    def text(self) -> str:
        """The call as code over x, y, z, w, Tensor, dtypes, np, inf and nan."""
        return text_of(self.call)

    @property
    def formula(self) -> str:
        """What the call equals, or what must hold of its `result`, as code in numpy."""
        return text_of(self.equals or self.check)

    def kinds(self, first: str, count: int) -> tuple[str, ...]:
        """The dtype of each operand where the first one's is `first`."""
        others = self.others or ("same",) * (count - 1)
        return (first, *(first if kind == "same" else kind for kind in others))[:count]


@dataclass(frozen=True)
class Refusal:
    """A call that must raise `error` (its name), with `says` somewhere in the message.

    call: a function of the operands, as that of a Method.

    argument: the parameter that is given what is wrong, `self` for the tensor; need not be said
      where the call gives only one. Every argument of every method has such a call.
    """

    name: str
    call: Expression
    error: str
    says: str
    shapes: tuple[Shape, ...] = ((3, 5),)
    dtypes: tuple[str, ...] = ("f32",)
    argument: str = ""

    @property
    def text(self) -> str:
        """The call as code, as that of a Method."""
        return text_of(self.call)
