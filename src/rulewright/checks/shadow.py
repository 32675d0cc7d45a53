"""Rules that can never fire, because an earlier rule takes everything they match."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from rulewright.checks.types import RuleTypes, TypeClass
from rulewright.lang import tree as t
from rulewright.lang.diagnostics import Diagnostic
from rulewright.lang.symbols import Symbols
from rulewright.lang.terms import as_node

_Env = dict[str, t.Expr]
_Classes = Mapping[TypeClass, set[TypeClass]]
_Matched = tuple[_Env, _Classes]
"""What the names of the general rule stand for, and which classes of types meet one of its own."""


class Subsumes:
    """Whether everything that `specific` matches, `general` matches too."""

    def __init__(self, general: RuleTypes, specific: RuleTypes) -> None:
        self.symbols = general.symbols
        self.general, self.specific = general.rule, specific.rule
        self.g_types, self.s_types = general, specific

    def holds(self) -> bool:
        """Only certain answers are yes: anything not understood is a no."""
        if self.general.all(t.Let) or _may_refuse(self.general):
            return False
        matches = self._match(self.general.pattern, self.specific.pattern, {}, {})
        return any(self._guards_follow(e) and self._types_follow(classes) for e, classes in matches)

    def _guards_follow(self, env: _Env) -> bool:
        """Each guard of the general rule must stand, renamed, in the specific one."""
        theirs = [c.guard for c in self.specific.all(t.When)]
        ours = [c.guard for c in self.general.all(t.When)]
        return all(any(_same(guard, other, env) for other in theirs) for guard in ours)

    def _types_follow(self, classes: _Classes) -> bool:
        """What the general rule demands of dtypes, the specific one must grant."""
        return all(
            len(specific) <= 1 and all(s.allowed <= general.allowed for s in specific)
            for general, specific in classes.items()
        )

    # ---- structure ----

    def _match(self, g: t.Expr, s: t.Expr, env: _Env, classes: _Classes) -> Iterator[_Matched]:
        s_class = self.s_types.of.get(id(s))
        g_class = self.g_types.of.get(id(g))
        if s_class is not None and g_class is not None:
            known = classes.get(g_class.root(), set())
            classes = {**classes, g_class.root(): known | {s_class.root()}}
        if isinstance(s, t.Typed) and not isinstance(g, t.Typed):
            s = s.expr
        if isinstance(g, t.Typed):
            if g.lanes is not None:
                return
            inner = s.expr if isinstance(s, t.Typed) and s.lanes is None else s
            yield from self._match(g.expr, inner, env, classes)
        elif isinstance(g, t.Bind):
            yield from self._bind(str(g.name), s, g.pattern, env, classes)
        elif isinstance(g, t.Var):
            yield from self._bind(str(g.name), s, None, env, classes)
        elif isinstance(g, t.Wild):
            yield env, classes
        else:
            s = s.pattern if isinstance(s, t.Bind) else s
            yield from self._shape(g, s, env, classes)

    def _bind(
        self, name: str, s: t.Expr, pattern: t.Expr | None, env: _Env, classes: _Classes
    ) -> Iterator[_Matched]:
        value: t.Expr = t.Var(s.name) if isinstance(s, t.Bind) else s
        if name in env and env[name] != value:
            return
        env = {**env, name: value}
        if pattern is None:
            yield env, classes
        else:
            yield from self._match(pattern, s, env, classes)

    def _shape(self, g: t.Expr, s: t.Expr, env: _Env, classes: _Classes) -> Iterator[_Matched]:
        if isinstance(g, t.ConstVar):
            if isinstance(s, t.ConstVar | t.Num | t.BoolLit):
                yield from self._bind(str(g.name), s, None, env, classes)
            return
        if isinstance(g, t.Num | t.BoolLit):
            if g == s:
                yield env, classes
            return
        one, two = as_node(g, self.symbols), as_node(s, self.symbols)
        if not isinstance(one, t.OpNode) or not isinstance(two, t.OpNode):
            return
        if not self._arguments(one, two):
            return
        heads, others = self.symbols.heads(one.head), self.symbols.heads(two.head)
        if not others or not set(others) <= set(heads):
            return
        for arranged in self._arrangements(one, two, others):
            yield from self._operands(arranged, list(two.sources or ()), env, classes)

    def _arrangements(
        self, one: t.OpNode, two: t.OpNode, heads: Sequence[str]
    ) -> Iterator[list[t.Source] | None]:
        swaps = all("commutative" in self.symbols.ops[h].flags for h in heads)
        if swaps and one.ordered and not two.ordered:
            return
        if one.sources is None or (not one.sources and not isinstance(one.head, t.OpName)):
            yield None
            return
        yield list(one.sources)
        if swaps and not one.ordered and len(one.sources) == 2:
            yield list(one.sources[::-1])

    def _operands(
        self, mine: list[t.Source] | None, theirs: list[t.Source], env: _Env, classes: _Classes
    ) -> Iterator[_Matched]:
        if mine is None:
            yield env, classes
            return
        if mine and mine[-1].rest:
            last = mine.pop()
            if not isinstance(last.expr, t.Wild) and last.expr in (env.get("", None),):
                return
            theirs = theirs[: len(mine)]
        if len(mine) != len(theirs) or any(s.rest for s in [*mine, *theirs]):
            return
        states = [(env, classes)]
        for a, b in zip(mine, theirs, strict=True):
            states = [
                after
                for state_env, state_classes in states
                for after in self._match(a.expr, b.expr, state_env, state_classes)
            ]
        yield from states

    def _arguments(self, one: t.OpNode, two: t.OpNode) -> bool:
        if one.args is None:
            return True
        if two.args is None or len(one.args) != len(two.args):
            return all(isinstance(a, t.Wild) for a in one.args)
        names: list[str] = [str(a.name) for a in one.args if isinstance(a, t.Var)]
        if len(set(names)) != len(names):
            return False
        return all(
            isinstance(a, t.Wild | t.Var) or a == b for a, b in zip(one.args, two.args, strict=True)
        )


def _may_refuse(rule: t.Rule) -> bool:
    """Whether making the replacement may end the match: an extern may answer None."""
    return any(isinstance(node, t.Call | t.Fold) for node in t.walk(rule.replacement))


def _same(mine: t.Expr, theirs: t.Expr, env: _Env) -> bool:
    """Whether a guard is another one once names are replaced."""
    if isinstance(mine, t.Var) and str(mine.name) in env:
        bound = env[str(mine.name)]
        names = (t.Var, t.ConstVar)
        if isinstance(bound, names) and isinstance(theirs, t.Var):
            return bound.name == theirs.name
        return bound == theirs
    if type(mine) is not type(theirs):
        return False
    one, two = t.children(mine), t.children(theirs)
    if not one and not two:
        return mine == theirs
    plain = [
        (a, b)
        for a, b in zip(vars(mine).values(), vars(theirs).values(), strict=True)
        if isinstance(a, str | int | float | bool)
    ]
    if len(one) != len(two) or any(a != b for a, b in plain):
        return False
    pairs = zip(one, two, strict=True)
    return all(_source_same(a, b, env) for a, b in pairs)


def _source_same(a: t.Node, b: t.Node, env: _Env) -> bool:
    if isinstance(a, t.Source) and isinstance(b, t.Source):
        return a.rest == b.rest and _same(a.expr, b.expr, env)
    return isinstance(a, t.Expr) and isinstance(b, t.Expr) and _same(a, b, env)


def check_shadowed(rules: Sequence[t.Rule], symbols: Symbols) -> Iterator[Diagnostic]:
    """Rules of one set, in the order in which they are tried, that come too late."""
    roots = [frozenset(_root_ops(rule.pattern, symbols)) for rule in rules]
    numbers = [_literals(rule) for rule in rules]
    types = [RuleTypes(rule, symbols) for rule in rules]
    for later, rule in enumerate(rules):
        for earlier in range(later):
            if not roots[later] or not roots[later] <= roots[earlier]:
                continue
            if not numbers[earlier] <= numbers[later]:
                continue
            if Subsumes(types[earlier], types[later]).holds():
                first = rules[earlier]
                message = f"rule `{rule.name}` can never fire"
                note = f"`{first.name}` takes everything that it matches"
                hint = f"move `{rule.name}` before `{first.name}`, or leave it out"
                yield Diagnostic("shadowed", message, rule.name.span, first.name.span, note, hint)
                break


def _literals(rule: t.Rule) -> frozenset[str | bool]:
    """The numbers of a pattern: what is to match all that another one does has no others."""
    nodes = [*t.walk(rule.pattern)]
    truths = {n.value for n in nodes if isinstance(n, t.BoolLit)}
    return frozenset({n.text for n in nodes if isinstance(n, t.Num)} | truths)


def _root_ops(expr: t.Expr, symbols: Symbols) -> tuple[str, ...]:
    """The ops that a pattern's root may be."""
    node = as_node(t.bare(expr), symbols)
    return symbols.heads(node.head) if isinstance(node, t.OpNode) else ()
