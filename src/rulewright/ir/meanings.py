"""What the `meaning` of an op says as an `smt` clause: numpy's words as signs and terms.

So an op whose meaning is arithmetic needs no clause `smt`. It has one where z3 or Python's numbers
are told more than numpy's words say, or less.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from typing import Any

from rulewright.errors import UnknownDTypeError
from rulewright.ir.dtypes import DType, dtype

_COMPARED = {
    "less": "{} < {}", "less_equal": "{} <= {}", "equal": "{} == {}", "not_equal": "{} != {}",
}  # fmt: skip
_OF_NUMBERS = {"negative": "-{}", "add": "{} + {}", "subtract": "{} - {}", "multiply": "{} * {}"}
_OF_FLOATS = {"divide": "{} / {}", "sqrt": "sqrt({})", "trunc": "trunc({})"}
_OF_BITS = {
    "invert": "~{}", "bitwise_and": "{} & {}", "bitwise_or": "{} | {}", "bitwise_xor": "{} ^ {}",
}  # fmt: skip
_TERMS = {**_COMPARED, **_OF_NUMBERS, **_OF_FLOATS, **_OF_BITS}
_ROUNDED = ("add", "subtract", "multiply", "divide", "sqrt")
_NARROW = 32  # bits: of shorter floats all steps of a meaning are rounded together, at the end


class _OtherWords(Exception):
    """A meaning says what is no term, or says it of dtypes for which the term is another."""


class _Translation:
    """Translates one meaning. Each part has a type: a type parameter of the row, or a dtype."""

    def __init__(self, row: Mapping[str, Any]) -> None:
        self.types = {name: kind for name, kind, _ in row["params"]}
        self.result = row["result"]
        params = dict(row["tparams"])
        named = {*self.types.values(), self.result, "bool"}
        self.kinds = {n: [dtype(kind) for kind in params.get(n, [n])] for n in named}
        self.steps = 0  # that are rounded

    def clause(self, meaning: str, unrounded: bool) -> str:
        """The clause of a meaning; `unrounded` is for ops of which a NaN keeps its bits."""
        root = ast.parse(meaning, mode="eval").body
        term, kind = self._term(root)
        last = isinstance(root, ast.Call) and _word(root) in _ROUNDED
        floats = [k for kinds in self.kinds.values() for k in kinds if k.is_float]
        narrow = any(k.bits < _NARROW for k in floats)
        settled = floats and kind != "bool" and not last and not unrounded
        if kind != self.result or settled or (narrow and self.steps > last):
            raise _OtherWords
        return ast.unparse(ast.parse(term, mode="eval"))

    def _term(self, node: ast.expr) -> tuple[str, str]:
        """A part as a term in parentheses, and its type."""
        if isinstance(node, ast.Name) and node.id in self.types:
            return node.id, self.types[node.id]
        if not isinstance(node, ast.Call) or node.keywords:
            raise _OtherWords
        if ast.unparse(node) == "one(dtype)":  # as that of an operand
            like = [name for name, kind in self.types.items() if kind == self.result]
            return f"one({like[0]})", self.result
        terms, kinds = zip(*map(self._term, node.args), strict=True)
        word = _word(node)
        if word == "where" and kinds == ("bool", kinds[-1], kinds[-1]):
            return f"If({', '.join(terms)})", kinds[-1]
        shown = _TERMS.get(word, "")
        if shown.count("{}") != len(terms) or len(set(kinds)) > 1:
            raise _OtherWords
        if not all(_is_same(word, kind) for kind in self.kinds[kinds[0]]):
            raise _OtherWords
        self.steps += word in _ROUNDED
        return f"({shown.format(*terms)})", "bool" if word in _COMPARED else kinds[0]


def _is_same(word: str, kind: DType) -> bool:
    """Whether numpy's word is what its term is, of a dtype."""
    if word in _OF_NUMBERS:
        return not kind.is_bool
    return kind.is_float if word in _OF_FLOATS else word in _COMPARED or not kind.is_float


def _word(node: ast.Call) -> str:
    """Which function of numpy is called; "" for another."""
    text = ast.unparse(node.func)
    return text.removeprefix("np.") if text.startswith("np.") else ""


def as_terms(row: Mapping[str, Any], unrounded: bool) -> str:
    """The `smt` clause that the `meaning` of an op's row is; "" where it is none."""
    wrong = _OtherWords, UnknownDTypeError, LookupError, RecursionError, SyntaxError, ValueError
    try:
        return _Translation(row).clause(row["meaning"], unrounded) if row["meaning"] else ""
    except wrong:
        return ""
