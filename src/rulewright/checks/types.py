"""Dtypes of patterns and replacements, as far as they can be told without running a rule.

Each expression belongs to a class of expressions that must have one dtype. A class knows which
scalar dtypes are possible, and what in the text named it (`T`, `f32`). Lanes are left out.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from rulewright.ir.dtypes import dtype
from rulewright.lang import tree as t
from rulewright.lang.diagnostics import Diagnostic
from rulewright.lang.symbols import Symbols
from rulewright.lang.terms import as_node


@dataclass(eq=False)
class TypeClass:
    """Expressions of one dtype. `parent` leads to the class that this one was merged into."""

    allowed: frozenset[str]
    label: str = ""  # the type parameter or dtype that names it; "" where nothing does
    bound: bool = False  # whether the pattern fixed it
    parent: TypeClass | None = None

    def root(self) -> TypeClass:
        """The class that stands for all merged with this one."""
        root = self
        while root.parent is not None:
            root = root.parent
        return root


class Clash(Exception):
    """Two classes that cannot be one."""

    def __init__(self, first: TypeClass, second: TypeClass) -> None:
        super().__init__()
        self.first, self.second = first, second


def merge(a: TypeClass, b: TypeClass) -> TypeClass:
    """Make two classes one. Raises Clash where no dtype is possible in both."""
    a, b = a.root(), b.root()
    if a is b:
        return a
    if not a.allowed & b.allowed:
        raise Clash(a, b)
    b.parent = a
    a.allowed = a.allowed & b.allowed
    a.label = a.label or b.label
    a.bound = a.bound or b.bound
    return a


def same_dtype(a: TypeClass, b: TypeClass) -> bool:
    """Whether two classes certainly have one dtype."""
    a, b = a.root(), b.root()
    return a is b or (len(a.allowed) == 1 and a.allowed == b.allowed)


class RuleTypes:
    """The type classes of one rule. `restrict=False` leaves its own dtype sets out."""

    def __init__(self, rule: t.Rule, symbols: Symbols, restrict: bool = True) -> None:
        self.rule, self.symbols = rule, symbols
        self.every = frozenset(symbols.dtypes)
        self.numbers = symbols.scalars.get("Number", self.every) | {"bool"}
        self.floats = frozenset(name for name, d in symbols.dtypes.items() if d.kind == "Floating")
        self.diagnostics: list[Diagnostic] = []
        self.names: dict[str, TypeClass] = {}
        self.of: dict[int, TypeClass] = {}  # id of a pattern's expression -> its class
        self.params = {
            str(p.name): TypeClass(symbols.dtypes_of(p.sets if restrict else ()), str(p.name))
            for p in rule.type_params
        }
        self.compared = _compares_dtypes(rule)
        guards = [node for clause in rule.all(t.When) for node in t.walk(clause.guard)]
        self.asked = any(isinstance(n, t.OpName) and n.name in self.params for n in guards)
        self.pattern = self.infer(rule.pattern)
        for known in [*self.names.values(), *self.params.values(), *self.of.values()]:
            known.root().bound = True

    def fresh(self, allowed: frozenset[str] | None = None, label: str = "") -> TypeClass:
        """A class of its own."""
        return TypeClass(self.every if allowed is None else allowed, label)

    def named(self, name: str) -> TypeClass:
        """The class of a written type."""
        if name in self.params:
            return self.params[name]
        known = name in self.symbols.dtypes
        return self.fresh(frozenset([name]) if known else None, name if known else "")

    def infer(self, expr: t.Expr) -> TypeClass:
        """The class of an expression that means a node."""
        inferred = self._infer(expr)
        self.of[id(expr)] = inferred
        return inferred

    def _infer(self, expr: t.Expr) -> TypeClass:
        if isinstance(expr, t.Var | t.ConstVar):
            return self.names.setdefault(str(expr.name), self.fresh())
        if isinstance(expr, t.Num):
            return self.fresh(self.floats if isinstance(expr.value, float) else self.numbers)
        if isinstance(expr, t.BoolLit):
            return self.fresh(frozenset(["bool"]), "bool")
        if isinstance(expr, t.Typed):
            return self.merged(self.named(expr.type), self.infer(expr.expr), expr)
        if isinstance(expr, t.Bind):
            name = self.names.setdefault(str(expr.name), self.fresh())
            return self.merged(name, self.infer(expr.pattern), expr)
        node = as_node(expr, self.symbols)
        if isinstance(node, t.OpNode):
            heads = self.symbols.heads(node.head)
            if len(heads) == 1:
                return self._node(heads[0], list(node.sources or ()))
            for source in node.sources or ():
                self.infer(source.expr)
        return self.fresh()

    def _node(self, op: str, sources: list[t.Source]) -> TypeClass:
        decl = self.symbols.ops[op]
        own = {str(p.name): self.fresh(self.symbols.dtypes_of(p.sets)) for p in decl.type_params}
        params = [p for p in decl.params if not p.rest]
        for i, source in enumerate(sources):
            inferred = self.infer(source.expr)
            if source.rest or any(s.rest for s in sources[:i]) or i >= len(params):
                continue
            kind = params[i].type
            if kind in own:
                self._exists(own[kind].root(), inferred.root(), source.expr, decl)
                own[kind] = self.merged(own[kind], inferred, source.expr, decl)
            elif kind in self.symbols.dtypes and kind != "index":
                self.merged(self.fresh(frozenset([kind]), kind), inferred, source.expr, decl)
        if decl.result in own:
            return own[decl.result].root()
        return self.fresh(self.symbols.dtypes_of([decl.result]), str(decl.result))

    def _exists(self, op: TypeClass, operand: TypeClass, expr: t.Expr, decl: t.OpDecl) -> None:
        """Note an operand of a replacement that may have a dtype which the op does not take. What
        a guard asks of dtypes is not followed."""
        lacking = operand.allowed - op.allowed
        if operand.bound and lacking and operand.label in self.params and not self.asked:
            names = [name for name in self.symbols.dtypes if name in lacking]
            message = f"{decl.name} does not exist for {names[0]}, which `{operand.label}` may be"
            note = f"{decl.name} is declared here"
            self.diagnostics.append(Diagnostic("dtype", message, expr.span, decl.name.span, note))

    def merged(
        self, a: TypeClass, b: TypeClass, expr: t.Expr, op: t.OpDecl | None = None
    ) -> TypeClass:
        """Merge, and note a clash at an expression."""
        one, two = a.root(), b.root()
        if one.bound and two.bound and not same_dtype(one, two):
            if one.label and two.label and not self.compared:
                self._clash(one, two, expr, op)
            return one
        try:
            return merge(a, b)
        except Clash as clash:
            self._clash(clash.first, clash.second, expr, op)
            return a.root()

    def _clash(self, a: TypeClass, b: TypeClass, expr: t.Expr, op: t.OpDecl | None) -> None:
        one, two = self.describe(a), self.describe(b)
        what = f"{op.name}: this is {two}, not {one}" if op else f"this is {two}, not {one}"
        other = op.name.span if op else None
        note = f"{op.name} is declared here" if op else ""
        help = _lanes_help(op, expr)
        self.diagnostics.append(Diagnostic("dtype", what, expr.span, other, note, help=help))

    def describe(self, type_class: TypeClass) -> str:
        """A class in words: its name, or the sets it is within."""
        type_class = type_class.root()
        if type_class.label:
            return f"`{type_class.label}`"
        for name, members in self.symbols.scalars.items():
            if members == type_class.allowed:
                return f"`{name}`"
        names = [n for n in self.symbols.dtypes if n in type_class.allowed]
        return f"one of {', '.join(names[:4])}{' …' if len(names) > 4 else ''}"


def _lanes_help(op: t.OpDecl | None, expr: t.Expr) -> str:
    """What `{false}:bool*x` is meant to be: lanes go by a type parameter."""
    if op is None or op.name != "MUL" or not isinstance(expr, t.Typed) or expr.lanes is not None:
        return ""
    return f"`*` multiplies here; lanes are a number's or a type parameter's: `{expr.type}*T`"


def _compares_dtypes(rule: t.Rule) -> bool:
    """Whether a guard equates dtypes, which this module does not follow."""
    types = {str(p.name) for p in rule.type_params}
    for clause in rule.all(t.When):
        for node in t.walk(clause.guard):
            if isinstance(node, t.Infix) and node.op == "==":
                sides = (node.left, node.right)
                if any(isinstance(s, t.Field) and s.name in ("dtype", "scalar") for s in sides):
                    return True
                if any(isinstance(s, t.OpName) and s.name in types for s in sides):
                    return True
    return False


def check_rule_types(rule: t.Rule, symbols: Symbols) -> Iterator[Diagnostic]:
    """Operands that cannot fit together, and replacements of another dtype than the pattern."""
    types = RuleTypes(rule, symbols)
    if types.diagnostics:
        yield from types.diagnostics
        return
    yield from _numbers_of_none(types)
    yield from _named_nowhere(types)
    after = types.infer(rule.replacement).root()
    before = types.pattern.root()
    yield from types.diagnostics
    if types.diagnostics or same_dtype(before, after) or before.allowed == frozenset(["void"]):
        return
    disjoint = not before.allowed & after.allowed
    told = before.bound and after.bound and before.label and after.label and not types.compared
    if disjoint or told:
        one, two = types.describe(before), types.describe(after)
        message = f"dtype is not preserved: the pattern is {one}, the replacement {two}"
        span = rule.replacement.span
        yield Diagnostic("dtype", message, span, rule.pattern.span, f"this is {one}")


def _named_nowhere(types: RuleTypes) -> Iterator[Diagnostic]:
    """Type parameters that the pattern does not name and that are not the dtype of the whole."""
    pattern, whole = types.rule.pattern, types.pattern.root()
    typed = [n for n in t.walk(pattern) if isinstance(n, t.Typed)]
    named = {str(name) for n in typed for name in (n.type, n.lanes)}
    for param in types.rule.type_params:
        if str(param.name) not in named and not whole.allowed & types.symbols.dtypes_of(param.sets):
            what = types.describe(whole)
            message = f"nothing in the pattern is `{param.name}`, and the whole is {what}"
            help = f"write `x:{param.name}` where it is meant, or leave it out"
            yield Diagnostic("dtype", message, param.name.span, pattern.span, "the pattern", help)


def _numbers_of_none(types: RuleTypes) -> Iterator[Diagnostic]:
    """Numbers of the pattern that no dtype there has, as 0.1 of f32, so that nothing matches."""
    for node in t.walk(types.rule.pattern):
        kinds = types.of[id(node)].root().allowed - {"void"} if id(node) in types.of else ()
        if not isinstance(node, t.Num) or not kinds or node.value != node.value:
            continue
        names = [name for name in types.symbols.dtypes if name in kinds]
        held = {name: dtype(name).const(node.value) for name in names}
        if any(h == node.value for name, h in held.items() if name != "bool"):
            continue
        name, near = next(iter(held.items()))
        word = name if len(held) == 1 else types.describe(types.of[id(node)])
        message = f"no {word} is {node.text}, so this never matches"
        spelled = str(near).lower() if name == "bool" else repr(near)
        help = f"write {spelled}, which is {node.text} as {name}"
        yield Diagnostic("literal", message, node.span, help=help)


def is_restricted(rule: t.Rule, symbols: Symbols) -> bool:
    """Whether the rule takes fewer dtypes than its ops do, or has a guard."""
    if rule.all(t.When):
        return True
    free = RuleTypes(rule, symbols, restrict=False)
    return any(
        not free.params[str(p.name)].root().allowed <= symbols.dtypes_of(p.sets)
        for p in rule.type_params
        if p.sets
    )
