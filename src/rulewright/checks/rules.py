"""Checks of rules: scope, dtypes, shape, proof, examples, what the stage after them does not
allow, and rules that never fire because another one is tried before.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace

from rulewright.checks.decls import check_type_params, said_again
from rulewright.checks.ends import check_ends, check_measured, check_reasons
from rulewright.checks.equiv import check_equiv, parts_known
from rulewright.checks.examples import check_examples
from rulewright.checks.guards import check_guards
from rulewright.checks.nodes import check_fields
from rulewright.checks.scopes import check_rule_scope
from rulewright.checks.shadow import check_shadowed
from rulewright.checks.types import check_rule_types, is_restricted
from rulewright.lang import tree as t
from rulewright.lang.diagnostics import Diagnostic, nearest
from rulewright.lang.matcher_facts import ordered_rules, rules_of_set
from rulewright.lang.symbols import Symbols, unknown, unknowns

PROOFS = ("smt", "interp", "exhaustive", "derivative")
"""How a rule may be proved: over bit-vectors, by bounded runs of the interpreter, by all values
of small types, or (gradients) against difference quotients."""

_MEANINGLESS = frozenset(["unknown", "arity", "argument", "kind", "unbound", "pattern"])
"""Problems after which it makes no sense to ask what a rule matches."""

_SETTINGS = ("timeout",)
"""`timeout`: seconds of an idle core that a question to z3 about the rule may take."""


def check_rules(
    rules: Sequence[t.Rule], symbols: Symbols, values: bool = False
) -> Iterator[Diagnostic]:
    """The problems of some rules, and those of the order in which rules of a set are tried.

    With `values`, also the values of examples, and whether rewriting them ends.
    """
    good, checked = [], set()
    for rule in rules:
        problems = list(check_rule(rule, symbols))
        yield from problems
        if not problems:
            good.append(rule)
        if not any(d.code in _MEANINGLESS for d in problems):
            checked.add(str(rule.name))
    yield from check_examples(good, symbols, values)
    seen: set[tuple[str, ...]] = set()
    for name in symbols.rulesets:
        if not parts_known(name, symbols):
            continue
        members = rules_of_set(name, symbols.rulesets)
        if checked.isdisjoint(str(r.name) for r in members):
            continue
        ordered = ordered_rules(members)
        names = tuple(str(r.name) for r in ordered)
        if names not in seen:
            seen.add(names)
            yield from check_shadowed(ordered, symbols)
        yield from check_measured(symbols.rulesets[name], checked, symbols)
    if values:
        yield from check_ends(good, symbols)


def check_rule(rule: t.Rule, symbols: Symbols) -> Iterator[Diagnostic]:
    """The problems of one rule by itself, without running it."""
    named = [*check_type_params(rule.type_params, symbols), *check_rule_scope(rule, symbols)]
    yield from named
    yield from _root(rule)
    yield from _clauses(rule, symbols)
    if named:
        return
    typed = [*check_fields(rule, symbols), *check_rule_types(rule, symbols)]
    typed += _shape(rule, symbols)
    typed += [] if typed else check_guards(rule, symbols)
    yield from typed or _evidence(rule, symbols)


def _root(rule: t.Rule) -> Iterator[Diagnostic]:
    """A rule that matches anything at all would never end."""
    if isinstance(t.bare(rule.pattern), t.Var | t.Wild):
        message = f"rule `{rule.name}` matches every node"
        yield Diagnostic("pattern", message, rule.pattern.span, help="name the op at its root")


def _clauses(rule: t.Rule, symbols: Symbols) -> Iterator[Diagnostic]:
    if rule.equiv:
        yield from check_equiv(rule.equiv)
    yield from unknowns("rule", (after.rule for after in rule.all(t.After)), symbols.rules)
    proofs, trusts = rule.all(t.Prove), rule.all(t.Trust)
    reasons = [("expands", c.span) for c in rule.all(t.Expands)]
    once = [*((str(word), word.span) for word in rule.once), *reasons]
    once += [("trust", c.span) for c in trusts]
    yield from said_again((word, word, span) for word, span in once)
    for proof in proofs:
        if proof.method not in PROOFS:
            problem = unknown("proof method", proof.method, PROOFS)
            methods = f"use {', '.join(PROOFS[:-1])} or {PROOFS[-1]}"
            yield replace(problem, help=methods)
        yield from unknowns("setting", (s.name for s in proof.settings), _SETTINGS)
    if not proofs and not trusts:
        message = f"rule `{rule.name}` does not say why it is right"
        help = 'add `prove smt`, `prove interp`, or `trust "why"`'
        yield Diagnostic("proof", message, rule.name.span, help=help)
    if proofs and trusts:
        message = "a rule is proved or trusted, not both"
        first = proofs[0].span
        yield Diagnostic("proof", message, trusts[0].span, first, "proof declared here")
    yield from check_reasons(rule)
    for trust in trusts:
        if not trust.reason.value.strip():
            yield Diagnostic("proof", "`trust` needs a reason", trust.reason.span)


def _evidence(rule: t.Rule, symbols: Symbols) -> Iterator[Diagnostic]:
    """Every rule shows where it fires; one with a condition, where it does not."""
    if not rule.all(t.Example):
        message = f"rule `{rule.name}` has no example"
        yield Diagnostic("example", message, rule.name.span, help="add `example before => after`")
    if not rule.all(t.Reject) and is_restricted(rule, symbols):
        why = "has a guard" if rule.all(t.When) else "takes fewer dtypes than its ops"
        message = f"rule `{rule.name}` {why} but shows nothing that it rejects"
        yield Diagnostic("reject", message, rule.name.span, help="add `reject …`")


def _shape(rule: t.Rule, symbols: Symbols) -> Iterator[Diagnostic]:
    """An op that changes the shape cannot be replaced by its operand without a condition."""
    root = t.bare(rule.pattern)
    if not isinstance(root, t.OpNode) or any(isinstance(c, t.When | t.Let) for c in rule.clauses):
        return
    result = t.bare(rule.replacement)
    operands = [s.expr for s in root.sources or () if not s.rest]
    if not isinstance(result, t.Var) or result.name not in [_plain_name(o) for o in operands]:
        return
    if any(s.rest and not isinstance(s.expr, t.Wild) for s in root.sources or ()):
        return
    changing = [h for h in symbols.heads(root.head) if _changes_shape(symbols.ops[h])]
    if changing:
        message = f"shape is not preserved: {changing[0]} gives another shape than its operand"
        yield Diagnostic(
            "shape", message, rule.replacement.span, symbols.ops[changing[0]].name.span,
            f"{changing[0]} is declared here", "add `when x.shape == y.shape`",
        )  # fmt: skip


def _plain_name(expr: t.Expr) -> str:
    expr = t.bare(expr)
    return str(expr.name) if isinstance(expr, t.Var) else ""


def _changes_shape(op: t.OpDecl) -> bool:
    """Whether the shape clause says something other than an operand's own shape."""
    text = op.fact("shape") or ""
    same = ["same", "()", "none()", *(f"{p.name}.shape" for p in op.params)]
    return bool(text) and text not in same


# ---- what the stage after them allows ------------------------------------------------------------


def check_leaves(files: Collection[str], symbols: Symbols) -> Iterator[Diagnostic]:
    """Ops in replacements, of the rules in some files, that no statement allows at the stage that
    an entry leads to."""
    for pipeline in symbols.pipelines.values():
        for entry in pipeline.entries:
            if entry.action == "rules" and parts_known(str(entry.what), symbols):
                rules = rules_of_set(str(entry.what), symbols.rulesets)
                yield from _entry(entry, [r for r in rules if r.span.file in files], symbols)


def _entry(entry: t.EntryDecl, rules: Sequence[t.Rule], symbols: Symbols) -> Iterator[Diagnostic]:
    if not rules or entry.result not in symbols.stages:
        return
    legal = legal_ops(str(entry.result), symbols)
    for rule in rules:
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
        bare = isinstance(statement.pattern, t.OpNode) and not statement.pattern.args
        for op in symbols.heads(statement.head):
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
