"""The Python expressions in clauses of ops: plain arithmetic, so that evaluating one is harmless.

Those of the spec and of any other file are held to the same few kinds of nodes and names before
they are evaluated. Numbers and lists that a short text makes huge are not among them.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from rulewright.lang import tree as t
from rulewright.lang.diagnostics import Diagnostic

CLAUSES = ("identity", "shape", "interval", "meaning", "smt", "ulps")
"""The clauses that hold Python, or a number."""

_NODES = (
    ast.Expression, ast.Name, ast.Constant, ast.Attribute, ast.Subscript, ast.Slice, ast.Call,
    ast.Starred, ast.Tuple, ast.List, ast.BinOp, ast.UnaryOp, ast.BoolOp, ast.Compare, ast.IfExp,
    ast.GeneratorExp, ast.ListComp, ast.comprehension, ast.expr_context, ast.operator,
    ast.unaryop, ast.boolop, ast.cmpop,
)  # fmt: skip
_NAMES = {
    "identity": "",
    "shape": "len sum tuple zip enumerate dims pairs none",
    "interval": "min max bounds exact ones_above quotient_bounds cmod_bounds floormod_bounds",
    "meaning": "float np math one cast bitcast floordiv floormod cdiv cmod shift_left shift_right",
    "smt": "If either fused one zero sqrt trunc unknown cdiv cmod in_width shift_left shift_right",
}
"""What may be named beside the operands, `arg`, `dtype` and what a comprehension binds."""

_PROPERTIES = ("bits", "hi", "lo", "max", "min", "ones", "shape", "size")
_LISTS = (ast.Tuple, ast.List, ast.ListComp)
_COUNTING = ("comb", "factorial", "isqrt", "ldexp", "perm", "pow", "prod", "lcm")
"""Functions of math whose results have any number of digits, or that no clause needs."""
_NUMPY = ("trunc", "vectorize", "where")
"""Functions of numpy that are no ufuncs."""


def check_clause(item: t.OpDecl, fact: t.Fact) -> Iterator[Diagnostic]:
    """What is wrong with a clause of an op, as Python and as something that may stand there."""
    text = str(fact.value)
    if fact.name == "ulps":
        yield from _check_ulps(fact)
        return
    try:
        tree = ast.parse(text, mode="eval")
        _depth(tree)
    except (SyntaxError, ValueError, MemoryError, RecursionError) as error:
        reason = error.msg if isinstance(error, SyntaxError) else str(error) or "too deep"
        message = f"`{fact.name}` is not a Python expression: {reason}"
        yield Diagnostic("expression", message, fact.span)
        return
    if fact.name == "shape" and text == "same":
        return
    known = {"arg", "dtype", *(str(p.name) for p in item.params), *_NAMES[str(fact.name)].split()}
    known |= {
        node.id
        for node in ast.walk(tree)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    }
    for node in ast.walk(tree):
        if not _may_stand(node, known):
            message = f"`{ast.get_source_segment(text, node)}` may not stand in `{fact.name}`"
            help = _allowed(str(fact.name))
            yield Diagnostic("expression", message, fact.span, help=help)
            return


def _allowed(clause: str) -> str:
    """What may stand in a clause."""
    names = ", ".join(["the operands", "arg", "dtype", *_NAMES[clause].split()])
    functions = "; of np functions of elements, as np.where(…)" if "np" in names.split(", ") else ""
    return f"what may is arithmetic, {names}{functions}; and no methods"


def _check_ulps(fact: t.Fact) -> Iterator[Diagnostic]:
    """What is wrong with a bound in units of the last place."""
    if not re.fullmatch(r"[0-9]+(\.[0-9]+)?", str(fact.value)):
        message = f'`ulps` is a number such as "4" or "0.5", found {str(fact.value)!r}'
        yield Diagnostic("expression", message, fact.span)


def _depth(tree: ast.AST) -> int:
    """Levels of nodes. Raises RecursionError where Python could not compile them."""
    return 1 + max((_depth(child) for child in ast.iter_child_nodes(tree)), default=0)


def _may_stand(node: ast.AST, known: set[str]) -> bool:
    """Whether a node may stand in a clause."""
    if isinstance(node, ast.Attribute):
        base = node.value.id if isinstance(node.value, ast.Name) else ""
        named = base in ("np", "math")
        return _is_function(base, node.attr) if named else node.attr in _PROPERTIES
    if isinstance(node, ast.Name):
        return node.id in known
    if isinstance(node, ast.BinOp) and _grows(node):
        return False
    if isinstance(node, ast.ListComp | ast.GeneratorExp) and len(node.generators) > 1:
        return False
    if isinstance(node, ast.Constant) and not isinstance(node.value, int | float | type(None)):
        return False
    return isinstance(node, _NODES)


def _grows(node: ast.BinOp) -> bool:
    """Whether a result may be of any length: a power, a shift to the left, a list many times."""
    lists = isinstance(node.left, _LISTS) or isinstance(node.right, _LISTS)
    return isinstance(node.op, ast.Pow | ast.LShift) or lists


def _is_function(module: str, name: str) -> bool:
    if name.startswith("_"):
        return False
    if module == "math":
        return name not in _COUNTING
    import numpy as np  # only where an op is declared

    return name in _NUMPY or isinstance(getattr(np, name, None), np.ufunc)
