"""The UOp language: `.uop` text to trees, diagnostics, tables, generated matchers; the formatter.

Importing this imports neither lark nor the parser. What of a file is checked stands in `checks`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rulewright.lang.diagnostics import Diagnostic

__all__ = ["Diagnostic"]


def __getattr__(name: str) -> Any:
    """`Diagnostic`, loaded when it is first asked for: every import of the package passes here."""
    if name == "Diagnostic":
        from rulewright.lang.diagnostics import Diagnostic

        return Diagnostic
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
