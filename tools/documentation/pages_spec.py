"""The pages of ops, dtypes, stages, measures, externs, targets and the pipeline."""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Sequence
from pathlib import Path

import rulewright
from documentation.html import (
    Page,
    anchor,
    block,
    code,
    comma,
    facts,
    heading,
    link,
    table,
)
from documentation.known import Known
from documentation.markup import doc, inline
from rulewright.checks.externs import find_function
from rulewright.ir.dtypes import DType, dtypes
from rulewright.lang import signature, tree as t


def pages(known: Known) -> Iterator[Page]:
    """One page for each kind of declaration."""
    yield Page("ops.html", "Ops", _ops(known))
    yield Page("dtypes.html", "Dtypes", _dtypes(known))
    yield Page("stages.html", "Stages", _stages(known))
    yield Page("measures.html", "Measures", _measures(known))
    yield Page("externs.html", "Externs", _externs(known))
    yield Page("targets.html", "Targets", _targets(known))
    yield Page("pipeline.html", "Pipeline", _pipelines(known))


def _place(item: t.Decl) -> str:
    return code(f"{item.name.span.file}:{item.name.span.line}")


def _links(known: Known, kind: str, names: Sequence[str]) -> str:
    return comma(known.link(kind, name) for name in names)


def _folded(summary: str, inner: str) -> str:
    return f"<details><summary>{summary}</summary><p>{inner}</p></details>" if inner else ""


# ---- ops -------------------------------------------------------------------------------------


def _ops(known: Known) -> str:
    symbols = known.symbols
    parts = [f'<p class="chips">{comma(known.link("op", op) for op in symbols.ops)}</p>']
    parts.append(heading(2, "groups", "Groups"))
    rows = [
        (f'<span id="{name}">{code(name)}</span>', _links(known, "op", symbols.members[name]))
        for name in symbols.groups
    ]
    parts.append(table(("group", "ops"), rows))
    parts.append(heading(2, "all", "All ops"))
    parts += [_op(known, op) for op in symbols.ops.values()]
    return "\n".join(parts)


def _op(known: Known, op: t.OpDecl) -> str:
    name = str(op.name)
    groups = [g for g, members in known.symbols.members.items() if name in members]
    rules = known.rules_of_op.get(name, [])
    spelled = [
        known.link("target", target.name)
        for target in known.symbols.targets.values()
        if any(f.kind == "spell" and f.name == name for f in target.facts)
    ]
    used = _folded(f"{len(rules)} rules", _links(known, "rule", rules))
    rows = [
        ("laws", ", ".join(op.flags)),
        *((str(f.name), code(f.value)) for f in op.facts),
        ("groups", _links(known, "group", groups)),
        ("spelled by", comma(spelled)),
        ("mentioned by", used),
        ("place", _place(op)),
    ]
    parts = (heading(3, name, code(name)), f'<p class="signature">{code(signature.op(op))}</p>')
    return "\n".join([*parts, doc(op.doc), facts(rows)])


# ---- dtypes ----------------------------------------------------------------------------------


def _dtypes(known: Known) -> str:
    symbols = known.symbols
    rows = [
        (
            f'<span id="{d.name}">{code(d.name)}</span>',
            _links(known, "dtype", [d.kind]),
            *(code(_fact(d, f)) for f in ("bits", "numpy", "names")),
            inline(d.doc),
        )
        for d in symbols.dtypes.values()
    ]
    sets = [
        (
            f'<span id="{s.name}">{code(s.name)}</span>',
            _links(known, "dtype", [str(m) for m in s.members]),
            inline(s.doc),
        )
        for s in symbols.dtype_sets.values()
        if s.name not in symbols.dtypes
    ]
    return "\n".join(
        [
            table(("dtype", "kind", "bits", "numpy", "also called", ""), rows),
            heading(2, "sets", "Sets"),
            table(("set", "members", ""), sets),
            heading(2, "promotion", "Promotion"),
            "<p>The dtype in which two dtypes meet: the least upper bound of the lattice.</p>",
            _promotion(known),
        ]
    )


def _fact(item: t.DTypeDecl, name: str) -> str:
    return next((str(f.value) for f in item.facts if f.name == name), "")


def _promotion(known: Known) -> str:
    """The table of what any two dtypes promote to, as `dtypes.promote_types` answers."""
    kinds: list[DType] = [
        getattr(dtypes, name)
        for name in known.symbols.dtypes
        if name in known.symbols.scalars["Any"] and name != "index"
    ]
    rows = [
        [f"<b>{code(a.name)}</b>", *(code(dtypes.promote_types(a, b).name) for b in kinds)]
        for a in kinds
    ]
    return table(["", *(k.name for k in kinds)], rows, "dense")


# ---- stages, measures ------------------------------------------------------------------------


def _stages(known: Known) -> str:
    parts = [
        "<p>What a graph may hold between two entries of the pipeline. The first statement that "
        "fits a node decides; a node that none fits is illegal.</p>"
    ]
    for name, stage in known.symbols.stages.items():
        text = known.texts[stage.span.file]
        uses = [
            link(f"pipeline.html#{e.name}", code(e.name))
            for e in known.entries
            if name in (e.source, e.result)
        ]
        rows = [
            (
                "allows" if s.allow else "<b>forbids</b>",
                f'<span class="math">{known.typeset.set(s.pattern)}</span>',
                f'<span class="math">{known.typeset.set(s.guard)}</span>' if s.guard else "",
                inline(s.message or ""),
            )
            for s in stage.statements
        ]
        extends = _links(known, "stage", [str(e) for e in stage.extends])
        parts += [heading(2, name, code(name)), doc(stage.doc)]
        parts.append(
            facts([("extends", extends), ("pipeline", comma(uses)), ("place", _place(stage))])
        )
        parts.append(table(("", "node", "where", "message"), rows))
        source = signature.source(text, stage.span)
        parts.append(f"<details><summary>Source</summary>{block(source)}</details>")
    return "\n".join(parts)


def _measures(known: Known) -> str:
    parts = ["<p>What each rule of a set lowers, so that rewriting comes to an end.</p>"]
    for name, measure in known.symbols.measures.items():
        rows = []
        for number, gauge in enumerate(measure.gauges, 1):
            ops = [str(s.expr.name) for s in gauge.args if isinstance(s.expr, t.OpName)]
            rows.append((str(number), code(gauge.name), _links(known, "op", ops)))
        sets = [
            set_name
            for set_name, ruleset in known.symbols.rulesets.items()
            if any(o.name == "measure" and o.value == name for o in ruleset.options)
        ]
        parts += [heading(2, name, code(name)), doc(measure.doc)]
        parts.append(table(("", "gauge", "ops"), rows))
        parts.append(facts([("sets", _links(known, "ruleset", sets)), ("place", _place(measure))]))
    return "\n".join(parts)


# ---- externs ---------------------------------------------------------------------------------


def _externs(known: Known) -> str:
    parts = ["<p>Python functions that rules call, each with the reason why it is not a rule.</p>"]
    for name, extern in known.symbols.externs.items():
        rules = known.rules_of_extern.get(name, [])
        rows = [
            ("kind", f"{extern.kind}, {', '.join(extern.flags)}"),
            ("because", inline(extern.because.value if extern.because else "")),
            ("Python", code(python_place(extern.target.value))),
            ("called by", _links(known, "rule", rules)),
            ("place", _place(extern)),
        ]
        function = find_function(extern.target)
        told = doc(inspect.getdoc(function) or "") if callable(function) else ""
        shown = code(signature.extern(extern))
        parts += [heading(3, name, code(name)), f'<p class="signature">{shown}</p>']
        parts += [doc(extern.doc), told, facts(rows)]
    return "\n".join(parts)


def python_place(target: str) -> str:
    """`module:function` as file and line, from the package's folder."""
    function = find_function(t.Ident(target))
    try:
        file = inspect.getsourcefile(function)
        line = inspect.getsourcelines(function)[1]
    except (TypeError, OSError):
        return target
    top = Path(rulewright.__file__).resolve().parents[1]
    path = Path(file or "").resolve()
    return f"{path.relative_to(top).as_posix()}:{line}" if path.is_relative_to(top) else target


# ---- targets, pipeline -----------------------------------------------------------------------


def _targets(known: Known) -> str:
    parts = []
    for name, target in known.symbols.targets.items():
        rows = [
            (fact.kind, _fact_name(known, fact), _fact_value(known, fact)) for fact in target.facts
        ]
        above = known.link("target", target.extends) if target.extends else ""
        parts += [heading(2, name, code(name)), doc(target.doc)]
        parts.append(facts([("extends", above), ("place", _place(target))]))
        parts.append(table(("", "of", "is"), rows))
    return "\n".join(parts)


def _fact_name(known: Known, fact: t.TargetFact) -> str:
    if fact.kind == "lower":
        return ""
    shown = known.link(fact.about, fact.name) if fact.about else code(fact.name)
    sets = f": {' | '.join(known.link('dtype', s) for s in fact.sets)}" if fact.sets else ""
    one = "one " if fact.one else ""
    of = f" of {one}{' | '.join(known.link('dtype', s) for s in fact.of)}" if fact.of else ""
    return f"{shown}{sets}{of}"


def _fact_value(known: Known, fact: t.TargetFact) -> str:
    if isinstance(fact.value, tuple):
        return _links(known, "ruleset", [str(name) for name in fact.value])
    text = "" if fact.value is None else str(fact.value)
    text = text or ", ".join(f"{f.name} = {f.value}" for f in fact.held)
    return block(text) if "\n" in text else code(text)


def _pipelines(known: Known) -> str:
    parts = []
    for name, pipeline in known.symbols.pipelines.items():
        tolerated = [code(signature.equiv(q)) for q in pipeline.tolerates]
        parts += [heading(2, f"pipeline.{name}", code(name)), doc(pipeline.doc)]
        parts.append(f"<p>Tolerates {comma(tolerated) or 'nothing'}.</p>")
        rows = [
            (
                f'<span id="{anchor(str(e.name))}">{code(e.name)}</span>',
                _action(known, e),
                f"{known.link('stage', e.source)} ⟶ {known.link('stage', e.result)}",
                inline(e.doc),
            )
            for e in pipeline.entries
        ]
        parts.append(table(("entry", "action", "stages", ""), rows))
    return "\n".join(parts)


def _action(known: Known, entry: t.EntryDecl) -> str:
    if entry.action == "pass":
        return f"pass {code(python_place(str(entry.what)))}"
    return f"{entry.action} {known.link('ruleset', entry.what)}"
