"""Calls for random programs: the rows of the table of methods, taken apart."""

from __future__ import annotations

import ast
import re
from importlib import import_module
from typing import NamedTuple

from rulewright.verify import methods
from rulewright.verify.methods.row import Method, kind_named

GROUPS = ("movement", "indexing", "elementwise", "activations", "reductions", "sorting", "products",
          "nets", "losses", "linalg", "kinds")  # fmt: skip
"""Groups of the table whose calls are values of their operands alone."""

EAGER = {"nonzero", "masked_select", "unique", "to"}
"""Methods that run something to know their shape, or that leave the device."""

WRITES = re.compile(r"\b[xyzw]\.(__setitem__|assign|replace)\(")
"""Calls that write into an operand: programs have writes of their own."""


class Call(NamedTuple):
    """One call of a row: its code over x, y, z, w, and the row, which says what fits."""

    code: str
    row: Method

    def word(self, at: int) -> str:
        """The domain of an operand."""
        return self.row.domain if isinstance(self.row.domain, str) else self.row.domain[at]

    def kinds(self, at: int) -> list[str]:
        """Names of the dtypes that an operand may have."""
        row = self.row
        own = row.others[at - 1] if at and row.others else "same"
        kinds = row.dtypes if own == "same" else (own,)
        return [kind_named(kind).name for kind in kinds]

    def ranks(self, at: int) -> set[int]:
        """Numbers of axes that an operand may have."""
        return {len(shapes[at]) for shapes in self.row.shapes}

    def over(self, names: dict[str, str]) -> str:
        """The code over other names."""
        return ast.unparse(_Renamed(names).visit(ast.parse(self.code, mode="eval")))


class _Renamed(ast.NodeTransformer):
    def __init__(self, names: dict[str, str]) -> None:
        self.names = names

    def visit_Name(self, node: ast.Name) -> ast.Name:
        return ast.Name(self.names.get(node.id, node.id), node.ctx)


def _calls() -> dict[str, list[Call]]:
    """For each method the parts of its rows that have a reference and operands, each once."""
    found: dict[tuple[str, int, bool], Call] = {}
    for group in GROUPS:
        for row in import_module(f"{methods.__name__}.{group}").ROWS:
            if row.name in EAGER or not row.equals or not row.shapes[0] or WRITES.search(row.text):
                continue
            body = ast.parse(row.text, mode="eval").body
            several = isinstance(body, ast.Tuple | ast.List)
            for part in body.elts if several else [body]:
                part = part.value if isinstance(part, ast.Starred) else part
                call = Call(ast.unparse(part), row)
                found[call.code, len(row.shapes[0]), row.gradient] = call
    named: dict[str, list[Call]] = {}
    for call in found.values():
        named.setdefault(call.row.name, []).append(call)
    return named


CALLS = _calls()
SMOOTH = {name: [c for c in calls if c.row.gradient] for name, calls in CALLS.items()}
SMOOTH = {n: calls for n, calls in SMOOTH.items() if calls and n != "copysign"}  # 0 at 0, by rule
"""Those whose derivative the table says to be right."""
