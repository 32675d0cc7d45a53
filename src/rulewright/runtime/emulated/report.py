"""What an emulated launch ran into, in words."""

from __future__ import annotations

import re
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from math import prod
from pathlib import Path
from typing import Any

from rulewright.runtime.emulated.image import SharedArray
from rulewright.runtime.processes import run_within

_SECONDS = 10  # that looking up a line may take
WARP = 32


@dataclass(frozen=True)
class Memory:
    """A buffer as a kernel names it: its parameter, the dtype and number of its elements, where it
    begins (in bytes) in the memory that the emulator knows, and bytes an element."""

    name: str
    dtype: str
    size: int
    window: int
    begin: int
    itemsize: int


@dataclass(frozen=True)
class Kernel:
    """What a report says of a kernel: its name, source and library, and its shared arrays."""

    name: str
    source: str
    library: Path
    arrays: Sequence[SharedArray]

    def line(self, code: int) -> int:
        """The line of the source at a place in the library, or 0 if it is not known."""
        tool = shutil.which("addr2line")
        if tool is None:
            return 0
        command = [tool, "-e", str(self.library), hex(code - 1)]  # the call, not behind it
        try:
            said = run_within(_SECONDS, command).output.decode(errors="replace")
        except (OSError, TimeoutError):
            return 0
        file, _, number = said.strip().partition(" ")[0].rpartition(":")
        return int(number) if file.endswith("kernel") and number.isdigit() else 0

    def count(self, array: SharedArray) -> int:
        """How many elements a shared array is declared with; its bytes if that is not found."""
        name = re.escape(array.name)
        declared = re.search(rf"\b{name}\s*(\[/\*|(?:\[\s*\d+\s*\])+)", self.source)
        if declared and declared[1] == "[/*":  # what it is launched with
            return array.size
        return prod(map(int, re.findall(r"\d+", declared[1]))) if declared else array.size

    def quote(self, line: int) -> str:
        """That line's number and text, to stand behind what was said of it."""
        lines = self.source.split("\n")
        return f"\n  line {line}: {lines[line - 1].strip()}" if 0 < line <= len(lines) else ""


@dataclass(frozen=True)
class Sizes:
    """Blocks of a grid and threads of a block, along three axes each."""

    grid: tuple[int, int, int]
    block: tuple[int, int, int]

    def thread(self, number: int) -> str:
        """A thread by its coordinates in the block."""
        return f"thread {_place(number, self.block)}" if number >= 0 else "another thread"

    def whole(self, thread: int, block: int) -> str:
        """A thread, and its block by its coordinates in the grid."""
        return f"{self.thread(thread)} of block {_place(block, self.grid)}"


def _place(number: int, sizes: tuple[int, int, int]) -> str:
    x, rest = number % sizes[0], number // sizes[0]
    return f"({x}, {rest % sizes[1]}, {rest // sizes[1]})"


class _Report:
    """The words that say what went wrong: `_WORDS` names them."""

    def __init__(
        self, fault: Any, kernel: Kernel, sizes: Sizes, memories: Sequence[Memory]
    ) -> None:
        self.fault, self.kernel, self.sizes, self.memories = fault, kernel, sizes, memories
        self.who = sizes.whole(fault.thread, fault.block)
        self.other = sizes.thread(fault.other_thread)
        self.does = _does(fault.is_write)
        self.lane, self.threads = fault.thread % WARP, prod(sizes.block)
        self.line, self.other_line = map(kernel.quote, (fault.line, fault.other_line))
        self.number = "the least number" if fault.number else "a number"

    @property
    def code(self) -> str:
        return self.kernel.quote(self.kernel.line(self.fault.code))

    @property
    def type(self) -> str:
        from rulewright.runtime.clib import foreign

        return str(foreign()[0].string(self.fault.type).decode(errors="replace").strip("'"))

    @property
    def element(self) -> str:
        """The element that was touched, by the name of its buffer or shared array."""
        fault = self.fault
        if fault.shared >= 0:
            array = self.kernel.arrays[fault.shared]
            count = self.kernel.count(array)
            index = fault.offset * count // array.size
            return f"shared {array.name}[{index}] ({count} elements of {array.size // count} bytes)"
        mine = [m for m in self.memories if m.window == fault.memory]
        before = [m for m in mine if m.begin <= fault.offset]
        memory = max(before or mine[:1], key=lambda m: m.begin)
        index = (fault.offset - memory.begin) // memory.itemsize
        return f"{memory.name}[{index}] ({memory.size} elements of {memory.dtype})"

    @property
    def another(self) -> str:
        fault = self.fault
        if fault.other_block == fault.block:
            return self.other
        known = fault.other_block >= 0
        whole = self.sizes.whole(fault.other_thread, fault.other_block) if known else ""
        return whole or "a thread of another block"

    @property
    def between(self) -> str:
        here = self.fault.other_block == self.fault.block
        how = "with no barrier between them" if here else "and nothing orders two blocks"
        return f"{_does(self.fault.other_is_write)}, {how}"

    @property
    def waits(self) -> str:
        return f"{self.other} {'waits at another' if self.fault.other_line >= 0 else 'has ended'}"

    @property
    def lanes(self) -> str:
        warps = "a warp" if self.fault.size == WARP else "four warps"
        does = "exchange values" if self.fault.number else "multiply matrices"
        return f"{self.fault.count} of {self.fault.size} lanes of {warps} {does}"

    @property
    def others(self) -> str:
        does = "is elsewhere" if self.fault.other_line >= 0 else "has ended"
        return f", and {self.other} {does}" if self.fault.other_thread >= 0 else ""


def _does(is_write: int) -> str:
    return "writes" if is_write else "reads"


_WORDS = (
    "out of bounds: {0.who} {0.does} {1.size} bytes at {0.element}{0.code}",
    "out of bounds: {0.who} {0.does} {1.size} bytes that belong to no buffer{0.code}",
    "data race: {0.who} {0.does} {0.element}, which {0.another} {0.between}{0.code}",
    "uninitialised: {0.who} reads {0.element}, which no thread of its block wrote before{0.code}",
    "divergent barrier: {1.count} of {0.threads} threads wait at a barrier, {0.who} among them, "
    "and {0.waits}{0.line}{0.other_line}",
    "out of bounds: {0.who} takes element {1.number} of {0.type}{0.line}",
    "misaligned: {0.who} needs an address of {0.type} that is a multiple of {1.number} bytes, and "
    "has one {1.offset} behind{0.line}",
    "no addresses or memory are left for its buffers and threads",
    "divergent warp: {0.lanes}, {0.who} among them{0.others}{0.line}",
    "divergent warp: {0.who} reads the value of lane {1.number} of its warp, which does not come "
    "here{0.line}",
    "divergent warp: {0.who} multiplies other matrices than the first thread of its four warps"
    "{0.line}",
    "divergent warp: {0.who} is lane {0.lane} of its warp, which its mask {1.number:#x} does not "
    "name{0.line}",
    "data race: {0.who} {0.does} {0.element}, to which {0.other} has begun a copy that it has not "
    "waited for{0.code}",
    "undefined: {0.who} divides {0.number} of type {0.type} by {1.number}{0.line}",
    "undefined: {0.who} shifts a number of type {0.type} by {1.number} places{0.line}",
)
"""Of a report and its fault, as in requests.c behind what ended well."""


def described(fault: Any, kernel: Kernel, sizes: Sizes, memories: Sequence[Memory]) -> str:
    """What went wrong, where, and in which thread."""
    said = _WORDS[fault.kind - 1].format(_Report(fault, kernel, sizes, memories), fault)
    return f"kernel {kernel.name}: {said}"
