"""`rulewright check`."""

import json
import os
import shutil

import pytest

from rulewright import load_rules, load_spec
from rulewright.checks.files import check_paths
from rulewright.errors import RuleError
from rulewright.paths import spec_dir

GOOD = """ruleset mine {
  /// x - x is 0 for integers; for floats inf - inf is not.
  rule my_cancel<T: Int>
    x:T - x => {0}:T
    prove smt
    example PARAM[0]:i32 - PARAM[0]:i32 => 0:i32
    reject  PARAM[0]:f32 - PARAM[0]:f32
}
"""
BAD = GOOD.replace("x:T - x", "x:T - y")  # two names that are used once each


@pytest.fixture
def files(tmp_path):
    (tmp_path / "good.uop").write_text(GOOD)
    (tmp_path / "bad.uop").write_text(BAD)
    return tmp_path


def test_a_good_file(cli, files):
    result = cli("check", files / "good.uop")
    assert (result.exit_code, result.output) == (0, "0 errors in 1 file\n")


def test_a_bad_file_in_text(cli, files):
    result = cli("check", files / "bad.uop")
    assert result.exit_code == 1
    first, source, caret = result.stdout.splitlines()[:3]
    assert first.startswith(f"{files / 'bad.uop'}:4:5: error: ")
    assert source.endswith("x:T - y => {0}:T") and caret.endswith("^")
    assert result.stdout.splitlines()[-1].endswith(" in 1 file")


def test_a_bad_file_in_json(cli, files):
    result = cli("check", "--format", "json", files / "bad.uop")
    assert result.exit_code == 1
    found = json.loads(result.stdout)
    assert {"severity", "code", "message", "file", "line", "column"} <= set(found[0])
    assert (found[0]["file"], found[0]["line"]) == (str(files / "bad.uop"), 4)


def test_good_in_json_is_an_empty_list(cli, files):
    assert json.loads(cli("check", "--format", "json", files / "good.uop").stdout) == []


def test_a_folder_stands_for_its_files(cli, files):
    result = cli("check", files)
    assert result.exit_code == 1 and result.stdout.endswith(" in 2 files\n")


def test_a_folder_without_files_is_misuse(cli, tmp_path):
    result = cli("check", tmp_path)
    assert result.exit_code == 2 and "found none" in result.stderr


@pytest.mark.timeout(60)  # runs all examples and clauses, in a suite that shares the machine
def test_the_spec_itself_is_good(shell):
    result = shell("check")
    assert result.returncode == 0, result.stdout
    assert result.stdout.startswith("0 errors in ")


@pytest.mark.parametrize("text", ["", "# to come\n"])
def test_a_file_in_which_nothing_stands_is_told_from_one_that_was_looked_at(cli, tmp_path, text):
    (tmp_path / "empty.uop").write_text(text)
    result = cli("check", tmp_path / "empty.uop")
    assert result.exit_code == 0
    assert (
        result.output == "0 errors in 1 file, in which nothing stands: no rule, no op, no target\n"
    )


def test_lanes_of_what_is_no_type_parameter_are_said_how_to_write(cli, files):
    wrong = GOOD.replace("x:T - x => {0}:T", "x:T < x => {false}:bool*x")
    (files / "lanes.uop").write_text(wrong)
    assert "a type parameter's: `bool*T`" in cli("check", files / "lanes.uop").output


def test_a_pipe_cannot_be_read_twice(cli, files):
    os.mkfifo(files / "pipe.uop")
    result = cli("check", files / "pipe.uop")
    assert result.exit_code == 2 and "found a pipe or device" in result.stderr


def test_a_copy_of_the_spec_is_checked_in_its_place(tmp_path):
    copy = shutil.copytree(spec_dir(), tmp_path / "mine")
    with open(copy / "50-movement.uop", "a") as file:
        file.write('ruleset of_mine { rule bare ADD(x, y) => x  trust "" }')
    problems = check_paths(sorted(copy.rglob("*.uop")))
    assert problems and {p.span.file for p in problems} == {str(copy / "50-movement.uop")}


@pytest.mark.parametrize(
    "text",
    [
        'dtype u24 : Unsigned  bits = 24  bytes = 3  numpy = "uint32"',
        "dtypes Halves = { f16, bf16 }",
        "promote f16 -> f64",
        "group Sums = { ADD, SUB }",
        "stage mine extends tensor { allow CONST() }",
        "pipeline mine { tolerate reassoc }",
        'op TWICE(x: f32) : f32  shape "same"',
    ],
)
@pytest.mark.parametrize("rules", ["", GOOD])
def test_what_stands_in_the_spec_alone(cli, tmp_path, text, rules):
    path = tmp_path / "own.uop"
    path.write_text(f"{text}\n{rules}")
    result = cli("check", path)
    assert result.exit_code == 1 and f"{path}:1:" in result.output
    for load in (load_spec, load_rules):
        with pytest.raises(RuleError) as error:
            load(path)
        assert result.output.startswith(str(error.value).rpartition("\n\n")[0])


def test_a_measure_may_stand_beside_the_spec(cli, tmp_path):
    path = tmp_path / "own.uop"
    path.write_text("measure short = { nodes }\n" + GOOD.replace("mine", "mine measure = short"))
    assert cli("check", path).output == "0 errors in 1 file\n"
    with load_rules(path):
        pass


def test_a_rule_about_a_group_of_the_file_says_both(cli, tmp_path):
    rule = GOOD.replace("x:T - x", "Sums(x:T, _)").replace("{0}:T", "x").replace(" - ", " + ")
    (tmp_path / "own.uop").write_text(f"group Sums = {{ ADD, SUB }}\n{rule}")
    said = cli("check", tmp_path / "own.uop").output
    assert ":1:7: error: this stands in the spec alone" in said
    assert "error: unknown op or group Sums\n" in said and "GroupName" not in said


GRAPHS = {
    "shapes": ("x = PARAM[0, (4,), none]:f32\n  y = PARAM[1, (5,), none]:f32\n  return x + y",
               "ADD: operands have shapes (4,) and (5,)"),
    "slots": ("x = PARAM[0, (4,), none]:f32\n  y = PARAM[0, (4, 1), none]:f32\n"
              "  return x + RESHAPE[(4,)](y)", "another PARAM of slot 0"),
    "bounds": ("r = RANGE[0, \"loop\"](8)\n  i = INDEX(PARAM[0, (4,), none]:f32, r):f32\n"
               "  return SINK(END(STORE(i, 1.0:f32), r))", "accesses element 4 of 4"),
}  # fmt: skip


@pytest.mark.parametrize("name", GRAPHS)
def test_a_graph_that_cannot_run_is_refused_as_by_run(cli, tmp_path, name):
    body, message = GRAPHS[name]
    path = tmp_path / "g.uop"
    path.write_text(f"# of a user\n\ngraph g {{\n  {body}\n}}\n")
    result = cli("check", path)
    assert result.exit_code == 1
    assert f"{path}:3:7: error: " in result.output and message in result.output
    assert message in cli("run", path).stderr
    (problem,) = json.loads(cli("check", "--format", "json", path).stdout)
    assert (problem["code"], problem["line"]) == ("graph", 3)


@pytest.mark.parametrize("size", [0, 1, 5])
def test_a_graph_that_runs_passes(cli, tmp_path, size):
    path = tmp_path / "g.uop"
    path.write_text(f"graph g {{\n  return EXP(PARAM[0, ({size},), none]:f32)\n}}\n")
    assert cli("check", path).output == "0 errors in 1 file\n"
    assert cli("run", path).exit_code == 0
