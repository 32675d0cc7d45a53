"""A rule with the dtype of every part worked out, and its instances.

Dtypes are found by unification: an op's row says which of its operands share a dtype.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import product
from typing import Any, NamedTuple

from rulewright.ir.ops import op as op_named
from rulewright.lang import tree as t
from rulewright.lang.matcher_facts import Facts, own_op
from rulewright.lang.words import put
from rulewright.verify.prove.terms import Unsupported


def each_op(rule: t.Rule, facts: Facts) -> dict[str, t.Rule]:
    """The rules that `n.op(c, d)` in a replacement stands for, by the op of n; else the rule."""
    calls = [node for node in t.walk(rule.replacement) if isinstance(node, t.MethodCall)]
    names = {own_op(call) for call in calls}
    binds = [n for n in t.walk(rule.pattern) if isinstance(n, t.Bind) and str(n.name) in names]
    node = t.bare(binds[0]) if binds else None
    if len(names) != 1 or not isinstance(node, t.OpNode):
        return {"": rule}
    rules = {}
    for name in facts.heads(node.head):
        rules[name] = put(rule, node, replace(node, head=t.OpName(t.Ident(name, node.span))))
        for call in calls:
            rules[name] = put(rules[name], call, _computed(name, call, facts))
    return rules


def _computed(name: str, call: t.MethodCall, facts: Facts) -> t.Expr:
    """An op of constants, as a rule for it alone says it."""
    signs = [sign for sign, op in facts.infix.items() if op == name]
    if signs:
        left, right = call.args
        return t.Infix(signs[0], left.expr, right.expr, span=call.span)
    return t.Call(t.Ident(name.lower(), call.span), call.args, span=call.span)


@dataclass(frozen=True)
class TypedPart:
    """A part of a pattern or a replacement.

    `what` is var, const, wild, literal, invalid, op, bind or fold. `slot` is the number of its
    dtype; `value` its name, its number, its op or its expression.
    """

    what: str
    slot: int
    value: Any
    parts: tuple[TypedPart, ...] = ()

    def walk(self) -> Iterator[TypedPart]:
        """This part and all inside it, parents first."""
        yield self
        for part in self.parts:
            yield from part.walk()


class Types:
    """Slots for dtypes: each is known by the dtypes it may be, and may turn out to be another."""

    def __init__(self, facts: Facts) -> None:
        self.facts = facts
        self.parent: list[int] = []
        self.allowed: list[frozenset[str]] = []

    def fresh(self, names: tuple[str, ...]) -> int:
        """A new slot for one of these dtypes."""
        self.parent.append(len(self.parent))
        self.allowed.append(frozenset(names) - {"void"})
        return len(self.parent) - 1

    def find(self, slot: int) -> int:
        """The slot that stands for all that were found to be equal."""
        while self.parent[slot] != slot:
            slot = self.parent[slot]
        return slot

    def unify(self, a: int, b: int) -> int:
        """Note that two slots are the same dtype."""
        a, b = self.find(a), self.find(b)
        if a != b:
            self.parent[b] = a
            self.allowed[a] &= self.allowed[b]
        return a

    def copy(self) -> Types:
        """What is known now."""
        copy = Types(self.facts)
        copy.parent, copy.allowed = list(self.parent), list(self.allowed)
        return copy

    def choices(self, slot: int) -> list[str]:
        """The dtypes that a slot may be, in the order of the table."""
        return [n for n in self.facts.dtypes if n in self.allowed[self.find(slot)]]


class Typing(NamedTuple):
    """A dtype for each slot of a pattern, by its root in `matched`; and for each of the whole rule.

    `whole` is None where the replacement cannot be made of such operands. The matcher does not ask:
    it looks at the pattern.
    """

    names: Mapping[int, str]
    whole: Mapping[int, str] | None


class TypedRule:
    """A rule whose pattern and replacement are parts, and the dtypes that they may have.

    Raises Unsupported for a rule that is more than elementwise ops of scalars.
    """

    def __init__(self, rule: t.Rule, facts: Facts) -> None:
        self.rule, self.facts, self.types = rule, facts, Types(facts)
        self.params = {str(p.name): self.types.fresh(facts.bases(p.sets)) for p in rule.type_params}
        self.names: dict[str, int] = {}
        self.consts: set[str] = set()
        self.lets: dict[str, TypedPart | t.Expr] = {}
        self.concrete = False  # whether a machine dtype is named: widths mean what they say
        self._annotated: set[str] = set()
        self.pattern = self._part(rule.pattern)
        for name in self.params.keys() - self._annotated:
            self.types.unify(self.params[name], self.pattern.slot)
        self.matched = self.types.copy()  # what the matcher looks at: the pattern alone
        for clause in rule.all(t.Let):
            self._let(clause)
        self.replacement = self._part(rule.replacement)
        self.types.unify(self.pattern.slot, self.replacement.slot)

    @cached_property
    def bounded(self) -> frozenset[str]:
        """Names of which a guard reads `vmin` or `vmax`."""
        nodes = t.walk(self.rule)
        fields = [n for n in nodes if isinstance(n, t.Field) and n.name in ("vmin", "vmax")]
        return frozenset(str(f.expr.name) for f in fields if isinstance(f.expr, t.Var))

    def _let(self, clause: t.Let) -> None:
        name = str(clause.name)
        if isinstance(clause.value, t.Call) and clause.value.name in self.facts.externs:
            raise Unsupported(f"extern {clause.value.name}")
        if t.means_node(clause.value, self._is_node):
            part = self._part(clause.value)
            self.names[name], self.lets[name] = part.slot, part
        else:
            self.lets[name] = clause.value

    def _is_node(self, expr: t.Var | t.Call) -> bool:
        return isinstance(expr, t.Var) and expr.name in self.names.keys() - self.consts

    def _any(self) -> int:
        return self.types.fresh(self.facts.bases(()))

    def _named_type(self, name: str) -> int:
        if name in self.params:
            self._annotated.add(name)
            return self.params[name]
        self.concrete |= name in self.facts.dtypes and name not in ("bool", "index")
        return self.types.fresh(self.facts.bases((name,)))

    def _name(self, name: str) -> int:
        if name not in self.names:
            self.names[name] = self._any()
        return self.names[name]

    def _part(self, expr: t.Expr) -> TypedPart:
        expr = self.facts.as_node(expr)
        if isinstance(expr, t.Typed):
            if isinstance(expr.lanes, int):  # `i32*T`, as many lanes as T, is i32 for one lane
                raise Unsupported("vectors")
            part = self._part(expr.expr)
            self.types.unify(self._named_type(str(expr.type)), part.slot)
            return part
        if isinstance(expr, t.Bind):
            part = self._part(expr.pattern)
            self.types.unify(self._name(str(expr.name)), part.slot)
            return TypedPart("bind", part.slot, str(expr.name), (part,))
        if isinstance(expr, t.OpNode):
            return self._op(expr)
        return self._leaf(expr)

    def _leaf(self, expr: t.Expr) -> TypedPart:
        if isinstance(expr, t.Var):
            return TypedPart("var", self._name(str(expr.name)), str(expr.name))
        if isinstance(expr, t.ConstVar):
            self.consts.add(str(expr.name))
            return TypedPart("const", self._name(str(expr.name)), str(expr.name))
        if isinstance(expr, t.Wild):
            return TypedPart("wild", self._any(), None)
        if isinstance(expr, t.BoolLit):
            return TypedPart("literal", self.types.fresh(("bool",)), expr.value)
        if isinstance(expr, t.Num):
            sets = ("Float",) if isinstance(expr.value, float) else ("Number",)
            return TypedPart("literal", self.types.fresh(self.facts.bases(sets)), expr.value)
        if isinstance(expr, t.Fold):
            return TypedPart("fold", self._any(), expr.expr)
        if isinstance(expr, t.Call):
            raise Unsupported(f"extern {expr.name}")
        raise Unsupported(f"{type(expr).__name__.lower()} in a graph")

    def _op(self, expr: t.OpNode) -> TypedPart:
        if not isinstance(expr.head, t.OpName):
            raise Unsupported("a choice of ops")
        name = self.facts.heads(expr.head)[0]
        row = self.facts.ops[name]
        if name == "INVALID":
            return TypedPart("invalid", self.types.fresh(("index",)), name)
        if not op_named(name).elementwise:
            raise Unsupported(f"{name} is no elementwise op")
        sources = expr.sources or ()
        if expr.args or any(s.rest for s in sources) or len(sources) != len(row["params"]):
            raise Unsupported(f"{name} with arguments, or with operands left open")
        own = {p: self.types.fresh(tuple(names)) for p, names in row["tparams"]}
        parts = tuple(self._part(s.expr) for s in sources)
        for part, (_, declared, _) in zip(parts, row["params"], strict=True):
            slot = own[declared] if declared in own else self._declared(declared)
            self.types.unify(slot, part.slot)
        result = row["result"]
        return TypedPart(
            "op", own[result] if result in own else self._declared(result), name, parts
        )

    def _declared(self, name: str) -> int:
        return self.types.fresh(self.facts.bases((name,)))

    # ---- instances ----

    def instances(self) -> Iterator[Typing]:
        """Every choice of a dtype for each slot of the pattern, in the order of the table."""
        roots = sorted({self.matched.find(i) for i in range(len(self.matched.parent))})
        for chosen in product(*[self.matched.choices(root) for root in roots]):
            names = dict(zip(roots, chosen, strict=True))
            fitting = list(self._extended(names))
            if not fitting:
                yield Typing(names, None)
            for whole in fitting:
                yield Typing(names, whole)

    def _extended(self, names: Mapping[int, str]) -> Iterator[Mapping[int, str]]:
        """The dtypes of the replacement and of lets, for those of a pattern."""
        roots = sorted({self.types.find(i) for i in range(len(self.types.parent))})
        names_of = {root: {n for r, n in names.items() if self.types.find(r) == root}
                 for root in roots}  # fmt: skip
        choices = [[n for n in self.types.choices(root) if names_of[root] <= {n}] for root in roots]
        for chosen in product(*choices):
            yield dict(zip(roots, chosen, strict=True))

    def describe(self, names: Mapping[int, str]) -> str:
        """An instance by its type parameters, or by its variables where it has none."""
        count = len(self.matched.parent)
        named = self.params or {n: s for n, s in self.names.items() if s < count}
        free = {n: s for n, s in named.items() if len(self.matched.choices(s)) > 1}
        shown = free or self.params
        return ", ".join(f"{n}={names[self.matched.find(s)]}" for n, s in shown.items())
