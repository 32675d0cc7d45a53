"""What guards say of symbolic sizes: only what holds of every number that a size may be."""

from __future__ import annotations

import math

import pytest

from rulewright.ir.dtypes import dtypes
from rulewright.ir.ops import Ops
from rulewright.ir.uop import UOp
from rulewright.lang import tree as t
from rulewright.lang.build import load_table
from rulewright.lang.parse import parse_text
from rulewright.lang.table import extern_row
from rulewright.verify.prove import prove_rule, rules_of
from rulewright.verify.prove.trial import matcher

RANGES = [(1, 1), (0, 1), (1, 4), (0, 9), (3, 3), (5, 9)]
GUARDS = {
    "x.size < 2": lambda n: n < 2,
    "x.size <= 4 or x.size > 4": lambda n: True,
    "x.size != 3": lambda n: n != 3,
    "not (x.size == 7)": lambda n: n != 7,
    "(x.size == 3) == false": lambda n: n != 3,
    "2 * x.size + 1 > 10 - x.size": lambda n: 2 * n + 1 > 10 - n,
    "x.size // 2 < 2 and x.size % 2 == 1": lambda n: n // 2 < 2 and n % 2 == 1,
    "x.shape == (3,)": lambda n: n == 3,
    "x.shape <= (3, 1)": lambda n: (n,) <= (3, 1),
    "x.shape.count(3) == 0": lambda n: (n,).count(3) == 0,
    "max(x.size, 3) < 10": lambda n: max(n, 3) < 10,
    "gcd(x.size, 4) == 4": lambda n: math.gcd(n, 4) == 4,
    "x.size & 1 == 0": lambda n: n & 1 == 0,
    "abs(-x.size) < 2": lambda n: abs(-n) < 2,
    "len(x.shape) == 1": lambda n: True,
}


def _rule(text: str):
    return next(rules_of([parse_text(f"ruleset mine {{ rule it {text} prove interp }}")]))[1]


def _tensor(size: UOp) -> UOp:
    memory = UOp(Ops.PARAM, dtypes.f32, (), (0, (9,), None))
    return UOp(Ops.SHRINK, dtypes.f32, (memory, size), ((0, None),))


def _fires(rule, size: UOp) -> bool:
    flip = UOp(Ops.FLIP, dtypes.f32, (_tensor(size),), (True,))
    return matcher(rule, load_table())(flip) is not None


@pytest.mark.parametrize("guard", GUARDS)
def test_a_guard_holds_where_it_holds_for_all_sizes_that_may_come(guard):
    rule = _rule(f"FLIP(x) => x when {guard}")
    for low, high in RANGES:
        fires = _fires(rule, UOp.variable("n", low, high))
        assert not fires or all(map(GUARDS[guard], range(low, high + 1))), (low, high)


def test_what_the_bounds_say_is_enough():
    one = _rule("FLIP(x) => x when x.size < 2")
    assert _fires(one, UOp.variable("n", 0, 1)) and not _fires(one, UOp.variable("n", 0, 2))
    other = _rule("FLIP(x) => x when x.size != 3")
    assert _fires(other, UOp.variable("n", 4, 9)) and not _fires(other, UOp.variable("n", 3, 9))


def test_the_value_that_a_variable_is_bound_to_decides_nothing():
    rule = _rule("FLIP(x) => x when x.size < 2")
    assert not _fires(rule, UOp.variable("n", 0, 9).bind(1))


def test_one_size_is_equal_to_itself():
    rule = _rule("FLIP(x) + y => x + y when x.shape == y.shape")
    x, y = _tensor(UOp.variable("n", 0, 9)), _tensor(UOp.variable("m", 0, 9))
    match = matcher(rule, load_table())
    flip = UOp(Ops.FLIP, dtypes.f32, (x,), (True,))
    assert match(flip + x) is x + x
    assert match(flip + y) is None


def test_a_let_and_a_constant_are_numbers_too():
    lets = _rule("FLIP(x) => x let few = x.size < 2 when few")
    assert _fires(lets, UOp.variable("n", 0, 1)) and not _fires(lets, UOp.variable("n", 0, 2))
    constant = _rule("FLIP(x:f32) => {x.size}:f32")
    assert not _fires(constant, UOp.variable("n", 0, 2)) and _fires(constant, UOp.index_const(2))


@pytest.mark.parametrize(
    "rule",
    ["FLIP(x) => x when x.size < 2", "EXPAND[s](x) => x when x.shape == s and x.size != 0"],
)
def test_rules_that_tell_sizes_apart_are_proved_for_symbolic_ones_too(rule):
    proof = prove_rule(_rule(rule))
    assert proof.status == "proved at rank 3"
    assert proof.note.startswith("for one lane, sizes below 2^63; ")


def is_not_three(size: int) -> bool:
    """An extern guard."""
    return size != 3


def test_an_extern_is_asked_no_more_than_the_bounds_say():
    target = "test_open_sizes:is_not_three"
    file = parse_text(
        f'extern guard is_not_three(size: int) -> bool = "{target}" pure total\n'
        "ruleset mine { rule it FLIP(x) => x when is_not_three(x.size) prove interp }"
    )
    table = load_table()
    own = {str(e.name): extern_row(e) for e in file.all(t.Extern)}
    match = matcher(next(rules_of([file]))[1], {**table, "externs": {**table["externs"], **own}})
    for low, fires in ((4, True), (3, False)):
        x = _tensor(UOp.variable("n", low, 9))
        assert (match(UOp(Ops.FLIP, dtypes.f32, (x,), (True,))) is x) is fires
