"""The TextMate grammar of `.uop` files, made from the terminals of `spec/uop.lark`.

Editors colour text with it line by line, without a server. What the parser takes for a word is
taken from the parser's own patterns, so the two cannot drift apart.
"""

from __future__ import annotations

import json
import re
from functools import cache
from typing import Any

from rulewright.lang.grammar import uop_parser

SCOPES = {
    "keyword": "keyword.control.uop",
    "connective": "keyword.operator.word.uop",
    "constant": "constant.language.uop",
    "declared": "entity.name.function.uop",
    "op": "support.function.uop",
    "group": "support.class.uop",
    "type": "storage.type.uop",
    "number": "constant.numeric.uop",
    "variable": "variable.parameter.uop",
    "operator": "keyword.operator.uop",
    "string": "string.quoted.double.uop",
    "long string": "string.quoted.triple.uop",
    "comment": "comment.line.number-sign.uop",
    "doc": "comment.line.documentation.uop",
}
"""What a stretch of text is, to the scope that themes colour."""

_CONSTANTS = ("false", "none", "true")
_CONNECTIVES = ("and", "not", "or")
_SIGNS = ("CMP", "SHIFT", "ADDOP", "MULOP", "BOR", "XOR", "BAND", "REST", "ORD")


@cache
def keywords() -> tuple[str, ...]:
    """Every word that the grammar spells out."""
    texts = [terminal.pattern.value for terminal in uop_parser().terminals]
    spelt = [text for text in texts if re.fullmatch(r"[a-z|(?:)]+", text)]
    return tuple(sorted({word for text in spelt for word in re.findall(r"[a-z]+", text)}))


def _words(words: tuple[str, ...] | list[str]) -> str:
    return rf"\b(?:{'|'.join(sorted(words))})\b"


def _match(kind: str, pattern: str) -> dict[str, Any]:
    return {"name": SCOPES[kind], "match": pattern}


def grammar() -> dict[str, Any]:
    """The grammar as plain data. At each place the first pattern that fits wins."""
    known = {t.name: t.pattern.to_regexp() for t in uop_parser().terminals}
    name, op, camel = known["NAME"], known["OP"], known["CAMEL"]
    plain = [w for w in keywords() if w not in _CONSTANTS + _CONNECTIVES]
    heads = _words(["ruleset", "rule", "extern (?:guard|fn|build)", "stage", "pipeline", "phase",
                    "entry", "graph", "case", "measure"])  # fmt: skip
    patterns: list[dict[str, Any]] = [
        _match("doc", known["DOC"]),
        _match("comment", known["COMMENT"]),
        {"name": SCOPES["long string"], "begin": '"""', "end": '"""'},
        _match("string", known["STRING"]),
        {
            "match": rf"({heads})\s+({name})",
            "captures": {"1": {"name": SCOPES["keyword"]}, "2": {"name": SCOPES["declared"]}},
        },
        {  # what follows is a name, though some are spelt like clauses
            "match": rf"({_words(['prove', 'rules', 'lower'])})\s+{name}",
            "captures": {"1": {"name": SCOPES["keyword"]}},
        },
        _match("variable", rf"\$\s*{name}"),
        _match("type", rf"(?<=[\w)\]}}]:)(?:{name}|{op}|{camel})"),
        _match("connective", _words(list(_CONNECTIVES))),
        _match("constant", _words([*_CONSTANTS, "inf", "nan"])),
        # no keyword stands before one of these signs, nor before an operator with spaces about it
        _match(
            "keyword",
            rf"(?<![.@$])({_words(plain)})(?!\s*(?:[.,)\]:@]|=(?![=>]))|\s+(?!->)[-+*/%&|^<>=!]+\s)",
        ),
        _match("number", rf"(?<!\w){known['NUMBER']}"),
        _match("group", camel),
        _match("op", op),
        {"match": name},  # no colour: a name, as a whole
        _match("operator", "|".join(["=>", "->", *(known[sign] for sign in _SIGNS), "~", "="])),
    ]
    return {
        "$schema": "https://raw.githubusercontent.com/martinring/tmlanguage/master/tmlanguage.json",
        "name": "Rulewright",
        "scopeName": "source.uop",
        "fileTypes": ["uop"],
        "patterns": patterns,
    }


def grammar_text() -> str:
    """The grammar as the file that editors read."""
    return json.dumps(grammar(), indent=2, ensure_ascii=False) + "\n"
