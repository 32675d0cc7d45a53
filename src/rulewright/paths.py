"""Folders: where `spec/` lies and where caches may be written."""

from __future__ import annotations

import os
from pathlib import Path

from rulewright.errors import UsageError
from rulewright.options import options

_PACKAGE = Path(__file__).parent


def spec_dir() -> Path:
    """The folder of the compiler's `.uop` files: inside a wheel, else at the checkout's top."""
    inside = _PACKAGE / "spec"
    return inside if inside.is_dir() else _PACKAGE.parents[1] / "spec"


def checkout(holds: str) -> Path:
    """A folder of the checkout, such as "tests/cases".

    Raises UsageError where there is none: an installed package comes without.
    """
    folder = spec_dir().parent / holds
    if not folder.is_dir():
        raise UsageError(
            f"this runs inside a checkout, which holds {holds}/; an installed package comes "
            "without: clone the project, and run it there"
        )
    return folder


def cache_dir() -> Path:
    """The user's cache folder for Rulewright (it may not exist yet)."""
    chosen = options().CACHE_DIR
    if chosen:
        return Path(chosen)
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "rulewright"
