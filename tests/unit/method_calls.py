"""Calls of the table of methods taken apart: which argument a row gives to which parameter."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Iterator, Sequence
from typing import Any

from rulewright import Tensor
from rulewright.verify.methods import all_rows
from rulewright.verify.methods.check import operands, variants
from rulewright.verify.methods.row import Method, Refusal, kind_named


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


def refused_argument(row: Refusal) -> str:
    """The argument that a refusal is about: the one it names, or the only one that is given."""
    if row.argument:
        return row.argument
    for node in ast.walk(ast.parse(row.text, mode="eval")):
        if isinstance(node, ast.Call) and getattr(node.func, "attr", "") == row.name:
            given = _bound(row.name, [*node.args], {k.arg or "": k.value for k in node.keywords})
            return next(iter(given)) if len(given) == 1 else ""
    return ""


def _bound(name: str, args: Sequence[Any], named: dict[str, Any]) -> dict[str, Any]:
    """Arguments by the names of a method's parameters."""
    signature = inspect.Signature(list(parameters(name).values()))
    return signature.bind(*args, **named).arguments


class _Called(BaseException):
    """A method was called: with what."""


def good_calls(name: str) -> Iterator[tuple[Any, dict[str, Any]]]:
    """The bound method and arguments of the first call of it in each row of the table."""
    method = inspect.getattr_static(Tensor, name)
    own = 0 if isinstance(method, staticmethod) else 1  # a tensor or the class

    def call(*args: Any, **named: Any) -> None:
        raise _Called(args, named)

    for row in all_rows():
        if row.name != name:
            continue
        tensors = _operands(row)
        setattr(Tensor, name, call if inspect.isfunction(method) else type(method)(call))
        try:
            row.call(*tensors)
        except _Called as called:
            args, named = called.args
        else:  # an operator
            continue
        finally:
            setattr(Tensor, name, method)
        yield getattr((*args[:own], Tensor)[0], name), _bound(name, args[own:], named)


def _operands(row: Method) -> list[Tensor]:
    shapes, kind = next(iter(variants(row)))
    arrays = operands(row, shapes, kind)
    kinds = row.kinds(kind, len(arrays))
    return [Tensor(a, dtype=kind_named(k)) for a, k in zip(arrays, kinds, strict=False)]


def called(method: Any, name: str, given: dict[str, Any]) -> Any:
    """Call a method with arguments by the names of its parameters."""
    signature = inspect.Signature(list(parameters(name).values()))
    found = inspect.BoundArguments(signature, given)  # type: ignore[arg-type]
    return method(*found.args, **found.kwargs)
