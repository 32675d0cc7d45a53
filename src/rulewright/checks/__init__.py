"""What `.uop` files say is checked: names, dtypes, guards; examples and cases are run.

Importing this imports neither lark nor the parser.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rulewright.lang.diagnostics import Diagnostic

__all__ = ["check"]


def check(paths: Iterable[Path | str]) -> list[Diagnostic]:
    """Every problem of some `.uop` files, in order of place; an empty list means none.

    The spec is what they may refer to. Externs are imported, examples and rejects are run. Raises
    OSError for a file that cannot be read.
    """
    from rulewright.checks.files import check_paths

    return check_paths(paths)
