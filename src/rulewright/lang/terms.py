"""Patterns and replacements as plain terms, for checks that compare the two sides of a rule.

A pattern has one term for each way round of its commutative nodes. In a term, what only the match
can tell (constants computed while rewriting, nodes that an extern builds) stands by itself.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product

from rulewright.lang import tree as t
from rulewright.lang.matcher_facts import MIRRORED, excluded_ops
from rulewright.lang.symbols import Symbols


@dataclass(frozen=True)
class PatternTerm:
    """`kind` is op, name, const or unknown; `heads` are the ops that a node may be.

    A name stands for any node, or with `rest` for any number of them; `firm` where it is certainly
    no constant.
    """

    kind: str
    heads: tuple[str, ...] = ()
    name: str = ""
    sources: tuple[PatternTerm, ...] = ()
    rest: bool = False
    firm: bool = False

    @property
    def op(self) -> str:
        """The op of a node that can be only one; "" otherwise."""
        return self.heads[0] if len(self.heads) == 1 else ""

    def walk(self) -> Iterator[PatternTerm]:
        """This term and all below it."""
        yield self
        for source in self.sources:
            yield from source.walk()


CONST = PatternTerm("const")
UNKNOWN = PatternTerm("unknown")


def as_node(expr: t.Expr, symbols: Symbols) -> t.Expr:
    """Infix and prefix signs, and bare heads, as nodes; anything else as it is."""
    if isinstance(expr, t.OpName | t.GroupName | t.OpSet):
        return t.OpNode(expr, None, None, span=expr.span)
    if not isinstance(expr, t.Infix | t.Unary):
        return expr
    sign = MIRRORED.get(expr.op, expr.op)
    operands = [expr.operand] if isinstance(expr, t.Unary) else [expr.left, expr.right]
    if sign != expr.op:
        operands.reverse()
    clause = "infix" if isinstance(expr, t.Infix) else "prefix"
    op = symbols.signs.get((clause, sign), "")
    sources = tuple(t.Source(e) for e in operands)
    return t.OpNode(t.OpName(t.Ident(op, expr.span)), None, sources, span=expr.span)


class Sides:
    """The two sides of a rule as terms."""

    def __init__(self, rule: t.Rule, symbols: Symbols) -> None:
        self.rule, self.symbols = rule, symbols
        self.consts = {str(n.name) for n in t.walk(rule.pattern) if isinstance(n, t.ConstVar)}
        self.firm = {name for name, op in excluded_ops(rule) if op == "CONST"}
        self.bound: dict[str, PatternTerm] = {}
        self.wilds = 0
        self.swappable = self._swappable(rule.pattern)

    def pairs(self) -> Iterator[tuple[PatternTerm, PatternTerm]]:
        """Each way round of the pattern, with the replacement."""
        for choice in product((False, True), repeat=len(self.swappable)):
            swapped = {id(n) for n, swap in zip(self.swappable, choice, strict=True) if swap}
            self.bound, self.wilds = {}, 0
            before = self._pattern(self.rule.pattern, swapped)
            for clause in self.rule.all(t.Let):
                self.bound[str(clause.name)] = self._built(clause.value)
            yield before, self._built(self.rule.replacement)

    def _swappable(self, expr: t.Expr) -> list[t.Expr]:
        expr = t.bare(expr)
        node = as_node(expr, self.symbols)
        if not isinstance(node, t.OpNode):
            return []
        sources = node.sources or ()
        commutes = any(
            "commutative" in self.symbols.ops[h].flags for h in self.symbols.heads(node.head)
        )
        plain = len(sources) == 2 and not any(s.rest for s in sources)
        here = [expr] if commutes and plain and not node.ordered else []
        return here + [n for s in sources for n in self._swappable(s.expr)]

    def _pattern(self, expr: t.Expr, swapped: set[int], rest: bool = False) -> PatternTerm:
        if isinstance(expr, t.Typed):
            return self._pattern(expr.expr, swapped)
        if isinstance(expr, t.Bind):
            inner = self._pattern(expr.pattern, swapped)
            self.bound[str(expr.name)] = inner
            return inner
        if isinstance(expr, t.Num | t.BoolLit | t.ConstVar):
            return CONST
        if isinstance(expr, t.Wild):
            self.wilds += 1
            return PatternTerm("name", name=f"_{self.wilds}", rest=rest)
        if isinstance(expr, t.Var):
            name = str(expr.name)
            term = PatternTerm("name", name=name, rest=rest, firm=name in self.firm)
            return self.bound.setdefault(name, term)
        node = as_node(expr, self.symbols)
        assert isinstance(node, t.OpNode)
        return self._node(node, [s.expr for s in self._order(expr, node, swapped)], swapped)

    def _order(self, expr: t.Expr, node: t.OpNode, swapped: set[int]) -> tuple[t.Source, ...]:
        sources = node.sources or ()
        return sources[::-1] if id(expr) in swapped else sources

    def _node(self, node: t.OpNode, operands: list[t.Expr], swapped: set[int]) -> PatternTerm:
        heads = self.symbols.heads(node.head)
        if heads == ("CONST",):
            return CONST
        rests = {id(s.expr) for s in node.sources or () if s.rest}
        parts = tuple(self._pattern(e, swapped, id(e) in rests) for e in operands)
        return PatternTerm("op", heads, sources=parts or self._any_operands(heads))

    def _any_operands(self, heads: tuple[str, ...]) -> tuple[PatternTerm, ...]:
        """`RANGE()` stands for a RANGE with any operands."""
        if not heads or not any(self.symbols.ops[h].params for h in heads):
            return ()
        self.wilds += 1
        return (PatternTerm("name", name=f"_{self.wilds}", rest=True),)

    def _built(self, expr: t.Expr) -> PatternTerm:
        """What an expression of the replacement makes."""
        if isinstance(expr, t.Typed):
            return self._built(expr.expr)
        if isinstance(expr, t.Num | t.BoolLit | t.Fold):
            return CONST
        if isinstance(expr, t.Var):
            name = str(expr.name)
            return CONST if name in self.consts else self.bound.get(name, UNKNOWN)
        node = as_node(expr, self.symbols)
        if not isinstance(node, t.OpNode):
            return UNKNOWN
        heads = self.symbols.heads(node.head)
        if heads == ("CONST",):
            return CONST
        return PatternTerm(
            "op", heads, sources=tuple(self._built(s.expr) for s in node.sources or ())
        )
