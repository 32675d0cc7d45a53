"""Gradient rules by calculus: the `meaning` of an op, differentiated, against what the rule says.

The numpy expression of an op is run on numbers that carry their slopes by each operand, as terms of
z3 over the real numbers. What is shown holds where the function has a derivative, and at a tie of
two operands for the mean of both slopes. It says nothing of rounding.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import partial
from types import SimpleNamespace
from typing import Any, NamedTuple

from rulewright.ir.dtypes import dtype
from rulewright.ir.ops import Op, op as op_named
from rulewright.lang import tree as t
from rulewright.lang.matcher_facts import Facts
from rulewright.verify.prove.smt import WORK, available
from rulewright.verify.prove.terms import Unsupported, checked

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


REALS = "over the reals, where there is a derivative; at a tie the mean of both"
"""What is assumed of a rule that is proved."""


class _Rule:
    """A gradient rule of an elementwise op, read as an equation of real numbers."""

    def __init__(self, rule: t.Rule, facts: Facts) -> None:
        self.rule, self.facts, self.reals = rule, facts, Reals()
        self.names: dict[str, Slope] = {}
        self.lets = {str(c.name): c.value for c in rule.all(t.Let)}
        question = self._node(rule.pattern, "GRAD")
        asked, upstream = (s.expr for s in question.sources or ())
        named = ""
        if isinstance(asked, t.Bind):
            named, asked = str(asked.name), asked.pattern
        self.operands = self._operands(asked)
        self.value = self._value(asked)
        if named:
            self.names[named] = self.value
        self.upstream = self.reals.unknown("g", [0.0] * len(self.operands))
        if isinstance(upstream, t.Var):
            self.names[str(upstream.name)] = self.upstream

    def _node(self, expr: t.Expr, name: str) -> t.OpNode:
        expr = self.facts.as_node(expr)
        if (
            isinstance(expr, t.OpNode)
            and isinstance(expr.head, t.OpName)
            and expr.head.name == name
        ):
            return expr
        raise Unsupported(f"no {name}")

    def _sources(self, expr: t.Expr) -> list[t.Expr]:
        node = self.facts.as_node(expr)
        node = self.facts.as_node(node.expr) if isinstance(node, t.Typed) else node
        if not isinstance(node, t.OpNode) or not isinstance(node.head, t.OpName) or node.args:
            raise Unsupported("no elementwise op")
        op = op_named(str(node.head.name))
        sources = node.sources or ()
        if not op.elementwise or len(sources) != len(op.params) or any(s.rest for s in sources):
            raise Unsupported("no elementwise op")
        self.op = op
        return [s.expr for s in sources]

    def _operands(self, expr: t.Expr) -> list[t.Expr]:
        sources = self._sources(expr)
        count = self.reals.count = len(sources)
        self.inputs: list[Slope] = []
        for place, (source, (_, declared, _)) in enumerate(
            zip(sources, self.op.params, strict=True)
        ):
            slopes = [float(place == i) for i in range(count)]
            operands = self.reals.unknown(f"x{place}", slopes)
            if declared == "bool":
                raw = self.reals.z3.Bool(f"x{place}", self.reals.context)
                operands = Slope(raw, self.reals.known(0, count).slopes)
            inner = source.expr if isinstance(source, t.Typed) else source
            if isinstance(inner, t.Var):
                self.names[str(inner.name)] = operands
            elif not isinstance(inner, t.Wild):
                raise Unsupported("an operand that is no variable")
            self.inputs.append(operands)
        return sources

    def _value(self, expr: t.Expr) -> Slope:
        value = self._applied(self.op, self.inputs)
        discrete = isinstance(expr, t.Typed) and self._is_discrete(expr)
        nothing = self.reals.number(0)
        slopes = [
            nothing if discrete or self._is_discrete(source) else slope
            for source, slope in zip(self._sources(expr), value.slopes, strict=True)
        ]
        return value._replace(slopes=tuple(slopes))

    def _applied(self, op: Op, operands: Sequence[Slope]) -> Slope:
        """An op by its `meaning`. Raises Unsupported where that names what reals have not."""
        meaning = op.function("meaning", self.reals.names())
        if meaning is None:
            raise Unsupported(f"{op} has no meaning")
        try:
            slope: Slope = meaning(None, None, *operands)
        except (AttributeError, NameError) as error:
            raise Unsupported(f"{op}: {error}") from None
        return slope

    def _is_discrete(self, expr: t.Expr) -> bool:
        """Whether what is annotated is no float, and so jumps or stays. Raises for a mixture."""
        if not isinstance(expr, t.Typed):
            return False
        sets = {str(p.name): p.sets for p in self.rule.type_params}
        names = self.facts.bases(sets.get(str(expr.type), (str(expr.type),)))
        floats = {dtype(n).is_float for n in names if n != "void"}
        if len(floats) > 1 and self.op.name != "CAST":
            raise Unsupported("floats and others")
        return floats == {False}

    # ---- the answer ----

    def answers(self) -> list[Any]:
        """What the rule says the gradient by each operand is; 0 where none flows."""
        node = self._node(self.rule.replacement, "TUPLE")
        items = [s.expr for s in node.sources or ()]
        answers = [self._answer(item) for item in items[: len(self.inputs)]]
        return answers + [self.reals.number(0)] * (len(self.inputs) - len(answers))

    def _answer(self, expr: t.Expr) -> Any:
        inner = expr.expr if isinstance(expr, t.Typed) else expr
        if isinstance(inner, t.OpNode) and getattr(inner.head, "name", "") == "NOGRAD":
            return self.reals.number(0)
        return self._read(expr).value

    def _read(self, expr: t.Expr) -> Slope:
        expr = self.facts.as_node(expr)
        count = len(self.inputs)
        if isinstance(expr, t.Typed | t.Fold):
            return self._read(expr.expr)
        if isinstance(expr, t.Num | t.BoolLit):
            return self.reals.known(expr.value, count)
        if isinstance(expr, t.Var):
            name = str(expr.name)
            if name not in self.names:
                if name not in self.lets:
                    raise Unsupported(name)
                self.names[name] = self._read(self.lets[name])
            return self.names[name]
        if not isinstance(expr, t.OpNode) or not isinstance(expr.head, t.OpName):
            raise Unsupported(type(expr).__name__)
        if expr.args:
            raise Unsupported(str(expr.head.name))
        where = len(self.reals.where)
        operands = [self._read(s.expr) for s in expr.sources or ()]
        value = self._applied(op_named(str(expr.head.name)), operands)
        del self.reals.where[where:]  # where the answer is to hold, the op alone says
        return value


def proves(rule: t.Rule, facts: Facts, timeout: float) -> bool:
    """Whether z3 shows that a rule of an elementwise op gives its derivative.

    Raises Unsupported for a rule that is of other ops, or whose answer is no formula.
    """
    if not available():
        raise Unsupported("z3 is not installed")
    if _jumps(rule, facts):
        return True
    equation = _Rule(rule, facts)
    reals, z3 = equation.reals, equation.reals.z3
    answers, where = equation.answers(), list(reals.where)
    if checked(_solver(reals, timeout, where)) != z3.sat:
        return False
    for answer, slope in zip(answers, equation.value.slopes, strict=True):
        differs = answer != equation.upstream.value * slope
        if checked(_solver(reals, timeout, [*where, differs])) != z3.unsat:
            return False
    return True


def _solver(reals: Reals, timeout: float, conditions: list[Any]) -> Any:
    solver = reals.z3.Solver(ctx=reals.context)
    solver.set("rlimit", int(timeout * WORK))
    solver.add(*reals.facts, *conditions)
    return solver


def _jumps(rule: t.Rule, facts: Facts) -> bool:
    """Whether a rule is of ops that give no float, and lets no gradient flow."""
    question, answer = rule.pattern, rule.replacement
    asked = (question.sources or ()) if isinstance(question, t.OpNode) else ()
    if not asked or not isinstance(answer, t.OpNode) or answer.sources:
        return False
    heads = asked[0].expr
    if not isinstance(heads, t.OpNode):
        return False
    rows = [facts.ops[name] for name in facts.heads(heads.head)]
    results = [dict(row["tparams"]).get(row["result"], (row["result"],)) for row in rows]
    return not any(dtype(name).is_float for names in results for name in names)
