"""Syntax errors: all those of a file at once, each where it stands.

A text that does not parse is cut into declarations; within one, a part that does not parse is
blanked out (positions stay what they are) and the rest is tried again.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING

from rulewright.lang.diagnostics import Diagnostic
from rulewright.lang.syntax import TOP_LEVEL, BracketScan, describe, scan
from rulewright.lang.tree import Decl

if TYPE_CHECKING:
    from lark import Lark

_MORE = "because model pure partial total infix prefix identity shape interval meaning smt ulps"
_CONTINUES = frozenset([*_MORE.split(), "commutative", "associative", "idempotent", "leaf"])
"""Words that go on with a declaration even at the beginning of a line."""

_UNITS = {
    "ruleset": "rule",
    "stage": "allow|forbid",
    "target": "type|vector|literal|spell|helper|spell_lanes|helper_lanes|text|limit|feature|lower",
    "pipeline": "entry|phase|tolerate",
}
"""What the parts of a declaration begin with."""

_MOST = 100  # errors of a declaration, which may come again, and from which on no others are told


@dataclass
class Chunk:
    """One declaration's text, and the number of lines before it."""

    text: str
    offset: int


def recover(text: str, path: str, parser: Lark) -> tuple[list[Decl], list[Diagnostic]]:
    """Everything that parses in a text that does not, and a diagnostic for each error."""
    items: list[Decl] = []
    problems: list[Diagnostic] = []
    for chunk in chunks(text):
        if len(problems) >= _MOST:
            break
        more, errors = _recover_chunk(chunk, path, parser)
        items += more
        problems += errors
    return items, problems


def chunks(text: str) -> list[Chunk]:
    """The text cut before each declaration and its doc comments."""
    lines = re.findall(r"[^\n]*\n|[^\n]+", text)  # not splitlines: U+0085 ends no line here
    scanned = scan(text)
    starts, position, doc = [], 0, None
    for number, line in enumerate(lines):
        word = re.match(r"[a-z]\w*", line)
        if line.startswith("///") and not scanned.inside_text(position):
            doc = number if doc is None else doc
        elif word and _begins(word.group(), scanned, position):
            starts.append(number if doc is None else doc)
            doc = None
        elif line.strip() and not line.startswith("#"):
            doc = None
        position += len(line)
    bounds = [0, *(s for s in starts if s > 0), len(lines)]
    pairs = pairwise(bounds)
    return [Chunk("".join(lines[a:b]), a) for a, b in pairs if a < b]


def _begins(word: str, scanned: BracketScan, position: int) -> bool:
    if scanned.inside_text(position) or word in _CONTINUES:
        return False
    return word in TOP_LEVEL or not scanned.open_at(position)


def _recover_chunk(chunk: Chunk, path: str, parser: Lark) -> tuple[list[Decl], list[Diagnostic]]:
    from lark.exceptions import UnexpectedInput

    from rulewright.lang.convert import Converter
    from rulewright.lang.limits import beyond_limits

    text, problems = chunk.text, list[Diagnostic]()
    for _ in range(_MOST):
        try:
            tree = parser.parse(text)
        except UnexpectedInput:
            error, position = describe(text, path, chunk.offset, parser)
            error = _inside(error, chunk)
            if any(error.span == known.span for known in problems):
                return [], problems
            problems.append(error)
            rest = _without(text, position)
            if rest is None:
                return [], problems
            text = rest
            continue
        beyond = beyond_limits(tree, path, chunk.offset)
        if beyond:
            return [], [*problems, *(_inside(error, chunk) for error in beyond)]
        return list(Converter(path, chunk.offset).start(tree, text).items), problems
    return [], problems


def _inside(error: Diagnostic, chunk: Chunk) -> Diagnostic:
    """The error with its place in the text as it is, without the brackets that were added."""
    span = error.span
    line = chunk.text.split("\n")[span.line - chunk.offset - 1]
    column = min(span.column, len(line) + 1)
    end = max(column + 1, min(span.end_column, len(line) + 1))
    return replace(error, span=span._replace(column=column, end_column=end))


def _without(text: str, position: int) -> str | None:
    """The text without the part that holds `position`; None if nothing would be left to learn."""
    head = re.search(r"^[a-z]\w*", text, re.MULTILINE)
    words = _UNITS.get(head.group()) if head else None
    scanned = scan(text)
    if scanned.open_at(len(text)) and position >= len(text.rstrip()):
        return text.rstrip("\n") + scanned.closers(len(text)) + "\n"
    if words is None:
        return None
    begins = re.finditer(rf"(?:(?<=\n)|(?<=\{{))[ \t]*(?:///[^\n]*\n[ \t]*)*(?:{words})\b", text)
    starts = [m.start() for m in begins if not scanned.inside_text(m.start())]
    before = [s for s in starts if s <= position]
    after = [s for s in starts if s > position]
    if not before:
        return _with_new_head(text, after)
    closing = text.rstrip().rfind("}")
    end = after[0] if after else (closing if closing >= position else len(text))
    return text[: before[-1]] + re.sub(r"[^\n]", " ", text[before[-1] : end]) + text[end:]


def _with_new_head(text: str, after: list[int]) -> str | None:
    """The parts of a declaration whose beginning is wrong, under a beginning that is not."""
    if not after or "\n" not in text[: after[0]]:
        return None
    lines = text[: after[0]].count("\n")
    indent = " " * (after[0] - text.rindex("\n", 0, after[0]) - 1)
    head = re.search(r"^(ruleset|stage|target|pipeline)\b", text, re.MULTILINE)
    if head is None:
        return None
    name = "X" if head.group() == "target" else "x"
    return f"{head.group()} {name} {{" + "\n" * lines + indent + text[after[0] :]
