"""The formatter: one layout, the same meaning, no comment lost."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings, strategies as st

from rulewright.errors import RuleError
from rulewright.lang.build import spec_files
from rulewright.lang.fmt import format_text
from rulewright.lang.fmt_lines import tokens
from rulewright.lang.parse import parse_text

FILES = spec_files()
SMALL = """# What this file is for.

dtype tiny : Floating bits = 8  bytes = 1

/// Doubles a value.
op DOUBLE<T: Number | bool>[n: int, name: str](x: T, more: index..) : T  commutative
 associative shape "x.shape" meaning "x + x"
group Some = {ADD,MUL}
dtypes Little={i8,u8}
promote bool->i8,u8
extern build twist(x:uop,rest:uop..)->uop.. = "module.of.some.length:twist_a_value"
  pure partial because "a reason of a length that does not fit on the line"

/// A set.
ruleset tests strategy=once limit=3 {
  # why
  /// First.
  rule first <T:Int,U> equiv ulp:2 priority -3
   -(x:T)+$c*{c//-2}:T=>ADD!(y@[ADD MUL](_,xs..),STAGE["local"](x))   # at the end
   when not(x.vmin>0)and(c!=1 or x.dtype==i32)
   let y=twist(x,xs..)
   prove smt(timeout=20) after second
   example PARAM[0,(4,),none]:f32*4+0=>PARAM[0,(4,),none]:f32*4 reject (1:i32)
  rule second x:i32*T => x trust "w"  # last
}
ruleset both=tests+tests
stage one extends two,three{
 allow STORE(_,_:T):void for T:Int,U when T.bits>3
 forbid RANGE() "no" }
target C extends Clike{ type f32="float" spell NOT:i8|u8 of Float="~{x}" text z=\"\"\"
a  b
c\"\"\" limit cores=3 feature simd lower a,b }
pipeline all { tolerate ulp:2 tolerate reassoc
/// Doc.
phase both entry a=rules tests from one to two
entry longer=pass "a.b:c" from two to one }
graph g{ return 1:i32 }
case small{input{return 1:i32}rewrite tests.first{a=1:i32 return a}unchanged tests
trace first,second error "x" source C "y"}
"""


LAID_OUT = '''# What this file is for.

dtype tiny : Floating  bits = 8  bytes = 1

/// Doubles a value.
op DOUBLE<T: Number | bool>[n: int, name: str](x: T, more: index..) : T  commutative associative
  shape "x.shape"  meaning "x + x"
group Some    = { ADD, MUL }
dtypes Little = { i8, u8 }
promote bool -> i8, u8
extern build twist(x: uop, rest: uop..) -> uop.. = "module.of.some.length:twist_a_value"
  pure partial  because "a reason of a length that does not fit on the line"

/// A set.
ruleset tests strategy = once limit = 3 {
  # why
  /// First.
  rule first<T: Int, U> equiv ulp:2 priority -3
    -(x:T) + $c * {c // -2}:T => ADD!(y@[ADD MUL](_, xs..), STAGE["local"](x))  # at the end
    when not (x.vmin > 0) and (c != 1 or x.dtype == i32)
    let y = twist(x, xs..)
    prove smt(timeout = 20)
    after second
    example PARAM[0, (4,), none]:f32*4 + 0 => PARAM[0, (4,), none]:f32*4
    reject  (1:i32)

  rule second
    x:i32*T => x
    trust "w"  # last
}

ruleset both = tests + tests

stage one extends two, three {
  allow STORE(_, _:T):void for T: Int, U when T.bits > 3
  forbid RANGE()  "no"
}

target C extends Clike {
  type f32 = "float"
  spell NOT: i8 | u8 of Float = "~{x}"
  text z = """
a  b
c"""
  limit cores = 3
  feature simd
  lower a, b
}

pipeline all {
  tolerate ulp:2
  tolerate reassoc
  /// Doc.
  phase both
  entry a      = rules tests  from one to two
  entry longer = pass "a.b:c" from two to one
}

graph g {
  return 1:i32
}

case small {
  input { return 1:i32 }
  rewrite tests.first {
    a = 1:i32
    return a
  }
  unchanged tests
  trace first, second
  error "x"
  source C "y"
}
'''


def comments(text: str) -> list[str]:
    return sorted(p.text.rstrip() for p in tokens(text) if p.kind in ("comment", "doc"))


def check(text: str) -> str:
    laid_out = format_text(text)
    assert parse_text(laid_out).items == parse_text(text).items
    assert format_text(laid_out) == laid_out
    assert sorted(re.split(" +", " ".join(comments(laid_out)))) == sorted(
        re.split(" +", " ".join(comments(text)))
    )
    assert not re.search(r"[ \t]\n|\n\n\n|\t", re.sub(r'""".*?"""', "x", laid_out, flags=re.S))
    return laid_out


@pytest.mark.parametrize("path", FILES, ids=lambda p: p.stem)
def test_the_spec_keeps_its_meaning(path):
    check(path.read_text(encoding="utf-8"))


def test_layout_of_everything():
    assert check(SMALL) == LAID_OUT


@st.composite
def other_layouts(draw: st.DrawFn) -> str:
    """The same tokens with other spaces and line ends between them."""
    pieces = [p for p in tokens(SMALL) if p.kind != "newline"]
    out = []
    for before, piece in zip([None, *pieces], pieces, strict=False):
        if before is not None and not (piece.glued and piece.kind != "comment"):
            ends = before.kind in ("comment", "doc") or piece.kind == "doc"
            spaces = ["\n", "\n\n\n", "\n   "] if ends else [" ", "   ", "\n", " \n  "]
            out.append(draw(st.sampled_from(spaces)))
        out.append(piece.text)
    return "".join(out)


@settings(max_examples=25)
@given(other_layouts())
def test_any_layout_keeps_its_meaning(text):
    check(text)


@pytest.mark.parametrize("text", ["", "\n\n", "# only a comment\n"])
def test_almost_nothing(text):
    assert format_text(text) == text.strip("\n") + ("\n" if text.strip() else "")


def test_what_does_not_parse_is_refused():
    with pytest.raises(RuleError, match="expected `=>`"):
        format_text("ruleset a { rule b x -> y }")
