"""The naive matcher: rules interpreted straight from the tree, with no thought for speed.

It is the oracle of the generated matchers: it shares the op table with them and nothing else of
their working. Tests run both over the same graphs.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from typing import Any

from naive_evaluation import Binding, ExpressionEvaluator, NoMatch

from rulewright.ir.dtypes import DType, dtype, dtypes
from rulewright.ir.matching import same
from rulewright.ir.ops import Op, Ops
from rulewright.ir.uop import UOp
from rulewright.lang import tree as t
from rulewright.lang.matcher_facts import Facts, ordered_rules, wrong


class NaiveMatcher:
    """Tries rules in order on one node. `table` is what `lang.build.load_table` gives."""

    def __init__(self, rules: Sequence[t.Rule], table: Mapping[str, Any]) -> None:
        self.facts = Facts(table)
        self.order = ordered_rules(rules)

    def first(self, node: UOp, ctx: Any = None) -> tuple[str, UOp] | None:
        """The first rule that matches at the root of `node`, and its replacement."""
        for rule in self.order:
            result = self.apply(rule, node, ctx)
            if result is not None:
                return str(rule.name), result
        return None

    def match(self) -> dict[Op, Any]:
        """The same in the form of a generated matcher's `MATCH`."""

        def rules(node: UOp, ctx: Any) -> UOp | None:
            found = self.first(node, ctx)
            return None if found is None else found[1]

        return {op: rules for op in Ops}

    def apply(self, rule: t.Rule, node: UOp, ctx: Any = None) -> UOp | None:
        """What one rule makes of `node`, or None."""
        for binding in self.bindings(rule, node):
            evaluator = ExpressionEvaluator(self.facts, binding, ctx)
            try:
                if all(self._clause(evaluator, clause) for clause in rule.clauses):
                    return evaluator.node(rule.replacement, node.dtype)
            except NoMatch:
                continue
        return None

    def _clause(self, evaluator: ExpressionEvaluator, clause: t.Clause) -> bool:
        if isinstance(clause, t.When):
            return bool(evaluator.value(clause.guard))
        if isinstance(clause, t.Let):
            evaluator.let(str(clause.name), clause.value)
        return True

    def bindings(self, rule: t.Rule, node: UOp) -> Iterator[Binding]:
        """Every way in which the rule's pattern fits, in the order in which they count."""
        swappable = _swappable(self.facts, rule.pattern)
        for choice in product((False, True), repeat=len(swappable)):
            swapped = [n for n, swap in zip(swappable, choice, strict=True) if swap]
            pattern = _Pattern(self.facts, rule, swapped)
            for binding in pattern.fits(rule.pattern, node, Binding()):
                if pattern.finish(binding, node):
                    yield binding


def _operands(expr: t.Expr) -> tuple[t.Source, ...]:
    return (expr.sources or ()) if isinstance(expr, t.OpNode) else ()


def _swappable(facts: Facts, expr: t.Expr) -> list[t.Expr]:
    """Pattern nodes whose operands may be swapped, parents first, as they stand in the tree."""
    if isinstance(expr, t.Typed):
        return _swappable(facts, expr.expr)
    if isinstance(expr, t.Bind):
        return _swappable(facts, expr.pattern)
    node = facts.as_node(expr)
    if not isinstance(node, t.OpNode):
        return []
    sources = _operands(node)
    plain = len(sources) == 2 and not any(s.rest for s in sources)
    commutes = any(facts.commutative(h) for h in facts.heads(node.head))
    found = [expr] if plain and commutes and not node.ordered and sources[0] != sources[1] else []
    for source in sources:
        found += _swappable(facts, source.expr)
    return found


def _extended(
    binding: Binding, name: str, kind: str, value: Any, kind_of: DType | None
) -> Iterator[Binding]:
    """A copy with one more name, or nothing if it stands for something else already."""
    made = binding.copy()
    if made.bind(name, kind, value, kind_of):
        yield made


class _Pattern:
    """One arrangement of a pattern."""

    def __init__(self, facts: Facts, rule: t.Rule, swapped: Sequence[t.Expr]) -> None:
        self.facts, self.rule, self.swapped = facts, rule, swapped
        self.params = {str(p.name): p.sets for p in rule.type_params}

    def finish(self, binding: Binding, node: UOp) -> bool:
        """Type parameters that no annotation bound are the dtype of the root."""
        unbound = [name for name in self.params if name not in binding.types]
        return all(self._type(name, None, node.dtype, binding) for name in unbound)

    def _type(self, name: str, lanes: int | str | None, kind: DType, binding: Binding) -> bool:
        if name in self.params:
            if name in binding.types:
                return binding.types[name] is kind
            binding.types[name] = kind
            return kind.scalar.name in self.facts.bases(self.params[name])
        if isinstance(lanes, str):  # `i32*T`: as many lanes as T
            return kind.scalar is dtype(name)
        if name in self.facts.dtypes:
            return kind is dtype(name).vec(lanes or 1)
        return kind.scalar in dtypes.set(name)

    def fits(self, expr: t.Expr, node: UOp, binding: Binding) -> Iterator[Binding]:
        """Extensions of `binding` under which the pattern is `node`."""
        if isinstance(expr, t.Typed):
            typed = binding.copy()
            if self._type(str(expr.type), expr.lanes, node.dtype, typed):
                yield from self.fits(expr.expr, node, typed)
        elif isinstance(expr, t.Bind):
            for inner in self.fits(expr.pattern, node, binding):
                yield from _extended(inner, str(expr.name), "node", node, node.dtype)
        elif isinstance(expr, t.Wild):
            yield binding
        elif isinstance(expr, t.Var):
            yield from _extended(binding, str(expr.name), "node", node, node.dtype)
        elif isinstance(expr, t.Num | t.BoolLit):
            if node.op is Ops.CONST and _is_literal(expr, node.arg):
                yield binding
        elif isinstance(expr, t.ConstVar):
            if node.op is Ops.CONST:
                yield from _extended(binding, str(expr.name), "const", node.arg, node.dtype)
        else:
            inner_node = self.facts.as_node(expr)
            if not isinstance(inner_node, t.OpNode):
                raise wrong("this cannot stand in a pattern", expr)
            yield from self._node(expr, inner_node, node, binding)

    def _node(
        self, written: t.Expr, pattern: t.OpNode, node: UOp, binding: Binding
    ) -> Iterator[Binding]:
        heads = self.facts.heads(pattern.head)
        swap = any(s is written for s in self.swapped)
        if node.op.name not in heads or (swap and not node.op.commutative):
            return
        begun = binding.copy()
        if pattern.args is not None and not self._arguments(pattern.args, node, begun):
            return
        sources = pattern.sources
        if sources is None or (not sources and self.facts.takes_any(pattern.head)):
            yield begun
            return
        yield from self._list(sources[::-1] if swap else sources, node.src, begun)

    def _list(
        self, patterns: tuple[t.Source, ...], nodes: tuple[UOp, ...], binding: Binding
    ) -> Iterator[Binding]:
        """The patterns of a source list against nodes, the first variadic as short as possible."""
        if not patterns:
            if not nodes:
                yield binding
            return
        first, rest = patterns[0], patterns[1:]
        if not first.rest:
            if nodes:
                for inner in self.fits(first.expr, nodes[0], binding):
                    yield from self._list(rest, nodes[1:], inner)
            return
        for count in range(len(nodes) + 1):
            begun = [binding]
            if isinstance(first.expr, t.Var):
                begun = list(_extended(binding, str(first.expr.name), "nodes", nodes[:count], None))
            for inner in begun:
                yield from self._list(rest, nodes[count:], inner)

    # ---- arguments ----

    def _arguments(self, patterns: tuple[t.Expr, ...], node: UOp, binding: Binding) -> bool:
        values = (node.arg,) if len(node.op.schema) == 1 else node.arg
        return len(patterns) == len(values) and all(
            self._argument(p, v, binding) for p, v in zip(patterns, values, strict=True)
        )

    def _argument(self, pattern: t.Expr, value: Any, binding: Binding) -> bool:
        if isinstance(pattern, t.Wild):
            return True
        if isinstance(pattern, t.Bind):
            inner = self._argument(pattern.pattern, value, binding)
            return inner and binding.bind(str(pattern.name), "value", value, None)
        if isinstance(pattern, t.Var):
            return binding.bind(str(pattern.name), "value", value, None)
        if isinstance(pattern, t.TupleExpr):
            return (
                isinstance(value, tuple)
                and len(value) == len(pattern.items)
                and all(
                    self._argument(p, v, binding) for p, v in zip(pattern.items, value, strict=True)
                )
            )
        if isinstance(pattern, t.Num | t.BoolLit):
            return _is_literal(pattern, value)
        if isinstance(pattern, t.Str):
            return bool(value == pattern.value)
        if isinstance(pattern, t.NoneLit):
            return value is None
        return isinstance(value, Op) and value.name in self.facts.heads(pattern)


def _is_literal(pattern: t.Num | t.BoolLit, value: Any) -> bool:
    """Whether a constant is a literal; a whole number stands for that float as well."""
    if isinstance(pattern, t.BoolLit):
        return value is pattern.value
    wanted = pattern.value
    if isinstance(value, float) and not isinstance(wanted, float):
        wanted = float(wanted)
    return same(value, wanted)
