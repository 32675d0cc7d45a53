"""Writes the site: all pages, the style and the search."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path

from documentation import pages_about, pages_methods, pages_rules, pages_spec
from documentation.counts import Counts, count
from documentation.html import Page
from documentation.known import Known
from rule_coverage.report import Row
from rulewright.lang import tree as t
from rulewright.lang.build import parsed_spec
from rulewright.verify.prove import Proof, Settings
from rulewright.verify.prove.files import kept_proofs

_HERE = Path(__file__).parent
_ASSETS = ("style.css", "search.js")


def write_site(folder: Path, rows: Iterable[Row] = ()) -> Counts:
    """Write all pages to a folder, which is made if it is not there. Returns the counts.

    Proofs are those in the cache; `rows` say what rules did in the suite, where that was counted.
    Files of the folder that are none of these pages stay as they are.
    """
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in files(known_proofs(), {row.rule: row for row in rows}).items():
        (folder / name).write_text(text, encoding="utf-8")
    return count()


def known_proofs() -> dict[str, Proof]:
    """The proof of each rule of the spec that is in the cache; a quick one where no other is."""
    proofs: dict[str, Proof] = {}
    for settings in (Settings(), Settings(quick=True)):
        for rule, proof in kept_proofs(parsed_spec(), (), settings):
            if proof is not None:
                proofs.setdefault(str(rule.name), proof)
    return proofs


def files(proofs: Mapping[str, Proof], rows: Mapping[str, Row]) -> dict[str, str]:
    """Every file of the site: its name and its text."""
    known = Known(proofs, rows)
    pages: list[Page] = [
        *pages_about.pages(known),
        *pages_rules.pages(known),
        *pages_spec.pages(known),
        *pages_methods.pages(),
    ]
    texts = {page.name: page.render() for page in pages}
    texts.update({name: (_HERE / name).read_text(encoding="utf-8") for name in _ASSETS})
    texts["search-index.js"] = f"const INDEX = {_search(known)};\n"
    return texts


def _search(known: Known) -> str:
    """What can be searched for: name, kind, place, and a few words of its doc."""
    from rulewright.cli.main import COMMANDS

    symbols = known.symbols
    tables: dict[str, Mapping[str, t.Decl]] = {
        "rule": symbols.rules,
        "ruleset": symbols.rulesets,
        "op": symbols.ops,
        "group": symbols.groups,
        "dtype": {**symbols.dtypes, **symbols.dtype_sets},
        "extern": symbols.externs,
        "stage": symbols.stages,
        "measure": symbols.measures,
        "target": symbols.targets,
    }
    rows = [
        (name, kind, known.place(kind, name), item.doc.partition("\n")[0])
        for kind, table in tables.items()
        for name, item in table.items()
    ]
    rows += [(str(e.name), "entry", f"pipeline.html#{e.name}", "") for e in known.entries]
    rows += [(name, "method", place, "") for name, place in pages_methods.names().items()]
    rows += [(name, "command", f"commands.html#{name}", text) for name, text in COMMANDS.items()]
    lines = [json.dumps(row, ensure_ascii=False) for row in rows]
    return "[\n" + ",\n".join(lines) + "\n]"
