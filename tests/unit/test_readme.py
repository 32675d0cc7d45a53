"""README, COMING_FROM and CONTRIBUTING say what is true."""

import doctest
import operator
import re
import subprocess
from dataclasses import fields

import pytest

import rulewright
from rulewright import Tensor, load_rules, nn
from rulewright.cli.main import COMMANDS
from rulewright.ir.read import build_body
from rulewright.ir.rewrite import rewrite
from rulewright.lang.parse import parse_text
from rulewright.options import Options


def blocks(text, language):
    """The fenced blocks of a language ("" for none), in order."""
    found, inside = [], None
    for line in text.splitlines(keepends=True):
        if not line.startswith("```"):
            if inside is not None:
                inside.append(line)
        elif inside is None:
            inside, kind = [], line[3:].strip()
        else:
            found += ["".join(inside)] if kind == language else []
            inside = None
    return found


@pytest.fixture
def readme(root):
    return (root / "README.md").read_text()


def test_every_option_stands_in_the_table_with_its_default(readme):
    table = readme.partition("## Options")[2].partition("##")[0]
    rows = dict(re.findall(r"^\| `(\w+)` \| (\w*) *\|", table, re.MULTILINE))
    assert rows == {f.name: str(f.default) for f in fields(Options)}


def test_the_session_gives_the_output_that_is_shown(readme):
    session = "\n".join(blocks(readme, "python"))
    parsed = doctest.DocTestParser().get_doctest(session, {}, "README", "README.md", 0)
    assert parsed.examples
    said = []
    doctest.DocTestRunner().run(parsed, out=said.append)
    assert not said, "".join(said)


def test_what_is_said_to_those_who_come_from_elsewhere_runs(root):
    text, names = (root / "COMING_FROM.md").read_text(), {}
    sessions = blocks(text, "python")
    assert len(sessions) == 2
    for session in sessions:
        parsed = doctest.DocTestParser().get_doctest(session, names, "page", "COMING_FROM.md", 0)
        said = []
        doctest.DocTestRunner().run(parsed, out=said.append, clear_globs=False)
        assert not said, "".join(said)
        names = parsed.globs


@pytest.mark.parametrize("file", ["README.md", "COMING_FROM.md", "CONTRIBUTING.md", "EXTENDING.md"])
def test_links_lead_somewhere(root, file):
    prose = re.sub(r"^```.*?^```", "", (root / file).read_text(), flags=re.MULTILINE | re.DOTALL)
    for target in re.findall(r"\]\(([^)#]+)\)", prose):
        assert target.startswith("https://") or (root / target).exists(), target


def test_names_that_tables_mention_exist(root):
    """`Tensor.x`, `nn.a.b`, methods called as `x.name(…)`, commands: they are there."""
    text = (root / "COMING_FROM.md").read_text()
    here = "\n".join(line.rsplit("|", 2)[-2] for line in text.splitlines() if "|" in line)
    dotted = re.findall(r"\b(?:Tensor|nn)(?:\.\w+)+", here)
    assert dotted
    for name in dotted:
        operator.attrgetter(name.partition(".")[2])(
            {"Tensor": Tensor, "nn": nn}[name.split(".")[0]]
        )
    called = re.findall(r"(?:\bx\.|`)(\w+)\(", here)
    assert all(
        hasattr(Tensor, n) or hasattr(rulewright, n) or n in ("print", "help") for n in called
    )
    assert set(re.findall(r"`rulewright (\w+)", text)) <= set(COMMANDS)


def test_every_example_is_in_the_table(readme, root):
    for path in (root / "src/rulewright/examples").glob("*.py"):
        if '__name__ == "__main__"' in path.read_text():
            assert f"| `{path.stem}` |" in readme


@pytest.mark.parametrize("file", ["README.md", "CONTRIBUTING.md"])
def test_the_rule_shown_has_no_problem(cli, root, tmp_path, file):
    shown = blocks((root / file).read_text(), "")
    (tmp_path / "fold.uop").write_text(next(b for b in shown if b.startswith("ruleset")))
    assert cli("check", tmp_path).exit_code == 0
    assert cli("fmt", "--check", tmp_path).exit_code == 0


def test_every_command_is_in_the_table(readme):
    for name in COMMANDS:
        assert f"`rulewright {name}" in readme


def test_two_commands_of_one_line_each(readme):
    first, second = blocks(readme, "sh")
    assert first.count("\n") == second.count("\n") == 1
    assert first.endswith("rulewright demo\n") and "pytest" in second.split("&&")[-1]


def test_ci_runs_the_second_block_as_it_stands_and_ends_as_it_does(root, tmp_path):
    (tmp_path / ".ci").mkdir()
    (tmp_path / ".ci/run").write_text((root / ".ci/run").read_text())
    (tmp_path / "README.md").write_text("```sh\nfalse\n```\n\n```sh\necho one && (exit 3)\n```\n")
    result = subprocess.run(["bash", ".ci/run"], cwd=tmp_path, capture_output=True, text=True)
    assert (result.returncode, result.stdout) == (3, "one\n")
    (tmp_path / "README.md").write_text("```sh\nfalse\n```\n")
    result = subprocess.run(["bash", ".ci/run"], cwd=tmp_path, capture_output=True, text=True)
    assert result.returncode == 2 and "expected a second" in result.stderr


def test_the_steps_of_the_contribution_guide_work(cli, root, tmp_path):
    text = (root / "CONTRIBUTING.md").read_text()
    rule, graph, case = (b for b in blocks(text, "") if b)
    (tmp_path / "fold.uop").write_text(rule)
    (tmp_path / "graph.uop").write_text(graph)
    result = cli("rewrite", tmp_path / "graph.uop", "--rules", tmp_path / "fold.uop", "--trace")
    assert result.exit_code == 0 and result.stdout.startswith("# max_plus_min (")
    [declared] = parse_text(case, "case.uop").items
    before, rewritten, trace = declared.parts
    fired = []
    with load_rules(tmp_path / "fold.uop", at="symbolic"):
        made = rewrite(
            build_body(before.body), "symbolic", trace=lambda rule, *_: fired.append(rule)
        )
    assert made is build_body(rewritten.body)
    assert set(map(str, trace.names)) <= set(fired)
