"""Runs the examples and rejects of rules with their own matchers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from rulewright.checks.externs import find_function
from rulewright.errors import RuleError, RulewrightError
from rulewright.ir.ops import Ops
from rulewright.ir.text import print_term
from rulewright.ir.uop import UOp
from rulewright.ir.watch import checks
from rulewright.lang import tree as t
from rulewright.lang.allowed import called, refusal
from rulewright.lang.build import load_table
from rulewright.lang.diagnostics import Diagnostic, reason_of
from rulewright.lang.symbols import Symbols


def check_examples(
    rules: Sequence[t.Rule], symbols: Symbols, values: bool = False
) -> Iterator[Diagnostic]:
    """Examples that a rule does not match or turns into something else, rejects that it takes.

    With `values`, both sides of an example are run in the interpreter on sampled inputs too, and
    compared as the rule's `equiv` says. Rules that read the pass's context `ctx` are not run: an
    example has none. Nor are those that call what their file may not name.
    """
    if not rules:
        return
    table = example_table(symbols)
    for rule in runnable(rules, symbols):
        if not uses_context(rule):
            yield from _check_rule(rule, table, values)


def uses_context(rule: t.Rule) -> bool:
    """Whether a rule looks at what the pass that runs it gave."""
    return any(isinstance(n, t.Var) and n.name == "ctx" for n in t.walk(rule))


def runnable(rules: Sequence[t.Rule], symbols: Symbols) -> list[t.Rule]:
    """The rules that call no function which their file may not name, or which is not there."""
    known = load_table()["externs"]
    refused = {
        name
        for name, item in symbols.externs.items()
        if refusal(item.target)
        or (name not in known and isinstance(find_function(item.target), Diagnostic))
    }
    return [rule for rule in rules if not refused & called(rule)] if refused else list(rules)


def example_table(symbols: Symbols) -> dict[str, Any]:
    """The table that matchers are generated from, with the externs of the files checked."""
    from rulewright.lang.table import extern_row

    table = load_table()
    externs = {name: extern_row(item) for name, item in symbols.externs.items()}
    return {**table, "externs": {**table["externs"], **externs}}


def _check_rule(rule: t.Rule, table: dict[str, Any], values: bool) -> Iterator[Diagnostic]:
    try:
        match = matcher_of([rule], table)
    except RuleError as error:
        yield Diagnostic("rule", reason_of(error), rule.name.span)
        return
    for example in rule.all(t.Example):
        yield from _check_example(rule, example, match, values)
    for reject in rule.all(t.Reject):
        before = built(reject.expr)
        if isinstance(before, Diagnostic):
            yield before
            continue
        after = _apply(match, before, reject.expr)
        if isinstance(after, Diagnostic):
            yield after
        elif after is not None:
            message = f"rule `{rule.name}` takes what it should reject"
            note = f"it becomes {print_term(after)}"
            yield Diagnostic("reject", message, reject.expr.span, help=note)


def matcher_of(rules: Sequence[t.Rule], table: Mapping[str, Any]) -> dict[Any, Any]:
    """Op to the function that tries the rules in order."""
    from rulewright.lang.matcher import generate_rules

    names: dict[str, Any] = {}
    exec(compile(generate_rules("example", rules, table), "<rule>", "exec"), names)
    match: dict[Any, Any] = names["MATCH"]
    return match


def built(expr: t.Expr) -> UOp | Diagnostic:
    """The graph of an example, or what is wrong with it."""
    from rulewright.ir.read import try_build

    node, problems = try_build(t.Body((), expr, span=expr.span))
    return problems[0] if node is None else node


def _apply(match: dict[Any, Any], node: UOp, at: t.Expr) -> UOp | Diagnostic | None:
    """One step at the root; None where the rule does not fire."""
    try:
        after: UOp | None = match[node.op](node, None) if node.op in match else None
    except Exception as error:  # an extern may do anything
        message = f"running this ended in {type(error).__name__}: {error}"
        return Diagnostic("example", message, at.span)
    return after


def _check_example(
    rule: t.Rule, example: t.Example, match: dict[Any, Any], values: bool
) -> Iterator[Diagnostic]:
    before = built(example.before)
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
        hint = f"it gives {print_term(after)}"
        yield Diagnostic("example", message, example.after.span, help=hint)
    elif after is before:
        message = f"rule `{rule.name}` gives back what it takes"
        yield Diagnostic("example", message, example.before.span, help="nothing is rewritten")
    else:
        changed = list(_preserves(before, after, example))
        yield from changed or (_values_differ(rule, example, before, after) if values else ())


def _build_as(expr: t.Expr, like: UOp) -> UOp | Diagnostic:
    """The result of an example; a bare number takes the dtype of what it replaces."""
    if isinstance(expr, t.Num):
        lanes = like.dtype.count if like.dtype.count > 1 else None
        expr = t.Typed(expr, t.Ident(like.dtype.base, expr.span), lanes, span=expr.span)
    return built(expr)


def _origin(example: t.Example) -> t.Span | None:
    """Where what an example expects comes from, if it says what that is."""
    return example.before.span if example.after else None


def _preserves(before: UOp, after: UOp, example: t.Example) -> Iterator[Diagnostic]:
    """A rewrite keeps dtype and shape; a scalar may stand for any shape. So do gradients."""
    place = (example.after or example.before).span
    if before.dtype is not after.dtype:
        message = f"dtype is not preserved: {before.dtype.name} becomes {after.dtype.name}"
        yield Diagnostic("dtype", message, place, _origin(example), "from this")
        return
    try:
        shapes = before.shape, after.shape
        problem = _ill_fitting(before.src[0], after) if before.op is Ops.GRAD else ""
    except Exception as error:  # an operand's shape that means nothing
        message = f"this has no shape: {error}"
        yield Diagnostic("shape", message, example.span)
        return
    if problem:
        yield Diagnostic("example", problem, place, example.before.span, "of this")
    elif shapes[0] != shapes[1] and shapes[1] != ():
        message = f"shape is not preserved: {shapes[0]} becomes {shapes[1]}"
        yield Diagnostic("shape", message, place, _origin(example), "from this")


def _ill_fitting(value: UOp, answer: UOp) -> str:
    """What is wrong with the form of an answer to GRAD(value, g); nothing if it has one."""
    if answer.op is not Ops.TUPLE:
        return f"expected a TUPLE with a gradient for each operand, found {answer.op}"
    if len(answer.src) > len(value.src):
        operands = "1 operand" if len(value.src) == 1 else f"{len(value.src)} operands"
        return f"{len(answer.src)} gradients for {operands} of {value.op}"
    for place, (source, part) in enumerate(zip(value.src, answer.src, strict=False)):
        wanted = source.src[1] if source.op is Ops.STORE else source
        kinds = [(node.dtype.name, node.shape) for node in (wanted, part)]
        if part.op is not Ops.NOGRAD and kinds[0] != kinds[1]:
            said = " ".join(map(str, kinds[0])), " ".join(map(str, kinds[1]))
            return f"operand {place} of {value.op} is {said[0]}, its gradient {said[1]}"
    return ""


def _values_differ(
    rule: t.Rule, example: t.Example, before: UOp, after: UOp
) -> Iterator[Diagnostic]:
    """An example whose sides do not have the same value for all that its parameters may hold."""
    allowed = (str(rule.equiv.name),) if rule.equiv else ()
    try:
        problem = checks().difference(before, after, allowed)
    except (RulewrightError, ValueError, IndexError):  # what has no value before keeps it after
        return
    if problem:
        message = f"rule `{rule.name}` changes the value of this: {problem}"
        command = f"rulewright prove {rule.name.span.file} --rule {rule.name}"
        help = f"to see an input for which it is wrong: {command}"
        if rule.all(t.Trust) and before.dtype.is_float:
            help = "mend the rule, or say behind its name what may change, as `equiv finite` does"
            if rule.equiv:
                help = f"mend the rule: `equiv {rule.equiv.name}` does not allow this"
        elif rule.all(t.Trust):
            help = "`trust` is no excuse for an example that is wrong: mend the rule"
        place = (example.after or example.before).span
        yield Diagnostic("value", message, place, _origin(example), "from this", help)
