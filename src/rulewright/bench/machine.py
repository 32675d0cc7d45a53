"""What the numbers were measured on: processor, cores, caches, compiler, versions."""

from __future__ import annotations

import os
import platform
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rulewright.bench.libraries.base import Library
from rulewright.runtime.compiler import find_compiler
from rulewright.runtime.threads import cores, thread_count

_CACHES = Path("/sys/devices/system/cpu/cpu0/cache")


def describe(libraries: Sequence[Library]) -> dict[str, Any]:
    """The machine and what ran on it, as JSON takes it. Raises DeviceError without a compiler."""
    return {
        "cpu": cpu_model(),
        "architecture": platform.machine(),
        "system": f"{platform.system()} {platform.release()}",
        "cores": cores(),
        "threads": thread_count(),
        "caches": caches(),
        "load": load(),
        "compiler": find_compiler().version,
        "python": platform.python_version(),
        "versions": {library.name: library.version() for library in libraries},
    }


def load() -> float:
    """How many programs have wanted a core in the last minute, on average; 0 if nobody tells."""
    return os.getloadavg()[0] if hasattr(os, "getloadavg") else 0.0


def is_busy() -> bool:
    """Whether others use this machine too."""
    return load() > (os.cpu_count() or 1) / 2


def cpu_model(cpuinfo: Path = Path("/proc/cpuinfo")) -> str:
    """The processor's name, as Linux tells it, else as Python does."""
    try:
        lines = cpuinfo.read_text(errors="replace").splitlines()
    except OSError:
        lines = []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or platform.machine()


def caches(folder: Path = _CACHES) -> dict[str, str]:
    """Sizes of the caches that one core sees, such as {"L1d": "48K"}; empty if nobody tells."""
    sizes = {}
    for index in sorted(folder.glob("index*")):
        level, kind, size = ((index / n).read_text().strip() for n in ("level", "type", "size"))
        sizes[f"L{level}{kind[0].lower() if kind != 'Unified' else ''}"] = size
    return sizes
