"""What a person meets who writes ops and rules of their own: mistakes, and the commands next to
those that are shown."""

from __future__ import annotations

import pytest
from outside_tools import run

pytestmark = pytest.mark.timeout(60)  # processes of their own, whose caches may be cold

OPS = """
/// The sum of two squares.
op HYPOT2<T: f32 | f64>(a: T, b: T) : T  commutative  shape "same"
  meaning "np.add(np.multiply(a, a), np.multiply(b, b))"  smt "a * a + b * b"

/// An integer kept between -100 and 100.
op CLAMP100<T: i32 | i64>(x: T) : T  shape "x.shape"
  meaning "np.minimum(np.maximum(x, one(dtype) * -100), one(dtype) * 100)"

ruleset clamps at = symbolic {
  /// Once is enough.
  rule clamp_clamp<T: i32 | i64>
    CLAMP100(CLAMP100(x:T)) => CLAMP100(x)
    prove smt
    example CLAMP100(CLAMP100(PARAM[0]:i32)) => CLAMP100(PARAM[0]:i32)
    reject  CLAMP100(PARAM[0]:i32)
}

ruleset lowered at = small_functions {
  /// No target spells it.
  rule hypot2_as_sum<T: f32 | f64>
    HYPOT2(a:T, b) => a * a + b * b
    expands "it goes away"
    prove smt
    example HYPOT2(PARAM[0]:f32, PARAM[1]:f32)
      => PARAM[0]:f32 * PARAM[0]:f32 + PARAM[1]:f32 * PARAM[1]:f32
    reject  PARAM[0]:f32 + PARAM[1]:f32
}
"""
GRAPH = """
graph g {
  x = PARAM[0, (6,), none]:i32
  return CLAMP100(CLAMP100(x):i32):i32
}
"""


@pytest.fixture
def folder(tmp_path):
    away = tmp_path / "away"
    away.mkdir()
    (away / "own.uop").write_text(OPS)
    (away / "g.uop").write_text(GRAPH)
    return away


@pytest.mark.parametrize(
    ("meaning", "says"),
    [
        ("x.clip(-100, 100)", "`x.clip` may not stand in `meaning`"),
        (
            "np.minimum(x, cast(100, dtype))",
            "CLAMP100: its meaning ends in AttributeError: 'int' object has no attribute 'dtype', "
            "of i32",
        ),
        ("np.true_divide(x, 2)", "CLAMP100: its meaning gave float64, expected i32, of i32"),
        ("np.floor_divide(x, y)", "`y` may not stand in `meaning`"),
    ],
)
def test_a_wrong_meaning_is_said_where_it_stands_and_once(folder, cli, meaning, says):
    old = "np.minimum(np.maximum(x, one(dtype) * -100), one(dtype) * 100)"
    path = folder / "wrong.uop"
    path.write_text(OPS.replace(old, meaning))
    result = cli("check", path)
    assert result.exit_code == 1
    assert f"wrong.uop:8:3: error: {says}\n" in result.stdout
    assert "1 error in 1 file" in result.stdout, "rules that speak of the op are not to blame"
    if "may not" in says:
        assert "help: what may is arithmetic, the operands, arg, dtype, float, np" in result.stdout


def test_a_rule_may_make_of_an_op_the_steps_of_its_meaning(folder):
    """Both sides are NaN for NaNs of two operands, whose bits numpy leaves open."""
    said = run(folder.parent / "site", "prove", "own.uop", "--rule", "hypot2_as_sum", "--jobs", "1")
    assert "lowered.hypot2_as_sum  proved" in said


def test_prove_says_of_which_ops_z3_reads_nothing(folder):
    """Where an op takes short floats, of which numpy rounds several steps at once."""
    every = OPS.replace("<T: f32 | f64>(a", "<T: Float>(a").replace('  smt "a * a + b * b"', "")
    (folder / "own.uop").write_text(every)
    said = run(folder.parent / "site", "prove", "own.uop", "--quick", "--jobs", "1")
    assert "z3 reads no `meaning` of HYPOT2: a clause `smt` tells it more" in said


def test_a_rule_about_an_op_that_changes_numbers_is_refuted(folder):
    (folder / "own.uop").write_text(OPS.replace("=> a * a + b * b", "=> a * a + a * b"))
    prove = ("prove", "own.uop", "--rule", "hypot2_as_sum", "--jobs", "1")
    said = run(folder.parent / "site", *prove, fails="1")
    assert "lowered.hypot2_as_sum  refuted" in said


@pytest.mark.parametrize("options", [(), ("--spec", "own.uop")])
def test_rewrite_takes_a_file_with_ops(folder, options):
    site = folder.parent / "site"
    said = run(site, "rewrite", "g.uop", *options, "--rules", "own.uop:clamps", "--trace")
    assert "# clamp_clamp (own.uop:12): " in said and "# 1 rewrite\n" in said
    said = run(site, "rewrite", "g.uop", *options, "--rules", "own.uop:clams", fails="1")
    assert "own.uop has no ruleset 'clams'; it has clamps, lowered" in said


def test_overlaps_and_discover_take_a_file_beside_the_spec(folder):
    site = folder.parent / "site"
    said = run(site, "overlaps", "clamps", "--spec", "own.uop")
    assert "0 overlaps: none\n1 critical pairs: 1 joined\n" in said
    options = ["--spec", "own.uop", "--bounds", "3", "1"]
    said = run(site, "discover", "clamps", *options, fails="1")
    assert "LOW 3 is above HIGH 1" in said, "the set is one there is"


LOADED = """
from rulewright import load_rules, load_spec
from rulewright.errors import UsageError
try:
    load_rules("own.uop", at="symbolic")
except UsageError as error:
    print(error)
print(load_spec("own.uop"))
"""


def test_a_file_with_ops_is_for_load_spec(folder):
    said = run(folder.parent / "site", code=LOADED)
    assert said == (
        "load_rules: own.uop declares ops: load_spec(path) takes them in with their rules, whose "
        "sets say `at = SET`\nSpecFile(path='own.uop')\n"
    )


def test_the_number_of_a_constant_is_matched_by_its_name(tmp_path, cli):
    path = tmp_path / "guard.uop"
    path.write_text("""
ruleset mine at = symbolic {
  /// Nothing changes.
  rule times_one<T: Int>
    x:T * c:T => x when c.value == 1
    prove smt
    example PARAM[0]:i32 * 1 => PARAM[0]:i32
    reject  PARAM[0]:i32
}
""")
    result = cli("check", path)
    assert "unknown property `value`" in result.stdout
    assert "help: match `$c` in the pattern: the name is the number then" in result.stdout
    path.write_text(path.read_text().replace("c:T =>", "$c =>").replace("c.value", "c"))
    assert "unknown property" not in cli("check", path).stdout


TARGET = """
/// A language of its own.
target JS extends Clike {
  limit cores = 1
  text kernel = "function {kernel}(bufs) {"
}
"""


def test_what_a_target_lacks_is_said_with_where_to_write_it(folder, cli):
    site = folder.parent / "site"
    (folder / "js.uop").write_text(TARGET)
    compile = ("compile", "g.uop", "--spec", "own.uop", "--spec", "js.uop", "--target", "JS")
    said = run(site, *compile, fails="2")
    assert "js.uop:3:8: error: kernels for `JS` cannot be written without `text parameter` " in said
    assert "help: each is as `text loop` in spec/80-targets/clike.uop, which says" in said
    (folder / "js.uop").write_text(TARGET.replace("limit cores = 1", "feature threading"))
    said = cli("check", folder / "js.uop").stdout
    assert "unknown feature `threading`" in said and "help: " in said


def test_a_graph_with_an_op_of_no_file_says_how_files_are_loaded(folder, cli):
    result = cli("check", folder / "g.uop")
    assert "unknown op `CLAMP100`" in result.stdout
    own = "ops of your own are there once their file is loaded: --spec FILE"
    assert f"help: {own}" in result.stdout
    (folder / "g.uop").write_text(GRAPH.replace("CLAMP100", "LERP"))
    assert f"help: did you mean `LINEAR`? {own}" in cli("check", folder / "g.uop").stdout


WRONG_SPELLING = """
/// Three times x.
op THRICE<T: f32 | f64>(x: T) : T  shape "same"  meaning "np.add(np.add(x, x), x)"
target Clike extends Clike { spell THRICE = "{x} + {x} + {x} + {x}" }
"""
THRICE = """
graph g {
  x = PARAM[0, (6, 4), none]:f32
  return THRICE(EXP(x)) * 2.0
}
"""


def test_bisect_shrinks_a_wrong_spelling_as_long_as_the_result_is_wrong(folder):
    (folder / "wrong.uop").write_text(WRONG_SPELLING)
    (folder / "thrice.uop").write_text(THRICE)
    away = folder.parent / "site"
    said = run(away, "bisect", "thrice.uop", "--spec", "wrong.uop", fails="1")
    assert "1 of 1 elements of PARAM[0] differ" in said and "THRICE(" in said
    again = run(away, "bisect", "wrong_device_c.uop", "--spec", "wrong.uop", fails="1")
    assert "differ" in again and "THRICE(" in again
