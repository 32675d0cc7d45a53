"""Rules that make what the stage after them does not allow."""

from __future__ import annotations

from collections.abc import Iterator

from rulewright.checks.equiv import parts_known
from rulewright.lang import tree as t
from rulewright.lang.diagnostics import Diagnostic, nearest
from rulewright.lang.matcher_facts import rules_of_set
from rulewright.lang.symbols import Symbols


def check_leaves(symbols: Symbols) -> Iterator[Diagnostic]:
    """Ops in replacements that no statement allows at the stage that an entry leads to."""
    for pipeline in symbols.pipelines.values():
        for entry in pipeline.entries:
            if entry.action == "rules" and parts_known(str(entry.what), symbols):
                yield from _entry(entry, symbols)


def _entry(entry: t.Entry, symbols: Symbols) -> Iterator[Diagnostic]:
    if entry.result not in symbols.stages:
        return
    legal = legal_ops(str(entry.result), symbols)
    for rule in rules_of_set(str(entry.what), symbols.rulesets):
        results = [clause.value for clause in rule.all(t.Let)] + [rule.replacement]
        for node in [n for expr in results for n in t.walk(expr)]:
            if not isinstance(node, t.OpNode):
                continue
            for op in symbols.heads(node.head):
                if op not in legal:
                    message = f"rule `{rule.name}` makes {op}, which leaves stage `{entry.result}`"
                    note = f"`{entry.name}` runs `{entry.what}` and leads there"
                    hint = nearest(op, legal)
                    yield Diagnostic("leaves", message, node.span, entry.result.span, note, hint)


def legal_ops(name: str, symbols: Symbols) -> frozenset[str]:
    """The ops of which a stage allows some node: the first statement about all of them decides."""
    legal: dict[str, bool] = {}
    for statement in _statements(name, symbols, set()):
        pattern = statement.pattern
        while isinstance(pattern, t.Typed | t.Bind):
            pattern = pattern.expr if isinstance(pattern, t.Typed) else pattern.pattern
        head = pattern.head if isinstance(pattern, t.OpNode) else pattern
        bare = isinstance(statement.pattern, t.OpNode) and not statement.pattern.args
        for op in symbols.heads(head):
            if statement.allow or (bare and statement.guard is None):
                legal.setdefault(op, statement.allow)
    return frozenset(op for op, allowed in legal.items() if allowed)


def _statements(name: str, symbols: Symbols, seen: set[str]) -> Iterator[t.Legal]:
    """A stage's statements, then those of the stages that it extends."""
    if name in symbols.stages and name not in seen:
        seen.add(name)
        yield from symbols.stages[name].statements
        for base in symbols.stages[name].extends:
            yield from _statements(str(base), symbols, seen)
