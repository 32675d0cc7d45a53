"""All workloads, and those that are timed when none is named."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from rulewright.bench import networks, products, rows, transformers
from rulewright.bench.first import seconds_of_first_call
from rulewright.bench.workload import Workload, WorkloadKind

_WARM = [*products.KINDS, *networks.KINDS, *transformers.KINDS, *rows.KINDS]
_COLD = ("matmul", "softmax", "conv", "attention", "mlp", "block", "gpt2")


def _cold(name: str, size: int, kind: WorkloadKind) -> Workload:
    """The first call of a workload, in a new process with empty caches."""
    warm = kind.case(size)
    return replace(warm, name=name, timer=partial(seconds_of_first_call, workload=warm.name))


KINDS = [
    *_WARM,
    *(
        WorkloadKind(f"cold/{kind.name}", partial(_cold, kind=kind), kind.sizes[:1], kind.sizes[:1])
        for kind in _WARM
        if kind.name in _COLD
    ),
]
STANDARD = (
    "elementwise/16M", "sum/64M", "softmax/4096", "layernorm/8192", "transpose-add/4096",
    "matmul/512", "matmul/2048", "vecmat/4096", "conv/56", "attention/512", "mlp/512",
    "block/256", "gpt2/64", "cold/gpt2/64", "call/eager/1", "call/jit/1",
    "import/1",
)  # fmt: skip
