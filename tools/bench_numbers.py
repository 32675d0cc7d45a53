"""Measures the numbers that this project promises and prints them beside their targets.

    python tools/bench_numbers.py [--only NAME]... [--json FILE]

A cold start and whatever process state could hide is measured in processes of its own. Workloads
beside other libraries are what `rulewright bench` times.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import runpy
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median
from typing import Any

ROOT = Path(__file__).resolve().parents[1]


@dataclass
class Number:
    """One number: what was reached, what is wanted, and which side of that is good."""

    name: str
    unit: str
    target: float
    reached: float
    at_least: bool = False
    note: str = ""

    @property
    def good(self) -> bool:
        """Is the target met?"""
        return self.reached >= self.target if self.at_least else self.reached <= self.target


Measure = Callable[[], Iterable[Number]]
MEASURES: dict[str, Measure] = {}


def measure(name: str) -> Callable[[Measure], Measure]:
    """Register a function that measures something under the name that `--only` takes."""

    def add(function: Measure) -> Measure:
        MEASURES[name] = function
        return function

    return add


# ---- processes of their own -------------------------------------------------------------------


def in_process(code: str, **environment: str) -> Any:
    """What a fresh Python prints last, read as JSON; `code` is a file's name or the code itself.

    Raises RuntimeError with the end of what it says if it fails.
    """
    done = subprocess.run(
        [sys.executable, *([code] if code.endswith(".py") else ["-c", code])],
        cwd=ROOT,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise RuntimeError(done.stderr.strip().splitlines()[-1])
    return json.loads(done.stdout.strip().splitlines()[-1])


_IMPORT = """
import json, sys, time
begin = time.perf_counter()
{statement}
seconds = time.perf_counter() - begin
heavy = [m for m in ("lark", "numpy", "rulewright.lang.parse") if m in sys.modules]
print(json.dumps([seconds, heavy]))
"""


@measure("import")
def import_time() -> Iterable[Number]:
    """The package alone, and with the class that everybody needs; median of ten, warm."""
    for statement in ("import rulewright", "from rulewright import Tensor"):
        runs = [in_process(_IMPORT.format(statement=statement)) for _ in range(11)][1:]
        heavy = ", ".join(runs[0][1]) or "nothing heavy"
        yield Number(statement, "s", 0.15, median(r[0] for r in runs), note=f"imports {heavy}")


_DEMO = """
import json
from rulewright.examples.digits import EPOCHS, train
print(json.dumps(train(EPOCHS, lambda line: None).accuracy))
"""


@measure("demo")
def demo() -> Iterable[Number]:
    """Training on the digits in a new process with an empty cache, interpreter start included."""
    with tempfile.TemporaryDirectory() as folder:
        begin = time.perf_counter()
        accuracy = in_process(_DEMO, CACHE_DIR=folder)
        seconds = time.perf_counter() - begin
    yield Number("demo, cold cache", "s", 30.0, seconds)
    yield Number("demo, test accuracy", "%", 97.0, accuracy * 100, at_least=True)


@measure("transformer")
def transformer() -> Iterable[Number]:
    """Twelve layers, forward: the graph, its schedule, its kernels' source; then the cache."""
    built, scheduled, lowered, items, programs, hit = in_process("tools/bench_transformer.py")
    note = f"graph {built:.2f} + schedule {scheduled:.2f} + lower {lowered:.2f}; "
    note += f"{items} kernels, {programs} different"
    yield Number("12-layer transformer", "s", 3.0, built + scheduled + lowered, note=note)
    yield Number(
        "cache hit, 12 layers", "ms", 5.0, hit * 1e3, note="the schedule of the same again"
    )


# ---- the compiler's own data structures -------------------------------------------------------


@measure("cache")
def cache_hit() -> Iterable[Number]:
    """The second schedule of a small program over other buffers."""
    import numpy as np

    from rulewright import Tensor

    times = []
    for _ in range(21):
        x = Tensor(np.ones((64, 64), np.float32))
        y = (x @ x + 1.0).softmax(-1)
        begin = time.perf_counter()
        y.schedule()
        times.append(time.perf_counter() - begin)
    yield Number("cache hit, softmax(x @ x)", "ms", 5.0, median(times[1:]) * 1e3)


@measure("rewrite")
def rewriting() -> Iterable[Number]:
    """The symbolic rules over 30,000 nodes of index arithmetic, already in canonical form."""
    from random import Random

    from rulewright.ir.rewrite import rewrite

    tool = runpy.run_path(str(ROOT / "tools" / "bench_rewrite.py"))
    raw = tool["index_graph"](Random(7), 60_000)
    canonical = rewrite(raw, "symbolic")
    nodes = len(canonical.toposort())
    seconds, _ = tool["time_of"](canonical, "symbolic")
    yield Number("rewrite, a visited node", "µs", 1.2, seconds / nodes * 1e6, note=f"{nodes} nodes")


_UOP = """
import gc, json, time
from statistics import median
from rulewright.ir.dtypes import dtypes
from rulewright.ir.ops import Ops
from rulewright.ir.uop import UOp

def once(count=30_000):
    start = node = UOp.variable("start", 0, 9)
    alive = []
    begin = time.process_time()
    for _ in range(count):
        node = UOp(Ops.ADD, dtypes.index, (node, start))
        alive.append(node)
    return (time.process_time() - begin) / count * 1e6

with_collector = median(once() for _ in range(9))
gc.disable()
print(json.dumps([with_collector, median(once() for _ in range(9))]))
"""


@measure("uop")
def uop_creation() -> Iterable[Number]:
    """Making 30,000 new nodes that stay alive, collector as it is and paused."""
    collected, paused = in_process(_UOP)
    yield Number("making a UOp", "µs", 1.5, collected)
    yield Number("making a UOp, gc paused", "µs", 1.5, paused, note="as while scheduling")


# ---- the report -------------------------------------------------------------------------------


def show(numbers: list[Number]) -> None:
    """Print a table of numbers and their targets."""
    from rich.console import Console
    from rich.table import Table

    table = Table(title="Rulewright in numbers")
    for title, side in (("number", "left"), ("target", "right"), ("reached", "right")):
        table.add_column(title, justify=side)  # type: ignore[arg-type]  # two of its literals
    table.add_column("", justify="left")
    table.add_column("note", justify="left", overflow="fold")
    for n in numbers:
        sign = "≥" if n.at_least else "≤"
        verdict = "[green]met[/]" if n.good else "[red]missed[/]"
        target = f"{sign} {n.target:.4g} {n.unit}"
        table.add_row(n.name, target, f"{n.reached:.3g} {n.unit}", verdict, n.note)
    Console().print(table)


def _measured(name: str) -> list[Number]:
    """The numbers of one measure; if it breaks, one that is missed and says why."""
    try:
        return list(MEASURES[name]())
    except Exception as error:
        why = f"{type(error).__name__}: {str(error).splitlines()[0]}"
        return [Number(name, "", 0.0, math.inf, note=why)]


def main() -> int:
    """Measure, print, write; exit status 1 if a target is missed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    known = ", ".join(MEASURES)
    parser.add_argument(
        "--only", action="append", choices=list(MEASURES), metavar="NAME", help=known
    )
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the numbers there as well")
    args = parser.parse_args()
    numbers: list[Number] = []
    for name in args.only or MEASURES:
        print(f"measuring {name} …", file=sys.stderr, flush=True)
        numbers.extend(_measured(name))
    show(numbers)
    if args.json:
        rows = [{**asdict(n), "good": n.good} for n in numbers]
        args.json.write_text(
            json.dumps(rows, indent=2, ensure_ascii=False) + "\n", encoding="utf-8"
        )
    return 0 if all(n.good for n in numbers) else 1


if __name__ == "__main__":
    sys.exit(main())
