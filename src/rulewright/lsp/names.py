"""What each name of a file stands for: the ground of definition, references, hover and rename.

Names with a meaning everywhere (ops, rules, stages …) are told apart by kind. A rule's variables
and type parameters mean something only inside of it, a graph's names only inside that graph.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

from rulewright.lang import symbols, tree as t
from rulewright.lang.matcher_facts import BUILTINS
from rulewright.lang.symbols import Symbols

KINDS: dict[type[t.Decl], str] = {
    **symbols.KINDS,
    t.Phase: "phase",
    t.EntryDecl: "entry",
    t.Graph: "graph",
    t.Case: "case",
}
"""The same of those too that are known in their own file alone."""

VARIABLE, TYPE, PYTHON, FUNCTION = "variable", "type parameter", "Python function", "function"


class Occurrence(NamedTuple):
    """A name at a place. `scope` is where it has its meaning, None if that is everywhere."""

    span: t.Span
    kind: str
    name: str
    declares: bool = False
    scope: t.Span | None = None

    @property
    def identity(self) -> tuple[str, str, t.Span | None]:
        """Equal for two names of one file that mean the same thing."""
        return self.kind, self.name, self.scope


class _Scope(NamedTuple):
    span: t.Span
    types: frozenset[str] = frozenset()
    bound: frozenset[str] = frozenset()


def occurrences(file: t.SourceFile, symbols: Symbols) -> list[Occurrence]:
    """Every name of a file that means something, in order of place."""
    finder = _Finder(symbols)
    names = (o for item in file.items for o in finder.item(item))
    return sorted(names, key=lambda o: o.span)


def at(names: Iterable[Occurrence], line: int, column: int) -> Occurrence | None:
    """The name at a place (from 1), or just before it; the innermost."""
    here = [
        o
        for o in names
        if (o.span.line, o.span.column) <= (line, column) <= (o.span.end_line, o.span.end_column)
    ]
    return max(here, key=lambda o: (o.span.line, o.span.column), default=None)


def bound_names(rule: t.Rule) -> dict[str, str]:
    """What a rule binds: each name, and whether it is a node, a list, a constant or a let."""
    bound: dict[str, str] = {}
    for node in t.walk(rule.pattern):
        if isinstance(node, t.Source) and node.rest and isinstance(node.expr, t.Var):
            bound[str(node.expr.name)] = "a list of nodes"
        elif isinstance(node, t.OpNode):
            values = [a for a in node.args or () if isinstance(a, t.Var)]
            bound.update({str(a.name): "a value" for a in values})
        elif isinstance(node, t.ConstVar):
            bound.setdefault(str(node.name), "a constant's value")
        elif isinstance(node, t.Var | t.Bind):
            bound.setdefault(str(node.name), "a node")
    for clause in rule.all(t.Let):
        bound.setdefault(str(clause.name), "a let")
    return bound


_USES: dict[type[t.Node], Callable[[Any], tuple[Any, ...]]] = {
    t.DTypeSet: lambda item: (item.members, "dtype", "dtype set"),
    t.Promote: lambda item: (item.targets, "dtype"),
    t.Group: lambda item: (item.members, "op", "group"),
    t.Stage: lambda item: (item.extends, "stage"),
    t.TargetDecl: lambda item: ([item.extends] if item.extends else [], "target"),
    t.After: lambda clause: ([clause.rule], "rule"),
    t.OpSet: lambda expr: (expr.names, "op"),
    t.GroupName: lambda expr: ([expr.name], "dtype set", "group"),
}
"""Names in a node that stand for what is declared elsewhere, and of which kinds that may be."""


class _Finder:
    """Walks trees; one method for each kind of node that has names."""

    def __init__(self, symbols: Symbols) -> None:
        self.symbols = symbols

    def item(self, item: t.Decl) -> Iterator[Occurrence]:
        kind = KINDS.get(type(item))
        declares = not isinstance(item, t.Promote)
        yield Occurrence(item.name.span, kind or "dtype", str(item.name), declares)
        yield from self.inside(item, None)

    def inside(self, node: t.Node, scope: _Scope | None) -> Iterator[Occurrence]:
        """The names of a node and of what is inside it."""
        if isinstance(node, t.Rule):
            scope = self._rule_scope(node)
        elif isinstance(node, t.OpDecl | t.Legal):
            scope = _Scope(node.span, frozenset(str(p.name) for p in node.type_params))
            if isinstance(node, t.Legal):
                bound = frozenset(str(v.name) for v in t.walk(node) if isinstance(v, t.Var))
                scope = scope._replace(bound=bound - self.symbols.dtypes.keys())
        elif isinstance(node, t.Body):
            lines = frozenset(str(line.name) for line in node.lines)
            scope = _Scope(node.span, bound=lines)
        if type(node) in _USES:
            names, *kinds = _USES[type(node)](node)
            yield from self._named(names, *kinds)
        own: Callable[[Any, _Scope | None], Iterator[Occurrence]] | None
        own = getattr(self, f"_on_{type(node).__name__.lower()}", None)
        if own is not None:
            yield from own(node, scope)
        for child in t.children(node):
            if isinstance(child, t.Rule | t.Phase | t.EntryDecl):
                yield from self.item(child)
            elif not (isinstance(node, t.Measure) and isinstance(child, t.Call)):
                yield from self.inside(child, scope)
            else:  # a gauge is no function
                for source in child.args:
                    yield from self.inside(source, scope)

    def _rule_scope(self, rule: t.Rule) -> _Scope:
        types = frozenset(str(p.name) for p in rule.type_params)
        return _Scope(rule.span, types, frozenset(bound_names(rule)))

    # ---- declarations ----

    def _named(self, names: Iterable[t.Ident], *kinds: str) -> Iterator[Occurrence]:
        """Uses of names that are of the first of these kinds that knows them, else of the last."""
        tables: dict[str, Any] = {
            "dtype": self.symbols.dtypes,
            "dtype set": self.symbols.dtype_sets,
            "op": self.symbols.ops,
            "group": self.symbols.groups,
        }
        for name in names:
            kind = next((k for k in kinds if str(name) in tables.get(k, ())), kinds[-1])
            yield Occurrence(name.span, kind, str(name))

    def _on_dtypedecl(self, item: t.DTypeDecl, scope: _Scope | None) -> Iterator[Occurrence]:
        if item.kind in self.symbols.dtype_sets:
            yield from self._named([item.kind], "dtype set")

    def _on_opdecl(self, item: t.OpDecl, scope: _Scope | None) -> Iterator[Occurrence]:
        for name in [*(p.type for p in item.params), item.result]:
            yield from self._type(name, scope)

    def _on_extern(self, item: t.Extern, scope: _Scope | None) -> Iterator[Occurrence]:
        yield Occurrence(item.target.span, PYTHON, item.target.value)

    def _on_rulesetdecl(self, item: t.RuleSetDecl, scope: _Scope | None) -> Iterator[Occurrence]:
        yield from self._named(item.parts, "ruleset")
        for option in item.options:
            kind = {"measure": "measure", "from": "stage", "to": "stage"}.get(str(option.name))
            if kind:  # a plain value has no place of its own: it ends its option
                value, span = str(option.value), option.span
                start = span.end_column - len(value)
                yield Occurrence(span._replace(line=span.end_line, column=start), kind, value)

    def _on_targetfact(self, fact: t.TargetFact, scope: _Scope | None) -> Iterator[Occurrence]:
        if fact.about:
            yield from self._named([fact.name], fact.about)
        if isinstance(fact.value, tuple):
            yield from self._named(fact.value, "ruleset")
        yield from self._named((*fact.sets, *fact.of), "dtype", "dtype set")

    def _on_entrydecl(self, item: t.EntryDecl, scope: _Scope | None) -> Iterator[Occurrence]:
        if item.action == "pass":
            yield Occurrence(item.what.span, PYTHON, str(item.what))
        elif item.what in self.symbols.rulesets:
            yield from self._named([item.what], "ruleset")
        yield from self._named([item.source, item.result], "stage")

    def _on_casepart(self, part: t.CasePart, scope: _Scope | None) -> Iterator[Occurrence]:
        kinds = {
            "rewrite": ("ruleset", "rule"),
            "unchanged": ("ruleset", "rule"),
            "entry": ("entry",),
            "legal": ("stage",),
            "illegal": ("stage",),
            "source": ("target",),
            "trace": ("rule",) * len(part.names),
        }.get(part.kind, ())
        for name, kind in zip(part.names, kinds, strict=False):
            yield from self._named([name], kind)

    # ---- rules ----

    def _on_typeparam(self, param: t.TypeParam, scope: _Scope | None) -> Iterator[Occurrence]:
        if scope:
            yield Occurrence(param.name.span, TYPE, str(param.name), True, scope.span)
        yield from self._named(param.sets, "dtype", "dtype set")

    def _on_let(
        self, node: t.Let | t.Line | t.ConstVar | t.Bind, scope: _Scope | None
    ) -> Iterator[Occurrence]:
        yield from self._local(node.name, scope, True)

    _on_line = _on_constvar = _on_bind = _on_let

    # ---- expressions ----

    def _local(
        self, name: t.Ident, scope: _Scope | None, declares: bool = False
    ) -> Iterator[Occurrence]:
        if scope and name in scope.bound:
            yield Occurrence(name.span, VARIABLE, str(name), declares, scope.span)
        elif name in self.symbols.dtypes:
            yield Occurrence(name.span, "dtype", str(name))

    def _on_var(self, expr: t.Var, scope: _Scope | None) -> Iterator[Occurrence]:
        yield from self._local(expr.name, scope)

    def _on_opname(self, expr: t.OpName, scope: _Scope | None) -> Iterator[Occurrence]:
        if scope and expr.name in scope.types:
            yield Occurrence(expr.name.span, TYPE, str(expr.name), False, scope.span)
        else:
            yield from self._named([expr.name], "op")

    def _on_typed(self, expr: t.Typed, scope: _Scope | None) -> Iterator[Occurrence]:
        for name in (expr.type, expr.lanes):
            if isinstance(name, t.Ident):
                yield from self._type(name, scope)

    def _type(self, name: t.Ident, scope: _Scope | None) -> Iterator[Occurrence]:
        if scope and name in scope.types:
            yield Occurrence(name.span, TYPE, str(name), False, scope.span)
        else:
            yield from self._named([name], "dtype set", "dtype")

    def _on_call(self, expr: t.Call, scope: _Scope | None) -> Iterator[Occurrence]:
        if expr.name in self.symbols.externs:
            yield from self._named([expr.name], "extern")
        elif expr.name in BUILTINS:
            yield Occurrence(expr.name.span, FUNCTION, str(expr.name))
        elif expr.name.upper() in self.symbols.ops:
            yield Occurrence(expr.name.span, "op", expr.name.upper())
        else:
            yield Occurrence(expr.name.span, "extern", str(expr.name))
