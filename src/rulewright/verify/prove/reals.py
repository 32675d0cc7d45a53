"""Real numbers that carry their slopes: numpy's functions as calculus knows them, in z3.

exp, sin and their like are unknown functions with the identities that are listed here.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import partial
from types import SimpleNamespace
from typing import Any, NamedTuple

_CONSTANTS = {math.log(2): "ln 2", 2 / math.sqrt(math.pi): "2/sqrt(pi)"}
"""Numbers that no float is: the nearest double stands for them."""

_NEAR = Fraction(1, 10**15)


class Slope(NamedTuple):
    """A real number, or a truth value, and its derivative by each operand."""

    value: Any
    slopes: tuple[Any, ...]


class Reals:
    """numpy's functions on numbers with slopes, by the rules of calculus.

    `where` is what must hold for the derivative to be; `facts` are identities.
    """

    def __init__(self) -> None:
        import z3

        self.z3, self.context = z3, z3.Context()
        self.where: list[Any] = []
        self.facts: list[Any] = []
        self.angles: list[Any] = []
        self.count = 0

    # ---- numbers ----

    def number(self, value: float) -> Any:
        """A constant; one that stands for a number that no float is, is that number."""
        z3 = self.z3
        if value not in _CONSTANTS:
            return z3.RealVal(Fraction(value), self.context)
        constant, near = z3.Real(_CONSTANTS[value], self.context), Fraction(value)
        bounds = [z3.RealVal(v, self.context) for v in (near - _NEAR, near + _NEAR)]
        self.facts += [bounds[0] < constant, constant < bounds[1]]
        return constant

    def unknown(self, name: str, slopes: Sequence[float]) -> Slope:
        """An operand, with its slope by each operand."""
        raw = self.z3.Real(name, self.context)
        return Slope(raw, tuple(self.number(s) for s in slopes))

    def known(self, value: float | bool, count: int) -> Slope:
        """A constant."""
        rational = (
            self.z3.BoolVal(value, self.context) if isinstance(value, bool) else self.number(value)
        )
        return Slope(rational, (self.number(0),) * count)

    def function(self, name: str, *operands: Any) -> Any:
        """An unknown function of real numbers."""
        real = self.z3.RealSort(self.context)
        return self.z3.Function(name, *[real] * len(operands), real)(*operands)

    def _by(self, value: Any, *pairs: tuple[Any, Slope]) -> Slope:
        """The chain rule: the sum of each partial derivative times the operand's slopes."""
        slopes = []
        for parts in zip(*(operand.slopes for _, operand in pairs), strict=True):
            terms = [d * s for (d, _), s in zip(pairs, parts, strict=True)]
            slopes.append(sum(terms[1:], terms[0]))
        return Slope(value, tuple(slopes))

    # ---- functions of one number ----

    def of_one(self, name: str, x: Slope) -> Slope:
        """A function of one number, by the table of slopes."""
        value = self.function(name, x.value)
        if name in ("sin", "cos"):
            self._angle(x.value)
        if name in _OF_POSITIVE:
            self.where.append(x.value > 0)
        if name == "sqrt":
            root = self.z3.And(value > 0, value * value == x.value)
            self.facts.append(self.z3.Implies(x.value > 0, root))
        return self._by(value, (_SLOPES[name](self, x.value, value), x))

    def _angle(self, x: Any) -> None:
        """What ties sine and cosine to each other, and to those of other angles."""
        sin, cos = (self.function(name, x) for name in ("sin", "cos"))
        self.facts.append(sin * sin + cos * cos == 1)
        for half in (*self.angles, x):
            for one, twice in ((half, x), (x, half)):
                s, c = (self.function(name, one) for name in ("sin", "cos"))
                double = [
                    self.function("sin", twice) == 2 * s * c,
                    self.function("cos", twice) == c * c - s * s,
                ]
                self.facts.append(self.z3.Implies(twice == 2 * one, self.z3.And(*double)))
        self.angles.append(x)

    def negative(self, x: Slope) -> Slope:
        """-x: -1."""
        return self._by(-x.value, (self.number(-1), x))

    # ---- of two and three ----

    def add(self, a: Slope, b: Slope) -> Slope:
        """a + b: 1 and 1."""
        return self._by(a.value + b.value, (self.number(1), a), (self.number(1), b))

    def subtract(self, a: Slope, b: Slope) -> Slope:
        """a - b: 1 and -1."""
        return self._by(a.value - b.value, (self.number(1), a), (self.number(-1), b))

    def multiply(self, a: Slope, b: Slope) -> Slope:
        """a b: b and a."""
        return self._by(a.value * b.value, (b.value, a), (a.value, b))

    def divide(self, a: Slope, b: Slope) -> Slope:
        """a / b, where b is not 0: 1/b and -a/b^2."""
        self.where.append(b.value != 0)
        quotient = a.value / b.value
        return self._by(quotient, (1 / b.value, a), (-(quotient / b.value), b))

    def fmod(self, a: Slope, b: Slope) -> Slope:
        """a - b trunc(a / b), between the steps."""
        return self.subtract(a, self.multiply(b, self.of_one("trunc", self.divide(a, b))))

    def maximum(self, a: Slope, b: Slope) -> Slope:
        """The larger."""
        return self._chosen(b.value < a.value, a.value < b.value, a, b)

    def minimum(self, a: Slope, b: Slope) -> Slope:
        """The smaller."""
        return self._chosen(a.value < b.value, b.value < a.value, a, b)

    def _chosen(self, first: Any, second: Any, a: Slope, b: Slope) -> Slope:
        """One of two by conditions; where they are equal, the mean of both slopes."""
        z3 = self.z3
        both = zip(a.slopes, b.slopes, strict=True)
        slopes = tuple(z3.If(first, s, z3.If(second, r, (s + r) / 2)) for s, r in both)
        return Slope(z3.If(first, a.value, b.value), slopes)

    def choose(self, condition: Slope, a: Slope, b: Slope) -> Slope:
        """a where a condition holds, else b."""
        z3, both = self.z3, zip(a.slopes, b.slopes, strict=True)
        slopes = tuple(z3.If(condition.value, s, r) for s, r in both)
        return Slope(z3.If(condition.value, a.value, b.value), slopes)

    def names(self) -> dict[str, Any]:
        """What a `meaning` clause may name."""
        compare: dict[str, Callable[[Any, Any], Any]] = {
            "less": lambda a, b: a < b,
            "less_equal": lambda a, b: a <= b,
            "equal": lambda a, b: a == b,
            "not_equal": lambda a, b: a != b,
            "bitwise_and": self.z3.And,
            "bitwise_or": self.z3.Or,
        }

        def truth(make: Callable[[Any, Any], Any]) -> Callable[[Slope, Slope], Slope]:
            return lambda a, b: Slope(make(a.value, b.value), a.slopes)

        functions: dict[str, Any] = {name: partial(self.of_one, name) for name in _SLOPES}
        functions |= {name: getattr(self, name) for name in _OTHERS}
        functions |= {name: truth(make) for name, make in compare.items()}
        functions |= {"where": self.choose, "vectorize": lambda function, kinds: function}
        return {
            "np": SimpleNamespace(**functions),
            "math": SimpleNamespace(erf=functions["erf"]),
            "one": lambda like: self.known(1, self.count),
            "cast": lambda x, kind: x,
            "float": float,
        }


_OTHERS = (
    "negative", "add", "subtract", "multiply", "divide", "fmod", "maximum", "minimum",
)  # fmt: skip

_OF_POSITIVE = ("log", "log2", "sqrt")
"""Functions that have a slope at positive numbers alone."""

_SLOPES: dict[str, Callable[[Reals, Any, Any], Any]] = {
    "exp": lambda reals, x, y: y,
    "exp2": lambda reals, x, y: y * reals.number(math.log(2)),
    "log": lambda reals, x, y: 1 / x,
    "log2": lambda reals, x, y: 1 / (x * reals.number(math.log(2))),
    "sin": lambda reals, x, y: reals.function("cos", x),
    "cos": lambda reals, x, y: -reals.function("sin", x),
    "arctan": lambda reals, x, y: 1 / (1 + x * x),
    "tanh": lambda reals, x, y: 1 - y * y,
    "erf": lambda reals, x, y: (
        reals.number(2 / math.sqrt(math.pi)) * reals.function("exp", -(x * x))
    ),
    "sqrt": lambda reals, x, y: 1 / (2 * y),
    "trunc": lambda reals, x, y: reals.number(0),  # between its steps
}
"""The derivative of each function of one number x, where its value is y."""
