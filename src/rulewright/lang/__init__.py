"""The UOp language: `.uop` text to checked rules, diagnostics, formatter, documents.

Importing this imports neither lark nor the parser.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rulewright.lang.diagnostics import Diagnostic

__all__ = ["Diagnostic", "check"]


def check(paths: Iterable[Path | str]) -> list[Diagnostic]:
    """Every problem of some `.uop` files, in order of place; an empty list means none.

    The spec is what they may refer to. Externs are imported, examples and rejects are run. Raises
    OSError for a file that cannot be read.
    """
    from rulewright.lang.checks import check_paths

    return check_paths(paths)


def __getattr__(name: str) -> Any:
    """`Diagnostic`, loaded when it is first asked for: every import of the package passes here."""
    if name == "Diagnostic":
        from rulewright.lang.diagnostics import Diagnostic

        return Diagnostic
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
