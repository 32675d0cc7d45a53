"""Declarations on one line, as pages and editors show them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from rulewright.lang import tree as t


def param(item: t.Param) -> str:
    """`name: type`, or the type alone; `..` where there may be several."""
    kind = f"{item.type}{'..' if item.rest else ''}"
    return f"{item.name}: {kind}" if item.name else kind


def op(item: t.OpDecl) -> str:
    """`ADD<T: Number>(a: T, b: T) : T`."""
    schema = f"[{', '.join(map(param, item.schema))}]" if item.schema else ""
    params = ", ".join(map(param, item.params))
    return f"{item.name}{type_params(item.type_params)}{schema}({params}) : {item.result}"


def type_params(params: Sequence[t.TypeParam]) -> str:
    """`<T: Int | f32>`, or nothing."""
    shown = [f"{p.name}: {' | '.join(p.sets)}" if p.sets else str(p.name) for p in params]
    return f"<{', '.join(shown)}>" if shown else ""


def extern(item: t.Extern) -> str:
    """`move_index(node: uop, indices: uop..) -> uop..`."""
    return f"{item.name}({', '.join(map(param, item.params))}) -> {param(item.result)}"


def equiv(item: t.Equiv) -> str:
    """`finite`, `ulp:2`."""
    return f"{item.name}{'' if item.amount is None else f':{item.amount}'}"


def facts(items: Iterable[t.Fact]) -> str:
    """`strategy = once, limit = 64`."""
    return ", ".join(f"{f.name} = {f.value}" for f in items)


def source(text: str, span: t.Span) -> str:
    """What stands at a span, without the indentation that its lines have in common."""
    lines = text.split("\n")[span.line - 1 : span.end_line]
    lines[-1] = lines[-1][: span.end_column - 1]
    first, *rest = lines[0][span.column - 1 :], *lines[1:]
    margin = min((len(x) - len(x.lstrip()) for x in rest if x.strip()), default=0)
    return "\n".join([first, *(line[min(margin, span.column - 1) :] for line in rest)])


def status(rule: t.Rule) -> str:
    """What a rule declares about its being right."""
    for proof in rule.all(t.Prove):
        settings = facts(proof.settings)
        return f"to be proved by {proof.method}{f' ({settings})' if settings else ''}"
    for trust in rule.all(t.Trust):
        return f"trusted: {trust.reason.value}"
    return "nothing is declared about its being right"


def calls(rule: t.Rule, externs: Iterable[str]) -> list[str]:
    """The externs that a rule calls, in order, each once."""
    known = set(externs)
    names = [str(n.name) for n in t.walk(rule) if isinstance(n, t.Call) and n.name in known]
    return list(dict.fromkeys(names))
