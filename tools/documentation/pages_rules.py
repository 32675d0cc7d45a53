"""The pages of rules: one a file of the spec, and the table of all."""

from __future__ import annotations

from collections.abc import Iterator

from documentation.html import (
    Page,
    badge,
    block,
    code,
    comma,
    facts,
    heading,
    link,
    table,
)
from documentation.known import Known, page_of
from documentation.markup import doc, inline
from rulewright.lang import signature, tree as t


def pages(known: Known) -> Iterator[Page]:
    """The table of all rules, then a page for each file that has rulesets."""
    yield Page("rules.html", "Rules", _all_rules(known))
    for file in known.files:
        if file.all(t.RuleSetDecl):
            parts = [_ruleset(known, ruleset) for ruleset in file.all(t.RuleSetDecl)]
            yield Page(page_of(file.path), f"Rules of {file.path}", "\n".join(parts))


def status(known: Known, rule: t.Rule) -> str:
    """The status of a rule, one word: that of its proof, else what it declares."""
    proof = known.proofs.get(str(rule.name))
    return proof.status if proof else ("trusted" if rule.all(t.Trust) else "declared")


def _all_rules(known: Known) -> str:
    parts = [
        "<p>A node that looks like the left side, for which the guard holds, becomes the right "
        "side. Statuses are explained on the <a href='index.html#statuses'>overview</a>.</p>"
    ]
    for file in known.files:
        sets = file.all(t.RuleSetDecl)
        if not sets:
            continue
        parts.append(f"<h2>{link(page_of(file.path), code(file.path))}</h2>")
        rows = [_row(known, rule) for ruleset in sets for rule in ruleset.rules]
        sums = [s for s in sets if s.parts]
        for ruleset in sums:
            links = " + ".join(known.link("ruleset", part) for part in ruleset.parts)
            parts.append(f"<p>{known.link('ruleset', ruleset.name)} = {links}</p>")
        parts.append(table(("rule", "equation", "status"), rows, "rules"))
    return "\n".join(parts)


def _row(known: Known, rule: t.Rule) -> tuple[str, str, str]:
    left, right = known.typeset.set(rule.pattern), known.typeset.set(rule.replacement)
    equation = f'<span class="math">{left} <span class="arrow">⟶</span> {right}</span>'
    return known.link("rule", rule.name), equation, badge(status(known, rule))


# ---- one ruleset -----------------------------------------------------------------------------


def _ruleset(known: Known, ruleset: t.RuleSetDecl) -> str:
    name = str(ruleset.name)
    parts = [heading(2, f"ruleset.{name}", f"ruleset {code(name)}"), doc(ruleset.doc)]
    used = [
        f"{link(f'pipeline.html#{e.name}', code(e.name))}"
        for e in known.entries
        if e.action != "pass" and e.what == name
    ]
    targets = [
        known.link("target", target.name)
        for target in known.symbols.targets.values()
        if any(isinstance(f.value, tuple) and name in f.value for f in target.facts)
    ]
    options = [_option(known, option) for option in ruleset.options]
    parts.append(
        facts(
            [
                ("all of", " + ".join(known.link("ruleset", p) for p in ruleset.parts)),
                ("part of", comma(known.link("ruleset", s) for s in known.sets_with.get(name, []))),
                ("pipeline", comma(used)),
                ("targets", comma(targets)),
                ("options", comma(options)),
                ("rules", str(len(ruleset.rules)) if ruleset.rules else ""),
            ]
        )
    )
    return "\n".join([*parts, *(_rule(known, rule) for rule in ruleset.rules)])


def _option(known: Known, option: t.Fact) -> str:
    kind = {"measure": "measure", "from": "stage", "to": "stage"}.get(str(option.name))
    value = known.link(kind, str(option.value)) if kind else code(option.value)
    return f"{option.name} {value}"


# ---- one rule --------------------------------------------------------------------------------


def _rule(known: Known, rule: t.Rule) -> str:
    name, text = str(rule.name), known.texts[rule.span.file]
    title = f"{code(name)} {badge(status(known, rule))}"
    externs = signature.calls(rule, known.symbols.externs)
    ops = known.ops_in(rule.pattern) + known.ops_in(rule.replacement)
    rows = [
        ("equivalence", _level(rule)),
        ("proof", _proof(known, rule)),
        ("why it ends", "".join(inline(e.reason.value) for e in rule.all(t.Expands))),
        ("after", comma(known.link("rule", a.rule) for a in rule.all(t.After))),
        ("examples", _examples(rule, text)),
        ("leaves alone", "<br>".join(_code_of(text, r.expr.span) for r in rule.all(t.Reject))),
        ("ops", comma(known.link("op", op) for op in dict.fromkeys(ops))),
        ("calls", comma(known.link("extern", e) for e in externs)),
        ("coverage", _coverage(known, name)),
        ("place", code(f"{rule.span.file}:{rule.name.span.line}")),
    ]
    source = signature.source(text, _without_doc(rule))
    parts = [
        heading(3, f"rule.{name}", title),
        doc(rule.doc),
        known.typeset.rule(rule),
        facts(rows),
        f"<details><summary>Source</summary>{block(source)}</details>",
    ]
    return f'<section class="rule">\n{"".join(p for p in parts if p)}\n</section>'


def _without_doc(rule: t.Rule) -> t.Span:
    start = rule.name.span.column - len("rule ")
    return rule.span._replace(line=rule.name.span.line, column=max(1, start))


def _level(rule: t.Rule) -> str:
    return f"needs {code(signature.equiv(rule.equiv))}" if rule.equiv else ""


def _proof(known: Known, rule: t.Rule) -> str:
    proof = known.proofs.get(str(rule.name))
    if proof is None:
        return inline(signature.status(rule))
    by = f" by {proof.method}" if proof.method and proof.status != "trusted" else ""
    width = f", integers up to {proof.width} bits" if proof.width.isdigit() else ""
    note = f" ({proof.note})" if proof.note else ""
    shown = inline(f"{proof.status}{by}{width}{note}")
    return shown + (block(proof.counterexample) if proof.counterexample else "")


def _code_of(text: str, span: t.Span) -> str:
    return code(" ".join(signature.source(text, span).split()))


def _examples(rule: t.Rule, text: str) -> str:
    shown = []
    for example in rule.all(t.Example):
        after = f" ⟶ {_code_of(text, example.after.span)}" if example.after else " fires"
        shown.append(f"{_code_of(text, example.before.span)}{after}")
    return "<br>".join(shown)


def _coverage(known: Known, name: str) -> str:
    """How often the rule fired where that was counted; the cases that name it; idle guards."""
    parts = []
    row = known.rows.get(name)
    if row:
        counts = [f"{count} in the {source}" for source, count in row.fired.items() if count]
        parts.append(f"fired {comma(counts)}" if counts else "never fired")
        idle = [c.text for c in row.clauses if not c.refused]
        parts += [f"{code(clause)} never refused anything" for clause in idle]
    cases = known.cases_of_rule.get(name, [])
    if cases:
        parts.append(f"in {comma(code(path.removeprefix('tests/')) for path in cases[:4])}")
        more = len(cases) - 4
        parts[-1] += f" and {more} more" if more > 0 else ""
    return "; ".join(parts) or "no case names it"
