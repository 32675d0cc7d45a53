"""What patterns, guards and replacements mean: each feature, by both matchers."""

from __future__ import annotations

import math

import pytest
from naive import NaiveMatcher

from rulewright.errors import RewriteError, RuleError
from rulewright.ir.dtypes import dtypes
from rulewright.ir.matching import lazy_extern, same, zero
from rulewright.ir.ops import Ops
from rulewright.ir.uop import UOp
from rulewright.lang import tree as t
from rulewright.lang.build import load_table
from rulewright.lang.matcher import generate_rules, generate_stage
from rulewright.lang.matcher_facts import ordered_rules
from rulewright.lang.parse import parse_text
from rulewright.lang.table import extern_row

P, Q, R = (UOp(Ops.PARAM, dtypes.i32, (), (i, (), None)) for i in range(3))
F, G = (UOp(Ops.PARAM, dtypes.f32, (), (i, (), None)) for i in range(2))
B = UOp(Ops.PARAM, dtypes.bool, (), (9, (), None))
X = UOp.variable("x", 0, 9)


def no_answer(node: UOp) -> UOp | None:
    """An extern that answers for additions only."""
    return node.src[0] if node.op is Ops.ADD else None


def both_sources(node: UOp) -> list[UOp]:
    """An extern that gives a list."""
    return list(node.src)


def is_small(value: int) -> bool:
    """An extern guard."""
    return value < 10


def wrong_answer(node: UOp) -> int:
    """An extern that breaks its word."""
    return 3


EXTERNS = """
extern build no_answer(node: uop) -> uop = "test_engine_matcher:no_answer" pure partial
extern build both_sources(node: uop) -> uop.. = "test_engine_matcher:both_sources" pure total
extern guard is_small(value: int) -> bool = "test_engine_matcher:is_small" pure total
extern build wrong_answer(node: uop) -> uop = "test_engine_matcher:wrong_answer" pure total
"""


class Both:
    """The rules of a text in both matchers."""

    def __init__(self, text: str) -> None:
        file = parse_text(f"{EXTERNS}\nruleset s {{\n{text}\n}}", "test.uop")
        table = load_table()
        externs = {str(e.name): extern_row(e) for e in file.all(t.Extern)}
        table = {**table, "externs": {**table["externs"], **externs}}
        self.rules = list(file.all(t.RuleSetDecl)[0].rules)
        self.source = generate_rules("s", self.rules, table)
        self.module: dict = {}
        exec(compile(self.source, "<s>", "exec"), self.module)
        self.naive = NaiveMatcher(self.rules, table)

    def __call__(self, node: UOp, ctx: object = None) -> UOp | None:
        match = self.module["MATCH"]
        found = match[node.op](node, ctx) if node.op in match else None
        expected = self.naive.first(node, ctx)
        assert found is (None if expected is None else expected[1])
        return found


def const(value: object, kind: object = dtypes.i32) -> UOp:
    """A constant."""
    return UOp.const(kind, value)


def stack(*lanes: UOp) -> UOp:
    """A node with any number of sources."""
    return UOp(Ops.STACK, dtypes.i32.vec(max(1, len(lanes))), lanes)


# ---- patterns ---------------------------------------------------------------------------------


def test_commutative_operands_are_tried_both_ways() -> None:
    both = Both("rule r  NEG(x) + y => x - y")
    assert both(-P + Q) is P - Q and both(Q + -P) is P - Q and both(P + Q) is None


def test_order_matters_with_a_bang() -> None:
    both = Both("rule r  ADD!(NEG(x), y) => x - y")
    assert both(-P + Q) is P - Q and both(Q + -P) is None


def test_nested_commutative_operands() -> None:
    both = Both("rule r  (NEG(x) * y) + z => y")
    assert [both(n) for n in (-P * Q + R, Q * -P + R, R + -P * Q, R + Q * -P)] == [Q] * 4


def test_repeated_names_are_one_node() -> None:
    both = Both("rule r  x * y + x => y")
    assert both(P * Q + P) is Q and both(P + Q * P) is Q and both(P * Q + R) is None


def test_one_of_several_ops() -> None:
    both = Both("rule r  n@[ADD SUB](x, y) => x * y")
    assert both(P + Q) is P * Q and both(P - Q) is P * Q and both(P * Q) is None


def test_a_choice_swaps_only_what_commutes() -> None:
    both = Both("rule r  [ADD SUB](NEG(x), y) => y")
    assert both(-P + Q) is Q and both(Q + -P) is Q and both(-P - Q) is Q and both(Q - -P) is None


def test_groups() -> None:
    both = Both("rule r  NEG(n@Unary(x)) => x")
    assert both(-F.alu(Ops.SQRT)) is F and both(-(F + G)) is None
    any_operands = Both("rule r  DETACH(n@Binary()) => n")
    assert any_operands((P + Q).detach()) is P + Q and any_operands((-P).detach()) is None


def test_types() -> None:
    both = Both("rule r<T: Int>  x:T + y:T => y")
    assert both(P + Q) is Q and both(F + G) is None
    both = Both("rule r<A: Int, B: Float>  CAST(CAST(x:A):B):A => x")
    assert both(P.cast(dtypes.f32).cast(dtypes.i32)) is P
    assert both(P.cast(dtypes.f32).cast(dtypes.i64)) is None
    assert both(F.cast(dtypes.f32.vec(1)).cast(dtypes.i32)) is None
    both = Both("rule r  NEG(x:f32*4) => x")
    wide = UOp(Ops.PARAM, dtypes.f32.vec(4), (), (0, (), None))
    assert both(-wide) is wide and both(-F) is None
    both = Both("rule r  NEG(x:Float) => x")
    assert both(-F) is F and both(-wide) is wide and both(-P) is None


def test_a_type_parameter_without_annotation_is_the_roots() -> None:
    both = Both("rule r<T: Int>  $c // $d => {c + d}:T")
    assert both(const(5) // 3) is const(8)
    assert both(UOp(Ops.FDIV, dtypes.f32, (F, G))) is None


@pytest.mark.parametrize(
    ("literal", "matches", "refuses"),
    [
        ("0", [const(0), const(0.0, dtypes.f32)], [const(1), const(-0.0, dtypes.f32)]),
        ("1", [const(1), const(1.0, dtypes.f32)], [const(2), const(-1)]),
        ("-1", [const(-1), const(-1.0, dtypes.f32)], [const(1)]),
        ("0.0", [const(0.0, dtypes.f32)], [const(-0.0, dtypes.f32), const(0)]),
        ("-0.0", [const(-0.0, dtypes.f32)], [const(0.0, dtypes.f32), const(0)]),
        ("inf", [const(math.inf, dtypes.f32)], [const(-math.inf, dtypes.f32), const(5)]),
        ("-inf", [const(-math.inf, dtypes.f32)], [const(math.inf, dtypes.f32)]),
        ("nan", [const(math.nan, dtypes.f32)], [const(0.0, dtypes.f32), const(0)]),
        ("true", [const(True, dtypes.bool)], [const(1), const(False, dtypes.bool)]),
        ("false", [const(False, dtypes.bool)], [const(0), const(True, dtypes.bool)]),
    ],
)
def test_literals(literal: str, matches: list[UOp], refuses: list[UOp]) -> None:
    both = Both(f"rule r  DETACH(n@({literal})) => n")
    for node in matches:
        assert both(node.detach()) is node
    for node in refuses:
        assert both(node.detach()) is None


def test_repeated_constants_are_one_value() -> None:
    both = Both("rule r  MAX(x, $c) + MAX(y, $c) => x")
    assert both(F.maximum(2.0) + G.maximum(2.0)) is F
    assert both(F.maximum(0.0) + G.maximum(-0.0)) is None
    assert both(F.maximum(math.nan) + G.maximum(math.nan)) is F


def test_variadics() -> None:
    both = Both("rule r  STACK(x, rest..) => STACK(rest..):i32")
    assert both(stack(P, Q, R)).src == (Q, R) and both(stack()) is None
    both = Both("rule r  STACK(all.., x) => x")
    assert both(stack(P, Q)) is Q
    both = Both("rule r  STACK(_..) => {0}:i32")
    assert both(stack(P)) is const(0) and both(stack()) is const(0)


def test_two_variadics_take_the_leftmost() -> None:
    both = Both("rule r  STACK(a.., NEG(x), b..) => STACK(b.., x, a..):i32")
    assert both(stack(P, -Q, R, -R)).src == (R, -R, Q, P) and both(stack(P, Q)) is None
    both = Both("rule r  STACK(a.., x, x, b..) => x")
    assert both(stack(P, Q, Q, R, R)) is Q and both(stack(P, Q, P)) is None
    both = Both("rule r  STACK(a.., x, b.., y) => x  when x != y")
    assert both(stack(P, P, Q, P)) is Q


def test_exact_counts() -> None:
    both = Both("rule r  STACK(x, y) => y")
    assert both(stack(P, Q)) is Q and both(stack(P)) is None and both(stack(P, Q, R)) is None


def test_arguments() -> None:
    loop = UOp.range(4, 3, "reduce")
    both = Both('rule r  RANGE[id, "reduce"](n) => n + {id}')
    assert both(loop) is loop.src[0] + 3 and both(UOp.range(4, 3, "loop")) is None
    both = Both("rule r  PERMUTE[(1, 0)](x) => x")
    matrix = UOp(Ops.PARAM, dtypes.f32, (), (0, (2, 3), None))
    assert both(matrix.permute((1, 0))) is matrix
    assert both(UOp(Ops.PERMUTE, dtypes.f32, (matrix,), (0, 1))) is None
    both = Both("rule r  REDUCE[c@[ADD MAX]](x, _..) => REDUCE[c](x)")
    assert both(P.reduce(Ops.MAX, loop)).arg is Ops.MAX and both(P.reduce(Ops.MUL, loop)) is None
    both = Both("rule r  PARAM[slot, _, none]:i32 => CONST[slot]:i32")
    assert both(Q) is const(1)
    assert both(UOp(Ops.PARAM, dtypes.i32, (), (1, (), "C"))) is None


# ---- guards, lets, externs --------------------------------------------------------------------


def test_guards_compute_in_unbounded_integers() -> None:
    both = Both("rule r<T: Int>  (x:T * $c) * $d => x  when c * d > T.max")
    big = P * 2**30
    assert both(big * 4) is P and both(P * 2 * 4) is None


def test_guards_on_intervals_and_fields() -> None:
    both = Both("rule r  x // $c => x  when x.vmin >= 0 and x.vmax < 10 and not c == 3")
    assert both(X // 4) is X and both(X // 3) is None and both(P // 4) is None
    both = Both("rule r  NEG(x) => x  when x.op == ADD or x.dtype == f32")
    assert both(-(P + Q)) is P + Q and both(-F) is F and both(-P) is None


def test_builtin_functions() -> None:
    both = Both(
        "rule r<T: Int>  x:T // $c => x >> {ilog2(c)}  when abs(c) == max(c, 1) and gcd(c, 8) == c"
    )
    assert both(P // 8) is P >> 3 and both(P // -8) is None and both(P // 6) is None


def test_a_swapped_arrangement_is_tried_when_the_guard_fails() -> None:
    both = Both("rule r  x + y => y  when x.op == NEG")
    assert both(-P + Q) is Q and both(Q + -P) is Q and both(P + Q) is None


def test_lets() -> None:
    both = Both("rule r<T: Int>  (x:T + $c) + $d => x * {total}  let total = c + d  when total > 3")
    assert both(P + 2 + 5) is P * 7 and both(P + 1 + 1) is None
    both = Both("rule r<T: Int>  NEG(x:T) => y + y  let y = x * x")
    assert both(-P) is P * P + P * P


def test_externs() -> None:
    both = Both("rule r  NEG(x) => no_answer(x)")
    assert both(-(P + Q)) is P and both(-(P * Q)) is None
    both = Both("rule r  NEG(x) => NEG(y) * x  let y = no_answer(x)")
    assert both(-(P + Q)) is -P * (P + Q) and both(-P) is None
    both = Both("rule r  NEG(x) => STACK(xs.., x):i32*4  let xs = both_sources(x)")
    assert both(-(P + Q)).src == (P, Q, P + Q)
    both = Both("rule r  x * $c => x  when is_small(c)")
    assert both(P * 9) is P and both(P * 10) is None
    assert lazy_extern("f", "test_engine_matcher:is_small", ("bool", False))(3) is True


def test_an_extern_that_breaks_its_word() -> None:
    rules = Both("rule r  NEG(x) => wrong_answer(x)")
    with pytest.raises(RewriteError, match=r"extern wrong_answer .* must give a node or None.*int"):
        rules.module["MATCH"][Ops.NEG](-P, None)


def test_the_context() -> None:
    both = Both("rule r  x * $c => x  when c == ctx.limit")
    context = type("Context", (), {"limit": 7})
    assert both(P * 7, context) is P and both(P * 8, context) is None


def test_no_answer_lets_a_later_rule_match() -> None:
    both = Both("rule first  NEG(x) => no_answer(x)\nrule second  NEG(x) => x")
    assert both(-(P + Q)) is P and both(-P) is P


# ---- replacements -----------------------------------------------------------------------------


def test_folds_wrap_and_round() -> None:
    both = Both("rule r<T: Number>  $c:T + $d:T => {c * d + 1}")
    assert both(const(100, dtypes.i8) + 2) is const(-55, dtypes.i8)
    tenth = dtypes.f16.const(0.1)
    assert both(const(0.1, dtypes.f16) + 0.1).arg == dtypes.f16.const(
        dtypes.f16.const(tenth * tenth) + 1
    )


def test_comparisons_in_folds_use_the_operands_type() -> None:
    both = Both("rule r<T: Int>  $c:T < $d:T => {c + 1 < d}:bool")
    assert both(const(127, dtypes.i8) < 0) is const(True, dtypes.bool)  # 127 + 1 wraps


def test_constants_take_the_type_of_their_place() -> None:
    both = Both("rule r<T: Number>  NEG(x:T) => WHERE(x < 0, x, 1)")
    made = both(-F)
    assert made.src[0].src[1] is const(0.0, dtypes.f32) and made.src[2] is const(1.0, dtypes.f32)
    wide = UOp(Ops.PARAM, dtypes.f32.vec(4), (), (0, (), None))
    assert both(-wide).src[0].dtype is dtypes.bool.vec(4)


def test_a_conversion_that_is_not_defined_is_no_match() -> None:
    both = Both("rule r<A: Float, B: Int>  CAST($c:A):B => {c}:B")
    assert both(const(2.5, dtypes.f32).cast(dtypes.i8)) is const(2, dtypes.i8)
    assert both(const(300.0, dtypes.f32).cast(dtypes.i8)) is None


def test_a_dtype_that_cannot_be_told_is_an_error() -> None:
    with pytest.raises(RuleError, match="cannot be told; write its type"):
        Both("rule r  STACK(x, y) => STACK(0, x)")


# ---- order ------------------------------------------------------------------------------------


def test_the_first_rule_in_the_text_wins() -> None:
    both = Both("rule a  SQRT(z) + x => x\nrule b  x + NEG(y) => y")
    root = F.alu(Ops.SQRT) + -G
    assert both(root) is -G and both(F + -G) is G


def test_order_is_kept_across_branches() -> None:
    both = Both(
        "rule a  NEG(x) + NEG(y) => x\nrule b  x + y => y when x.op == MUL\n"
        "rule c  NEG(x) + y => y\nrule d  x + MUL(y, z) => z"
    )
    assert both(-P + -Q) is P
    assert both(P * Q + -R) is -R
    assert both(-R + P * Q) is -R  # rule b, operands swapped
    assert both(-P + R) is R


def test_priority_and_after() -> None:
    text = "rule a  NEG(x) => x\nrule b priority +1  NEG(x) => x * x"
    assert Both(text)(-P) is P * P
    text = "rule a  NEG(x) => x  after b\nrule b  NEG(x) => x * x"
    assert Both(text)(-P) is P * P
    order = ordered_rules(
        Both("rule a NEG(x) => x after c\nrule b NEG(x) => x\nrule c NEG(x) => x").rules
    )
    assert [r.name for r in order] == ["b", "c", "a"]


# ---- the generated text -----------------------------------------------------------------------


def test_the_source_names_rules_and_places() -> None:
    both = Both("rule add_nothing<T: Int>  x:T + 0 => x")
    assert "def rule_add_nothing(x):  # test.uop:" in both.source
    assert both.module["RULES"] == {"add_nothing": ("test.uop", 8)}
    assert both.source == Both("rule add_nothing<T: Int>  x:T + 0 => x").source


def test_shared_tests_are_made_once() -> None:
    both = Both("rule a  NEG(NEG(x)) * y => x\nrule b  NEG(SQRT(x)) * y => y")
    tree = both.source[both.source.index("def match_mul") :]
    assert tree.count("n_0_op is NEG") == 1 and tree.count("n_0_0 = n_0.src[0]") == 1


def test_a_stage_gives_the_first_statement_that_fits() -> None:
    file = parse_text(
        'stage s { forbid Movement() "no" allow ADD(_:T, _:T):T for T: Int }', "s.uop"
    )
    statements = file.all(t.Stage)[0].statements
    names: dict = {}
    exec(generate_stage("s", statements, load_table()), names)
    match = names["MATCH"]
    matrix = UOp(Ops.PARAM, dtypes.f32, (), (0, (2, 3), None))
    assert match[Ops.PERMUTE](matrix.permute((1, 0)), None) == 0
    assert match[Ops.ADD](P + Q, None) == 1 and match[Ops.ADD](F + G, None) is None


def test_helpers() -> None:
    assert same(math.nan, math.nan) and not same(0.0, -0.0) and not same(1, True)
    assert zero(0, "0") and zero(0.0, "0") and not zero(-0.0, "0") and not zero(False, "0")
    assert zero(-0.0, "-0.0") and not zero(0, "0.0")


def test_many_rules_on_one_op() -> None:
    rules = [f"rule r{i} x:i32 * {i} - x * {i + 1} => x * -{i}" for i in range(2, 400)]
    both = Both("\n".join(rules))
    assert both(P * 399 - P * 400) is P * -399 and both(P * 399 - P * 399) is None
