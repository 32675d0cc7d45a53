"""Folders: where `spec/` lies and where caches may be written."""

from __future__ import annotations

import os
from pathlib import Path

from rulewright.options import options

_PACKAGE = Path(__file__).parent


def spec_dir() -> Path:
    """The folder of the compiler's `.uop` files: inside a wheel, else at the checkout's top."""
    inside = _PACKAGE / "spec"
    return inside if inside.is_dir() else _PACKAGE.parents[1] / "spec"


def cache_dir() -> Path:
    """The user's cache folder for Rulewright (it may not exist yet)."""
    chosen = options().CACHE_DIR
    if chosen:
        return Path(chosen)
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "rulewright"
