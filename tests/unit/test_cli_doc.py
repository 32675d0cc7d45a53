"""`rulewright doc`."""

import re

from rule_coverage.count import Counts
from rule_coverage.report import write_counts

COUNTS = re.compile(r"(\d+) rules, (\d+) of them \((\d+) %\) purely declarative; (\d+) externs; .*")


def test_pages_and_counts(cli, tmp_path):
    write_counts(Counts(), tmp_path / "data", "main")
    folder = tmp_path / "new" / "site"
    result = cli("doc", "-o", folder, "--data", tmp_path / "data")
    assert result.exit_code == 0, result.output
    counts, place = result.stdout.splitlines()
    assert place == f"written to {folder / 'index.html'}"
    rules, declarative, percent, externs = map(int, COUNTS.fullmatch(counts).groups())
    assert 0 < declarative <= rules and percent == 100 * declarative // rules
    assert percent >= 80 and externs <= 60  # what the rules promise to be
    index = (folder / "index.html").read_text(encoding="utf-8")
    assert counts in index and f"0 of {rules} rules fired" in index
    assert {"style.css", "search.js", "search-index.js"} <= {p.name for p in folder.iterdir()}


def test_a_file_in_the_way_is_misuse(cli, tmp_path):
    (tmp_path / "file").write_text("")
    assert cli("doc", "-o", tmp_path / "file").exit_code == 2
