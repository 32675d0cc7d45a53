"""`rulewright bisect`, `reduce` and `explain` on a rule that is wrong."""

from __future__ import annotations

from pathlib import Path

import pytest

from cases import run_case
from rulewright.checks.userfile import load_rules
from rulewright.ir.text import read_graph
from rulewright.lang.parse import parse_text

RULES = Path(__file__).parents[1] / "planted" / "rules" / "swapped_operands.uop"
GRAPH = """graph quotient {
  p = PARAM[0, (3, 4), "C"]:f32
  q = PARAM[1, (3, 4), "C"]:f32
  s = REDUCE_AXIS[ADD, (0,)](FDIV(p + 1.0, q) * 2.0)
  return SINK(STORE(PARAM[2, (1, 4), "C"]:f32, s))
}
"""
PROGRAM = """from rulewright import Tensor

def forward():
    return (Tensor([[6.0, 8.0]]) / Tensor([[3.0, 5.0]])).sum(1)
"""


@pytest.fixture
def files(tmp_path: Path) -> Path:
    (tmp_path / "g.uop").write_text(GRAPH, encoding="utf-8")
    (tmp_path / "prog.py").write_text(PROGRAM, encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize("program", ["g.uop", "prog.py:forward"])
def test_bisect_names_the_rule_and_writes_a_case_that_fails(cli, files, program):
    case = files / "case.uop"
    found = cli("bisect", files / program, "--rules", RULES, "-o", case)
    assert found.exit_code == 1, found.output
    assert found.output.startswith(f"indexing: rule swapped_operands ({RULES}:")
    (item,) = parse_text(case.read_text(encoding="utf-8"), "case.uop").items
    with load_rules(RULES):
        assert run_case(item)


def test_bisect_of_what_is_right(cli, files):
    found = cli("bisect", files / "prog.py:forward")
    assert (found.exit_code, found.output[:20]) == (0, "every step is right:")


def test_reduce_prints_a_smaller_graph_that_fails(cli, files):
    found = cli("reduce", files / "g.uop", "--rules", RULES)
    assert found.exit_code == 0, found.output
    smaller = read_graph(found.output.partition("\n")[2])
    assert len(smaller.toposort()) < len(read_graph(GRAPH).toposort())
    assert cli("reduce", files / "g.uop").exit_code == 1


@pytest.mark.parametrize("program", ["g.uop", "prog.py:forward"])
def test_reduce_and_bisect_take_what_bisect_writes(cli, files, program):
    case, again = files / "case.uop", files / "again.uop"
    assert cli("bisect", files / program, "--rules", RULES, "-o", case).exit_code == 1
    found = cli("reduce", case, "--rules", RULES)
    assert found.exit_code == 0, found.output
    assert found.output.startswith(f"# indexing, rule swapped_operands ({RULES}:")
    assert cli("reduce", case).exit_code == 1  # without the rule nothing is wrong
    assert cli("bisect", case, "--rules", RULES, "-o", again).exit_code == 1


def test_a_place_that_cannot_be_written_is_said_at_once(cli, files, monkeypatch):
    def searched(*args):
        raise AssertionError("the long work")

    def refused(path, *args, **named):
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr("rulewright.verify.bisect.bisect_graph", searched)
    monkeypatch.setattr(Path, "touch", refused)
    monkeypatch.chdir(files)
    for options in ([], ["-o", "case.uop"]):
        found = cli("bisect", "g.uop", *options)
        assert found.exit_code == 2 and "cannot write '" in found.stderr, found.output
    assert sorted(path.name for path in files.iterdir()) == ["g.uop", "prog.py"]
    monkeypatch.undo()
    (files / "link.uop").symlink_to(files / "case.uop")
    assert cli("bisect", files / "prog.py:forward", "-o", files / "link.uop").exit_code == 0
    assert (files / "link.uop").is_symlink() and not (files / "case.uop").exists()
    (files / "file").touch()
    for folder in (files / "file", files / "file" / "below"):
        found = cli("doc", "-o", folder)
        assert found.exit_code == 2 and ("Not a dir" in found.stderr or "is a file" in found.stderr)


def test_explain_goes_from_the_users_line_to_the_kernels(cli, files):
    found = cli("explain", files / "prog.py:forward", "--node", "FDIV")
    assert found.exit_code == 0, found.output
    assert "from truediv - " in found.output and "prog.py:4" in found.output
    assert "movement: index_of_elementwise (spec/50-movement.uop:" in found.output
    assert " / " in found.output.splitlines()[0]
    terms = [line.rpartition("=> ")[2] for line in found.output.splitlines() if "  => " in line]
    assert terms
    for term in terms:  # a pattern of the rule language
        parse_text(f'ruleset a {{ rule b {term} => _ trust "-" }}')


def test_explain_names_the_users_line_of_vectors_and_of_what_functions_become(cli, files):
    program = files / "wide.py"
    lines = ("import numpy as np", "from rulewright import Tensor", "", "def forward():",
             "    x = Tensor(np.ones((50, 60), np.float32))",
             "    y = x * 3",
             "    z = y.exp()",
             "    return z.sum(1) - 2")  # fmt: skip
    program.write_text("\n".join(lines), encoding="utf-8")
    found = cli("explain", f"{program}:forward")
    assert found.exit_code == 0, found.output
    told = {}
    for part in found.output.split("\n\n"):
        for line in part.splitlines():
            if line.startswith("  from "):
                method, place = line.removeprefix("  from ").split(" - ")
                node = part.split()[1].partition("_")[0]
                told.setdefault((method, int(place.rpartition(":")[2])), set()).add(node)
    assert set(told) == {("mul", 6), ("exp", 7), ("sum", 8), ("sub", 8)}
    assert told["mul", 6] == {"mul"} and told["sum", 8] == {"add", "store"}
    assert told["exp", 7] >= {"mulacc", "bitcast", "min"}


def test_explain_of_a_product_names_it_where_registers_add_up(cli, files):
    text = """import numpy as np
from rulewright import Tensor

def forward():
    a, b = np.ones((50, 60), np.float32), np.ones((60, 40), np.float32)
    return (Tensor(a) @ Tensor(b) + 1).relu()
"""
    (files / "mm.py").write_text(text, encoding="utf-8")
    found = cli("explain", f"{files / 'mm.py'}:forward")
    assert found.exit_code == 0, found.output
    parts = [p for p in found.output.split("\n\n") if "  from matmul - " in p]
    assert {p.split()[1].partition("_")[0] for p in parts} & {"mulacc", "add"}
    assert all("mm.py:6\n" in p for p in parts)


def test_explain_of_whole_numbers_in_lanes(cli, files):
    (files / "ints.py").write_text(PROGRAM.replace(" / ", " - ").replace(".0", ""), "utf-8")
    found = cli("explain", f"{files / 'ints.py'}:forward", "--node", "SUB")
    assert found.exit_code == 0 and "  from sub - " in found.output, found.output


def test_explain_of_a_node_that_is_not_there_names_those_that_are(cli, files):
    found = cli("explain", files / "prog.py:forward", "--node", "nothing")
    assert found.exit_code == 1
    assert found.stderr.startswith("no kernel has a node 'nothing'; there are ")
    assert "load_0" in found.stderr and "store_0" in found.stderr


@pytest.mark.parametrize("name", ["bisect", "explain"])
def test_a_program_that_is_none_is_misuse(cli, name):
    found = cli(name, "nowhere")
    assert found.exit_code == 2
    assert "expected MODULE:FUNCTION, FILE.py:FUNCTION or GRAPH.uop" in found.output


def test_one_set_of_a_file_is_named_as_for_rewrite_and_the_set_it_goes_before_apart(cli, files):
    wrong = RULES.read_text(encoding="utf-8")
    own = wrong[wrong.index("ruleset ") :].split()[1]
    both = files / "both.uop"
    both.write_text(f"{wrong}\nruleset right = {own}\nruleset empty = folding\n", encoding="utf-8")
    for name, code in ((own, 1), ("right", 1), ("empty", 0)):
        asked = ("--rules", f"{both}:{name}", "--at", "symbolic", "-o", files / "case.uop")
        found = cli("bisect", files / "g.uop", *asked)
        assert found.exit_code == code, found.output
        assert cli("rewrite", files / "g.uop", "--rules", f"{both}:{name}").exit_code == 0


def test_a_set_of_the_spec_in_the_place_of_one_of_the_file_is_told_apart(cli, files):
    refused = cli("bisect", files / "g.uop", "--rules", f"{RULES}:symbolic")
    assert refused.exit_code == 2
    said = " ".join(refused.stderr.split())
    assert "has no ruleset 'symbolic'; it has planted_swapped_operands" in said
    assert "`--at symbolic` has rules go before a set of the spec" in said
