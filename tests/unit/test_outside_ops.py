"""Ops of a user's file: their meaning, spellings, derivatives and rules, and what is refused."""

from __future__ import annotations

import pytest
from outside_tools import OUTSIDE, run

from rulewright import Tensor, load_spec, op
from rulewright.checks import check
from rulewright.errors import ArgumentError, MissingFileError, RuleError, UsageError
from rulewright.ir.ops import Ops
from rulewright.lang.beside import beside_files, beside_key
from rulewright.lang.build import load_table
from rulewright.lang.more_ops import more_ops
from rulewright.verify.validate import wrong_interval

pytestmark = pytest.mark.timeout(60)  # processes of their own, whose caches may be cold

CUBE = OUTSIDE / "cube/cube.uop"


USES = f"""
import numpy as np
from rulewright import Context, Tensor, jit, load_spec, op
from rulewright.errors import *

x = np.linspace(-2, 2, 9, dtype=np.float32)
before = (Tensor(x) * 2).tolist()                     # the compiler is warm
made = load_spec({str(CUBE)!r})
assert (made.ops, made.targets) == (("CUBE", "MEAN"), ()) and load_spec({str(CUBE)!r}) is made
for device in ("C", "INTERP"):
    for verify in (0, 2):
        with Context(DEVICE=device, VERIFY=verify):
            t = Tensor(x, requires_grad=True)
            y = op("CUBE", t * 0.5 + 1)
            np.testing.assert_allclose(y.numpy(), (x * 0.5 + 1) ** 3, rtol=1e-6)
            y.sum().backward()
            np.testing.assert_allclose(t.grad.numpy(), 1.5 * (x * 0.5 + 1) ** 2, rtol=1e-6)
            (first,) = op("CUBE", t).sum().gradient(t)
            (second,) = first.sum().gradient(t)
            np.testing.assert_allclose(second.numpy(), 6 * x, rtol=1e-6)
def source(value):
    [kernel] = value.schedule()
    return kernel.lower().source
assert "= -cube_f32(data1[" in source(op("CUBE", -Tensor(x))), "a rule of the file, at symbolic"
assert "cube_f64" in source(op("CUBE", Tensor(x).double()))
assert "cube_f32" in source(op("CUBE", Tensor(x.reshape(3, 3)))[1])
assert op("CUBE", 3).tolist() == 27.0 and op("CUBE", Tensor([1, 2])).tolist() == [1.0, 8.0]
assert op("CUBE", [[1.0, 2.0]]).shape == (1, 2)
rows = op("CUBE", Tensor(np.arange(6.0).reshape(2, 3))).sum(0).tolist()
assert rows == [27.0, 65.0, 133.0]
mean = op("MEAN", Tensor([[1.0], [2.0]]), Tensor([3, 5]).int())
assert mean.tolist() == [[2.0, 3.0], [2.5, 3.5]] and op("MEAN", Tensor([1.0]), 4).item() == 2.5
step = jit(lambda t: op("CUBE", t) + 1)
assert [step(Tensor([float(i)])).item() for i in range(4)] == [1.0, 2.0, 9.0, 28.0]
for error, text, call in [
    (ArgumentError, "expected 1 operands (x), found 2", lambda: op("CUBE", 1.0, 2.0)),
    (DTypeError, "op CUBE: expected one of f32, f64, found f16; cast first",
     lambda: op("CUBE", Tensor(x).half())),
    (UsageError, "op CUBO: no file that was loaded declares it (did you mean `CUBE`?)",
     lambda: op("CUBO", Tensor(x))),
    (UsageError, "op ADD: it is one of the spec's", lambda: op("ADD", 1, 2)),
    (DTypeError, "no tensor can hold", lambda: op("CUBE", "a")),
    (DeviceError, "operands are on", lambda: op("MEAN", Tensor(x), Tensor(x, device="INTERP"))),
    (ShapeError, "op MEAN", lambda: op("MEAN", Tensor(x), Tensor(x[:2]))),
]:
    try:
        call()
    except error as found:
        assert text in str(found), found
    else:
        raise AssertionError(text)
print("good")
"""


def test_an_op_of_a_file_computes_and_differentiates(tmp_path):
    assert run(tmp_path / "site", code=USES).endswith("good\n")


def test_the_command_line_proves_and_checks_its_rules(tmp_path):
    site = tmp_path / "site"
    said = run(site, "prove", str(CUBE), "--rule", "grad_cube", "--jobs", "1")
    assert "cube_gradient.grad_cube  proved" in said
    said = run(site, "conformance", "--spec", str(CUBE), "-k", "ops", "--device", "C")
    [row] = [line.split() for line in said.splitlines() if line.startswith("ops ")]
    assert row[1:4] == ["2", "0", "0"] and "4 kernels on C" in said
    assert "0 errors" in run(site, "check", str(CUBE))


def test_a_file_that_is_checked_leaves_no_op_behind():
    assert check([CUBE]) == []
    assert "CUBE" not in Ops and not more_ops() and not beside_key()
    assert all("CUBE" not in names for names in load_table()["groups"].values())


WRONG = (
    'op CUBE<T: f32 | f64>(x: T) : T  shape "x.shape"  meaning "np.multiply(np.multiply(x, x), x)"'
)


def test_check_compares_its_clauses(tmp_path, cli):
    path = tmp_path / "wrong.uop"
    path.write_text(WRONG + '  smt "x * x + x"\n')
    result = cli("check", path)
    assert result.exit_code == 1 and "1 error in 1 file" in result.stdout
    assert "the `smt` clause of CUBE is not its `meaning` at" in result.stdout
    path = tmp_path / "failing.uop"
    path.write_text(WRONG + '  smt "sqrt(x, x)"\n')
    result = cli("check", path)
    assert result.exit_code == 1 and "the `smt` clause of CUBE ends in TypeError: " in result.stdout
    path.write_text(
        'op HALF<T: i8 | u8>(x: T) : T  meaning "np.right_shift(x, one(dtype))"  smt "x >> 1"'
    )
    result = cli("check", path)
    assert result.exit_code == 1 and "failing.uop:1:73: error: the `smt` clause" in result.stdout
    assert "help: operands are terms: shift_right(a, one(a)) is a >> 1" in result.stdout
    path.write_text(path.read_text().replace("x >> 1", "shift_right(x, one(x))"))
    assert cli("check", path).exit_code == 0


@pytest.mark.parametrize(
    ("kind", "number", "right"),
    [("i32", 123456789, False), ("u64", 987654321012345, False), ("f32", 1234.5, False),
     ("i32", 123456789, True)],
)  # fmt: skip
def test_check_compares_its_clauses_around_the_numbers_they_name(
    tmp_path, cli, kind, number, right
):
    path = tmp_path / "odd.uop"
    meaning = "x" if right else "np.add(x, x)"
    path.write_text(
        f'op ODD<T: {kind}>(x: T) : T  shape "same"\n'
        f'  meaning "np.where(x == {number}, {meaning}, x)"  smt "x"\n'
    )
    said = cli("check", path).stdout
    wrong = f"the `smt` clause of ODD is not its `meaning` at {number}:{kind}"
    assert (wrong in said) is not right


def test_a_proof_by_a_clause_of_ones_own_says_so(tmp_path, cli):
    path = tmp_path / "twice.uop"
    path.write_text(
        'op TWICE<T: i32>(x: T) : T  shape "same"  meaning "np.add(x, x)"  smt "x + x"\n'
        'ruleset own { rule sum TWICE(x:i32) => x + x  expands "w"  prove smt\n'
        "  example TWICE(PARAM[0]:i32) => PARAM[0]:i32 + PARAM[0]:i32 }\n"
    )
    found = cli("prove", path, "--format", "json")
    assert '"note": "as far as `smt` of TWICE is its `meaning`; ' in found.stdout


GOOD = 'op TWICE<T: Float>(x: T) : T  shape "same"  meaning "np.add(x, x)"\n'


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("stage own { allow ADD(_, _) }", "a file beside the spec declares ops, targets, ext"),
        ("dtype f9 : Floating bits = 9", "a file beside the spec declares ops, targets, ext"),
        ('op ADD<T: Float>(a: T, b: T) : T  meaning "np.add(a, b)"', "op `ADD` is declared twice"),
        ('target C { text kernel = "" }', "target `C` is declared twice"),
        (GOOD.replace('meaning "np.add(x, x)"', ""), "op `TWICE` has no `meaning`"),
        (GOOD.replace("(x: T)", "[n: int](x: T)"), "has an argument, or any number of operands"),
        (GOOD.replace("(x: T)", "(xs: T..)"), "has an argument, or any number of operands"),
        (GOOD.replace("(x: T)", "(x: T, b: T, c: T, d: T)"), "has 4 operands, expected 1 to 3"),
        (GOOD.replace('"same"', '"(1,)"'), "op `TWICE` has the shape `(1,)`"),
        (GOOD.replace("shape", 'infix "?"  shape'), "has a sign; the language has one for"),
        (GOOD.replace("x: T", "T"), "has an operand without a name"),
        (GOOD.replace("np.add(x, x)", "open(x)"), "`open` may not stand in `meaning`"),
        (GOOD + 'target C extends C { spell ADD = "" }', "`spell ADD` cannot be added to `C`"),
        (GOOD.replace("np.add(x, x)", "9**9**9"), "`9**9**9` may not stand in `meaning`"),
        (GOOD.replace("np.add(x, x)", "1 << 99"), "`1 << 99` may not stand in `meaning`"),
        (GOOD.replace("np.add(x, x)", "math.factorial(x)"), "`math.factorial` may not stand"),
        (GOOD.replace("np.add(x, x)", "(1, 2) * 99"), "`(1, 2) * 99` may not stand"),
        (GOOD.replace("np.add(x, x)", "[i for i in (1, 2) for j in (3, 4)]"), "for j in (3, 4)"),
        (GOOD + 'target C extends C { limit cores = 9 }', "`limit cores` cannot be added to `C`"),
        (GOOD + 'target D extends D { spell TWICE = "" }', "`D` contains itself"),
        (GOOD.replace("(x: T)", "(x: T, x: T)"), "op `TWICE` has two operands of one name"),
        (GOOD + 'target C extends C { spell TWICE: i32 = "{x} + {x}" }',
         "`spell TWICE` fits nothing: TWICE takes no such dtype"),
        ("ruleset own at = symbolism { }", "unknown ruleset `symbolism`"),
        ("graph g { return 1:i32 }", "expected ops, targets or rulesets, found none"),
        ('extern fn f(x: int) -> int = "os:getpid" pure because "w"', "`os` is none of the modu"),
        ("ruleset own at = symbolic { rule r<T: Float> equiv finite ADD(x:T, 0.0) => x "
         'trust "t" example PARAM[0]:f32 + 0.0 => PARAM[0]:f32 reject PARAM[0]:i32 + 0 }',
         "needs `finite`, which pipeline `default` does not tolerate"),
    ],
)  # fmt: skip
def test_what_may_not_stand_beside_the_spec(tmp_path, text, message):
    path = tmp_path / "own.uop"
    path.write_text(text + "\n")
    loaded, table = beside_files(), len(load_table()["ops"])
    with pytest.raises(RuleError) as error:
        load_spec(path)
    assert message in str(error.value) and str(path) in str(error.value)
    assert beside_files() == loaded and len(load_table()["ops"]) == table and not more_ops()


TWO = 'op TWO<T: i32>(x: T, y: T) : T  %s  shape "same"  meaning "%s"\n'


@pytest.mark.parametrize(
    ("flag", "wrong", "right"),
    [
        ("commutative", "np.subtract(x, y)", "np.add(x, y)"),
        ("associative", "np.subtract(x, y)", "np.bitwise_xor(x, y)"),
        ("associative", "np.add(x, np.multiply(y, y))", "np.multiply(x, y)"),
        ("idempotent", "np.add(x, y)", "np.maximum(x, y)"),
    ],
)
def test_flags_are_what_the_meaning_does(tmp_path, flag, wrong, right):
    path = tmp_path / "own.uop"
    for meaning, said in ((right, []), (wrong, [f"TWO is not {flag}: of "])):
        path.write_text(TWO % (flag, meaning))
        problems = [problem.message for problem in check([path])]
        assert len(problems) == len(said) and all(map(str.startswith, problems, said)), problems


CALLS = """
extern guard is_large(c: int) -> bool = "no_such_module:is_large"  pure  because "a test"
ruleset mine {
  rule large<T: i32>
    x:T + $c => x
    when is_large(c)
    trust "a test"
    example PARAM[0]:i32 + 100
    reject PARAM[0]:i32 + 1
}
"""


def test_a_function_that_is_not_there_is_one_error(tmp_path, cli):
    (tmp_path / "own.uop").write_text(CALLS)
    result = cli("check", tmp_path / "own.uop", "--allow-externs", "no_such_module")
    assert result.exit_code == 1 and "1 error in 1 file" in result.stdout
    assert "cannot import `no_such_module`: ModuleNotFoundError" in result.stdout
    assert "help: install its package, or name its folder in PYTHONPATH" in result.stdout


OWN = """
op DIFF<T: i32 | u8>(x: T, y: T) : T  shape "same"  meaning "np.subtract(x, y)"
  interval "%s"
op SMALLER(x: i64, y: f32) : bool  shape "same"  meaning "np.less(x, y)"  interval "(0, 0)"
"""


@pytest.mark.parametrize(
    ("interval", "said"),
    [
        ("(x.lo - y.hi, x.hi - y.lo)", ""),
        ("(0, 1)", "the interval of DIFF is wrong: of "),
        ("(x.lo - y.lo, x.hi - y.hi)", "the interval of DIFF is wrong: of "),
        ("(x.lo // (y.lo - y.lo), 1)", "the interval of DIFF ends in ZeroDivisionError: "),
        ("x.lo", "the interval of DIFF ends in TypeError: "),
    ],
)
def test_an_interval_holds_what_the_meaning_gives(tmp_path, interval, said):
    path = tmp_path / "own.uop"
    path.write_text(OWN % interval)
    problems = [problem.message for problem in check([path])]
    assert len(problems) == bool(said) and all(said in problem for problem in problems), problems


def test_intervals_of_the_spec_hold_what_meanings_give():
    own = [one for one in Ops if one.row["interval"] and one.row["meaning"]]
    assert len(own) > 15 and {one: wrong_interval(one) for one in own} == dict.fromkeys(own, "")


@pytest.mark.parametrize("kind", ["Float", "bf16", "fp8e4m3"])
def test_flags_of_ops_of_floats_are_tried_with_zeros_and_nans(tmp_path, kind):
    path = tmp_path / "own.uop"
    path.write_text(TWO.replace("i32", kind) % ("commutative associative", "np.add(x, y)"))
    assert not check([path])
    path.write_text(TWO.replace("i32", kind) % ("commutative", "np.where(x < y, x, np.add(y, y))"))
    assert "TWO is not commutative: of " in check([path])[0].message


def test_what_is_no_file(tmp_path):
    with pytest.raises(MissingFileError, match=r"load_spec: cannot read .*gone.uop"):
        load_spec(tmp_path / "gone.uop")
    with pytest.raises(ArgumentError, match="load_spec: expected the path of a file, found 3"):
        load_spec(3)
    with pytest.raises(UsageError, match=r"no file that was loaded declares it .loaded are none"):
        op("CUBE", Tensor([1.0]))
    with pytest.raises(ArgumentError, match="op: expected the name of an op, found 3"):
        op(3, Tensor([1.0]))


RULES = """
ruleset more {
  /// The cube of nothing is nothing.
  rule cube_of_zero<T: f32 | f64>
    CUBE(0.0:T) => {0.0}:T
    prove smt
    example CUBE(0.0:f32) => 0.0:f32
    reject  CUBE(1.0:f32)
}
"""


def test_rules_of_one_file_are_about_ops_of_another(tmp_path):
    site, away = tmp_path / "site", tmp_path / "away"
    away.mkdir()
    (away / "more.uop").write_text(RULES)
    (away / "graph.uop").write_text("graph g { return CUBE(0.0:f32) + PARAM[0]:f32 }")
    said = run(site, "rewrite", "graph.uop", "--rules", "more.uop", "--spec", str(CUBE), "--trace")
    assert "cube_of_zero" in said and "0.0:f32" in said
    said = run(site, "check", "more.uop", fails="1")
    assert "unknown op `CUBE`" in said


CHANGES = """
from pathlib import Path
from rulewright import load_spec
from rulewright.errors import UsageError
path = Path("own.uop")
path.write_text('op TWICE<T: Float>(x: T) : T  shape "same"  meaning "np.add(x, x)"')
load_spec(path)
path.write_text('op TWICE<T: Float>(x: T) : T  shape "same"  meaning "np.multiply(x, x)"')
try:
    load_spec(path.resolve())
except UsageError as error:
    print(error)
"""


def test_a_file_that_changed_since_is_refused(tmp_path):
    said = run(tmp_path / "site", code=CHANGES)
    assert "own.uop has changed since it was loaded; begin a new process" in said


ASKS = """
extern guard by_product(x: uop) -> bool = "asked:by_product"  pure  because "a test"
op THRICE<T: f32>(x: T) : T  shape "same"  meaning "np.add(np.add(x, x), x)"
ruleset lowered at = small_functions {
  /// As one product.
  rule as_product<T: f32> equiv reassoc
    THRICE(x:T) => x * {3.0}:T
    when by_product(x)
    expands "it goes away"
    trust "a test"
    example THRICE(PARAM[0]:f32)
    reject  PARAM[0]:f32
  /// As two sums.
  rule as_sum<T: f32>
    THRICE(x:T) => x + x + x
    expands "it goes away"
    trust "a test"
    example THRICE(1.0:f32)
    reject  PARAM[0]:f32
}
"""
ASKED = "def by_product(x):\n    return x.op.name == 'PARAM' or {}\n"
LOWERS = """
import sys
sys.path.insert(0, ".")
from rulewright import Tensor, load_spec, op
from rulewright.driver.execute import loaded
load_spec("own.uop", externs=["asked"])
[kernel] = op("THRICE", Tensor([1.0, 2.0]).realize()).schedule()
print("* 3.0f" in loaded(kernel).program.source)
"""


def test_another_function_of_an_extern_makes_other_kernels(tmp_path):
    """What is kept on disk was made by the function as it was."""
    site, away = tmp_path / "site", tmp_path / "away"
    away.mkdir()
    (away / "own.uop").write_text(ASKS)
    for answer in (True, False, True):
        (away / "asked.py").write_text(ASKED.format(answer))
        said = run(site, code=LOWERS, PYTHONDONTWRITEBYTECODE="1")
        assert said == f"{answer}\n"


CERTIFIES = f"""
from rulewright import Context, Tensor, load_spec, op
load_spec({str(CUBE)!r})
with Context(VERIFY="prove", CERTIFICATES="proofs"):
    op("CUBE", Tensor([1.0, 2.0]) + 1).realize()
"""


def test_a_certificate_of_a_program_with_an_op_is_checked_again(tmp_path):
    site = tmp_path / "site"
    run(site, code=CERTIFIES)
    [path] = (tmp_path / "away" / "proofs").iterdir()
    said = run(site, "verify", str(path), fails="1")
    assert "unknown op `CUBE`" in said and "--spec FILE" in said
    assert "all borne out" in run(site, "verify", str(path), "--spec", str(CUBE))
