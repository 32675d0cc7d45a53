"""Wrong calls of what is no tensor method: each is one message that says what was expected.

Tensor methods have their refusals in the table of methods.
"""

import os
import subprocess
import sys

import numpy as np
import pytest

from rulewright import Context, Tensor, UOp, Variable, dtypes, jit, load_rules
from rulewright.errors import (
    ArgumentError,
    DTypeError,
    RulewrightError,
    UsageError,
    VariableError,
)
from rulewright.ir.ops import Ops
from rulewright.options import from_environment

NAN = float("nan")
N = Variable("n", 1, 8)
ONE = UOp.const(dtypes.f32, 1.0)
LOOP = UOp.range(4, 0)

CALLS = [
    ("Variable", lambda: Variable("", 1, 5), VariableError, "such as 'n', found an empty one"),
    ("Variable", lambda: Variable(3, 1, 5), ArgumentError, "expected a name, found 3 of type int"),
    ("Variable", lambda: Variable(None, 1, 5), ArgumentError, "expected a name, found None"),
    ("Variable", lambda: Variable("k", 1.5, 5), ArgumentError, "the lower bound as a whole number"),
    ("Variable", lambda: Variable("k", "a", 5), ArgumentError, "the lower bound as a whole number"),
    ("Variable", lambda: Variable("k", True, 5), ArgumentError, "found True of type bool"),
    ("Variable", lambda: Variable("k", 1, NAN), ArgumentError, "the upper bound as a whole number"),
    ("Variable", lambda: Variable("k", 1, None), ArgumentError, "found None of type NoneType"),
    ("Variable", lambda: Variable("k", 1, 2**70), VariableError, "64 bits do not hold 1 to"),
    ("Variable", lambda: Variable("k", 5, 1), VariableError, "5 is above upper bound 1"),
    ("bind", lambda: N.bind(2.5), ArgumentError, "bind n: expected the value as a whole number"),
    ("bind", lambda: N.bind("a"), ArgumentError, "found 'a' of type str"),
    ("bind", lambda: N.bind(None), ArgumentError, "found None of type NoneType"),
    ("bind", lambda: N.bind(N), ArgumentError, "of type UOp"),
    ("bind", lambda: N.bind(9), VariableError, "n = 9 is outside 1 … 8"),
    ("bind", lambda: N.bind(2**70), VariableError, "is outside 1 … 8"),
    ("bind", lambda: N.bind(3).bind(3), UsageError, "expected a variable, found BIND"),
    ("range", lambda: UOp.range("a", 0), ArgumentError, "range: expected the size as a whole"),
    ("range", lambda: UOp.range(2.5, 0), ArgumentError, "found 2.5 of type float"),
    ("range", lambda: UOp.range(None, 0), ArgumentError, "found None of type NoneType"),
    ("range", lambda: UOp.range(-1, 0), UsageError, "a size of 0 or more, found -1"),
    ("range", lambda: UOp.range(4, "a"), ArgumentError, "the id as a whole number, found 'a'"),
    ("range", lambda: UOp.range(4, 0, 5), ArgumentError, 'a kind such as "loop", found 5'),
    ("const", lambda: UOp.const(dtypes.i32, "a"), ArgumentError, "a number as i32, found 'a'"),
    ("const", lambda: UOp.const(dtypes.f32, None), ArgumentError, "a number as f32, found None"),
    ("const", lambda: UOp.const("i32", 1), ArgumentError, "a dtype such as dtypes.f32"),
    ("index_const", lambda: UOp.index_const("a"), ArgumentError, "a size or index as a whole"),
    ("index_const", lambda: UOp.index_const(1.5), ArgumentError, "found 1.5 of type float"),
    ("index_const", lambda: UOp.index_const(int), ArgumentError, "a size or index as a whole"),
    ("index_const", lambda: UOp.index_const(np.ones(2)), ArgumentError, "as a whole number"),
    ("load_rules", lambda: load_rules(None), ArgumentError, "the path of a file, found None"),
    ("load_rules", lambda: load_rules("a", at=["b"]), ArgumentError, "the name of a ruleset"),
    ("alu", lambda: ONE.alu(dtypes.f32, ONE), ArgumentError, "an op such as Ops.ADD"),
    ("local", lambda: UOp.local("f32", 4, 0), ArgumentError, "a dtype such as dtypes.f32"),
    ("local", lambda: UOp.local(dtypes.f32, "a", 0), ArgumentError, "local: expected the size"),
    ("local", lambda: UOp.local(dtypes.f32, 0, 0), UsageError, "a size of 1 or more, found 0"),
    ("local", lambda: UOp.local(dtypes.f32, 4, "a"), ArgumentError, "local: expected the id"),
    ("register", lambda: UOp.register(3, 4, 0), ArgumentError, "a dtype such as dtypes.f32"),
    ("register", lambda: UOp.register(dtypes.f32, None, 0), ArgumentError, "expected the size"),
    ("register", lambda: UOp.register(dtypes.f32, 4, 0.5), ArgumentError, "expected the id"),
    ("barrier", lambda: UOp.barrier(3), ArgumentError, "BARRIER: expected UOps"),
    ("sink", lambda: UOp.sink("a"), ArgumentError, "SINK: expected UOps"),
    ("cast", lambda: ONE.cast("i32"), ArgumentError, "cast: expected a dtype such as dtypes.f32"),
    ("bitcast", lambda: ONE.bitcast(3), ArgumentError, "bitcast: expected a dtype"),
    ("bitcast", lambda: ONE.bitcast(dtypes.i64), DTypeError, "differ in width"),
    ("where", lambda: ONE.where(1, 2), ArgumentError, "WHERE: expected UOps"),
    ("index", lambda: ONE.index("a"), ArgumentError, "INDEX: expected UOps"),
    ("index", lambda: ONE.index(1), ArgumentError, "such as UOp.index_const(1)"),
    ("load", lambda: ONE.load(3), ArgumentError, "LOAD: expected UOps"),
    ("store", lambda: ONE.store(3.0), ArgumentError, "UOp.const(dtypes.f32, 1), found 3.0"),
    ("assign", lambda: ONE.assign("a"), ArgumentError, "expected UOps"),
    ("end", lambda: ONE.end(3), ArgumentError, "END: expected UOps"),
    ("after", lambda: ONE.after(None), ArgumentError, "AFTER: expected UOps"),
    ("reduce", lambda: ONE.reduce("add", LOOP), ArgumentError, "Ops.ADD of rulewright.ir.ops"),
    ("reduce", lambda: ONE.reduce(Ops.ADD, 3), ArgumentError, "REDUCE: expected UOps"),
    (
        "alu",
        lambda: ONE.alu("add", ONE),
        ArgumentError,
        "Ops.ADD of rulewright.ir.ops, found 'add'",
    ),
    ("alu", lambda: ONE.alu(Ops.ADD, 3), ArgumentError, "ADD: expected UOps"),
    ("alu", lambda: ONE.alu(Ops.ADD, LOOP), DTypeError, "dtypes differ"),
    ("eq", lambda: N.eq("a"), ArgumentError, "eq: expected a UOp or a number, found 'a'"),
    ("ne", lambda: N.ne(None), ArgumentError, "ne: expected a UOp or a number, found None"),
    ("maximum", lambda: N.maximum([]), ArgumentError, "maximum: expected a UOp or a number"),
    ("minimum", lambda: N.minimum(1.5), DTypeError, "cast the value first"),
    ("+", lambda: N + 1.5, DTypeError, "1.5 with a value of index"),
    ("+", lambda: N + "a", TypeError, "unsupported operand"),
    ("*", lambda: np.arange(3) * N, TypeError, "unsupported operand"),
    ("replace", lambda: ONE.replace(arg=[1]), ArgumentError, "numbers, text, ops and tuples"),
    ("replace", lambda: N.replace(name="m"), UsageError, "a UOp has no 'name'"),
]

OPTIONS = [
    ({"DEBUG": "a"}, "option DEBUG: expected a whole number of 0 or more, found 'a'"),
    ({"DEBUG": -1}, "option DEBUG: expected a whole number of 0 or more, found -1"),
    ({"DEBUG": 1.5}, "option DEBUG: expected a whole number of 0 or more, found 1.5"),
    ({"VERIFY": 4}, "option VERIFY: expected a number from 0 to 3 or 'prove', found 4"),
    ({"VERIFY": 9}, "option VERIFY: expected a number from 0 to 3 or 'prove', found 9"),
    ({"VERIFY": None}, "option VERIFY: expected a number from 0 to 3 or 'prove', found None"),
    ({"BEAM": -1}, "option BEAM: expected a whole number of 0 or more"),
    ({"JIT": 7}, "option JIT: expected a number from 0 to 1"),
    ({"CACHE": "no"}, "option CACHE: expected a number from 0 to 1, found 'no'"),
    ({"PROFILE": 2}, "option PROFILE: expected a number from 0 to 1"),
    ({"THREADS": -1}, "option THREADS: expected a whole number of 0 or more, found -1"),
    ({"SEED": -1}, "option SEED: expected a number from 0 to 18446744073709551615"),
    ({"SEED": 2**64}, "option SEED: expected a number from 0 to"),
    ({"DEVICE": 3}, "option DEVICE: expected text, found 3"),
    ({"CC": None}, "option CC: expected text, found None"),
    ({"CACHE_DIR": 3}, "option CACHE_DIR: expected text, found 3"),
    ({"STOP_AFTER": 3}, "option STOP_AFTER: expected text, found 3"),
    ({"DEBUGG": 1}, "unknown option DEBUGG; options are BEAM, CACHE"),
    ({"threds": 1}, "VERIFY; did you mean THREADS?"),
]


@pytest.mark.parametrize(("method", "call", "error", "says"), CALLS)
def test_a_wrong_call_is_refused(method, call, error, says):
    with pytest.raises(error) as caught:
        call()
    assert says in str(caught.value)


@pytest.mark.parametrize(("changes", "says"), OPTIONS)
def test_an_option_is_refused(changes, says):
    with pytest.raises(UsageError) as caught, Context(**changes):
        pass
    assert says in str(caught.value)


@pytest.mark.parametrize(
    ("changes", "says"),
    [r for r in OPTIONS if "expected text" not in r[1] and not {"DEBUGG", "threds"} & r[0].keys()],
)
def test_so_is_a_variable_of_the_environment(changes, says):
    env = {name: str(value) for name, value in changes.items()}
    with pytest.raises(UsageError) as caught:
        from_environment(env)
    assert says.partition(", found")[0].replace("1.5", "'1.5'") in str(caught.value)


def test_a_command_says_so_in_one_line():
    for variable in ("DEBUG=a", "VERIFY=9", "THREADS=-1"):
        name, _, value = variable.partition("=")
        found = subprocess.run(
            [sys.executable, "-m", "rulewright", "devices"],
            env={**os.environ, name: value}, capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert found.returncode == 2
        assert found.stderr.startswith(f"error: option {name}: expected")
        assert found.stderr.count("\n") == 1 and found.stdout == ""


OPERATORS = [
    ("+", [4, 5]), ("-", [2, 1]), ("*", [3, 6]), ("/", [3.0, 1.5]), ("//", [3, 1]),
    ("%", [0, 1]), ("**", [3, 9]), ("&", [1, 2]), ("|", [3, 3]), ("^", [2, 1]), ("<<", [6, 12]),
    (">>", [1, 0]), ("<", [False, False]), ("<=", [False, False]), (">", [True, True]),
    (">=", [True, True]), ("==", [False, False]), ("!=", [True, True]),
]  # fmt: skip


@pytest.mark.parametrize(("sign", "expected"), OPERATORS)
@pytest.mark.parametrize("kind", ["i64", "i32", "u8"])
def test_a_variable_beside_a_tensor_is_an_integer(sign, expected, kind):
    names = {"i": Variable("i", 1, 9).bind(3), "x": Tensor([1, 2], dtype=kind)}
    left, right = eval(f"i {sign} x", names), eval(f"x {sign} i", names)
    Tensor.realize(left, right)
    assert left.tolist() == expected
    swapped = eval(f"x {sign} 3", {"x": names["x"].numpy()}).tolist()
    assert right.tolist() == pytest.approx(swapped)


@pytest.mark.parametrize("sign", ["+", "-", "*", "/", "//", "%", "<", "<=", ">", ">=", "==", "!="])
def test_an_expression_of_variables_beside_floats(sign):
    i, x = Variable("i", 1, 9).bind(3), Tensor([0.5, 2.0, 7.0])
    found = eval(f"(i + 1) {sign} x", {"i": i, "x": x})
    expected = eval(f"4 {sign} x", {"x": np.array([0.5, 2.0, 7.0])}).tolist()
    assert found.tolist() == pytest.approx(expected)


def test_an_unbound_variable_is_asked_for_when_it_runs():
    waiting = Variable("i", 1, 9) * Tensor([1.0, 2.0])
    with pytest.raises(RulewrightError, match="bind"):
        waiting.tolist()


def test_numbers_of_numpy_stand_beside_variables():
    i = Variable("i", 1, 9).bind(3)
    assert int(np.int64(2) * i) == int(i * np.int32(2)) == 6


def test_weights_that_are_known_are_looked_at_and_others_are_not():
    weights = Tensor([0.0, 0.0])
    with pytest.raises(UsageError, match="sum to nothing"):
        weights.multinomial(1)
    with pytest.raises(UsageError, match="sum to nothing"):
        (weights * 2).realize().multinomial(1)
    with pytest.raises(UsageError, match="found -1"):
        Tensor([[1.0, -1.0], [1.0, 1.0]])[0].multinomial(1)
    assert Tensor([[1.0, -1.0], [1.0, 1.0]])[1].multinomial(1).shape == (1,)
    assert (weights * 2).multinomial(1).item() in (0, 1)


def test_a_captured_draw_looks_at_no_weights():
    @jit
    def draw(weights):
        return weights.multinomial(1).realize()

    for _ in range(4):
        assert draw(Tensor([0.0, 1.0]).realize()).item() == 1


@pytest.mark.parametrize("name", ["cat", "stack", "add", "relu", "reshape", "numpy", "item"])
def test_a_method_that_is_called_without_a_tensor_is_named_as_users_know_it(name):
    with pytest.raises(TypeError, match=rf"^Tensor\.{name}\(\) missing 1 required positional"):
        getattr(Tensor, name)()


@pytest.mark.parametrize("call", [Tensor, lambda: Tensor(datas=3), lambda: Tensor(*range(9))])
def test_a_tensor_made_of_nothing_is_named_as_users_know_it(call):
    with pytest.raises(TypeError, match=r"^Tensor\(\) "):
        call()
