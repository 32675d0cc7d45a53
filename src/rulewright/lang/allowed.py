"""Which Python functions a `.uop` file may name: told by the name, before anything is imported.

A file is data: reading, checking or editing one must run nothing that only the file names. So an
extern, or a pass of a pipeline, names a function of the modules that the spec itself takes
functions from, or of one that the user allows: the option EXTERNS, which `--allow-externs`,
`load_rules(externs=)` and the language server set.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager
from functools import cache
from hashlib import blake2b
from importlib.util import find_spec
from pathlib import Path

from rulewright.errors import ArgumentError, UsageError
from rulewright.lang import tree as t
from rulewright.lang.diagnostics import Diagnostic, rule_error
from rulewright.options import Context, options


@cache
def _own_modules() -> frozenset[str]:
    """The modules that the spec's externs and passes are functions of."""
    from rulewright.lang.build import load_table

    table = load_table()
    places = [row["target"] for row in table["externs"].values()]
    steps = [step for row in table["pipeline"].values() for step in row["entries"]]
    places += [step["what"] for step in steps if step["action"] == "pass"]
    return frozenset(place.partition(":")[0] for place in places)


def refusal(target: t.Str | t.Ident) -> Diagnostic | None:
    """Why the function that `module:function` names may not be imported; None if it may."""
    text = target.value if isinstance(target, t.Str) else str(target)
    module, colon, name = text.partition(":")
    if not (module and colon and name):
        return Diagnostic("extern", "expected `module:function`", target.span)
    if module in options().EXTERNS.split(",") or module in _own_modules():
        return None
    message = f"`{module}` is none of the modules that a rule file may take functions from"
    help = (
        f"if you trust it: `--allow-externs {module}` on the command line, "
        f'`load_rules(..., externs=["{module}"])`, or `rulewright.allowExterns` in VS Code'
    )
    return Diagnostic("extern", message, target.span, help=help)


def called(rule: t.Rule) -> set[str]:
    """The names of all functions that a rule calls."""
    return {str(node.name) for node in t.walk(rule) if isinstance(node, t.Call)}


def require_allowed(externs: Iterable[t.Extern]) -> None:
    """Raise RuleError with each extern whose function may not be imported."""
    answers = [refusal(item.target) for item in externs]
    refused = [problem for problem in answers if problem is not None]
    if refused:
        raise rule_error(refused)


def allowed_code() -> str:
    """A hash of the files of the modules that the user allows; "" for none. What functions of
    theirs made is kept on disk for as long as they are the same."""
    sources = [_file_of(name) for name in options().EXTERNS.split(",") if name]
    return blake2b(b"\0".join(sources), digest_size=16).hexdigest() if sources else ""


def _file_of(module: str) -> bytes:
    """What stands in a module's file; nothing for one that has none, or that is not there."""
    try:
        spec = find_spec(module)
        return Path(spec.origin or "").read_bytes() if spec else b""
    except (ImportError, ValueError, OSError):
        return b""


@contextmanager
def allow_externs(modules: Collection[str]) -> Iterator[None]:
    """Let files that are read in this block name functions of these modules too.

    Raises ArgumentError for what is no collection of texts, UsageError for a text that is no
    module's name.
    """
    if isinstance(modules, str) or not isinstance(modules, Collection):
        raise ArgumentError(f'externs: expected modules, such as ["pkg.mod"], found {modules!r}')
    for module in modules:
        if not isinstance(module, str):
            raise ArgumentError(f"externs: expected the name of a module, found {module!r}")
        if not all(part.isidentifier() for part in module.split(".")):
            raise UsageError(f"externs: expected the name of a module (pkg.mod), found {module!r}")
    known = [options().EXTERNS] if options().EXTERNS else []
    with Context(EXTERNS=",".join([*known, *modules])):
        yield
