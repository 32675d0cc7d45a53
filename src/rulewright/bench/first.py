"""First calls: each in a new process, whose caches are empty.

    python -m rulewright.bench.first LIBRARY WORKLOAD

prints the seconds of a workload's first call, with the library imported and the inputs in memory;
without a workload those of the import, of the least that a user imports.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from rulewright.bench.libraries import import_of, library
from rulewright.errors import UsageError
from rulewright.options import options
from rulewright.paths import cache_dir

# What a wheel carries, and a checkout makes once from `spec/`: no part of a cold start.
_KEPT = ("lang",)
_CACHES = ("CACHE_DIR", "XDG_CACHE_HOME", "TORCHINDUCTOR_CACHE_DIR")


def seconds_of_first_call(name: str, workload: str = "") -> float:
    """Seconds of a library's first call of a workload, or of its import, in a new process.

    Raises UsageError, with the last line of what it says, if that process fails.
    """
    chosen = {key: str(value) for key, value in asdict(options()).items()}
    with tempfile.TemporaryDirectory() as folder:
        for kept in _KEPT:
            if (cache_dir() / kept).is_dir():
                shutil.copytree(cache_dir() / kept, Path(folder) / kept)
        done = subprocess.run(
            [sys.executable, "-m", __name__, name, *([workload] if workload else [])],
            env={**os.environ, **chosen, **dict.fromkeys(_CACHES, folder)},
            capture_output=True,
            text=True,
            check=False,
        )
    if done.returncode:
        lines = done.stderr.strip().splitlines() or [f"exit status {done.returncode}"]
        raise UsageError(f"a new process with {name} failed: {lines[-1]}")
    return float(done.stdout.split()[-1])


def first_call(name: str, workload: str) -> float:
    """Seconds of the first call in this process, which has imported nothing yet."""
    from rulewright.bench.kinds import KINDS
    from rulewright.bench.workload import find

    peer = library(name)
    (case,) = find(KINDS, [workload])
    tensors = [peer.put(a) for a in case.inputs()]
    begin = time.perf_counter()
    peer.prepare(case, tensors)()
    return time.perf_counter() - begin


def import_seconds(name: str) -> float:
    """Seconds that importing a library takes in this process."""
    code = compile(import_of(name), name, "exec")
    begin = time.perf_counter()
    exec(code, {})
    return time.perf_counter() - begin


def main(arguments: Sequence[str]) -> None:
    """Print the seconds."""
    name, *workload = arguments
    print(first_call(name, workload[0]) if workload else import_seconds(name))


if __name__ == "__main__":
    main(sys.argv[1:])
