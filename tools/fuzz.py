"""Run many random programs of methods: `python tools/fuzz.py --programs 100000 --jobs 2`.

Programs of seeds FROM, FROM + 1, … of each kind, on a device, or with `--devices 4` on sets of 2 to
4 of its kind. Every failure is made small and written to a file of its own in FOLDER, grouped by
its cause; `summary.txt` there counts them.
"""

from __future__ import annotations

import argparse
import os
import re
import signal
import sys
import time
import zlib
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "unit"))

SHARES = {"values": 12, "gradient": 4, "symbolic": 2, "jit": 2}
"""How many of twenty programs are of each kind."""

ROUND = 20
TIMES = 10
"""How often a batch holds these: many share a run of the C compiler."""

LIMIT = 1200
"""Seconds that a batch may take."""


def run(
    device: str, devices: int, kind: str, first: int, count: int
) -> list[tuple[str, int, str, str]]:
    """Cause, seed, code and error of each failure of some seeds."""
    from rulewright import Context

    runs, sharded = import_module("fuzz_runs"), import_module("fuzz_shards")

    if device == "C" and kind == "jit" and first // count % 4:
        device = "INTERP"  # which needs no compiler for each program
    signal.signal(signal.SIGALRM, _too_long)
    signal.alarm(LIMIT)
    try:
        with Context(DEVICE=device), sharded.small_pieces(first // count % 2 == 1):
            sets = sharded.sets_of(devices, device) if devices else ()
            failures = runs.failures(range(first, first + count), kind, sets)
    except TimeoutError as error:
        return [("takes too long", first, "", f"{count} programs: {error}")]
    finally:
        signal.alarm(0)
    return [(f.cause, f.seed, runs.code(f.program), f.error) for f in failures]


def _too_long(*_: Any) -> None:
    raise TimeoutError(f"stopped after {LIMIT} s")


def jobs(programs: int, first: int) -> list[tuple[str, int, int]]:
    """Kind, first seed and number of seeds, of all batches."""
    batches, done = [], 0
    while done < programs:
        for kind, share in SHARES.items():
            batches.append((kind, first * share // ROUND * 2, share * TIMES))
        done, first = done + TIMES * ROUND, first + TIMES * ROUND // 2
    return batches


def write(folder: Path, kind: str, failure: tuple[str, int, str, str]) -> None:
    cause, seed, code, error = failure
    name = re.sub(r"[^A-Za-z]+", "-", cause).strip("-")[:60].lower()
    group = folder / f"{name}-{zlib.crc32(cause.encode()) % 10000:04}"
    group.mkdir(parents=True, exist_ok=True)
    remarks = "\n".join(f"# {line}" for line in [f"{kind} {seed}", cause, *error.splitlines()])
    (group / f"{len(code.splitlines()):02}-{kind}-{seed}.py").write_text(f"{code}\n\n\n{remarks}\n")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--programs", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1_000_000, help="the first one")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="processes")
    parser.add_argument("--out", type=Path, default=Path("fuzz-findings"), metavar="FOLDER")
    parser.add_argument("--device", default="C", help="what runs the programs (default C)")
    parser.add_argument("--devices", type=int, default=0, metavar="N", help="sets of up to N of it")
    parser.add_argument("--kind", choices=SHARES, help="this kind alone")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    causes: Counter[str] = Counter()
    begun, done = time.monotonic(), 0
    work = [job for job in jobs(options.programs, options.seed) if options.kind in (None, job[0])]
    with ProcessPoolExecutor(options.jobs) as pool:
        results = pool.map(partial(run, options.device, options.devices), *zip(*work, strict=True))
        for (kind, first, count), failures in zip(work, results, strict=True):
            done += count
            for failure in failures:
                causes[failure[0]] += 1
                write(options.out, kind, failure)
            lines = [f"{done} programs in {time.monotonic() - begun:.0f} s, to {kind} {first}"]
            lines += [f"{number:6} {cause}" for cause, number in causes.most_common()]
            (options.out / "summary.txt").write_text("\n".join(lines) + "\n")
    print("\n".join(lines))
    return int(bool(causes))


if __name__ == "__main__":
    sys.exit(main())
