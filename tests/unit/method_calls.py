"""Calls of the table of methods taken apart: which argument a row gives to which parameter."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Iterator
from typing import Any

import numpy as np

from rulewright import Tensor, dtypes
from rulewright.verify.methods import all_rows
from rulewright.verify.methods.check import operands, variants
from rulewright.verify.methods.operands import NAMES, kind_named
from rulewright.verify.methods.row import Method, Refusal


def public_methods() -> list[str]:
    """Every method that users call by name."""
    return sorted(n for n in dir(Tensor) if not n.startswith("_") and callable(getattr(Tensor, n)))


def parameters(name: str) -> dict[str, inspect.Parameter]:
    """What a method takes besides the tensor or class, by name."""
    found = inspect.getattr_static(Tensor, name)
    if not isinstance(found, classmethod | staticmethod) and not inspect.isfunction(found):
        return {}
    every = list(inspect.signature(getattr(found, "__func__", found)).parameters.values())
    return {p.name: p for p in (every if isinstance(found, staticmethod) else every[1:])}


def arguments() -> list[tuple[str, str]]:
    """Every method and argument of it."""
    return [(name, word) for name in public_methods() for word in parameters(name)]


def call_of(row: Method | Refusal) -> ast.Call | None:
    """The call of its own method in a row's code."""
    for node in ast.walk(ast.parse(row.call, mode="eval")):
        if isinstance(node, ast.Call) and getattr(node.func, "attr", "") == row.name:
            return node
    return None


def refused_argument(row: Refusal) -> str:
    """The argument that a refusal is about: the one it names, or the only one that is given."""
    call = call_of(row)
    if row.argument or call is None:
        return row.argument
    given = _bound(row.name, [*call.args], {k.arg or "": k.value for k in call.keywords})
    return next(iter(given)) if len(given) == 1 else ""


def _bound(name: str, args: list[Any], named: dict[str, Any]) -> dict[str, Any]:
    """Arguments by the names of a method's parameters."""
    signature = inspect.Signature(list(parameters(name).values()))
    return signature.bind(*args, **named).arguments


def good_calls(name: str) -> Iterator[tuple[Any, dict[str, Any]]]:
    """The bound method and arguments of calls in the table that can be taken apart."""
    for row in all_rows():
        call = call_of(row) if row.name == name else None
        if call is None:
            continue
        names = {"Tensor": Tensor, "dtypes": dtypes, "np": np, **_operands(row)}
        try:
            method = _value(call.func, names)
            args = [_value(a, names) for a in call.args]
            named = {k.arg or "": _value(k.value, names) for k in call.keywords}
        except (NameError, TypeError):  # depends on the code around it
            continue
        yield method, _bound(name, args, named)


def _value(node: ast.expr, names: dict[str, Any]) -> Any:
    return eval(compile(ast.Expression(node), "row", "eval"), names)


def _operands(row: Method) -> dict[str, Any]:
    shapes, kind = next(iter(variants(row)))
    arrays = operands(row, shapes, kind)
    kinds = row.kinds(kind, len(arrays))
    return {n: Tensor(a, dtype=kind_named(k))
            for n, a, k in zip(NAMES, arrays, kinds, strict=False)}  # fmt: skip


def called(method: Any, name: str, given: dict[str, Any]) -> Any:
    """Call a method with arguments by the names of its parameters."""
    signature = inspect.Signature(list(parameters(name).values()))
    found = inspect.BoundArguments(signature, given)  # type: ignore[arg-type]
    return method(*found.args, **found.kwargs)
