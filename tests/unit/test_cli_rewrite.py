"""`rulewright rewrite`."""

import pytest

from rulewright.ir.text import read_graph
from rulewright.paths import spec_dir

RULES = """ruleset mine {
  /// x - x is 0 for integers; for floats inf - inf is not.
  rule my_cancel<T: Int>
    x:T - x => {0}:T
    prove smt
    example PARAM[0]:i32 - PARAM[0]:i32 => 0:i32
    reject  PARAM[0]:f32 - PARAM[0]:f32
}
ruleset with_folding = mine + folding
"""
GRAPH = "graph g {\n  x = PARAM[0]:i32\n  return (x - x) + (2 + 3:i32)\n}\n"


@pytest.fixture
def files(tmp_path):
    (tmp_path / "rules.uop").write_text(RULES)
    (tmp_path / "g.uop").write_text(GRAPH)
    return tmp_path


def rewrite(cli, files, rules, *more):
    return cli("rewrite", files / "g.uop", "--rules", rules, *more)


def test_one_set_of_a_file(cli, files):
    result = rewrite(cli, files, f"{files / 'rules.uop'}:mine")
    assert result.exit_code == 0, result.output
    expected = read_graph("graph g { return 0:i32 + (2 + 3:i32) }")
    assert read_graph(result.stdout) is expected
    assert result.stdout.startswith("graph g {")


def test_the_last_set_is_the_default_and_may_use_sets_of_the_spec(cli, files):
    result = rewrite(cli, files, files / "rules.uop")
    assert read_graph(result.stdout) is read_graph("graph g { return 5:i32 }")


def test_trace_names_rules_with_their_place_and_is_still_a_graph_file(cli, files):
    result = rewrite(cli, files, f"{files / 'rules.uop'}:mine", "--trace")
    first, second = result.stdout.splitlines()[:2]
    assert first.startswith(f"# my_cancel ({files / 'rules.uop'}:3): SUB(PARAM[0")
    assert first.endswith(" => 0:i32") and second == "# 1 rewrite"
    before = first.partition("): ")[2].partition(" => ")[0]
    assert read_graph(f"graph g {{ return {before} }}") is read_graph(
        "graph g { return PARAM[0]:i32 - PARAM[0]:i32 }"
    )
    read_graph(result.stdout)


def test_a_set_of_the_spec(cli, files):
    place = spec_dir() / "40-algebra/90-symbolic.uop"
    result = rewrite(cli, files, f"{place}:symbolic", "--trace")
    assert result.exit_code == 0, result.output
    assert read_graph(result.stdout) is read_graph("graph g { return 5:i32 }")
    assert "# fold_arithmetic (spec/40-algebra/10-folding.uop:" in result.stdout


def test_what_is_named_but_not_there_is_misuse(cli, files):
    no_set = rewrite(cli, files, f"{files / 'rules.uop'}:nope")
    assert no_set.exit_code == 2 and "it has mine, with_folding" in no_set.stderr
    no_file = rewrite(cli, files, files / "nope.uop")
    assert no_file.exit_code == 2 and "found no file" in no_file.stderr
    assert str(spec_dir()) in no_file.stderr.replace("\n", "")


def test_a_rule_file_with_an_error_is_not_used(cli, files):
    (files / "rules.uop").write_text(RULES.replace("x:T - x", "x:T -> x"))
    result = rewrite(cli, files, files / "rules.uop")
    assert result.exit_code == 2 and result.stdout == ""
    assert result.stderr.startswith(f"{files / 'rules.uop'}:4:")


def test_a_rewrite_that_does_not_end_tells_its_circle(cli, files):
    (files / "rules.uop").write_text(
        "ruleset round {\n"
        '  rule turn<T: Int>\n    x:T - y:T => y - x\n    trust "wrong on purpose"\n'
        '    expands "for ever"\n'
        "    example PARAM[0]:i32 - PARAM[1]:i32 => PARAM[1]:i32 - PARAM[0]:i32\n"
        "    reject  PARAM[0]:i32 + PARAM[1]:i32\n}\n"
    )
    (files / "g.uop").write_text("graph g { return PARAM[0]:i32 - PARAM[1]:i32 }\n")
    result = rewrite(cli, files, files / "rules.uop")
    assert result.exit_code == 1, result.output
    assert "does not end" in result.stderr and "cycle: turn" in result.stderr


def test_as_a_process(shell, files):
    result = shell("rewrite", files / "g.uop", "--rules", files / "rules.uop", "--trace")
    assert result.returncode == 0 and "my_cancel" in result.stdout


def test_a_set_of_the_spec_by_its_name(cli, files):
    result = rewrite(cli, files, "symbolic")
    assert read_graph(result.stdout) is read_graph("graph g { return 5:i32 }")
    refused = rewrite(cli, files, "symbolics")
    assert refused.exit_code == 2
    assert "a set of the spec, found no file 'symbolics'" in refused.stderr
