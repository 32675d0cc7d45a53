"""Workloads that move memory: elementwise, sums, rows, a transpose; and single calls."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

from rulewright.bench.first import seconds_of_first_call
from rulewright.bench.workload import Case, Kind, positive, random

_ROW = 1024  # numbers in a row of layernorm


def _elementwise(name: str, n: int) -> Case:
    def program(library: Any, x: Any) -> Any:
        return library.relu(2 * x + 1) * library.sigmoid(x)

    return Case(name, program, partial(random, (n,)), flops=8 * n)


def _sum(name: str, n: int) -> Case:
    return Case(name, lambda library, x: x.sum(), partial(positive, (n,)), flops=n, terms=n)


def _softmax(name: str, n: int) -> Case:
    def program(library: Any, x: Any) -> Any:
        return library.softmax(x)

    return Case(name, program, partial(random, (n, n)), flops=5 * n * n, terms=n)


def _layernorm(name: str, n: int) -> Case:
    def program(library: Any, x: Any) -> Any:
        return library.layernorm(x)

    return Case(name, program, partial(random, (n, _ROW)), flops=7 * n * _ROW, terms=_ROW)


def _transpose_add(name: str, n: int) -> Case:
    return Case(name, lambda library, a, b: a.T + b, partial(random, (n, n), (n, n)), flops=n * n)


def _add(name: str, n: int, jit: bool) -> Case:
    without = frozenset() if jit else frozenset({"torch.compile"})  # which then is torch
    inputs = partial(random, (n,))
    return Case(name, lambda library, x: x + 1, inputs, flops=n, without=without, jit=jit)


def _import(name: str, n: int) -> Case:
    return replace(_add(name, n, jit=False), timer=seconds_of_first_call)


_MANY = (1 << 10, 1 << 14, 1 << 18, 1 << 22, 1 << 24)
_SIDES = (64, 256, 1024, 4096)

KINDS = [
    Kind("elementwise", _elementwise, (1 << 24,), _MANY),
    Kind("sum", _sum, (1 << 26,), (*_MANY, 1 << 26)),
    Kind("softmax", _softmax, (4096,), _SIDES),
    Kind("layernorm", _layernorm, (8192,), (*_SIDES, 8192)),
    Kind("transpose-add", _transpose_add, (4096,), _SIDES),
    Kind("call/eager", partial(_add, jit=False), (1,), (1, *_MANY)),
    Kind("call/jit", partial(_add, jit=True), (1,), (1, *_MANY)),
    Kind("import", _import, (1,), (1,)),
]
