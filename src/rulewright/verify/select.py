"""Choosing cases by an expression: words with `and`, `or`, `not` and parentheses."""

from __future__ import annotations

import re
from collections.abc import Callable

from rulewright.errors import UsageError

Predicate = Callable[[str], bool]


def selector(expression: str) -> Predicate:
    """Whether a name is chosen: a word stands for the names that hold it, in any case.

    Raises UsageError if the expression is none.
    """
    words = re.findall(r"[()]|[^\s()]+", expression)
    chosen, rest = _either(words, expression)
    if rest:
        raise UsageError(f"-k {expression!r}: expected `and`, `or` or an end, found {rest[0]!r}")
    return chosen


def _either(words: list[str], whole: str) -> tuple[Predicate, list[str]]:
    first, words = _both(words, whole)
    parts = [first]
    while words and words[0] == "or":
        part, words = _both(words[1:], whole)
        parts.append(part)
    return lambda name: any(part(name) for part in parts), words


def _both(words: list[str], whole: str) -> tuple[Predicate, list[str]]:
    first, words = _one(words, whole)
    parts = [first]
    while words and words[0] == "and":
        part, words = _one(words[1:], whole)
        parts.append(part)
    return lambda name: all(part(name) for part in parts), words


def _one(words: list[str], whole: str) -> tuple[Predicate, list[str]]:
    if words and words[0] == "not":
        inner, rest = _one(words[1:], whole)
        return lambda name: not inner(name), rest
    if words and words[0] == "(":
        inner, rest = _either(words[1:], whole)
        if not rest or rest[0] != ")":
            raise UsageError(f"-k {whole!r}: a parenthesis is not closed")
        return inner, rest[1:]
    if not words or words[0] in (")", "and", "or"):
        found = repr(words[0]) if words else "an end"
        raise UsageError(f"-k {whole!r}: expected a word, found {found}")
    word = words[0].lower()
    return lambda name: word in name.lower(), words[1:]
