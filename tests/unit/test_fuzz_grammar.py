"""Texts made from the grammar itself: all are understood or refused with a place, none crashes."""

from __future__ import annotations

from functools import cache

from hypothesis import HealthCheck, given, settings, strategies as st
from hypothesis.extra.lark import from_lark
from lark import Lark
from sound_diagnostics import sound

from rulewright.checks.files import check_files
from rulewright.lang.build import parsed_spec
from rulewright.lang.fmt import format_text
from rulewright.lang.parse import try_parse
from rulewright.paths import spec_dir


@cache
def grammar() -> Lark:
    return Lark((spec_dir() / "uop.lark").read_text(encoding="utf-8"), parser="lalr")


PLAIN = st.characters(min_codepoint=32, max_codepoint=126)


def texts() -> st.SearchStrategy[str]:
    """Texts of the grammar, of all characters or plain ones; words need no expression drawn."""
    words = {t.name: st.just(t.pattern.value) for t in grammar().terminals
             if t.pattern.type == "str"}  # fmt: skip
    return st.one_of(from_lark(grammar(), explicit=words),
                     from_lark(grammar(), explicit=words, alphabet=PLAIN))  # fmt: skip


@settings(max_examples=150, suppress_health_check=list(HealthCheck))
@given(st.deferred(texts))
def test_a_text_of_the_grammar_is_understood_or_refused_with_a_place(text):
    file, errors = try_parse(text, "a.uop")
    for found in [*errors, *check_files([file], parsed_spec())]:
        sound(found, text)
    if not errors:
        once = format_text(text)
        assert format_text(once) == once
