"""Templates: levels of operators and parentheses."""

from __future__ import annotations

import itertools

import pytest

from rulewright.render import target
from rulewright.render.template import Template, Text

LEVELS = target("C").levels
INFIX = {
    "+": "a + b", "-": "a - b", "*": "a * b", "//": "a // b", "<<": "a << b", ">>": "a >> b",
    "&": "a & b", "^": "a ^ b", "|": "a | b",
}  # fmt: skip


def template(text: str) -> Template:
    return Template(text, LEVELS)


def test_levels():
    assert template("f({a}, {b})").level == 0
    assert template("{base}[{index}]").level == 0
    assert template("-{x}").level == template("({type}){x}").level == 1
    assert template("({type})({a} + {b})").level == 1
    assert template("{a} * {b}").level < template("{a} + {b}").level < template("{a} << {b}").level
    assert template("{a} & {b}").level < template("{a} | {b}").level
    assert template("{c} ? {a} : {b}").level == LEVELS.of["?"]


def fill(text: str, **operands: str) -> str:
    """The template over operands that are themselves spelled by templates over a, b and c."""
    names = {n: Text(n) for n in "abc"}
    made = {slot: template(inner).fill(names) for slot, inner in operands.items()}
    return template(text).fill(made).text


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        (fill("{x} + {y}", x="{a} + {b}", y="{c}"), "a + b + c"),
        (fill("{x} - {y}", x="{a}", y="{b} - {c}"), "a - (b - c)"),
        (fill("{x} * {y}", x="{a} + {b}", y="{c}"), "(a + b) * c"),
        (fill("{x} + {y}", x="{a} * {b}", y="{c}"), "a * b + c"),
        (fill("{x} << {y}", x="{a} + {b}", y="{c}"), "(a + b) << c"),
        (fill("{x} & {y}", x="{a} == {b}", y="{c}"), "(a == b) & c"),
        (fill("{x} | {y}", x="{a} | {b}", y="{c}"), "a | b | c"),
        (fill("{x} < {y}", x="{a} + {b}", y="{c}"), "a + b < c"),
        (fill("{x} == {y}", x="{a} < {b}", y="{c}"), "(a < b) == c"),
        (fill("-{x}", x="-{a}"), "-(-a)"),
        (fill("-{x}", x="{a} * {b}"), "-(a * b)"),
        (fill("(int){x}", x="{a} + {b}"), "(int)(a + b)"),
        (fill("f({x}, {y})", x="{a} + {b}", y="{a} ? {b} : {c}"), "f(a + b, a ? b : c)"),
        (fill("p[{x}]", x="{a} + {b}"), "p[a + b]"),
        (fill("{x}.w", x="*{a}"), "(*a).w"),
        (fill("{x} ? {y} : 0", x="{a} < {b}", y="{a} ? {b} : {c}"), "a < b ? (a ? b : c) : 0"),
        (fill("{x} + {y}", x="{a} ? {b} : {c}", y="{a}"), "(a ? b : c) + a"),
        (fill("(u8)({x} + {y})", x="{a} * {b}", y="{c} | {a}"), "(u8)(a * b + (c | a))"),
    ],
)
def test_parentheses(found, expected):
    assert found == expected


def test_text_means_what_the_tree_means():
    """Python has C's precedence for these operators, so it can say what a text means."""
    values = dict(a=29, b=3, c=2)
    for outer, left, right in itertools.product(INFIX, INFIX, INFIX):
        spelled = [template(f"{{a}} {sign} {{b}}") for sign in (left, right, outer)]
        a, b, c = Text("a"), Text("b"), Text("c")
        x, y = spelled[0].fill({"a": a, "b": b}), spelled[1].fill({"a": b, "b": c})
        if "//" in (outer, left, right) or outer in ("<<", ">>"):
            continue  # not C's sign; and shifts by sums soon grow out of hand
        both = spelled[2].fill({"a": x, "b": y}).text
        wanted = eval(f"(({x.text}) {outer} ({y.text}))", {}, values)
        assert eval(both, {}, values) == wanted, both


def test_only_one_slot_adds_nothing():
    assert template("{x}").fill({"x": Text("a + b", 3)}) == Text("a + b", 3)


def test_missing_value():
    with pytest.raises(KeyError):
        template("{a} + {b}").fill({"a": Text("x")})
