"""Text to trees: precedence, literals, spans, and what the trees remember."""

from __future__ import annotations

import math
import pickle
import subprocess
import sys

import pytest
from lark import Lark

from rulewright.lang import tree as t
from rulewright.lang.grammar import _OPTIONS, uop_parser
from rulewright.lang.parse import parse_expr, parse_text


def rule(text: str) -> t.Rule:
    (ruleset,) = parse_text(f"ruleset a {{ rule b {text} }}").items
    assert isinstance(ruleset, t.RuleSetDecl)
    return ruleset.rules[0]


@pytest.mark.parametrize(
    "text, same_as",
    [
        ("a + b * c", "a + (b * c)"),
        ("a - b - c", "(a - b) - c"),
        ("a // b % c", "(a // b) % c"),
        ("-x * y", "(-x) * y"),
        ("~x & y | z ^ w", "((~x) & y) | (z ^ w)"),
        ("a << b + c", "a << (b + c)"),
        ("a & b == c", "(a & b) == c"),
        ("x:T * $c", "(x:T) * ($c)"),
        ("-x:T", "-(x:T)"),
        ("x:f32*4 * y", "(x:f32*4) * y"),
        ("x:T*y", "(x:T) * y"),
        ("f(a.b.c)", "f((a.b).c)"),
        ("n@ADD(x, _)", "n@(ADD(x, _))"),
    ],
)
def test_precedence(text, same_as):
    assert parse_expr(text) == parse_expr(same_as)


def test_comparisons_do_not_chain():
    with pytest.raises(Exception, match="is not compared again"):
        parse_expr("a < b < c")


@pytest.mark.parametrize(
    "text, value",
    [("7", 7), ("-7", -7), ("0.5", 0.5), ("1e-5", 1e-5), ("2.0e18", 2e18), ("-inf", -math.inf)],
)
def test_numbers(text, value):
    found = parse_expr(text)
    assert isinstance(found, t.Num)
    assert (found.value, type(found.value)) == (value, type(value))


def test_numbers_that_equal_only_themselves():
    assert parse_expr("0") != parse_expr("0.0") != parse_expr("-0.0")
    assert parse_expr("nan") == parse_expr("nan")
    assert parse_expr("-0.0:f32") == t.Typed(t.Num(-0.0, "-0.0"), t.Ident("f32"))


def test_heads_and_their_parts():
    node = parse_expr('RANGE![3, "loop"](n, xs..):index*4')
    assert node == t.Typed(
        t.OpNode(
            t.OpName(t.Ident("RANGE")),
            (t.Num(3, "3"), t.Str("loop")),
            (t.Source(t.Var(t.Ident("n"))), t.Source(t.Var(t.Ident("xs")), rest=True)),
            ordered=True,
        ),
        t.Ident("index"),
        4,
    )
    assert parse_expr("PARAM[0]") != parse_expr("PARAM[0]()")
    assert parse_expr("[ADD MUL]") == t.OpSet((t.Ident("ADD"), t.Ident("MUL")))
    assert parse_expr("()") == t.TupleExpr(())
    assert parse_expr("(1,)") == t.TupleExpr((t.Num(1, "1"),))


def test_clauses_keep_their_order():
    found = rule('x => y when a let b = c when d prove smt(timeout = 3) trust "e" expands "f"')
    kinds = [type(c).__name__ for c in found.clauses]
    assert kinds == ["When", "Let", "When", "Prove", "Trust", "Expands"]
    assert found.all(t.Prove)[0].settings == (t.Fact(t.Ident("timeout"), 3),)


def test_attributes_and_doc_comments():
    (item,) = parse_text(
        "/// One.\n/// Two.\nruleset a limit = 3 {\n"
        "  /// Of b.\n  rule b<T: Int | f32, U> equiv ulp:2 priority -1 x => x\n}"
    ).items
    assert isinstance(item, t.RuleSetDecl)
    (found,) = item.rules
    assert (item.doc, found.doc, found.priority) == ("One.\nTwo.", "Of b.", -1)
    assert found.equiv == t.Equiv(t.Ident("ulp"), 2)
    assert [(p.name, p.sets) for p in found.type_params] == [("T", ("Int", "f32")), ("U", ())]


def test_spans_point_at_names():
    found = rule("foo + ADD(x) => y")
    assert isinstance(found.pattern, t.Infix)
    assert found.pattern.span[1:] == (1, 20, 1, 32)
    assert isinstance(found.pattern.right, t.OpNode)
    assert found.pattern.right.head.name.span[1:] == (1, 26, 1, 29)
    assert found.name.span[1:] == (1, 18, 1, 19)


WORDS = ["when", "let", "example", "reject", "prove", "trust", "after", "rule", "for", "allow"]


@pytest.mark.parametrize("word", WORDS)
def test_every_word_may_name_a_node(word):
    (graph,) = parse_text(f"graph g {{ a = 1:i32 {word} = 2:i32 return {word} + a\n}}").items
    assert graph.body.lines[1].name == word


def test_long_text_is_taken_as_it_stands():
    (target,) = parse_text('target C { text a = """\nx "y" \\n\n""" text b = "c\\n\\"d" }').items
    assert isinstance(target, t.TargetDecl)
    assert [f.value for f in target.facts] == ['x "y" \\n\n', 'c\n"d']


def test_trees_survive_pickling():
    file = parse_text("ruleset a { rule b ADD(x, nan) => x }", "a.uop")
    again = pickle.loads(pickle.dumps(file))
    assert again == file
    assert again.items[0].name.span == file.items[0].name.span


def test_importing_the_language_imports_no_parser():
    code = "import rulewright.lang.build, rulewright.lang.parse, sys; print('lark' in sys.modules)"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert found.stdout.strip() == "False", found.stderr


def test_trees_are_those_of_lark_as_it_is(root):
    """Rules that hand their only part on, which `grammar` shortens, change nothing."""
    plain = Lark((root / "spec" / "uop.lark").read_text(encoding="utf-8"), **_OPTIONS)
    text = (root / "spec" / "40-algebra" / "45-minmax.uop").read_text(encoding="utf-8")
    wanted, found = plain.parse(text), uop_parser().parse(text)
    assert found == wanted
    places = [
        [(at.meta.line, at.meta.column, at.meta.end_line, at.meta.end_column)
         for at in tree.iter_subtrees() if not at.meta.empty]
        for tree in (wanted, found)
    ]  # fmt: skip
    assert places[0] == places[1] and len(places[0]) > 100
