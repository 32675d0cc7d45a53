"""The text of a row's function: the expression that it computes, for reports and scripts.

A row's functions are lambdas. What a lambda holds besides its operands (default values, names of
the function around it, keywords of `partial`, private names of its module) is written as its value,
and calls of a function of one expression as that: rows of a loop read as if written out.
"""

from __future__ import annotations

import ast
import inspect
import linecache
from collections.abc import Callable, Iterator, Mapping, Sequence
from copy import deepcopy
from functools import cache, partial
from types import CodeType
from typing import Any

import numpy as np

from rulewright.errors import UsageError

Expression = Callable[..., Any]
"""A lambda, a function of one expression, or a `partial` of these."""


@cache
def text_of(function: Expression) -> str:
    """The expression that a function computes.

    Raises UsageError where its source cannot be read.
    """
    return ast.unparse(ast.fix_missing_locations(_expression(function, ())))


def written(text: str) -> Expression:
    """A function of x that computes what a text says, and has it as its text."""
    from rulewright.tensor.tensor import Tensor

    code = f"lambda x: {text}"
    linecache.cache[code] = (len(code), None, [code], code)
    function: Expression = eval(compile(code, code, "eval"), {"Tensor": Tensor})
    return function


def _expression(function: Expression, arguments: Sequence[ast.expr]) -> ast.expr:
    """What a function gives of arguments; without these, of operands of its parameters' names."""
    keywords: dict[str, Any] = {}
    if isinstance(function, partial):
        keywords, function = function.keywords, function.func
    code, node = function.__code__, _source(function)
    parameters = code.co_varnames[: code.co_argcount]
    fixed = function.__defaults__ or ()
    values = {name: value for name, value in function.__globals__.items() if name[0] == "_"}
    values |= inspect.getclosurevars(function).nonlocals
    values |= {name: ast.Name(name) for name in parameters}
    values |= dict(zip(parameters[len(parameters) - len(fixed) :], fixed, strict=True))
    values |= dict(zip(parameters, arguments, strict=False)) | keywords
    values |= function.__kwdefaults__ or {}
    if node.args.vararg:
        values[node.args.vararg.arg] = ()  # operands are passed on: they keep their names
    if node.args.kwarg:
        values[node.args.kwarg.arg] = {n: keywords[n] for n in keywords if n not in parameters}
    body = node.body if isinstance(node, ast.Lambda) else _returned(node)
    written: ast.expr = _Written(values).visit(deepcopy(body))
    return written


class _Written(ast.NodeTransformer):
    """An expression with names written as their values."""

    def __init__(self, values: Mapping[str, Any]) -> None:
        self.values = values

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return _written(self.values[node.id]) if node.id in self.values else node

    def visit_Call(self, node: ast.Call) -> ast.expr:
        name = node.func.id if isinstance(node.func, ast.Name) else ""
        function: Any = self.values.get(name)
        arguments = [part for a in node.args for part in _spread(self.visit(a))]
        if _is_expression(function):
            return _expression(function, arguments)
        if name == "getattr" and isinstance(arguments[1], ast.Constant):
            return ast.Attribute(arguments[0], str(arguments[1].value), ast.Load())
        keywords = [part for k in node.keywords for part in _spread_keyword(self.visit(k))]
        return ast.Call(self.visit(node.func), arguments, keywords)


def _written(value: Any) -> ast.expr:
    """A value as code."""
    if isinstance(value, ast.expr):
        return value
    if callable(value):
        name = value.__name__
        text = f"np.{name}" if getattr(np, name, None) is value else name
    else:
        text = repr(value)
    return ast.parse(text, mode="eval").body


def _spread(node: ast.expr) -> list[ast.expr]:
    """The elements of a tuple behind a star, or the argument itself."""
    if isinstance(node, ast.Starred) and isinstance(node.value, ast.Tuple):
        return node.value.elts
    return [node]


def _spread_keyword(node: ast.keyword) -> list[ast.keyword]:
    if node.arg or not isinstance(node.value, ast.Dict):
        return [node]
    words = [ast.literal_eval(key) for key in node.value.keys if key]
    return [ast.keyword(*pair) for pair in zip(words, node.value.values, strict=True)]


def _is_expression(value: Any) -> bool:
    """Whether a value of a name is a function whose expression can stand in for its calls."""
    name = getattr(value, "__name__", "")
    return hasattr(value, "__code__") and (name == "<lambda>" or name[0] == "_")


# ---- where it is written -------------------------------------------------------------------------

_Function = ast.Lambda | ast.FunctionDef
_FAR = 1 << 16  # lines, more than a file has


def _returned(node: ast.FunctionDef) -> ast.expr:
    *before, last = node.body
    is_doc = all(isinstance(part, ast.Expr) for part in before)
    if not is_doc or not isinstance(last, ast.Return) or last.value is None:
        raise UsageError(f"{node.name}: expected a function of one expression, for its text")
    return last.value


def _source(function: Any) -> _Function:
    """The tree of a function: of those that begin on its line, the one that has its code."""
    code: CodeType = function.__code__
    lines = linecache.getlines(code.co_filename, function.__globals__)
    for node, compiled in _functions("".join(lines)).get(code.co_firstlineno, []):
        if _key(compiled) == _key(code):
            return node
    place = f"{code.co_filename} line {code.co_firstlineno}"
    raise UsageError(f"{place}: expected the source of a function there, for its text")


@cache
def _functions(source: str) -> dict[int, list[tuple[_Function, CodeType]]]:
    """The functions of a file and their codes, by the lines where they begin."""
    tree = ast.parse(source)
    nodes = [node for node in ast.walk(tree) if isinstance(node, ast.Lambda | ast.FunctionDef)]
    for number, node in enumerate(nodes, 1):  # each gets lines of its own, outer ones first
        ast.increment_lineno(node, (number - node.lineno // _FAR) * _FAR)
    lines: dict[int, list[tuple[_Function, CodeType]]] = {}
    for code in _codes(compile(tree, "<functions>", "exec")):
        number, line = divmod(code.co_firstlineno, _FAR)
        if number:  # else of the file itself
            lines.setdefault(line, []).append((nodes[number - 1], code))
    return lines


def _codes(code: CodeType) -> Iterator[CodeType]:
    """The codes in a code, at any depth."""
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield constant
            yield from _codes(constant)


def _key(code: CodeType) -> tuple[Any, ...]:
    """What two codes have to share to be of one function, whatever their lines are."""
    constants = [_key(c) if isinstance(c, CodeType) else repr(c) for c in code.co_consts]
    return code.co_code, code.co_names, code.co_varnames, code.co_freevars, constants
