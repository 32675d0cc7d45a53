"""`rulewright doc`."""

import re

COUNTS = re.compile(r"(\d+) rules, (\d+) of them \((\d+) %\) purely declarative; (\d+) externs; .*")


def test_pages_and_counts(cli, tmp_path):
    result = cli("doc", "-o", tmp_path / "site")
    assert result.exit_code == 0, result.output
    counts, place = result.stdout.splitlines()
    assert place == f"written to {tmp_path / 'site' / 'index.md'}"
    rules, declarative, percent, externs = map(int, COUNTS.fullmatch(counts).groups())
    assert 0 < declarative <= rules and percent == 100 * declarative // rules
    assert percent >= 80 and externs <= 60  # what the rules promise to be
    index = (tmp_path / "site/index.md").read_text()
    assert counts in index
    for link in re.findall(r"\]\(([^)#]+\.md)\)", index):
        assert (tmp_path / "site" / link).is_file(), link


def test_pages_are_the_same_each_time(cli, tmp_path):
    texts = []
    for name in ("one", "two"):
        cli("doc", "-o", tmp_path / name)
        pages = sorted((tmp_path / name).rglob("*.md"))
        texts.append([page.read_text() for page in pages])
    assert texts[0] == texts[1] and len(texts[0]) > 6


def test_a_file_in_the_way_is_misuse(cli, tmp_path):
    (tmp_path / "file").write_text("")
    assert cli("doc", "-o", tmp_path / "file").exit_code == 2
