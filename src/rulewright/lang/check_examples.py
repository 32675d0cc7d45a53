"""Runs the examples and rejects of rules with their own matchers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from rulewright.errors import RuleError
from rulewright.lang import tree as t
from rulewright.lang.diagnostics import Diagnostic
from rulewright.lang.symbols import Symbols

if TYPE_CHECKING:
    from rulewright.ir.uop import UOp


def check_examples(rules: Sequence[t.Rule], symbols: Symbols) -> Iterator[Diagnostic]:
    """Examples that a rule does not match or turns into something else, rejects that it takes.

    Rules that read the pass's context `ctx` are not run: an example has none.
    """
    if not rules:
        return
    table = _table(symbols)
    for rule in rules:
        if not uses_context(rule):
            yield from _check_rule(rule, table)


def uses_context(rule: t.Rule) -> bool:
    """Whether a rule looks at what the pass that runs it gave."""
    return any(isinstance(n, t.Var) and n.name == "ctx" for n in t.walk(rule))


def _table(symbols: Symbols) -> dict[str, Any]:
    """The table that matchers are generated from, with the externs of the files checked."""
    from rulewright.lang.build import load_table
    from rulewright.lang.table import extern_row

    table = load_table()
    externs = {name: extern_row(item) for name, item in symbols.externs.items()}
    return {**table, "externs": {**table["externs"], **externs}}


def _check_rule(rule: t.Rule, table: dict[str, Any]) -> Iterator[Diagnostic]:
    try:
        match = _matcher(rule, table)
    except RuleError as error:
        reason = str(error).partition(": error: ")[2] or str(error)
        yield Diagnostic("rule", reason, rule.name.span)
        return
    for example in rule.all(t.Example):
        yield from _check_example(rule, example, match)
    for reject in rule.all(t.Reject):
        before = _build(reject.expr)
        if isinstance(before, Diagnostic):
            yield before
            continue
        after = _apply(match, before, reject.expr)
        if isinstance(after, Diagnostic):
            yield after
        elif after is not None:
            message = f"rule `{rule.name}` takes what it should reject"
            note = f"it becomes {show(after)}"
            yield Diagnostic("reject", message, reject.expr.span, help=note)


def _matcher(rule: t.Rule, table: dict[str, Any]) -> dict[Any, Any]:
    from rulewright.lang.matcher import generate_rules

    names: dict[str, Any] = {}
    exec(compile(generate_rules(str(rule.name), [rule], table), "<rule>", "exec"), names)
    match: dict[Any, Any] = names["MATCH"]
    return match


def _build(expr: t.Expr) -> UOp | Diagnostic:
    from rulewright.ir.read import try_build

    node, found = try_build(t.Body((), expr, span=expr.span))
    if node is None:
        return found[0]
    return node


def _apply(match: dict[Any, Any], node: UOp, at: t.Expr) -> UOp | Diagnostic | None:
    """One step at the root; None where the rule does not fire."""
    try:
        after: UOp | None = match[node.op](node, None) if node.op in match else None
    except Exception as error:  # an extern may do anything
        message = f"running this ended in {type(error).__name__}: {error}"
        return Diagnostic("example", message, at.span)
    return after


def _check_example(rule: t.Rule, example: t.Example, match: dict[Any, Any]) -> Iterator[Diagnostic]:
    before = _build(example.before)
    if isinstance(before, Diagnostic):
        yield before
        return
    wanted = None if example.after is None else _build_as(example.after, before)
    if isinstance(wanted, Diagnostic):
        yield wanted
        return
    after = _apply(match, before, example.before)
    if isinstance(after, Diagnostic):
        yield after
    elif after is None:
        message = f"rule `{rule.name}` does not match its example"
        yield Diagnostic("example", message, example.before.span, rule.pattern.span, "the pattern")
    elif example.after is not None and after is not wanted:
        message = f"rule `{rule.name}` does not give this"
        hint = f"it gives {show(after)}"
        yield Diagnostic("example", message, example.after.span, help=hint)
    else:
        yield from _preserves(before, after, example)


def _build_as(expr: t.Expr, like: UOp) -> UOp | Diagnostic:
    """The result of an example; a bare number takes the dtype of what it replaces."""
    if isinstance(expr, t.Num):
        lanes = like.dtype.count if like.dtype.count > 1 else None
        expr = t.Typed(expr, t.Ident(like.dtype.base, expr.span), lanes, span=expr.span)
    return _build(expr)


def _preserves(before: UOp, after: UOp, example: t.Example) -> Iterator[Diagnostic]:
    """A rewrite keeps dtype and shape; a scalar may stand for any shape."""
    place = (example.after or example.before).span
    if before.dtype is not after.dtype:
        message = f"dtype is not preserved: {before.dtype.name} becomes {after.dtype.name}"
        yield Diagnostic("dtype", message, place, example.before.span, "from this")
        return
    try:
        shapes = before.shape, after.shape
    except Exception as error:  # an operand's shape that means nothing
        message = f"this has no shape: {error}"
        yield Diagnostic("shape", message, example.span)
        return
    if shapes[0] != shapes[1] and shapes[1] != ():
        message = f"shape is not preserved: {shapes[0]} becomes {shapes[1]}"
        yield Diagnostic("shape", message, place, example.before.span, "from this")


def show(node: UOp) -> str:
    """A small graph as one expression."""
    from rulewright.ir.text import print_node

    class Inline(dict[Any, str]):
        def get(self, key: Any, default: Any = None) -> str:
            return print_node(key, self)

    return print_node(node, Inline())
