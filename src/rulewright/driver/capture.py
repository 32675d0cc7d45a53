"""Capturing: while a `Recorder` is active in a thread, every kernel that runs there is noted."""

from __future__ import annotations

import threading
from collections.abc import Callable, Container, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from weakref import ref

if TYPE_CHECKING:
    from rulewright.driver.execute import ExecItem
    from rulewright.ir.uop import UOp
    from rulewright.runtime.buffer import Buffer

Noted = tuple["ExecItem", dict[str, int]]
"""A kernel that ran, with the values of its variables."""


@dataclass(eq=False)
class Recorder:
    """What happened during a capture.

    items: kernels in order, with the values of their variables · data: host data that was copied
    into new buffers · random: the buffers among them that hold words of the random generator, in
    order · rebound: objects (tensors) that were given another memory, weakly, by id · valued: those
    that had no memory of their own, and were given another value.
    unseen: BUFFERs that were written, and whether no gradient sees it · followed: those through
    which one was taken, with what says as what they were computed.
    bounds: index expressions that are 0 or more at the values that variables have now.
    apart: whether no scratch memory is written over, so that kernels may be put in another order.
    passed: the ids of objects (tensors) that are arguments, and for which others stand meanwhile.
    `refuse` raises the error for what a capture cannot repeat; `watch` says whether host data is
    looked at before each replay.
    """

    refuse: Callable[[str], None]
    watch: Callable[[Any], bool]
    items: list[Noted] = field(default_factory=list)
    data: dict[Buffer, Any] = field(default_factory=dict)
    random: list[Buffer] = field(default_factory=list)
    bounds: list[UOp] = field(default_factory=list)
    rebound: dict[int, ref[Any]] = field(default_factory=dict)
    valued: dict[int, ref[Any]] = field(default_factory=dict)
    unseen: dict[UOp, bool] = field(default_factory=dict)
    followed: dict[UOp, int] = field(default_factory=dict)
    apart: bool = False
    passed: Container[int] = ()


class _Local(threading.local):
    recorder: Recorder | None = None


_local = _Local()


def recorder() -> Recorder | None:
    """The recorder that is active in this thread, or None."""
    return _local.recorder


@contextmanager
def recording(active: Recorder | None) -> Iterator[None]:
    """Note what runs in this thread inside the block; None notes nothing."""
    before, _local.recorder = _local.recorder, active
    try:
        yield
    finally:
        _local.recorder = before
