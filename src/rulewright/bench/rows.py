"""Workloads that move memory: elementwise, sums, rows, a transpose; and single calls."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

from rulewright.bench.first import seconds_of_first_call
from rulewright.bench.workload import Workload, WorkloadKind, positive, random

_ROW = 1024  # numbers in a row of layernorm


def _elementwise(name: str, n: int) -> Workload:
    def program(library: Any, x: Any) -> Any:
        return library.relu(2 * x + 1) * library.sigmoid(x)

    return Workload(name, program, partial(random, (n,)), flops=8 * n)


def _sum(name: str, n: int) -> Workload:
    return Workload(name, lambda library, x: x.sum(), partial(positive, (n,)), flops=n, terms=n)


def _softmax(name: str, n: int) -> Workload:
    inputs = partial(random, (n, n))
    return Workload(name, lambda library, x: library.softmax(x), inputs, flops=5 * n * n, terms=n)


def _layernorm(name: str, n: int) -> Workload:
    def program(library: Any, x: Any) -> Any:
        return library.layernorm(x)

    return Workload(name, program, partial(random, (n, _ROW)), flops=7 * n * _ROW, terms=_ROW)


def _transpose_add(name: str, n: int) -> Workload:
    inputs = partial(random, (n, n), (n, n))
    return Workload(name, lambda library, a, b: a.T + b, inputs, flops=n * n)


def _add(name: str, n: int, jit: bool) -> Workload:
    without = frozenset() if jit else frozenset({"torch.compile"})  # which then is torch
    inputs = partial(random, (n,))
    return Workload(name, lambda library, x: x + 1, inputs, flops=n, without=without, jit=jit)


def _import(name: str, n: int) -> Workload:
    return replace(_add(name, n, jit=False), timer=seconds_of_first_call)


_MANY = (1 << 10, 1 << 14, 1 << 18, 1 << 22, 1 << 24)
_SIDES = (64, 256, 1024, 4096)

KINDS = [
    WorkloadKind("elementwise", _elementwise, (1 << 24,), _MANY),
    WorkloadKind("sum", _sum, (1 << 26,), (*_MANY, 1 << 26)),
    WorkloadKind("softmax", _softmax, (4096,), _SIDES),
    WorkloadKind("layernorm", _layernorm, (8192,), (*_SIDES, 8192)),
    WorkloadKind("transpose-add", _transpose_add, (4096,), _SIDES),
    WorkloadKind("call/eager", partial(_add, jit=False), (1,), (1, *_MANY)),
    WorkloadKind("call/jit", partial(_add, jit=True), (1,), (1, *_MANY)),
    WorkloadKind("import", _import, (1,), (1,)),
]
