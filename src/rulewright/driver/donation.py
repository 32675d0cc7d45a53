"""Which results of kernels may have the memory of which donated arguments.

A result takes an argument's memory where the argument is read for the last time before the result
is written, or in the kernel that first writes it, if that may be done in one memory. The kernel is
then another one, of one memory; it goes where it would only copy. A kernel that could be done so
but for others that read the argument behind it runs behind them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence, Set
from dataclasses import dataclass, replace
from itertools import product

from rulewright.driver.capture import Noted
from rulewright.driver.replay import inner_memories
from rulewright.ir.ops import Ops
from rulewright.runtime.buffer import Buffer
from rulewright.runtime.disk import is_of_file
from rulewright.schedule.overwrite import in_one_memory


@dataclass(frozen=True)
class Taken:
    """A result has the memory of `argument`, whose contents it begins with if `is_read`."""

    argument: Buffer
    is_read: bool


class Donation:
    """`items` are the kernels after it; `taken` says by result which argument's memory it has.

    arguments: buffers that may be overwritten once they are read · filled: buffers that the items
    fill · held: memory that others know too. Arguments and filled buffers of which the items use
    parts stay as they are.
    """

    def __init__(
        self,
        items: Sequence[Noted],
        arguments: Iterable[Buffer],
        filled: Iterable[Buffer],
        held: Set[Buffer],
    ) -> None:
        self.items = list(items)
        self.taken: dict[Buffer, Taken] = {}
        self._inner = inner_memories([item for item, _ in items], held)
        self._count()
        roots = Counter(b.base or b for b in self._first)
        mine = [b for b in arguments if b in self._last and not is_of_file(b)]
        free = [b for b in mine if roots[b.base or b] == 1]
        results = [b for b in filled if b in self._first and roots[b.base or b] == 1]
        results.sort(key=self._first.__getitem__)
        for take in (self._in_one_kernel, self._afterwards):
            for result in [r for r in results if r not in self.taken]:
                argument = next((b for b in free if _alike(b, result) and take(b, result)), None)
                if argument is not None:
                    free.remove(argument)
        self.items = [n for n in self.items if n[0].ast.op is not Ops.SINK or n[0].ast.src]

    def _count(self) -> None:
        """Find the first and the last kernel that uses each memory."""
        self._first: dict[Buffer, int] = {}
        self._last: dict[Buffer, int] = {}
        for number, (item, _) in enumerate(self.items):
            for buffer in item.buffers:
                self._first.setdefault(buffer, number)
                self._last[buffer] = number

    def _in_one_kernel(self, argument: Buffer, result: Buffer) -> bool:
        number = self._first[result]
        item, values = self.items[number]
        if not item.is_kernel or argument not in item.buffers:
            return False
        written, read = item.buffers.index(result), item.buffers.index(argument)
        kernel = in_one_memory(item.ast, written, read)
        if kernel is None or not self._may_wait(number, argument, result):
            return False
        buffers = (*item.buffers[:read], *item.buffers[read + 1 :])
        self.items.insert(self._last[argument], self.items.pop(number))
        self.items[self._last[argument]] = replace(item, ast=kernel, buffers=buffers), values
        self._count()
        self.taken[result] = Taken(argument, True)
        return True

    def _may_wait(self, number: int, argument: Buffer, result: Buffer) -> bool:
        """Whether a kernel may run behind the last one that reads the argument, and what it
        needs then need not be kept for longer than is saved."""
        item, _ = self.items[number]
        passed = [other for other, _ in self.items[number + 1 : self._last[argument] + 1]]
        for other in passed:
            pairs = [*product(item.written, other.buffers), *product(item.read, other.written)]
            if any(self._meet(one, two) for one, two in pairs):
                return False
        kept = {b for b in item.read if b in self._inner and self._last[b] == number}
        return not passed or sum(b.nbytes for b in kept) < result.nbytes

    def _meet(self, one: Buffer, two: Buffer) -> bool:
        """Whether memories may be one: inner ones are planned anew, each apart from the others."""
        if one is two or (one in self._inner and two in self._inner):
            return one is two
        return (one.base or one) is (two.base or two)

    def _afterwards(self, argument: Buffer, result: Buffer) -> bool:
        if self._last[argument] >= self._first[result]:
            return False
        self.taken[result] = Taken(argument, False)
        return True


def _alike(one: Buffer, other: Buffer) -> bool:
    return (one.device, one.dtype, one.size) == (other.device, other.dtype, other.size)
