"""The document of the spec names everything, and its counts are right."""

from __future__ import annotations

import re

from rulewright.lang.build import load_table
from rulewright.lang.document import Counts, count, pages, write_document
from rulewright.lang.parse import parse_text

SMALL = """
extern fn scale(a: int) -> int = "math:isqrt" pure total because "a test"
ruleset tests {
  rule plain NEG(NEG(x)) => x prove smt
  rule calling NEG($c:i32) => {scale(c)}:i32 trust "why not"
  rule guarded NOT(NOT(x)) => x when scale(x.vmin) > 0 prove interp
}
"""


def test_counts_tell_declarative_rules_from_those_that_call():
    found = count([parse_text(SMALL)])
    assert found == Counts(rules=3, declarative=1, externs=1, proved=2, trusted=1)
    assert str(found) == (
        "3 rules, 1 of them (33 %) purely declarative; 1 externs; 2 rules to be proved, 1 trusted"
    )


def test_rules_are_the_knowledge():
    found = count()
    assert found.declarative >= 0.8 * found.rules
    assert found.externs <= 60
    assert found.proved + found.trusted == found.rules


def test_everything_has_its_entry():
    made, table = pages(), load_table()
    for name in table["groups"]:
        assert f"`{name}`" in made["ops.md"]
    for row in table["ops"]:
        assert f"\n## {row['name']}\n" in made["ops.md"]
    for row in table["dtypes"]:
        assert f"| `{row['name']}` |" in made["dtypes.md"]
    for page, kind in {"stages.md": "stages", "targets.md": "targets"}.items():
        assert all(f"\n## {name}\n" in made[page] for name in table[kind])
    for name in table["externs"]:
        assert f"`{name}(" in made["externs.md"]
    rules = "".join(text for name, text in made.items() if name.startswith("rules/"))
    for name, row in table["rulesets"].items():
        assert f"\n## {name}\n" in rules
        assert all(f"\n### {rule}\n" in rules for rule in row["rules"])


def test_links_lead_somewhere(tmp_path):
    assert write_document(tmp_path / "new" / "folder") == count()
    index = tmp_path / "new" / "folder" / "index.md"
    links = re.findall(r"\]\(([^)]+)\)", index.read_text(encoding="utf-8"))
    assert len(links) > 10
    assert all((index.parent / link).is_file() for link in links)
