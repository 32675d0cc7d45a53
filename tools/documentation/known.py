"""All that pages say, gathered once: declarations, who uses what, proofs, coverage, places."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path, PurePosixPath

from documentation.equation import Typesetter
from documentation.html import anchor, code, link
from rule_coverage.report import Row
from rulewright.lang import tree as t
from rulewright.lang.build import parsed_spec
from rulewright.lang.signature import calls
from rulewright.lang.symbols import Symbols, collect
from rulewright.paths import spec_dir
from rulewright.verify.prove import Proof


def page_of(file: str) -> str:
    """The page of the rules of a file of the spec."""
    path = PurePosixPath(file).relative_to("spec").with_suffix("")
    return f"rules-{'-'.join(path.parts)}.html"


class Known:
    """The spec, with the proof of each rule and what it did in the suite, as far as known."""

    def __init__(self, proofs: Mapping[str, Proof], rows: Mapping[str, Row]) -> None:
        self.files = parsed_spec()
        self.symbols: Symbols = collect(self.files)[0]
        self.proofs, self.rows = proofs, rows
        self.texts = {f.path: f.text for f in self.files}
        signs = [
            (str(o.name), o.fact("infix"), o.fact("prefix")) for o in self.symbols.ops.values()
        ]
        self.infix = {sign: name for name, sign, _ in signs if sign}
        self.prefix = {sign: name for name, _, sign in signs if sign}
        for sign, op in ((">", "<"), (">=", "<=")):  # the same with its operands swapped
            self.infix.setdefault(sign, self.infix.get(op, ""))
        self.typeset = Typesetter(self.place)

    # ---- places ----

    def place(self, kind: str, name: str) -> str:
        """Where something is described; empty if nowhere."""
        symbols = self.symbols
        if kind == "sign":
            kind, name = "op", self.infix.get(name, "")
        elif kind == "prefix":
            kind, name = "op", self.prefix.get(name, "")
        if kind == "group" and name in symbols.dtype_sets:
            kind = "dtype"
        tables: dict[str, tuple[str, Mapping[str, t.Decl]]] = {
            "op": ("ops", symbols.ops),
            "group": ("ops", symbols.groups),
            "extern": ("externs", symbols.externs),
            "stage": ("stages", symbols.stages),
            "measure": ("measures", symbols.measures),
            "target": ("targets", symbols.targets),
        }
        if kind in tables:
            page, table = tables[kind]
            return f"{page}.html#{anchor(name)}" if name in table else ""
        if kind == "dtype":
            known = name in symbols.dtypes or name in symbols.dtype_sets
            return f"dtypes.html#{anchor(name)}" if known else ""
        if kind == "rule":
            file = symbols.rules[name].span.file if name in symbols.rules else ""
        else:
            file = symbols.rulesets[name].span.file if name in symbols.rulesets else ""
        return f"{page_of(file)}#{kind}.{name}" if file else ""

    def link(self, kind: str, name: str) -> str:
        """A name in the font of code, linked if it is described somewhere."""
        where = self.place(kind, str(name))
        return link(where, code(name)) if where else code(name)

    # ---- who uses what ----

    @cached_property
    def rules_of_op(self) -> Mapping[str, list[str]]:
        """Each op to the rules in whose equation it stands, by name or by its sign."""
        rules: dict[str, dict[str, None]] = defaultdict(dict)
        for name, rule in self.symbols.rules.items():
            for part in (rule.pattern, rule.replacement, *rule.all(t.Let)):
                for op in self.ops_in(part):
                    rules[op][name] = None
        return {op: list(names) for op, names in rules.items()}

    def ops_in(self, node: t.Node) -> list[str]:
        """The ops of an expression, with those that stand there as signs."""
        ops = []
        for inner in t.walk(node):
            if isinstance(inner, t.OpName):
                ops.append(str(inner.name))
            elif isinstance(inner, t.OpSet):
                ops += map(str, inner.names)
            elif isinstance(inner, t.Infix):
                ops.append(self.infix.get(inner.op, ""))
            elif isinstance(inner, t.Unary):
                ops.append(self.prefix.get(inner.op, ""))
        return [name for name in dict.fromkeys(ops) if name in self.symbols.ops]

    @cached_property
    def rules_of_extern(self) -> Mapping[str, list[str]]:
        """Each extern to the rules that call it."""
        rules: dict[str, list[str]] = defaultdict(list)
        for name, rule in self.symbols.rules.items():
            for extern in calls(rule, self.symbols.externs):
                rules[extern].append(name)
        return rules

    @cached_property
    def sets_with(self) -> Mapping[str, list[str]]:
        """Each ruleset to those that it is a part of."""
        sets: dict[str, list[str]] = defaultdict(list)
        for name, ruleset in self.symbols.rulesets.items():
            for part in ruleset.parts:
                sets[str(part)].append(name)
        return sets

    @cached_property
    def entries(self) -> list[t.EntryDecl]:
        """The entries of all pipelines."""
        return [e for p in self.symbols.pipelines.values() for e in p.entries]

    @cached_property
    def cases_of_rule(self) -> Mapping[str, list[str]]:
        """Each rule to the files of cases that name it; nothing where there are no cases."""
        cases: dict[str, list[str]] = defaultdict(list)
        root = spec_dir().parent
        for path in sorted((root / "tests" / "cases").rglob("*.uop")):
            for name in _named(path):
                if name in self.symbols.rules:
                    cases[name].append(path.relative_to(root).as_posix())
        return cases


def _named(path: Path) -> list[str]:
    """The rules that the cases of a file trace or rewrite with."""
    text = re.sub(r"#[^\n]*", "", path.read_text(encoding="utf-8"))
    traced = re.findall(r"\btrace\s+(\w+(?:\s*,\s*\w+)*)", text)
    names = [name for group in traced for name in re.split(r"\s*,\s*", group)]
    names += re.findall(r"\b(?:rewrite|unchanged)\s+\w+\.(\w+)", text)
    return list(dict.fromkeys(names))
