"""Schedules on disk: what some process has scheduled, the next one reads.

An entry is filed under the function's graph, the options that a schedule hangs on, `spec/`, what
was loaded beside it and concerns the function's devices, and the source of all that schedules. It
holds the list of kernels, and which nodes of the function each of them came from.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable
from typing import Any

from rulewright.diskcache import DiskCache
from rulewright.ir.devices import target_of
from rulewright.ir.dtypes import DType
from rulewright.ir.known import rules_are_the_specs
from rulewright.ir.ops import Op, Ops
from rulewright.ir.origins import Origins
from rulewright.ir.uop import UOp
from rulewright.lang.beside import beside_key, target_key
from rulewright.lang.build import code_key
from rulewright.options import options

LEAST_NODES = 300
"""Nodes of a function from which on its schedule is kept: making it takes longer than a file."""

Row = tuple[Op, DType, tuple[int, ...], Any]
_LOCATED = Ops.group("Located")
_store = DiskCache("schedules")


def kept_schedule(
    function: UOp, origins: Origins | None, apart: bool, make: Callable[[], UOp]
) -> UOp:
    """The LINEAR list of a function's kernels: one that was kept, else what `make` gives, kept.

    Notes of `origins` are those of nodes of the function, and become those of the calls; `apart`
    is whether scratch memory is not written over. Nothing is kept of small functions, and where
    more is wanted than the list: with user rules, checks after each entry, a stop before the last
    one, reports of rules, or the option CACHE at 0.
    """
    chosen = options()
    special = chosen.VERIFY or chosen.STOP_AFTER or chosen.DEBUG >= 6 or not chosen.CACHE
    nodes = function.toposort()
    if special or len(nodes) < LEAST_NODES or not rules_are_the_specs():
        return make()
    key = _key(nodes, (apart, chosen.MATMUL, chosen.INEXACT, origins is not None))
    data = _store.get(key)
    if data is not None:
        return _read(data, nodes, origins)
    linear = make()
    _store.put(key, _written(linear, nodes, origins))
    return linear


def _key(nodes: list[UOp], chosen: tuple[object, ...]) -> str:
    devices = sorted({node.device for node in nodes if node.op in _LOCATED and node.device})
    targets = [f"{target_of(device)} {target_key(target_of(device))}" for device in devices]
    parts = [repr(chosen), *targets, beside_key(everything=False), code_key()]
    return "\0".join([*parts, repr(_rows(nodes))])


def _rows(nodes: list[UOp]) -> list[Row]:
    """What each node is, its operands as places among the nodes before it."""
    places = {node: place for place, node in enumerate(nodes)}
    return [(n.op, n.dtype, tuple([places[s] for s in n.src]), n.arg) for n in nodes]


def _written(linear: UOp, nodes: list[UOp], origins: Origins | None) -> bytes:
    """The rows of a list, and of each call the places of its notes among the function's nodes."""
    places = {node: place for place, node in enumerate(nodes)}
    notes = [origins.notes.get(call, ()) if origins else () for call in linear.src]
    noted = [[places[note] for note in row] for row in notes]
    return pickle.dumps((_rows(linear.toposort()), noted), protocol=4)


def _read(data: bytes, nodes: list[UOp], origins: Origins | None) -> UOp:
    rows, noted = pickle.loads(data)
    read: list[UOp] = []
    for op, dtype, places, arg in rows:
        read.append(UOp(op, dtype, tuple([read[place] for place in places]), arg))
    linear = read[-1]
    if origins is not None:
        notes = (tuple([nodes[place] for place in row]) for row in noted)
        origins.notes.update(zip(linear.src, notes, strict=True))
    return linear
