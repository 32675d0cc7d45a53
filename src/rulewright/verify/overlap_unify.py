"""Unifies patterns: the most general pattern whose every match two patterns match.

Names of the two sides are kept apart by `rename`. What is not understood does not unify: fields in
brackets other than equal ones, and variadic operands before others.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from rulewright.lang import tree as t
from rulewright.lang.matcher_facts import Facts
from rulewright.lang.words import exchanged

Env = Mapping[str, t.Expr]


def rename(expr: t.Expr, mark: str) -> t.Expr:
    """A pattern with `mark` behind each of its names and type parameters; bindings are left out."""

    def change(node: t.Node) -> t.Node | None:
        if isinstance(node, t.Var | t.ConstVar):
            return replace(node, name=t.Ident(f"{node.name}{mark}"))
        if isinstance(node, t.Bind):
            return rename(node.pattern, mark)
        if isinstance(node, t.Typed):
            kind = t.Ident(f"{node.type}{mark}") if str(node.type).isupper() else node.type
            return replace(node, expr=rename(node.expr, mark), type=kind)
        if isinstance(node, t.OpNode) and node.args:  # whose names are compared as they are
            sources = tuple(replace(s, expr=rename(s.expr, mark)) for s in node.sources or ())
            return replace(node, sources=sources if node.sources is not None else None)
        return None

    return exchanged(expr, change)


class Unifier:
    """Finds common instances of patterns."""

    def __init__(self, facts: Facts) -> None:
        self.facts = facts

    def unify(self, a: t.Expr, b: t.Expr, env: Env) -> Iterator[tuple[t.Expr, Env]]:
        """Each common pattern, one for each way round, with what names stand for in it."""
        if isinstance(b, t.Typed) and not isinstance(a, t.Typed):
            a, b = b, a
        if isinstance(a, t.Typed):
            for inner, known in self.unify(a.expr, b, env):
                yield replace(a, expr=inner), known
        elif isinstance(a, t.Var):
            yield from self._name(a, b, env)
        elif isinstance(b, t.Var):
            yield from self._name(b, a, env)
        elif isinstance(a, t.Wild):
            yield b, env
        elif isinstance(b, t.Wild):
            yield a, env
        elif isinstance(a, t.ConstVar) or isinstance(b, t.ConstVar):
            yield from self._constant(a, b, env)
        elif isinstance(a, t.Num | t.BoolLit) or isinstance(b, t.Num | t.BoolLit):
            if a == b:
                yield a, env
        else:
            yield from self._nodes(self.facts.as_node(a), self.facts.as_node(b), env)

    def _name(self, a: t.Var, b: t.Expr, env: Env) -> Iterator[tuple[t.Expr, Env]]:
        name = str(a.name)
        if _ends_at(b, env) == _ends_at(a, env):
            yield a, env
        elif name in env:
            for inner, known in self.unify(env[name], b, env):
                if not _occurs(name, inner, known):
                    yield a, {**known, name: inner}
        elif not _occurs(name, b, env):
            yield a, {**env, name: b}

    def _constant(self, a: t.Expr, b: t.Expr, env: Env) -> Iterator[tuple[t.Expr, Env]]:
        if not isinstance(a, t.ConstVar):
            a, b = b, a
        assert isinstance(a, t.ConstVar)
        name = f"${a.name}"
        if isinstance(b, t.ConstVar | t.Num | t.BoolLit) and env.get(name, b) == b:
            yield b, {**env, name: b}

    def _nodes(self, a: t.Expr, b: t.Expr, env: Env) -> Iterator[tuple[t.Expr, Env]]:
        if not isinstance(a, t.OpNode) or not isinstance(b, t.OpNode):
            return
        if (a.args or b.args) and a.args != b.args:
            return
        heads = [h for h in self.facts.heads(a.head) if h in self.facts.heads(b.head)]
        one, two = a.sources or (), b.sources or ()
        if not heads or len(one) != len(two) or any(s.rest for s in (*one, *two)):
            return
        names = tuple(map(t.Ident, heads))
        head = t.OpSet(names) if len(names) > 1 else t.OpName(names[0])
        for sources, known in self._lists(one, two, env):
            yield t.OpNode(head, a.args, sources, ordered=True), known
        if all(self.facts.commutative(h) for h in heads) and not (a.ordered and b.ordered):
            for swapped, known in self._lists(one[::-1], two, env):
                sources = swapped[::-1] if a.ordered else swapped
                yield t.OpNode(head, a.args, sources, ordered=True), known

    def _lists(
        self, a: tuple[t.Source, ...], b: tuple[t.Source, ...], env: Env
    ) -> Iterator[tuple[tuple[t.Source, ...], Env]]:
        if not a:
            yield (), env
            return
        for first, known in self.unify(a[0].expr, b[0].expr, env):
            for rest, final in self._lists(a[1:], b[1:], known):
                yield (t.Source(first), *rest), final


def _ends_at(expr: t.Expr, env: Env) -> t.Expr:
    """The last of a chain of names that stand for each other."""
    while isinstance(expr, t.Var) and isinstance(env.get(str(expr.name)), t.Var):
        expr = env[str(expr.name)]
    return expr


def _occurs(name: str, expr: t.Expr, env: Env) -> bool:
    """Whether a name stands in an expression, or in what its names stand for."""
    names = {str(n.name) for n in t.walk(expr) if isinstance(n, t.Var)}
    return name in names or any(_occurs(name, env[n], env) for n in names if n in env)


def named(expr: t.Expr, env: Env) -> t.Expr:
    """A pattern in which each name that stands for something is bound to that."""

    def change(node: t.Node) -> t.Node | None:
        key = f"${node.name}" if isinstance(node, t.ConstVar) else str(getattr(node, "name", ""))
        known = env.get(key) if isinstance(node, t.Var | t.ConstVar) else None
        if known is None or known == node:
            return None
        inner = named(known, env)
        return t.Bind(node.name, inner) if isinstance(node, t.Var) else inner

    return exchanged(expr, change)


def inner_nodes(facts: Facts, expr: t.Expr) -> Iterator[t.Expr]:
    """The op nodes inside a pattern, without its root."""
    node = facts.as_node(t.bare(expr))
    if not isinstance(node, t.OpNode):
        return
    for source in node.sources or ():
        below = t.bare(source.expr)
        if isinstance(facts.as_node(below), t.OpNode):
            yield below
        yield from inner_nodes(facts, source.expr)
