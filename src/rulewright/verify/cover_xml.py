"""Coverage of rules as Cobertura XML, which editors show beside the lines of `spec/`."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from pathlib import Path
from xml.etree import ElementTree

from rulewright.verify.cover import Row


def cobertura(rows: Sequence[Row], root: Path) -> str:
    """One class a file; the line of a rule is hit when it fires, that of a guard when it refuses.

    A guard's line is a branch of two ways for each of its clauses: it held, it refused. `root` is
    the folder that the file names are relative to.
    """
    hit = [row for row in rows if row.times]
    top = ElementTree.Element(
        "coverage",
        {
            "line-rate": _rate(len(hit), len(rows)),
            "lines-covered": str(len(hit)),
            "lines-valid": str(len(rows)),
            "branch-rate": _rate(*_branches(rows)),
            "complexity": "0",
            "version": "1",
            "timestamp": "0",
        },
    )
    sources = ElementTree.SubElement(top, "sources")
    ElementTree.SubElement(sources, "source").text = str(root)
    packages = ElementTree.SubElement(top, "packages")
    rates = _rates(rows)
    package = ElementTree.SubElement(packages, "package", {"name": "spec", **rates})
    classes = ElementTree.SubElement(package, "classes")
    for file, group in groupby(rows, key=lambda row: row.file):
        _file(classes, file, list(group))
    ElementTree.indent(top)
    return '<?xml version="1.0" encoding="utf-8"?>\n' + ElementTree.tostring(top, "unicode") + "\n"


def _file(parent: ElementTree.Element, file: str, rows: Sequence[Row]) -> None:
    names = {"name": file.removesuffix(".uop").replace("/", "."), "filename": file}
    item = ElementTree.SubElement(parent, "class", {**names, **_rates(rows)})
    ElementTree.SubElement(item, "methods")
    lines = ElementTree.SubElement(item, "lines")
    for row in rows:
        ElementTree.SubElement(lines, "line", {"number": str(row.line), "hits": str(row.times)})
        for number, clauses in groupby(row.clauses, key=lambda c: c.line):
            ways = [n for c in clauses for n in (c.asked - c.refused, c.refused)]
            taken = sum(n > 0 for n in ways)
            facts = {
                "number": str(number),
                "hits": str(min(ways)),
                "branch": "true",
                "condition-coverage": f"{100 * taken // len(ways)}% ({taken}/{len(ways)})",
            }
            ElementTree.SubElement(lines, "line", facts)


def _rates(rows: Sequence[Row]) -> dict[str, str]:
    lines = _rate(sum(row.times > 0 for row in rows), len(rows))
    return {"line-rate": lines, "branch-rate": _rate(*_branches(rows)), "complexity": "0"}


def _branches(rows: Sequence[Row]) -> tuple[int, int]:
    """Guard clauses that refused something, and all of them."""
    clauses = [clause for row in rows for clause in row.clauses]
    return sum(clause.refused > 0 for clause in clauses), len(clauses)


def _rate(part: int, whole: int) -> str:
    return f"{part / whole if whole else 1:.4f}"
