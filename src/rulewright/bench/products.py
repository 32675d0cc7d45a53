"""Workloads of matrix products."""

from __future__ import annotations

from functools import partial
from math import prod
from typing import Any

from rulewright.bench.workload import Workload, WorkloadKind, random, slow_at

_SIZES = (512, 1024, 2048, 37, 511, 513, 1000)
_GROWING = (32, 64, 128, 256, 512, 1024, 2048)


def _product(
    name: str, left: tuple[int, ...], right: tuple[int, ...], dtype: str = "f32", layout: str = "nn"
) -> Workload:
    """left @ right, of these shapes; in a layout `t` the operand lies in memory transposed."""
    turned = [side == "t" for side in layout]
    lying = [s[::-1] if t else s for s, t in zip((left, right), turned, strict=True)]

    def program(library: Any, a: Any, b: Any) -> Any:
        return (a.T if turned[0] else a) @ (b.T if turned[1] else b)

    return Workload(
        name,
        program,
        partial(random, *lying, dtype=dtype),
        flops=2 * prod(left) * right[-1],
        dtype=dtype,
        terms=left[-1],
        without=slow_at(dtype),
    )


def _square(name: str, n: int, dtype: str = "f32", layout: str = "nn") -> Workload:
    return _product(name, (n, n), (n, n), dtype, layout)


def _skinny(name: str, n: int, rows: int) -> Workload:
    return _product(name, (rows, n), (n, n))


def _batched(name: str, n: int, batch: int) -> Workload:
    return _product(name, (batch, n, n), (batch, n, n))


def _vector(name: str, n: int) -> Workload:
    return _product(name, (n,), (n, n))


KINDS = [
    WorkloadKind("matmul", _square, _SIZES, _GROWING),
    *(
        WorkloadKind(f"matmul/{dtype}", partial(_square, dtype=dtype), (512, 1024, 2048), _GROWING)
        for dtype in ("f64", "f16", "bf16")
    ),
    *(
        WorkloadKind(f"matmul/{layout}", partial(_square, layout=layout), (512, 1024), _GROWING)
        for layout in ("nt", "tn", "tt")
    ),
    *(
        WorkloadKind(f"matmul/rows-{rows}", partial(_skinny, rows=rows), (4096,), (256, 1024, 4096))
        for rows in (1, 4, 16)
    ),
    WorkloadKind("matmul/batched-16", partial(_batched, batch=16), (64, 256), (16, 64, 256, 512)),
    WorkloadKind("vecmat", _vector, (4096,), (256, 1024, 4096, 8192)),
]
