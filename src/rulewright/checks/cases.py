"""Checks of cases: the names they give, and that there is something to run."""

from __future__ import annotations

from collections.abc import Iterator

from rulewright.lang import tree as t
from rulewright.lang.diagnostics import Diagnostic
from rulewright.lang.symbols import Symbols, unknown


def check_case(item: t.Case, symbols: Symbols) -> Iterator[Diagnostic]:
    """The problems of a case outside its graphs."""
    kinds = [p.kind for p in item.parts]
    if kinds.count("input") != 1:
        message = f"case `{item.name}` has {kinds.count('input')} inputs"
        yield Diagnostic("case", message, item.name.span, help="write one `input { return … }`")
    if set(kinds) <= {"input"}:
        message = f"case `{item.name}` expects nothing"
        help = "add `rewrite SET { … }`, `unchanged SET` or another expectation"
        yield Diagnostic("case", message, item.name.span, help=help)
    for i, part in enumerate(item.parts):
        after = item.parts[i + 1].kind if i + 1 < len(item.parts) else ""
        follows = ("error", "trace") if part.kind == "rewrite" else ("error",)
        if part.kind in ("rewrite", "entry") and part.body is None and after not in follows:
            message = f"`{part.kind}` without a graph is followed by an `error`"
            message += " or a `trace`" if part.kind == "rewrite" else ""
            yield Diagnostic("case", message, part.span, help="write the expected `{ return … }`")
        if part.kind in ("rewrite", "unchanged", "trace"):
            yield from _names(part, symbols)
        elif part.kind == "entry" and part.names[0] not in _entries(symbols):
            yield unknown("pipeline entry", part.names[0], _entries(symbols))
        elif part.kind in ("legal", "illegal") and part.names[0] not in symbols.stages:
            yield unknown("stage", part.names[0], symbols.stages)
        elif part.kind == "source" and part.names[0] not in symbols.targets:
            yield unknown("target", part.names[0], symbols.targets)


def _entries(symbols: Symbols) -> list[str]:
    return [str(e.name) for pipeline in symbols.pipelines.values() for e in pipeline.entries]


def _names(part: t.CasePart, symbols: Symbols) -> Iterator[Diagnostic]:
    rules = part.names
    if part.kind != "trace":
        if part.names[0] not in symbols.rulesets:
            yield unknown("ruleset", part.names[0], symbols.rulesets)
        rules = part.names[1:]
    for name in rules:
        if name not in symbols.rules:
            yield unknown("rule", name, symbols.rules)
