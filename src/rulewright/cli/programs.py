"""Programs on the command line: a Python function, or a graph file."""

from __future__ import annotations

import inspect
import runpy
import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import click

from rulewright.cli.failures import ProgramFailure, of_program
from rulewright.cli.inputs import check_file
from rulewright.errors import UsageError, listed


def is_graph(program: str) -> bool:
    """Whether the argument names a graph file."""
    return program == "-" or program.endswith(".uop")


def graph_job(path: str, device: str) -> Any:
    """The graph of a file as what `bisect` searches: a function of PARAMs, or a kernel."""
    from rulewright.cli.graphs import as_function, is_kernel, read_program
    from rulewright.verify.bisect import Job

    if path != "-":
        check_file(path)
    root, done, _ = read_program(Path(path), device)
    if done:
        raise UsageError(f"{path} is behind entry {done!r}; give the program as it was before")
    if is_kernel(root):
        return Job(root, device)
    body, _, variables = as_function(root, device)
    return Job(body, device, {}, variables)


def function_of(program: str) -> Callable[[], Any]:
    """The function that `module:function` or `file.py:function` names.

    Raises click.BadParameter if there is none, or it takes arguments, ProgramFailure for what the
    program raises when it is read. What the function itself raises is a ProgramFailure too.
    """
    place, colon, name = program.rpartition(":")
    if not colon or not place or not name:
        raise click.BadParameter(
            f"expected MODULE:FUNCTION, FILE.py:FUNCTION or GRAPH.uop, found {program!r}"
        )
    names = _names(place)
    named = names.get(name)
    if not callable(named):
        functions = [n for n in names if inspect.isfunction(names[n]) and n[0] != "_"]
        known = listed("it has", functions, name)
        raise click.BadParameter(f"{place} has no function {name!r}; {known}")
    try:
        inspect.signature(named).bind()
    except TypeError as error:
        raise click.BadParameter(
            f"expected a function that takes nothing, but for {program}: {error}"
        ) from error
    except ValueError:  # built-in functions need not have a signature
        pass

    def function() -> Any:
        with of_program(program):
            return named()

    return function


def _names(place: str) -> dict[str, Any]:
    if place.endswith(".py"):
        check_file(place)
        with of_program(place):
            return runpy.run_path(place)
    if not all(part.isidentifier() for part in place.split(".")):
        raise click.BadParameter(f"expected a module or a file that ends in .py, found {place!r}")
    sys.path.insert(0, "")
    try:
        with of_program(place):
            return vars(import_module(place))
    except ProgramFailure as failure:
        error = failure.__cause__
        if isinstance(error, ModuleNotFoundError) and f"{place}.".startswith(f"{error.name}."):
            raise click.BadParameter(f"cannot import {place}: {error}") from error
        raise
    finally:
        sys.path.remove("")
