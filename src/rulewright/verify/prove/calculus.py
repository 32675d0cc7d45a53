"""Gradient rules by calculus: the `meaning` of an op, differentiated, against what the rule says.

The numpy expression of an op is run on numbers that carry their slopes by each operand, as terms of
z3 over the real numbers. What is shown holds where the function has a derivative, and at a tie of
two operands for the mean of both slopes. It says nothing of rounding.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rulewright.ir.dtypes import dtype
from rulewright.ir.ops import Op, op as op_named
from rulewright.lang import tree as t
from rulewright.lang.matcher_facts import Facts
from rulewright.verify.prove.reals import Reals, Slope
from rulewright.verify.prove.smt import WORK, available
from rulewright.verify.prove.terms import Unsupported

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
            for source, slope in zip(self.operands_of(expr), value.slopes, strict=True)
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

    def operands_of(self, expr: t.Expr) -> list[t.Expr]:
        """The operands of the op, as written."""
        return self._sources(expr)

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
    if _solver(reals, timeout, where).check() != z3.sat:
        return False
    for answer, slope in zip(answers, equation.value.slopes, strict=True):
        differs = answer != equation.upstream.value * slope
        if _solver(reals, timeout, [*where, differs]).check() != z3.unsat:
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
