"""The check of the order of kernels, over all orders of small graphs: it agrees with a run.

Memory holds the calls that have written it. An order is right if each call finds in the memory
that it is given just what the version says: that is run here for each order, with nothing kept.
"""

from __future__ import annotations

from itertools import permutations

import pytest

from rulewright.errors import ValidationError
from rulewright.ir.dtypes import dtypes
from rulewright.ir.ops import Ops
from rulewright.ir.uop import UOp
from rulewright.verify.validate.order import check_order


def memory(slot: int) -> UOp:
    return UOp(Ops.PARAM, dtypes.f32, (), (slot, (4,), "C"))


def call(written: UOp, *read: UOp, number: int = 0) -> UOp:
    """A kernel that writes its first argument: the sum of the others, and a number."""
    i = UOp.range(4, 0)
    params = [UOp(Ops.PARAM, dtypes.f32, (), (k, (4,), None)) for k in range(1 + len(read))]
    value = UOp.const(dtypes.f32, number)
    for param in params[1:]:
        value = value + param.index(i)
    kernel = UOp.sink(params[0].index(i).store(value).end(i))
    return UOp(Ops.CALL, dtypes.void, (kernel, written, *read))


def chain(count: int) -> list[UOp]:
    """Writes of one memory, each of which reads the version before."""
    calls, version = [], memory(0)
    for number in range(count):
        calls.append(call(memory(1 + number), version, number=number))
        calls.append(call(version, number=number))
        version = version.after(calls[-1])
    return [*calls[::2], *calls[1::2]]


def forked() -> list[UOp]:
    """Two readers of the first version, and two of the second."""
    first = memory(0)
    write = call(first, number=1)
    second = first.after(write)
    read = [call(memory(slot), first) for slot in (1, 2)]
    return [*read, write, *(call(memory(slot), second) for slot in (3, 4))]


def twice() -> list[UOp]:
    """A call whose effect two versions name, one behind the other."""
    write = call(memory(0), number=1)
    version = memory(0).after(write)
    again = call(version, number=2)
    last = version.after(again).after(write)
    return [write, again, call(memory(1), last)]


def alike() -> list[UOp]:
    """Calls that look alike in a list, between which memory is written."""
    first = memory(0)
    write = call(first, number=1)
    second = first.after(write)
    return [call(memory(1), first), write, call(memory(1).after(call(memory(1), first)), second)]


def plain(one: UOp) -> UOp:
    return one.replace(src=(one.src[0], *(argument.base for argument in one.src[1:])))


def all_calls(calls: list[UOp]) -> list[UOp]:
    return [n for n in UOp.sink(*calls).toposort() if n.op is Ops.CALL]


def made(version: UOp) -> set[UOp]:
    """All calls that have written a version."""
    found = set()
    while version.op is Ops.AFTER:
        found |= set(version.src[1:])
        version = version.src[0]
    return found


def is_right(order: tuple[UOp, ...]) -> bool:
    """What a run finds, given the very calls."""
    written: dict[UOp, set[UOp]] = {}
    for one in order:
        for argument in one.src[1:]:
            if written.get(argument.base, set()) != made(argument):
                return False
        written.setdefault(one.src[1].base, set()).add(one)
    return True


def accepted(graph: UOp, order: tuple[UOp, ...]) -> bool:
    try:
        check_order(graph, UOp(Ops.LINEAR, dtypes.void, tuple(map(plain, order))))
    except ValidationError as error:
        assert "(read after write)" in str(error) or "(write after read)" in str(error)
        return False
    return True


@pytest.mark.parametrize("calls", [chain(3), forked(), twice(), alike()], ids=["chain", "forked",
    "twice", "alike"])  # fmt: skip
def test_an_order_is_refused_where_a_run_finds_another_version(calls: list[UOp]):
    calls = all_calls(calls)
    graph, right = UOp.sink(*calls), set()
    for order in permutations(calls):
        if is_right(order):
            right.add(tuple(map(plain, order)))
    assert right
    for order in permutations(calls):
        assert accepted(graph, order) == (tuple(map(plain, order)) in right)


def test_a_call_that_is_missing_or_unknown_is_refused():
    calls = all_calls(chain(2))
    graph = UOp.sink(*calls)
    with pytest.raises(ValidationError, match="1 calls of the graph are not in the schedule"):
        check_order(graph, UOp(Ops.LINEAR, dtypes.void, tuple(map(plain, calls[:-1]))))
    with pytest.raises(ValidationError, match="item 0 of the schedule is no call of the graph"):
        check_order(graph, UOp(Ops.LINEAR, dtypes.void, (call(memory(9)),)))
