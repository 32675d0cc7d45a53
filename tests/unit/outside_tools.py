"""Packages outside this one, as pip would install them, and processes that see them."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from collections.abc import Mapping
from pathlib import Path

ROOT = Path(__file__).parents[2]
OUTSIDE = ROOT / "tests" / "outside"
SOURCE = ROOT / "src"

BUILD = "import sys; from hatchling.build import build_wheel; build_wheel(sys.argv[1])"


def install(name: str, site: Path) -> Path:
    """Build the wheel of a package in `tests/outside` and unpack it; the folder it is in."""
    folder = site.parent / f"wheel-{name}"
    folder.mkdir()
    command = [sys.executable, "-c", BUILD, str(folder)]
    subprocess.run(command, cwd=OUTSIDE / name, check=True, capture_output=True)
    (wheel,) = folder.glob("*.whl")
    zipfile.ZipFile(wheel).extractall(site)
    return site


def fake(site: Path, package: str, points: str, files: Mapping[str, str]) -> None:
    """A package with these files and entry points, and no more than an installer leaves of it."""
    info = site / f"{package.replace('-', '_')}-2.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 2.0\n")
    (info / "entry_points.txt").write_text(f"[rulewright.devices]\n{points}\n")
    for name, text in files.items():
        (site / name).write_text(text)


def run(site: Path, *command: str, cache: Path | None = None, code: str = "", **env: str) -> str:
    """What `rulewright COMMAND`, or Python code, says in a new process, outside of the checkout.

    Its caches are the user's, or in `cache`. `fails="1"` expects it to fail.
    """
    given = ["-c", code] if code else ["-m", "rulewright", *command]
    path = os.pathsep.join([str(site), str(SOURCE)])
    away = site.parent / "away"
    away.mkdir(exist_ok=True)
    fails = env.pop("fails", "")
    variables = {**os.environ, "PYTHONPATH": path, **env}
    if cache is not None:
        variables["CACHE_DIR"] = str(cache)
    found = subprocess.run(
        [sys.executable, *given], cwd=away, env=variables, capture_output=True, text=True
    )
    assert bool(fails) == bool(found.returncode), found.stdout + found.stderr
    return found.stdout + found.stderr
