"""Reads graphs in exactly the form in which they are printed, twenty times as fast as the parser.

Anything else is left to the parser, which also says what is wrong with it.
"""

from __future__ import annotations

import ast
import math
import re
from typing import Any

from rulewright.errors import DTypeError
from rulewright.ir.arguments import fits
from rulewright.ir.dtypes import DType, dtype, dtypes
from rulewright.ir.ops import Op, Ops
from rulewright.ir.uop import UOp

_LINE = re.compile(
    r"  (?P<name>[a-z]\w*) = (?P<op>[A-Z][A-Z0-9_]*)(?:\[(?P<arg>.*)\])?"
    r"(?:\((?P<src>[\w .:*+\-,]*)\))?(?::(?P<dtype>[a-z]\w*(?:\*\d+)?))?",
    re.ASCII,
)
_CONST = re.compile(r"(-?(?:\d[\w.+-]*|inf|nan)|true|false):([a-z]\w*(?:\*\d+)?)", re.ASCII)
_TOKEN = re.compile(
    r'\s*(?:(?P<text>"(?:[^"\\]|\\.)*")|(?P<number>-?\d[\d.]*(?:e[+-]?\d+)?)'
    r"|(?P<word>-?[A-Za-z_]\w*)|(?P<sign>[(),]))",
    re.ASCII,
)
_WORDS: dict[str, Any] = {
    "none": None, "true": True, "false": False, "inf": math.inf, "-inf": -math.inf, "nan": math.nan,
}  # fmt: skip


class Unfamiliar(Exception):
    """The text is not in the printed form."""


def read_printed(text: str) -> UOp | None:
    """The graph of a text that `print_graph` made; None for any other text."""
    lines = text.rstrip().split("\n")
    if len(lines) < 3 or not re.fullmatch(r"(?a)graph [a-z]\w* \{", lines[0]) or lines[-1] != "}":
        return None
    names: dict[str, UOp] = {}
    try:
        for line in lines[1:-2]:
            match = _LINE.fullmatch(line)
            if match is None or match["name"] in names:
                return None
            names[match["name"]] = _node(match, names)
        before, _, result = lines[-2].partition("return ")
        return _operand(result, names) if before == "  " else None
    except (
        Unfamiliar,
        DTypeError,
        ArithmeticError,
        AttributeError,
        LookupError,
        RecursionError,
        SyntaxError,
        ValueError,
    ):
        return None


def _node(match: re.Match[str], names: dict[str, UOp]) -> UOp:
    op = getattr(Ops, match["op"], None)
    written = match["dtype"]
    if op is None or op is Ops.CONST or (written is None and op.result != "void"):
        raise Unfamiliar
    sources = match["src"]
    src = tuple([_operand(s, names) for s in sources.split(", ")]) if sources else ()
    if len(src) < op.fixed or (len(src) > op.fixed and not op.variadic):
        raise Unfamiliar
    if op.elementwise and not _one_dtype(op, src):
        raise Unfamiliar
    arg = None
    if match["arg"] is not None:
        values = _values(match["arg"])
        if len(values) != len(op.schema) or not fits(op, values):
            raise Unfamiliar
        arg = values[0] if len(values) == 1 else values
    elif any(kind != "any" for _, kind in op.schema):
        raise Unfamiliar
    return UOp(op, dtype(written) if written else dtypes.void, src, arg)


def _one_dtype(op: Op, src: tuple[UOp, ...]) -> bool:
    """Whether operands declared with one type parameter have one dtype."""
    pairs = zip(src, op.params, strict=True)
    kinds = [s.dtype for s, (_, kind, _) in pairs if kind in op.tparams]
    return all(kind is kinds[0] for kind in kinds)


def _operand(text: str, names: dict[str, UOp]) -> UOp:
    known = names.get(text)
    if known is not None:
        return known
    match = _CONST.fullmatch(text)
    if match is None:
        raise Unfamiliar
    kind: DType = dtype(match[2])
    value = _WORDS[match[1]] if match[1].lstrip("-")[0].isalpha() else _number(match[1])
    constant = UOp.const(kind, value)
    if type(constant.arg) is not type(value):  # 1:f32 and the like: let the parser decide
        raise Unfamiliar
    return constant


def _number(text: str) -> int | float:
    return float(text) if any(c in text for c in ".e") else int(text)


def _values(text: str) -> tuple[Any, ...]:
    """The comma-separated values of an argument."""
    tokens, at = [], 0
    while at < len(text):
        match = _TOKEN.match(text, at)
        if match is None:
            raise Unfamiliar
        tokens.append((match.lastgroup or "", match[match.lastgroup or 0]))
        at = match.end()
    values, end, comma = _items([*tokens, ("sign", ")")], 0)
    if end != len(tokens) or comma:
        raise Unfamiliar
    return values


def _items(tokens: list[tuple[str, str]], at: int) -> tuple[tuple[Any, ...], int, bool]:
    """The values up to a closing parenthesis, where that stands, and whether a comma is before."""
    values: list[Any] = []
    comma = False
    while tokens[at] != ("sign", ")"):
        kind, text = tokens[at]
        if values and not comma:
            raise Unfamiliar
        if kind == "sign":
            inner, at, ends = _items(tokens, at + 1) if text == "(" else ((), at, True)
            if ends != (len(inner) == 1):  # (1,) has a comma at its end, other tuples have none
                raise Unfamiliar
            values.append(inner)
        elif kind == "text":
            values.append(ast.literal_eval(text))
        elif kind == "number":
            values.append(_number(text))
        elif text in _WORDS:
            values.append(_WORDS[text])
        else:
            values.append(getattr(Ops, text))
        at += 1
        comma = tokens[at] == ("sign", ",")
        at += comma
    return tuple(values), at, comma
