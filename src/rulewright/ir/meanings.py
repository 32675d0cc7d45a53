"""What the `meaning` of an op says as an `smt` clause: numpy's words as signs and terms.

So an op whose meaning is arithmetic needs no clause `smt`. It has one where z3 or Python's numbers
are told more than numpy's words say, or less.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from typing import Any

from rulewright.errors import UnknownDTypeError
from rulewright.ir.dtypes import dtype

_UNARY = {"negative": ast.USub, "invert": ast.Invert}
_BINARY = {
    "add": ast.Add, "subtract": ast.Sub, "multiply": ast.Mult, "divide": ast.Div,
    "bitwise_and": ast.BitAnd, "bitwise_or": ast.BitOr, "bitwise_xor": ast.BitXor,
}  # fmt: skip
_COMPARE = {
    "less": ast.Lt, "less_equal": ast.LtE, "equal": ast.Eq, "not_equal": ast.NotEq,
}  # fmt: skip
_OF_FLOATS = ("sqrt", "trunc", "divide")
_OF_NUMBERS = ("negative", "add", "subtract", "multiply")
_OF_BITS = ("invert", "bitwise_and", "bitwise_or", "bitwise_xor")
_ROUNDED = ("sqrt", "divide", "add", "subtract", "multiply")
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
        return ast.unparse(ast.fix_missing_locations(term))

    def _term(self, node: ast.expr) -> tuple[ast.expr, str]:
        if isinstance(node, ast.Name) and node.id in self.types:
            return node, self.types[node.id]
        if not isinstance(node, ast.Call) or node.keywords:
            raise _OtherWords
        if ast.unparse(node) == "one(dtype)":
            return self._one()
        terms, kinds = zip(*(self._term(a) for a in node.args), strict=True)
        return self._applied(_word(node), list(terms), list(kinds))

    def _one(self) -> tuple[ast.expr, str]:
        """The number 1, as that of an operand's kind."""
        like = next((name for name, kind in self.types.items() if kind == self.result), None)
        if like is None:
            raise _OtherWords
        return _call("one", [ast.Name(like)]), self.result

    def _applied(self, word: str, terms: list[Any], kinds: list[str]) -> tuple[ast.expr, str]:
        if word == "where" and len(terms) == 3 and kinds[0] == "bool" and kinds[1] == kinds[2]:
            return _call("If", terms), kinds[1]
        if len(set(kinds)) != 1:
            raise _OtherWords
        kind = kinds[0]
        self._check(word, kind)
        count = len(terms)
        if word in _UNARY and count == 1:
            return ast.UnaryOp(_UNARY[word](), *terms), kind
        if word in ("sqrt", "trunc") and count == 1:
            return _call(word, terms), kind
        if word in _BINARY and count == 2:
            left, right = terms
            return ast.BinOp(left, _BINARY[word](), right), kind
        if word in _COMPARE and count == 2:
            return ast.Compare(terms[0], [_COMPARE[word]()], terms[1:]), "bool"
        raise _OtherWords

    def _check(self, word: str, kind: str) -> None:
        """Raises where numpy's word is another function of some dtype, or none."""
        kinds, fits = self.kinds[kind], True
        self.steps += word in _ROUNDED
        if word in _OF_FLOATS:
            fits &= all(k.is_float for k in kinds)
        elif word in _OF_NUMBERS:
            fits &= not any(k.is_bool for k in kinds)
        elif word in _OF_BITS:
            fits &= not any(k.is_float for k in kinds)
        if not fits:
            raise _OtherWords


def _word(node: ast.Call) -> str:
    """Which function of numpy is called; "" for another."""
    text = ast.unparse(node.func)
    return text.removeprefix("np.") if text.startswith("np.") else ""


def _call(word: str, terms: list[ast.expr]) -> ast.expr:
    return ast.Call(ast.Name(word), terms, [])


def as_terms(row: Mapping[str, Any], unrounded: bool) -> str:
    """The `smt` clause that the `meaning` of an op's row is; "" where it is none."""
    try:
        return _Translation(row).clause(row["meaning"], unrounded) if row["meaning"] else ""
    except (_OtherWords, UnknownDTypeError, ValueError, SyntaxError, RecursionError):
        return ""
