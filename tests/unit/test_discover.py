"""Rules that the machine finds."""

from __future__ import annotations

import numpy as np
import pytest

from rule_coverage.report import unshown_clauses
from rulewright.ir.dtypes import dtypes
from rulewright.ir.ops import Ops
from rulewright.ir.rewrite import rewrite
from rulewright.ir.uop import UOp
from rulewright.lang import tree as t
from rulewright.lang.build import load_table
from rulewright.lang.parse import parse_text
from rulewright.verify.discover import Accepted, Limits, RuleSearch, Space, seen
from rulewright.verify.discover.accept import Judge
from rulewright.verify.discover.general import shapes_of
from rulewright.verify.discover.search import EqualPair
from rulewright.verify.discover.term import (
    Bank,
    Candidate,
    CandidateTerm,
    Work,
    evaluate,
    signatures,
)
from rulewright.verify.discover.write import Draft, file_text, graph, rule_text
from rulewright.verify.prove import Proof
from rulewright.verify.values.comparison import agree
from rulewright.verify.values.samples import column

X, Y = (UOp(Ops.PARAM, dtypes.f32, (), (slot, (), None)) for slot in range(2))
P, Q = (UOp(Ops.PARAM, dtypes.bool, (), (slot, (), None)) for slot in (2, 3))
B, C = (UOp(Ops.PARAM, dtypes.u8, (), (slot, (), None)) for slot in range(2))
HALF = UOp.const(dtypes.f32, 0.5)


def var(name, kind=dtypes.index):
    return CandidateTerm("var", name, kind)


def value(number, kind=dtypes.index):
    return CandidateTerm("value", number, kind)


def apply(op, *parts, kind=None):
    return CandidateTerm("op", op, kind or parts[-1].dtype, parts)


def standing(graph):
    return seen.Standing(graph, ("folding",))


def search(name, ops, kinds=(dtypes.u8,), graphs=(), equiv=(), **limits):
    return RuleSearch(name, Space(ops, kinds, 1, ()), Limits(**limits), graphs, equiv)


# ---- terms ---------------------------------------------------------------------------------------


def test_terms_that_a_rule_rewrites_are_not_made():
    rng = np.random.Generator(np.random.PCG64(1))
    leaves = [Candidate(n, 0, column(dtypes.u8, rng)) for n in (B, C)]
    leaves.append(Candidate(UOp.const(dtypes.u8, 0), 0, np.zeros(160, np.uint8)))
    bank = Bank(leaves, [Ops.ADD, Ops.AND], [dtypes.u8], UOp.simplify, Work(10_000))
    for _ in range(2):
        list(bank.grow())
    made = [e.node for level in bank.levels[1:] for e in level]
    assert {B + C, B & C} <= {*made, *(n.replace(src=n.src[::-1]) for n in made)}
    assert all(rewrite(node, "symbolic") is node for node in made)


def test_work_is_counted_not_timed():
    counted = []
    work = Work(600, counted.append)
    assert sum(work.spend() for _ in range(1000)) == 600
    assert work.full and counted == [256, 512]


def test_an_op_has_a_signature_for_each_dtype():
    kinds = [dtypes.i32, dtypes.bool]
    assert list(signatures(Ops.CMPLT, kinds)) == [
        ((dtypes.bool, dtypes.bool), dtypes.bool),
        ((dtypes.i32, dtypes.i32), dtypes.bool),
    ]
    assert list(signatures(Ops.SHL, kinds)) == [((dtypes.i32, dtypes.i32), dtypes.i32)]
    assert ((dtypes.bool,), dtypes.i32) in list(signatures(Ops.CAST, kinds))


def test_values_are_those_of_the_interpreter():
    term = apply("FLOORMOD", var("x"), value(4))
    assert evaluate(term, {"x": np.array([-1, 0, 7])}).tolist() == [-1 % 4, 0, 7 % 4]


def test_a_zero_has_a_sign_and_a_nan_none():
    one = np.array([0.0, -0.0, np.nan], np.float32)
    assert agree(one, np.array([0.0, 0.0, -np.nan], np.float32)).tolist() == [True, False, True]


# ---- from two terms to a rule --------------------------------------------------------------------


def first_shape(left, right, bounds=None):
    return next(shapes_of(left, right, bounds or {}))


def test_a_guard_is_found_where_bounds_decide():
    shape = first_shape(apply("FLOORMOD", var("x"), value(4)), var("x"), {"x": (0, 3)})
    assert set(shape.guard) == {"x.vmin >= 0", "x.vmax < c"}
    assert shape.left == apply("FLOORMOD", var("x"), CandidateTerm("const", "c", dtypes.index))


def test_a_guard_is_found_where_the_sign_of_zero_decides():
    zero, one = (value(v, dtypes.f32) for v in (0.0, 1.0))
    x = var("x", dtypes.f32)
    shape = first_shape(apply("ADD", apply("ADD", x, one), zero), apply("ADD", x, one))
    assert shape.guard == ("c != 0",)  # x + -0.0 may be -0.0
    assert shape.left.names("const") == ["c"]


def test_a_constant_is_worked_out():
    left = apply("MUL", apply("MUL", var("x"), value(3)), value(5))
    shape = first_shape(left, apply("MUL", var("x"), value(15)))
    assert shape.guard == ()
    (constant,) = [part for part in shape.right.parts if part.kind != "var"]
    columns = {"c": np.array([2]), "d": np.array([7])}
    assert evaluate(constant, columns).tolist() == [14]


def test_a_constant_of_which_nothing_is_asked_is_a_variable():
    chosen = apply("WHERE", var("p", dtypes.bool), var("x"), value(0))
    left = apply("WHERE", var("p", dtypes.bool), chosen, value(1))
    right = apply("WHERE", var("p", dtypes.bool), var("x"), value(1))
    shape = first_shape(left, right)
    assert shape.left.names("const") == [] and len(shape.left.names("var")) == 4


def test_the_dtypes_are_as_many_as_agree():
    both = apply("MIN", var("x", dtypes.i32), apply("MAX", *[var(n, dtypes.i32) for n in "xy"]))
    shape = first_shape(both, var("x", dtypes.i32))
    assert shape.kinds["i32"] == ("T", ("Int",))  # not of floats: y may be NaN


def test_comparisons_are_written_in_parentheses():
    less = apply("CMPLT", var("x"), var("y"), kind=dtypes.bool)
    term = apply("CMPEQ", less, value(True, dtypes.bool), kind=dtypes.bool)
    assert graph(term, {"x": (0, 3)}) == '(VAR["x", 0, 3] < VAR["y", -99, 99]) == true:bool'


def test_the_text_of_a_rule_parses():
    left = apply("ADD", apply("MUL", var("x"), value(3)), value(5))
    shape = first_shape(left, left)
    text = file_text([rule_text(shape, Draft("name", "What it says."), [])], "canonical")
    assert "rule name<T: Number>" in text and "/// What it says." in text


# ---- rules ---------------------------------------------------------------------------------------


def test_a_rule_that_a_set_lacks_is_found_and_proved():
    found = search("folding", (Ops.AND,), size=1)
    (rule,) = found.rules(found.enumerated()[:1])
    assert "x:T & x => x" in rule.text and "reject" in rule.text  # idempotence
    assert rule.proof.status == "proved"


def test_each_clause_of_a_found_guard_has_a_reject_of_its_own():
    x = UOp.variable("x", 0, 3)
    (rule,) = search("folding", (Ops.FLOORMOD,), (dtypes.index,)).rules([EqualPair(x % 4, x, 1)])
    assert "x.vmin >= 0" in rule.text and "x.vmax < c" in rule.text
    parsed = parse_text(file_text([rule.text], "")).all(t.RuleSetDecl)[0].rules
    assert list(unshown_clauses(parsed, load_table())) == []


def test_what_finds_leave_is_looked_at_again():
    graph = standing(~(~P & ~P))  # once the AND is gone, a NOT stands above a NOT
    found = search("folding", (Ops.NOT, Ops.AND), graphs=[graph], size=2).discover(standing=True)
    texts = {text: rule.saved for rule in found for text in rule.text.splitlines() if "x" in text}
    assert texts["  ~(~x:T) => x"] == 2 and texts["  x:T & x => x"] == 1
    assert len(found) == 2


def test_what_the_rules_present_reach_is_left_out():
    assert search("boolean", (Ops.AND,), size=1).enumerated() == []
    known = search("boolean", (Ops.AND,))
    assert known.rules([EqualPair(B & B, B, 1)]) == []


def test_an_instance_of_an_earlier_find_is_left_out():
    found = search("folding", (Ops.AND,))
    rules = found.rules([EqualPair(B & B, B, 1), EqualPair((B + C) & (B + C), B + C, 1)])
    assert len(rules) == 1


def test_what_agrees_on_samples_alone_is_no_rule():
    wrong = search("folding", (Ops.ADD,), (dtypes.f32,))
    assert wrong.rules([EqualPair(X + UOp.const(dtypes.f32, 0.0), X, 1)]) == []  # -0.0 + 0.0 is 0.0


@pytest.mark.timeout(60)  # proofs of floats of all widths, twice
def test_what_may_change_is_for_the_user_to_say():
    pair = EqualPair((X * HALF) * UOp.const(dtypes.f32, 4.0), X * UOp.const(dtypes.f32, 2.0), 1)
    assert search("folding", (Ops.MUL,), (dtypes.f32,)).rules([pair]) == []  # of small numbers
    tolerant = search("folding", (Ops.MUL,), (dtypes.f32,), equiv=["finite", "reassoc"])
    (rule,) = tolerant.rules([pair])
    assert " equiv reassoc" in rule.text


def test_a_rule_that_goes_round_with_others_is_not_used():
    """`wrap_signed` computes differences of i32 in u32; this goes back."""
    text = """rule back_to_i32
      CAST(a:i32):u32 - CAST(b:i32):u32 => CAST(a - b):u32
      prove smt
      example CAST(PARAM[0]:i32):u32 - CAST(PARAM[1]:i32):u32
        => CAST(PARAM[0]:i32 - PARAM[1]:i32):u32
    """
    a, b = (UOp(Ops.PARAM, dtypes.i32, (), (slot, (), None)) for slot in range(2))
    graph = rewrite(a - b, "wrap_signed")
    proof = Proof("back_to_i32", "found", "", 1, "smt", "proved")
    with Judge("wrap_signed", [seen.Standing(graph, ("wrap_signed",))], ()) as judge:
        assert judge.take(Accepted("back_to_i32", text, proof, 1)) is None
        assert rewrite(a - b, "wrap_signed") is graph


def test_a_rule_says_what_the_graphs_lose():
    chosen = P.where(P.where(X, Y), Y)
    graphs = [standing(chosen), standing(chosen + X)]
    found = search("folding", (Ops.WHERE,), graphs=graphs)
    (rule,) = found.rules([EqualPair(chosen, P.where(X, Y), 1)])
    assert (rule.fits, rule.saved) == (2, 2)


# ---- graphs --------------------------------------------------------------------------------------


def test_left_sides_are_the_parts_of_graphs():
    lanes = UOp(Ops.PARAM, dtypes.f32.vec(4), (), (0, (), None))
    root = (lanes + UOp.const(dtypes.f32.vec(4), 1.0)) * lanes
    shapes = dict(seen.shapes(seen.nodes_of([standing(root)]), {Ops.ADD, Ops.MUL}, 2))
    one = UOp.const(dtypes.f32, 1.0)
    assert shapes == {X + one: 1, X * Y: 1, (X + one) * X: 1}


def test_an_index_keeps_its_bounds():
    i = UOp.range(5, 0)
    (made,) = dict(seen.shapes(seen.nodes_of([standing(i * 3)]), {Ops.MUL}, 1))
    assert made is UOp.variable("x0", 0, 4) * 3


def test_graphs_are_those_behind_the_entries_of_a_set():
    assert list(seen.entries_of("symbolic", "C")) == ["indexing", "tidy", "gates"]
    assert seen.entries_of("readable", "C") == {"readable": ("readable",)}
    assert list(seen.entries_of("small_floats", "C")) == ["decompose"]
    found = list(seen.graphs("readable", "elementwise", ["C"]))
    assert len(found) == 1 and any(n.op is Ops.SQRT for n in found[0].graph.toposort())
