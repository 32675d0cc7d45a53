"""The spec as a document: Markdown pages of dtypes, ops, stages, rules, externs and targets."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import TypeVar

from rulewright.lang import tree as t
from rulewright.lang.build import parsed_spec

_D = TypeVar("_D", bound=t.Decl)


@dataclass(frozen=True)
class Counts:
    """How much of the compiler's knowledge is written as rules.

    A rule is declarative if it calls no extern.
    """

    rules: int
    declarative: int
    externs: int
    proved: int
    trusted: int

    def __str__(self) -> str:
        share = 100 * self.declarative // max(1, self.rules)
        return (
            f"{self.rules} rules, {self.declarative} of them ({share} %) purely declarative; "
            f"{self.externs} externs; {self.proved} rules to be proved, {self.trusted} trusted"
        )


def count(files: Iterable[t.SourceFile] | None = None) -> Counts:
    """The counts of some parsed files; of the spec if none are given."""
    files = list(parsed_spec() if files is None else files)
    rules = [r for f in files for s in f.all(t.RuleSet) for r in s.rules]
    externs = {str(e.name) for f in files for e in f.all(t.Extern)}
    return Counts(
        len(rules),
        sum(not calls(rule, externs) for rule in rules),
        len(externs),
        sum(bool(rule.all(t.Prove)) for rule in rules),
        sum(bool(rule.all(t.Trust)) for rule in rules),
    )


def calls(rule: t.Rule, externs: Iterable[str]) -> list[str]:
    """The externs that a rule calls, in order, each once."""
    known = set(externs)
    found = [str(n.name) for n in t.walk(rule) if isinstance(n, t.Call) and n.name in known]
    return list(dict.fromkeys(found))


def write_document(folder: Path | str) -> Counts:
    """Write all pages below a folder, which is made if it is not there. Returns the counts."""
    for name, text in pages().items():
        path = Path(folder) / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return count()


def pages() -> dict[str, str]:
    """Every page of the document: its path, and its text as Markdown."""
    files = parsed_spec()
    made = {
        "dtypes.md": _dtypes(files),
        "ops.md": _ops(files),
        "stages.md": _stages(files),
        "externs.md": _externs(files),
        "targets.md": _targets(files),
        "pipeline.md": _pipelines(files),
    }
    for file in files:
        if file.all(t.RuleSet):
            path = PurePosixPath(file.path).relative_to("spec").with_suffix(".md")
            made[f"rules/{path.as_posix()}"] = _rules(file, files)
    return {"index.md": _index(files, made), **made}


# ---- helpers ----------------------------------------------------------------------------------


def _all(files: Iterable[t.SourceFile], kind: type[_D]) -> list[_D]:
    return [item for file in files for item in file.all(kind)]


def _table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> list[str]:
    """A Markdown table; bars inside cells are escaped."""
    lines = [f"| {' | '.join(head)} |", f"|{'---|' * len(head)}"]
    for row in rows:
        cells = [str(cell).replace("|", "\\|").replace("\n", " ") for cell in row]
        lines.append(f"| {' | '.join(cells)} |")
    return lines


def _code(text: str) -> str:
    return f"`{text}`" if text else ""


def _joined(lines: Iterable[str]) -> str:
    return "\n".join(lines).rstrip() + "\n"


def _source(text: str, item: t.Decl) -> str:
    """The declaration as it stands in the file, without its doc comment."""
    lines = text.split("\n")[item.name.span.line - 1 : item.span.end_line]
    return textwrap.dedent("\n".join(lines)).rstrip()


def _fenced(text: str) -> list[str]:
    return ["```", text, "```"]


def _typed(names: Sequence[t.Ident]) -> str:
    return " | ".join(names)


# ---- pages ------------------------------------------------------------------------------------


def _index(files: Sequence[t.SourceFile], made: dict[str, str]) -> str:
    lines = ["# The specification of Rulewright", "", f"{count(files)}.", ""]
    titles = {name: text.partition("\n")[0].removeprefix("# ") for name, text in made.items()}
    lines += [f"- [{title}]({name})" for name, title in titles.items()]
    lines += ["", "## Rulesets", ""]
    where = {
        str(s.name): f"rules/{PurePosixPath(f.path).relative_to('spec').with_suffix('.md')}"
        for f in files
        for s in f.all(t.RuleSet)
    }
    rows = [
        (f"[{s.name}]({where[str(s.name)]})", len(s.rules), " + ".join(s.parts), s.doc)
        for s in _all(files, t.RuleSet)
    ]
    return _joined([*lines, *_table(("set", "rules", "parts", ""), rows)])


def _dtypes(files: Sequence[t.SourceFile]) -> str:
    rows = [
        (
            _code(d.name),
            d.kind,
            ", ".join(f"{f.name} = {f.value}" for f in d.facts),
            d.doc,
        )
        for d in _all(files, t.DTypeDecl)
    ]
    sets = [(_code(s.name), ", ".join(s.members), s.doc) for s in _all(files, t.DTypeSet)]
    ups = [(_code(p.name), ", ".join(p.targets)) for p in _all(files, t.Promote)]
    lines = ["# Dtypes", "", *_table(("dtype", "kind", "facts", ""), rows)]
    lines += ["", "## Sets", "", *_table(("set", "members", ""), sets)]
    lines += ["", "## Promotion", "", *_table(("dtype", "promotes to"), ups)]
    return _joined(lines)


def _signature(op: t.OpDecl) -> str:
    params = ", ".join(_param(p) for p in op.params)
    schema = f"[{', '.join(_param(p) for p in op.schema)}]" if op.schema else ""
    types = [f"{p.name}: {_typed(p.sets)}" if p.sets else str(p.name) for p in op.type_params]
    generic = f"<{', '.join(types)}>" if types else ""
    return f"{op.name}{generic}{schema}({params}) : {op.result}"


def _param(param: t.Param) -> str:
    kind = f"{param.type}{'..' if param.rest else ''}"
    return f"{param.name}: {kind}" if param.name else kind


def _ops(files: Sequence[t.SourceFile]) -> str:
    lines = ["# Ops", ""]
    groups = _all(files, t.Group)
    lines += _table(("group", "members"), [(_code(g.name), ", ".join(g.members)) for g in groups])
    for op in _all(files, t.OpDecl):
        lines += ["", f"## {op.name}", "", _code(_signature(op)), ""]
        lines += [op.doc, ""] if op.doc else []
        facts = [("laws", ", ".join(op.flags))] if op.flags else []
        facts += [(str(f.name), _code(str(f.value))) for f in op.facts]
        lines += _table(("", ""), facts) if facts else []
    return _joined(lines)


def _stages(files: Sequence[t.SourceFile]) -> str:
    lines = ["# Stages", "", "The first statement that fits a node decides.", ""]
    texts = {f.path: f.text for f in files}
    for stage in _all(files, t.Stage):
        lines += [f"## {stage.name}", "", stage.doc, ""]
        lines += [*_fenced(_source(texts[stage.span.file], stage)), ""]
    return _joined(lines)


def _rules(file: t.SourceFile, files: Sequence[t.SourceFile]) -> str:
    externs = {str(e.name): e for e in _all(files, t.Extern)}
    title = PurePosixPath(file.path).relative_to("spec").as_posix()
    lines = [f"# Rules of {title}", "", f"{count([file])}.", ""]
    for ruleset in file.all(t.RuleSet):
        lines += [f"## {ruleset.name}", ""]
        lines += [ruleset.doc, ""] if ruleset.doc else []
        options = [f"{o.name} = {o.value}" for o in ruleset.options]
        lines += [f"Options: {', '.join(options)}.", ""] if options else []
        lines += [f"All of {', '.join(ruleset.parts)}.", ""] if ruleset.parts else []
        for rule in ruleset.rules:
            lines += _rule(rule, file.text, externs)
    return _joined(lines)


def _rule(rule: t.Rule, text: str, externs: dict[str, t.Extern]) -> list[str]:
    lines = [f"### {rule.name}", ""]
    lines += [rule.doc, ""] if rule.doc else []
    lines += [
        *_fenced(_source(text, rule)),
        "",
        f"{_status(rule)} ({rule.span.file}:{rule.name.span.line})",
    ]
    called = calls(rule, externs)
    if called:
        lines += [f"Calls {', '.join(map(_code, called))}: not purely declarative."]
    return [*lines, ""]


def _status(rule: t.Rule) -> str:
    """What is declared about the rule's being right."""
    for proof in rule.all(t.Prove):
        settings = ", ".join(f"{s.name} = {s.value}" for s in proof.settings)
        return f"To be proved by {proof.method}{f' ({settings})' if settings else ''}."
    for trust in rule.all(t.Trust):
        return f"Trusted: {trust.reason.value}."
    return "Nothing is declared about its being right."


def _externs(files: Sequence[t.SourceFile]) -> str:
    rules = [r for s in _all(files, t.RuleSet) for r in s.rules]
    lines = ["# Externs", "", "Declared Python functions that rules call.", ""]
    rows = []
    for extern in _all(files, t.Extern):
        params = ", ".join(_param(p) for p in extern.params)
        signature = f"{extern.name}({params}) -> {_param(extern.result)}"
        users = [str(r.name) for r in rules if calls(r, [str(extern.name)])]
        reason = extern.because.value if extern.because else ""
        rows.append(
            (extern.kind, _code(signature), " ".join(extern.flags), reason, ", ".join(users))
        )
    return _joined([*lines, *_table(("kind", "extern", "", "because", "used by"), rows)])


def _targets(files: Sequence[t.SourceFile]) -> str:
    lines = ["# Targets", ""]
    for target in _all(files, t.Target):
        lines += [f"## {target.name}", ""]
        lines += [target.doc, ""] if target.doc else []
        lines += [f"Extends {target.extends}.", ""] if target.extends else []
        rows = [(f.kind, _fact_name(f), _fact_value(f)) for f in target.facts]
        lines += [*_table(("", "", ""), rows), ""]
    return _joined(lines)


def _fact_name(fact: t.TargetFact) -> str:
    if fact.kind == "lower":
        return ""
    sets = f": {_typed(fact.sets)}" if fact.sets else ""
    return _code(f"{fact.name}{sets}{f' of {_typed(fact.of)}' if fact.of else ''}")


def _fact_value(fact: t.TargetFact) -> str:
    if isinstance(fact.value, tuple):
        return ", ".join(fact.value)
    return "" if fact.value is None else _code(str(fact.value))


def _pipelines(files: Sequence[t.SourceFile]) -> str:
    lines = ["# Pipeline", ""]
    for pipeline in _all(files, t.Pipeline):
        tolerated = [
            f"{q.name}{f':{q.amount}' if q.amount is not None else ''}" for q in pipeline.tolerates
        ]
        lines += [f"## {pipeline.name}", "", f"Tolerates {', '.join(tolerated) or 'nothing'}.", ""]
        rows = [
            (i, _code(e.name), f"{e.action} {_code(e.what)}", f"{e.source} → {e.result}", e.doc)
            for i, e in enumerate(pipeline.entries, 1)
        ]
        lines += [*_table(("", "entry", "action", "stages", ""), rows), ""]
    return _joined(lines)
