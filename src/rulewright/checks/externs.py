"""Whether declared Python functions exist and take what their declaration says."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from importlib import import_module
from typing import Any

from rulewright.lang import tree as t
from rulewright.lang.allowed import refusal
from rulewright.lang.diagnostics import Diagnostic, nearest


def find_function(target: t.Str | t.Ident) -> Any:
    """The object that `module:function` names, or a Diagnostic that says why there is none.

    Nothing is imported that a file may not name.
    """
    refused = refusal(target)
    if refused is not None:
        return refused
    text = target.value if isinstance(target, t.Str) else str(target)
    span = target.span
    module_name, _, name = text.partition(":")
    try:
        module = import_module(module_name)
    except Exception as error:  # whatever its import may raise is what is wrong with it
        reason = f"{type(error).__name__}: {error}"
        here = isinstance(error, ModuleNotFoundError) and error.name == module_name
        help = "install its package, or name its folder in PYTHONPATH" if here else ""
        return Diagnostic("extern", f"cannot import `{module_name}`: {reason}", span, help=help)
    function = getattr(module, name, None)
    if not callable(function):
        message = f"module `{module_name}` has no function `{name}`"
        return Diagnostic("extern", message, span, help=nearest(name, vars(module)))
    return function


def check_extern_function(item: t.Extern) -> Iterator[Diagnostic]:
    """Compare the function's real parameters with those declared."""
    function = find_function(item.target)
    if isinstance(function, Diagnostic):
        yield function
        return
    try:
        real = list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):  # built-in functions need not have a signature
        return
    declared = [f"{p.name}{'..' if p.rest else ''}" for p in item.params]
    variadic = inspect.Parameter.VAR_POSITIONAL
    optional = [p for p in real if p.default is inspect.Parameter.empty]
    written = [f"{p.name}{'..' if p.kind is variadic else ''}" for p in optional]
    if declared != written:
        message = f"`{item.name}({', '.join(declared)})` is `({', '.join(written)})` in Python"
        place = f"defined in {item.target.value}"
        yield Diagnostic("extern", message, item.name.span, item.target.span, place)


def check_pass_function(entry: t.EntryDecl) -> Iterator[Diagnostic]:
    """A pipeline's pass must exist."""
    function = find_function(entry.what)
    if isinstance(function, Diagnostic):
        yield function
