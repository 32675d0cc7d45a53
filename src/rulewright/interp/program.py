"""Running a program: the ordered list of uops that becomes source text.

Launch positions (SPECIAL) and loops whose iterations are independent are axes of arrays, so that
one numpy call does the work of all iterations; where registers carry something from one to the
next, they are run one after the other. Workgroups run in step, which is one of the orders that a
device may choose; reading workgroup memory that another work item wrote since the last BARRIER is
therefore an error.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import Any

import numpy as np

from rulewright.errors import InterpreterError
from rulewright.interp import loops
from rulewright.interp.evaluator import Evaluator
from rulewright.interp.memory import Write, describe
from rulewright.interp.storage import storage_for
from rulewright.interp.stores import plain, read, shared, store
from rulewright.interp.values import Value, spread
from rulewright.ir.ops import Ops
from rulewright.ir.uop import UOp

_LOCAL = Ops.group("Inner")
_OPENS, _CLOSES = Ops.group("Opening"), Ops.group("Closing")


@dataclass
class Region:
    """A loop (`head` is its RANGE), a branch (its IF) or the whole program (None)."""

    head: UOp | None = None
    body: list[UOp | Region] = field(default_factory=list)
    tail: UOp | None = None

    def nodes(self) -> Iterator[UOp]:
        """All nodes of the body, inner blocks included."""
        for item in self.body:
            if isinstance(item, Region):
                yield from item.nodes()
            else:
                yield item

    def loops(self) -> Iterator[UOp]:
        """The RANGEs of loops inside, at any depth."""
        for item in self.body:
            if isinstance(item, Region):
                if item.head is not None and item.head.op is Ops.RANGE:
                    yield item.head
                yield from item.loops()


def blocks(items: Sequence[UOp]) -> Region:
    """The list with its loops and branches nested. Raises InterpreterError where they cross."""
    stack = [Region()]
    for node in items:
        if node.op in _OPENS:
            inner = Region(node)
            stack[-1].body.append(inner)
            stack.append(inner)
        elif node.op in _CLOSES:
            opened = node.src[1] if node.op is Ops.END else node.src[0]
            if stack[-1].head is not opened:
                raise InterpreterError(f"{describe(node)} closes what is not the innermost block")
            stack.pop().tail = node
        else:
            stack[-1].body.append(node)
    last = stack[-1].head
    if last is not None:
        raise InterpreterError(f"{describe(last)} is never closed")
    return stack[0]


def run_program(
    items: Sequence[UOp], memory: dict[UOp, Value], variables: Mapping[str, int]
) -> None:
    """Run the uops in order. `memory` maps PARAMs to writable flat arrays."""
    ProgramEvaluator(items, memory, variables).launch_all()


class ProgramEvaluator(Evaluator):
    """The state of a running program."""

    def __init__(
        self, items: Sequence[UOp], memory: dict[UOp, Value], variables: Mapping[str, int]
    ) -> None:
        super().__init__(memory, variables)
        self.root = blocks(items)
        self.nodes = UOp.sink(*items).toposort()
        listed = set(items)
        # expressions that are written in place must be computed again in each iteration
        self.inline = [n for n in self.nodes if n.src and n not in listed]
        self.active: list[UOp] = []
        self.deciding = loops.deciding_groups(self.nodes)

    def launch_all(self) -> None:
        """Run the whole program, in parts of the launch grid that are not too large."""
        specials = [n for n in self.nodes if n.op is Ops.SPECIAL]
        groups = sorted((n for n in specials if n.arg[0] == "g"), key=lambda n: str(n.arg))
        others = [axis for axis in groups if axis not in self.deciding]
        for numbers in product(*(range(self.size(axis)) for axis in self.deciding)):
            own = {axis: (i, i + 1) for axis, i in zip(self.deciding, numbers, strict=True)}
            self.scope.bounds = own
            total = math.prod(self.extent(n) for n in specials)
            for bounds in loops.cut(self, others, total):
                self.launch({**own, **bounds})

    def launch(self, bounds: Mapping[UOp, tuple[int, int]]) -> None:
        """Run the whole program for a part of the launch grid."""
        self.scope.bounds, self.scope.memo = dict(bounds), {}
        self.scope.sequential = frozenset(self.deciding)
        self.storages, self.active = {}, [n for n in self.nodes if n.op is Ops.SPECIAL]
        for axis in self.active:
            self.axes.add(axis)
        self._run(self.root)

    def scope_of(self, node: UOp) -> Any:
        """Programs have one scope: a node's answer is the latest one."""
        return self.scope

    def _evaluate(self, node: UOp) -> Any:
        if node.op is Ops.AFTER:
            return self.known(node.src[0])
        if node.op is Ops.BARRIER:
            for storage in self.storages.values():
                storage.barrier()
            return None
        if node.op in (Ops.END, Ops.COPIES):
            return []  # the list says what has happened
        if node.op is Ops.INDEX:
            return None  # an INDEX is an address here; LOAD and STORE look at its sources
        if node.op in _LOCAL:
            self.storages[node] = storage_for(node)
            return None
        return super()._evaluate(node)

    def _needed(self, node: UOp) -> Sequence[UOp]:
        if node.op in (Ops.BARRIER, Ops.COPIES, Ops.INDEX, Ops.END):
            return ()
        return node.src[:1] if node.op is Ops.AFTER else super()._needed(node)

    def _run(self, block: Region) -> None:
        for item in block.body:
            if isinstance(item, Region):
                (self._loop if item.head.op is Ops.RANGE else self._branch)(item)  # type: ignore[union-attr]  # only the root has no head
            else:
                self.scope.memo.pop(item, None)
                self.value(item)

    # ---- memory ---------------------------------------------------------------------------

    def read(self, node: UOp) -> Value:
        """LOAD, under the conditions of the branches around it."""
        rest = [self.known(s) for s in node.src[1:]]
        gate = self._gate(rest[1] if len(rest) > 1 else None)
        return read(self, node.src[0], node.dtype.count, rest[0] if rest else None, gate)

    def write(self, node: UOp) -> list[Write]:
        """STORE, at once and under the conditions of the branches around it."""
        gate = self._gate(self.known(node.src[2]) if len(node.src) > 2 else None)
        for done in store(self, node, gate):
            self.put(done)
        self.log.clear()
        return []

    def put(self, done: Write) -> None:
        """Change memory as a write says."""
        self.memory[done.base].data.flat[done.positions] = done.parts[0]

    def _gate(self, gate: Value | None) -> Value | None:
        for mask in self.masks:
            gate = mask if gate is None else self._both(gate, mask)
        return gate

    def _both(self, a: Value, b: Value) -> Value:
        axes, lanes = self.axes.merge([a, b]), a.lanes or b.lanes
        both = spread(a, axes, 0, lanes)[0] & spread(b, axes, 0, lanes)[0]
        return Value((both,), axes, lanes)

    def work_item(self) -> Value | None:
        """The number of each work item in its workgroup."""
        number: Value | None = None
        for axis in self.active:
            if axis.op is Ops.SPECIAL and shared(axis):
                own = Value((np.arange(self.extent(axis)),), (axis,))
                number = own if number is None else self._numbered(number, own, self.extent(axis))
        return number

    def _numbered(self, outer: Value, inner: Value, size: int) -> Value:
        axes = self.axes.merge([outer, inner])
        return Value((spread(outer, axes)[0] * size + spread(inner, axes)[0],), axes)

    # ---- blocks ---------------------------------------------------------------------------

    def _branch(self, block: Region) -> None:
        head = block.head
        assert head is not None
        condition: Value = self.value(head.src[0])
        self.scope.memo[head] = None
        if condition.data.any():
            self.masks.append(condition)
            self._run(block)
            self.masks.pop()
        self.scope.memo[block.tail] = None

    def _loop(self, block: Region) -> None:
        head, tail = block.head, block.tail
        assert head is not None and tail is not None
        self.value(head.src[0])
        self.scope.bounds.pop(head, None)
        low, high = self.bounds(head)
        together = _independent(block) and not self.masks
        room = max(1, loops.LIMIT // math.prod(self.extent(a) for a in self.active))
        step = min(room, high - low) if together else 1
        for begin in range(low, high, max(1, step)):
            self._round(block, head, (begin, min(high, begin + step)), together)
        self.scope.bounds.pop(head, None)
        self.scope.memo[tail] = []

    def _round(self, block: Region, head: UOp, part: tuple[int, int], together: bool) -> None:
        self.scope.bounds[head] = part
        change = frozenset((head,))
        sequential = self.scope.sequential
        self.scope.sequential = sequential - change if together else sequential | change
        for node in (head, *self.inline):
            self.scope.memo.pop(node, None)
        self.value(head)
        if together:
            self.active.append(head)
        self._run(block)
        if together:
            self.active.pop()
            for storage in self.storages.values():
                storage.drop(head)


def _independent(block: Region) -> bool:
    """Whether no iteration of a loop needs registers or workgroup memory of the one before.

    That is so if each element that the loop writes is written before it is read there. Where loops
    inside end at what is read, or at the loop's own variable, each iteration has others.
    """
    if block.head is not None and block.head.arg[1] == "reduce":
        return False
    if any(n is block.head or n.op is Ops.LOAD for r in block.loops() for n in r.src[0].toposort()):
        return False
    accesses = [access for node in block.nodes() if (access := _local_access(node)) is not None]
    stored = {holder for node, holder, _ in accesses if node.op is Ops.STORE}
    written: set[tuple[UOp, UOp | None]] = set()
    for node, holder, element in accesses:
        if node.op is Ops.STORE and len(node.src) == 2:
            written.add((holder, element))
        elif holder in stored and not written & {(holder, element), (holder, None)}:
            return False
    return True


def _local_access(node: UOp) -> tuple[UOp, UOp, UOp | None] | None:
    """A LOAD or STORE of kernel memory, the memory, and the element if it is always the same."""
    if node.op not in (Ops.LOAD, Ops.STORE) or node.src[0].op is not Ops.INDEX:
        return None
    holder, element = plain(node.src[0].src[0]), node.src[0].src[1]
    if holder is None or holder.op not in _LOCAL:
        return None
    return node, holder, element if element.op is Ops.CONST else None
