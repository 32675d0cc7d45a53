"""Ctrl-C at each step of what changes tensors: all of it holds afterwards, or none."""

from __future__ import annotations

import gc
import linecache
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from itertools import count
from types import FrameType
from typing import Any

import pytest

from rulewright import Tensor
from rulewright.tensor import registry
from rulewright.tensor.registry import live_tensors

pytestmark = pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
"""What is raised while something is freed is dropped, and told."""

Run = Callable[[], Any]


def realized(*values: float) -> Tensor:
    return Tensor([*values]).realize()


def is_at_lock(frame: FrameType) -> bool:
    """Whether a lock may just have been taken, or is about to be let go, in this line: signals are
    heard when a call ends, of which there is none in between."""
    line = linecache.getline(frame.f_code.co_filename, frame.f_lineno).strip()
    return line.startswith(("with ", "try:")) or ".release()" in line


def is_interrupted(run: Run, step: int) -> bool:
    """Whether something takes so many steps in the code of tensors, and is interrupted there."""
    left, times, last = step, Counter[Any](), None

    def trace(frame: FrameType, event: str, _: object) -> Any:
        nonlocal left, last
        if "/rulewright/tensor/" not in frame.f_code.co_filename.replace("\\", "/"):
            return None
        line, before = (frame.f_code, frame.f_lineno), last
        last = line  # again: a comprehension, in which Python 3.13 leaves out who waits for errors
        if event == "line" and line != before and not is_at_lock(frame):
            times[line] += 1
            left -= times[line] <= 3  # not for each of all tensors that there are
            if left < 0:
                sys.settrace(None)
                raise KeyboardInterrupt
        return trace

    before = sys.gettrace()
    gc.disable()  # what is freed is freed by counts alone, at the same steps
    sys.settrace(trace)
    try:
        with suppress(KeyboardInterrupt):  # which Python drops where something is freed
            run()
    finally:
        sys.settrace(before)
        gc.enable()
    return left < 0


def each_step(make: Callable[[], tuple[Run, Any]]) -> Iterator[Any]:
    """What is to be looked at after a run was interrupted at its first step, its second, …"""
    for step in count():
        run, state = make()
        goes_on = is_interrupted(run, step)
        yield state
        if not goes_on:
            assert step > 10
            return


def test_a_write_into_a_view_is_seen_by_all_or_none():
    def make() -> tuple[Run, Any]:
        x = realized(1, 2, 3, 4)
        part, square, detached = x[1:3], x.reshape(2, 2), x.detach()
        value = Tensor([8.0, 9.0])
        return (lambda: part.assign(value)), (x, part, square, detached)

    for x, part, square, detached in each_step(make):
        now = x.tolist()
        assert now in ([1, 2, 3, 4], [1, 8, 9, 4])
        assert (part.tolist(), square.tolist(), detached.tolist()) == (
            now[1:3], [now[:2], now[2:]], now,
        )  # fmt: skip
        part.assign(Tensor([5.0, 6.0]))
        now = [1, 5, 6, 4]
        assert (x.tolist(), square.tolist(), detached.tolist()) == (now, [now[:2], now[2:]], now)


def test_a_first_view_is_one_or_none():
    def make() -> tuple[Run, Any]:
        x, views = realized(1, 2, 3), []
        return (lambda: views.append(x[1:])), (x, views)

    for x, views in each_step(make):
        views.append(x[1:])
        x.assign(Tensor([4.0, 5.0, 6.0]))
        assert [v.tolist() for v in views] == [[5, 6]] * len(views)


@pytest.mark.parametrize("all_at_once", [True, False])
def test_a_write_that_was_performed_is_not_performed_again(all_at_once):
    def make() -> tuple[Run, Any]:
        x = realized(1, 2)
        view = x[1:]
        x.assign(x + 1)
        later, both, other = x * 10, [x + view, view * 2], x.reshape(2, 1)
        x.realize()
        tensors = [later, *both, other, view, x]

        def look() -> None:
            if all_at_once:
                live_tensors()
            for tensor in tensors:
                _ = tensor.uop

        return look, tensors

    for tensors in each_step(make):
        assert [t.tolist() for t in tensors] == [
            [20, 30], [5, 6], [6], [[2], [3]], [3], [2, 3],
        ]  # fmt: skip


def test_tensors_that_share_memory_by_chance_part_before_a_write():
    def make() -> tuple[Run, Any]:
        x = realized(1, 2)
        first, again, view = x * 3, x * 3, None
        view = again[:1]
        first.realize()

        def write() -> None:
            first.assign(Tensor([7.0, 8.0]))

        return write, (first, again, view)

    for first, again, view in each_step(make):
        assert first.tolist() in ([3, 6], [7, 8])
        assert (again.tolist(), view.tolist()) == ([3, 6], [3])
        view.assign(Tensor([0.0]))
        assert again.tolist() == [0, 6]
        assert first.tolist() in ([3, 6], [7, 8])


def test_a_tensor_is_replaced_or_not():
    def make() -> tuple[Run, Any]:
        x, y = realized(1, 2), realized(3, 4, 5)
        view, other = x[:1], y[1:]
        return (lambda: x.replace(y)), (x, y, view, other)

    for x, y, view, other in each_step(make):
        is_new = x.tolist() == [3, 4, 5]
        assert is_new or x.tolist() == [1, 2]
        y.assign(Tensor([6.0, 7.0, 8.0]))
        assert (x.tolist(), view.tolist(), other.tolist()) == (
            [6, 7, 8] if is_new else [1, 2], [1], [7, 8],
        )  # fmt: skip


@pytest.mark.parametrize("block", [Tensor.no_grad, Tensor.train])
def test_a_block_ends_at_its_end(block):
    modes = Tensor.is_grad_enabled(), Tensor.training

    def make() -> tuple[Run, Any]:
        def run() -> None:
            with block():
                for _ in range(3):
                    Tensor.is_grad_enabled()

        return run, None

    for _ in each_step(make):
        assert (Tensor.is_grad_enabled(), Tensor.training) == modes


def test_nothing_is_left_to_do_after_a_look():
    assert live_tensors() is not None
    assert not registry._moves
