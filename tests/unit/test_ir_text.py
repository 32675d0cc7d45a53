"""Graphs print as text that reads back to the very same object."""

from __future__ import annotations

import math
import pickle

import pytest
from hypothesis import given, settings, strategies as st
from naive import NaiveMatcher

from rulewright.errors import RuleError, UsageError
from rulewright.ir.dtypes import dtypes
from rulewright.ir.ops import Ops
from rulewright.ir.quick import read_printed
from rulewright.ir.read import build_body, try_build
from rulewright.ir.text import print_graph, print_term, read_graph
from rulewright.ir.uop import UOp
from rulewright.lang import tree as t
from rulewright.lang.build import load_table, parsed_spec
from rulewright.lang.parse import parse_text

FLOATS = (0.0, -0.0, math.inf, -math.inf, math.nan, 0.1, -1.5, 1e-300, 65504.0)
INTS = (0, 1, -1, 2**31 - 1, -(2**63), 2**64 - 1)
KINDS = [*dtypes.all(), dtypes.index]
ARGS = st.recursive(
    st.none() | st.booleans() | st.integers() | st.sampled_from(FLOATS) | st.text()
    | st.sampled_from([Ops.ADD, Ops.MAX]),
    lambda inner: st.lists(inner, max_size=3).map(tuple),
    max_leaves=5,
)  # fmt: skip


def _operand(draw: st.DrawFn, nodes: list[UOp]) -> UOp:
    return draw(st.sampled_from([n for n in nodes if n.dtype is not dtypes.void]))


def _elementwise(draw: st.DrawFn, nodes: list[UOp]) -> UOp:
    left = _operand(draw, nodes)
    same = [n for n in nodes if n.dtype is left.dtype]
    right = draw(st.sampled_from(same))
    op = draw(st.sampled_from([Ops.ADD, Ops.MUL, Ops.MAX, Ops.CMPLT]))
    kind = dtypes.bool.vec(left.dtype.count) if op is Ops.CMPLT else left.dtype
    return UOp(op, kind, (left, right))


def _leaf(draw: st.DrawFn, nodes: list[UOp]) -> UOp:
    slot, device = draw(st.integers(0, 9)), draw(st.none() | st.just("C") | st.text())
    shape = tuple(draw(st.lists(st.integers(0, 5), max_size=3)))
    kind = draw(st.sampled_from(KINDS)).vec(draw(st.sampled_from([1, 4])))
    return UOp(Ops.PARAM, kind, (), (slot, shape, device))


def _const(draw: st.DrawFn, nodes: list[UOp]) -> UOp:
    kind = draw(st.sampled_from(KINDS))
    value = draw(st.sampled_from(FLOATS if kind.is_float else INTS))
    return UOp.const(kind.vec(draw(st.sampled_from([1, 2, 8]))), value)


def _other(draw: st.DrawFn, nodes: list[UOp]) -> UOp:
    x = _operand(draw, nodes)
    r = UOp.range(draw(st.integers(1, 9)), draw(st.integers(0, 3)), "reduce")
    return draw(
        st.sampled_from(
            [
                UOp(Ops.SINK, dtypes.void, (x, nodes[-1]), draw(ARGS)),
                UOp(Ops.REDUCE, x.dtype, (x, r), Ops.ADD),
                UOp(Ops.FLIP, x.dtype, (x,), (True, False)),
                UOp(Ops.PAD, x.dtype, (x, UOp.variable("n", 1, 5)), ((0, None), (1, 2))),
                UOp(Ops.INVALID, dtypes.index),
                UOp(Ops.CAST, dtypes.bf16, (x,)),
                UOp(Ops.STORE, dtypes.void, (x, x)),
            ]
        )
    )


@st.composite
def graphs(draw: st.DrawFn) -> UOp:
    """Random well-formed nodes over earlier ones, shared freely."""
    nodes = [_const(draw, [])]
    for make in draw(st.lists(st.sampled_from([_leaf, _const, _elementwise, _other]), max_size=12)):
        nodes.append(make(draw, nodes))
    return UOp.sink(*nodes[-3:])


@given(graphs())
def test_print_then_read_is_the_identity(graph):
    text = print_graph(graph)
    assert read_printed(text) is graph  # the short way
    assert build_body(parse_text(text).items[0].body) is graph  # and the parser's
    assert print_graph(read_graph(text)) == text


@settings(max_examples=60)
@given(graphs(), st.data())
def test_the_short_way_takes_nothing_that_the_parser_would_not(graph, data):
    text = print_graph(graph)
    at = data.draw(st.integers(0, len(text)))
    text = text[:at] + data.draw(st.sampled_from(list("(),[]0x:*-. \n"))) + text[at + 1 :]
    found = read_printed(text)
    if found is not None:
        assert build_body(parse_text(text).items[0].body) is found


def test_the_short_way_leaves_what_is_wrong_to_the_parser():
    lines = ["a_0 = PARAM[0, (), none]:i32", "b_0 = ADD(a_0, 1.0:f32):i32", "return b_0"]
    text = "\n  ".join(["graph g {", *lines]) + "\n}\n"
    assert read_printed(text) is None
    with pytest.raises(RuleError, match="operands have dtypes i32 and f32"):
        read_graph(text)
    right = text.replace("1.0:f32", "1:i32")
    assert read_printed(right) is read_graph(right)
    for broken in (" a_0", "a_1", "ADDD", "]:", "none"):
        assert read_printed(right.replace("a_0", broken, 1)) is None


def test_text_of_a_small_graph():
    x = UOp(Ops.PARAM, dtypes.f32, (), (0, (4,), "C"))
    y = x + 1.0
    assert print_graph(y * y, "square") == (
        "graph square {\n"
        '  param_0 = PARAM[0, (4,), "C"]:f32\n'
        "  add_0 = ADD(param_0, 1.0:f32):f32\n"
        "  mul_0 = MUL(add_0, add_0):f32\n"
        "  return mul_0\n"
        "}\n"
    )


def test_a_constant_alone():
    assert (
        print_graph(UOp.const(dtypes.f32.vec(4), -0.0)) == "graph graph {\n  return -0.0:f32*4\n}\n"
    )


def test_nodes_survive_pickling():
    x = UOp(Ops.PARAM, dtypes.f32, (), (0, (4,), "C")) + math.nan
    assert pickle.loads(pickle.dumps(x)) is x


@pytest.mark.parametrize(
    "text, same_as",
    [
        ("PARAM[0]:i32 + 1", "ADD(PARAM[0, (), none]:i32, 1:i32):i32"),
        ("2 > PARAM[0]:f32", "CMPLT(PARAM[0]:f32, 2.0:f32):bool"),
        ("-(PARAM[0]:f32)", "NEG(PARAM[0]:f32):f32"),
        ("~(PARAM[0]:bool)", "NOT(PARAM[0]:bool):bool"),
        ("(1 + 2) * PARAM[0]:u8", "MUL(ADD(1:u8, 2:u8):u8, PARAM[0]:u8):u8"),
        ("(1 + 2):u8", "ADD(1:u8, 2:u8):u8"),
        ("RANGE[0, \"loop\"](4)", "RANGE[0, \"loop\"](4:index):index"),
        ("INDEX(PARAM[0]:f16, 3)", "INDEX(PARAM[0]:f16, 3:index):f16"),
        ("CMPLT(PARAM[0]:f16*4, 3)", "CMPLT(PARAM[0]:f16*4, 3:f16*4):bool*4"),
        ("INVALID", "INVALID:index"),
        ("300:u8", "44:u8"),
        ("true", "true:bool"),
        ("WHERE(true, 1, 2.5:f32)", "WHERE(true:bool, 1.0:f32, 2.5:f32):f32"),
    ],
)  # fmt: skip
def test_short_forms(text, same_as):
    frame = "graph g {{ return {} }}"
    assert read_graph(frame.format(text)) is read_graph(frame.format(same_as))


@pytest.mark.parametrize(
    "text, column, message",
    [
        ("ADDD(1:i32, 2)", 18, "unknown op `ADDD`"),
        ("7", 18, "the dtype of 7 cannot be told here"),
        ("CAST(1:i32)", 18, "the dtype of this CAST cannot be told"),
        ("1:i32 + 1:f32", 26, "ADD: operands have dtypes i32 and f32"),
        ("(1:i32 + 1):f32", 18, "this is i32, not f32"),
        ("NEG(1:i32, 2:i32)", 18, "NEG takes 1 operand, found 2"),
        ("SINK(x)", 23, "unknown node `x`"),
        ("1:f33", 20, "unknown dtype `f33`"),
        ("inf:i32", 18, "i32 holds no inf"),
        ("PARAM[0, 4]:f32", 27, "PARAM: `shape` is a tuple of whole numbers"),
        ("PARAM:f32", 18, "PARAM: `slot` is missing in the brackets"),
        ("NEG[3](1:i32)", 18, "NEG takes 0 in brackets, found 1"),
        ("Movement(1:i32)", 18, "a graph's node names one op"),
        ("REDUCE[1 + 2](1:i32)", 25, "an argument holds numbers"),
    ],
)
def test_errors_name_place_and_cause(text, column, message):
    with pytest.raises(RuleError, match=r"1 error") as caught:
        read_graph(f"graph g {{ return {text} }}", "g.uop")
    (found,) = caught.value.diagnostics
    assert (found.span.line, found.span.column) == (1, column)
    assert found.message.startswith(message)


def test_all_errors_of_a_graph_at_once():
    text = "graph g {\n a = FOO()\n b = ADD(a, a)\n a = 7:i32\n return 1:i32 + z\n}\n"
    with pytest.raises(RuleError, match="3 errors") as caught:
        read_graph(text)
    messages = [d.message for d in caught.value.diagnostics]
    assert messages == ["unknown op `FOO`", "`a` is defined twice", "unknown node `z`"]


@pytest.mark.parametrize("text", ["", "graph a { return true } graph b { return true }"])
def test_a_text_holds_one_graph(text):
    with pytest.raises(RuleError, match="expected one graph"):
        read_graph(text)


def test_a_case_holds_the_graph_of_its_input():
    text = "{body} return PARAM[0]:f32 + 1.0 {end}"
    graph = read_graph(text.format(body="graph a {", end="}"))
    assert read_graph(text.format(body="case a { input {", end="} unchanged symbolic }")) is graph


def test_an_argument_that_text_cannot_say():
    with pytest.raises(UsageError, match="cannot hold"):
        print_graph(UOp(Ops.SINK, dtypes.void, (), b"bytes"))
    with pytest.raises(UsageError, match="expected an argument of slot, shape, device"):
        print_graph(UOp(Ops.PARAM, dtypes.f32, (), 3))


def _examples() -> list[tuple[str, UOp]]:
    """Both sides of all examples of the spec's rules."""
    found = []
    for file in parsed_spec():
        for item in file.all(t.RuleSetDecl):
            for rule in item.rules:
                for example in rule.all(t.Example):
                    sides = [e for e in (example.before, example.after) if e is not None]
                    graphs = [try_build(t.Body((), side, span=side.span))[0] for side in sides]
                    found += [(str(rule.name), graph) for graph in graphs if graph is not None]
    return found


def test_the_terms_of_every_rule_s_example_read_back():
    """Small ones as the same object; what is cut is a pattern that fits the node."""
    examples = _examples()
    assert len(examples) > 700
    facts = {depth: 0 for depth in (None, 1, 2)}
    for name, graph in examples:
        for depth in facts:
            text = print_term(graph, depth)
            assert "…" not in text and "\n" not in text
            if "_:" in text or (depth is not None and ("_," in text or "_)" in text)):
                rule = f'ruleset a {{ rule b {text} => {text} trust "-" }}'
                [pattern] = parse_text(rule).items[0].rules
                matcher = NaiveMatcher([pattern], load_table())
                assert next(matcher.bindings(pattern, graph), None) is not None, (name, text)
                facts[depth] += 1
            else:
                assert read_graph(f"graph g {{ return {text} }}") is graph, (name, text)
    # longer than what is printed are both sides of `split_many_products`, a sum of nine products,
    # and the nest of two loops of `add_in_one_walk`
    assert facts[1] > facts[2] > facts[None] == 3


def test_a_deep_term_is_cut_and_a_wide_one_costs_little():
    node = UOp(Ops.PARAM, dtypes.f32, (), (0, (2,), None))
    for _ in range(60):  # 2**60 leaves, were it a tree
        node = node + node
    cut = "ADD(_:f32, _:f32):f32"
    assert print_term(node, 1) == cut
    assert print_term(node) == f"ADD({', '.join([f'ADD({cut}, {cut}):f32'] * 2)}):f32"
    assert print_term(UOp.const(dtypes.f32, 1.0), 0) == "1.0:f32"


def test_what_may_be_left_out_of_an_argument_is():
    memory = ["PARAM[0]:i32", "PARAM[0, (3,)]:i32", 'PARAM[0, (), "C"]:i32']
    for text in [*memory, 'VAR["n", 0, 4]:index']:
        assert print_term(read_graph(f"graph g {{ return {text} }}")) == text
