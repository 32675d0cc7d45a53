"""How fast the `symbolic` rules pass over a graph of 30,000 nodes.

    python tools/bench_rewrite.py

Prints microseconds a visited node: over a graph that is in canonical form already (nothing but
matching and bookkeeping), and over one where a part of the nodes is rewritten.
"""

from __future__ import annotations

import gc
from random import Random
from statistics import median
from time import process_time

from rulewright.ir.dtypes import dtypes
from rulewright.ir.ops import Ops
from rulewright.ir.rewrite import rewrite
from rulewright.ir.rulesets import ruleset
from rulewright.ir.uop import UOp

NODES = 30_000
ROUNDS = 7


def index_graph(random: Random, count: int) -> UOp:
    """Index arithmetic as movement ops make it, and the loads and float arithmetic around it."""
    buffers = [UOp(Ops.PARAM, dtypes.f32, (), (i, (1 << 20,), None)) for i in range(8)]
    ranges = [UOp.range(random.choice((3, 4, 8, 16, 64)), i) for i in range(24)]
    values: list[UOp] = [UOp.const(dtypes.f32, 1.5), buffers[0].index(ranges[0])]
    nodes = 0
    while nodes < count:
        a, b, c = random.sample(ranges, 3)
        flat = a * 64 + b * random.choice((4, 8)) + c
        if random.random() < 0.5:
            flat = flat // 16 * 16 + flat % 16
        if random.random() < 0.3:
            flat = (flat < 900).where(flat, UOp(Ops.INVALID, dtypes.index))
        load = random.choice(buffers).index(flat)
        other = random.choice(values[-40:])
        value = (load * other + random.choice(values[-40:])).maximum(0.0)
        value = value * UOp.const(dtypes.f32, random.random()) - other
        values.append(value)
        nodes += 16
    root = UOp.sink(*values[-400:])
    return root


def time_of(root: UOp, name: str) -> tuple[float, UOp]:
    """Median seconds of a rewrite, and its result."""
    times = []
    for _ in range(ROUNDS):
        gc.collect()
        begin = process_time()
        result = rewrite(root, name)
        times.append(process_time() - begin)
    return median(times), result


def main() -> None:
    """Print the measurements."""
    ruleset("symbolic").match()
    random = Random(7)
    size, count = 0, NODES
    while size < NODES:
        raw = index_graph(random, count)
        size, count = len(raw.toposort()), int(count * 1.3)
    steps: list[str] = []
    rewrite(raw, "symbolic", trace=lambda rule, before, after: steps.append(rule))
    raw_time, canonical = time_of(raw, "symbolic")
    again, same = time_of(canonical, "symbolic")
    assert same is canonical
    left = len(canonical.toposort())
    print(f"canonical graph: {left} nodes, {again / left * 1e6:.2f} us a visited node")
    print(f"raw graph: {size} nodes, {len(steps)} rewrites, {raw_time / size * 1e6:.2f} us a node")
    print(f"  {raw_time / (size + len(steps)) * 1e6:.2f} us a node or rewrite")
    begin = process_time()
    for i in range(100_000):
        UOp(Ops.VAR, dtypes.index, (), ("v", 0, i))
    print(f"making a UOp: {(process_time() - begin) * 10:.2f} us")


if __name__ == "__main__":
    main()
