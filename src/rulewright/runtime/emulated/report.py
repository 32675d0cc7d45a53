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


def described(fault: Any, kernel: Kernel, sizes: Sizes, memories: Sequence[Memory]) -> str:
    """What went wrong, where, and in which thread."""
    said = _WORDS[fault.kind - 1](fault, kernel, sizes, memories)
    return f"kernel {kernel.name}: {said}"


def _element(fault: Any, kernel: Kernel, memories: Sequence[Memory]) -> str:
    """The element that was touched, by the name of its buffer or shared array."""
    if fault.shared >= 0:
        array = kernel.arrays[fault.shared]
        count = kernel.count(array)
        index = fault.offset * count // array.size
        return f"shared {array.name}[{index}] ({count} elements of {array.size // count} bytes)"
    mine = [m for m in memories if m.window == fault.memory]
    before = [m for m in mine if m.begin <= fault.offset]
    memory = max(before or mine[:1], key=lambda m: m.begin)
    index = (fault.offset - memory.begin) // memory.itemsize
    return f"{memory.name}[{index}] ({memory.size} elements of {memory.dtype})"


def _does(is_write: int) -> str:
    return "writes" if is_write else "reads"


def _outside(fault: Any, kernel: Kernel, sizes: Sizes, memories: Sequence[Memory]) -> str:
    who = sizes.whole(fault.thread, fault.block)
    what = f"{_does(fault.is_write)} {fault.size} bytes at {_element(fault, kernel, memories)}"
    return f"out of bounds: {who} {what}{kernel.quote(kernel.line(fault.code))}"


def _nowhere(fault: Any, kernel: Kernel, sizes: Sizes, memories: Sequence[Memory]) -> str:
    who = sizes.whole(fault.thread, fault.block)
    what = f"{_does(fault.is_write)} {fault.size} bytes that belong to no buffer"
    return f"out of bounds: {who} {what}{kernel.quote(kernel.line(fault.code))}"


def _race(fault: Any, kernel: Kernel, sizes: Sizes, memories: Sequence[Memory]) -> str:
    who = sizes.whole(fault.thread, fault.block)
    other = sizes.thread(fault.other_thread)
    between = "with no barrier between them"
    if fault.other_block != fault.block:
        other = "a thread of another block"
        if fault.other_block >= 0:
            other = sizes.whole(fault.other_thread, fault.other_block)
        between = "and nothing orders two blocks"
    what = f"{_does(fault.is_write)} {_element(fault, kernel, memories)}"
    said = f"{who} {what}, which {other} {_does(fault.other_is_write)}, {between}"
    return f"data race: {said}{kernel.quote(kernel.line(fault.code))}"


def _uninitialised(fault: Any, kernel: Kernel, sizes: Sizes, memories: Sequence[Memory]) -> str:
    who = sizes.whole(fault.thread, fault.block)
    what = f"reads {_element(fault, kernel, memories)}, which no thread of its block wrote before"
    return f"uninitialised: {who} {what}{kernel.quote(kernel.line(fault.code))}"


def _divergent(fault: Any, kernel: Kernel, sizes: Sizes, memories: Sequence[Memory]) -> str:
    total = sizes.block[0] * sizes.block[1] * sizes.block[2]
    who = f"{fault.count} of {total} threads wait at a barrier"
    waits = f"{sizes.whole(fault.thread, fault.block)} among them"
    does = "waits at another" if fault.other_line >= 0 else "has ended"
    said = f"{who}, {waits}, and {sizes.thread(fault.other_thread)} {does}"
    return f"divergent barrier: {said}{kernel.quote(fault.line)}{kernel.quote(fault.other_line)}"


def _lanes(fault: Any, kernel: Kernel, sizes: Sizes, memories: Sequence[Memory]) -> str:
    does = "exchange values" if fault.number else "multiply matrices"
    several = "a warp" if fault.size == WARP else "four warps"
    who = f"{fault.count} of {fault.size} lanes of {several} {does}"
    others = ""
    if fault.other_thread >= 0:
        does = "is elsewhere" if fault.other_line >= 0 else "has ended"
        others = f", and {sizes.thread(fault.other_thread)} {does}"
    said = f"{who}, {sizes.whole(fault.thread, fault.block)} among them{others}"
    return f"divergent warp: {said}{kernel.quote(fault.line)}"


def _absent(fault: Any, kernel: Kernel, sizes: Sizes, memories: Sequence[Memory]) -> str:
    who = sizes.whole(fault.thread, fault.block)
    said = f"{who} reads the value of lane {fault.number} of its warp, which does not come here"
    return f"divergent warp: {said}{kernel.quote(fault.line)}"


def _matrices(fault: Any, kernel: Kernel, sizes: Sizes, memories: Sequence[Memory]) -> str:
    who = sizes.whole(fault.thread, fault.block)
    said = f"{who} multiplies other matrices than the first thread of its four warps"
    return f"divergent warp: {said}{kernel.quote(fault.line)}"


def _bounds(fault: Any, kernel: Kernel, sizes: Sizes, memories: Sequence[Memory]) -> str:
    who = sizes.whole(fault.thread, fault.block)
    said = f"{who} takes element {fault.number} of {_type(fault)}"
    return f"out of bounds: {said}{kernel.quote(fault.line)}"


def _misaligned(fault: Any, kernel: Kernel, sizes: Sizes, memories: Sequence[Memory]) -> str:
    who = sizes.whole(fault.thread, fault.block)
    said = f"{who} needs an address of {_type(fault)} that is a multiple of {fault.number} bytes"
    return f"misaligned: {said}, and has one {fault.offset} behind{kernel.quote(fault.line)}"


def _unnamed(fault: Any, kernel: Kernel, sizes: Sizes, memories: Sequence[Memory]) -> str:
    who, lane = sizes.whole(fault.thread, fault.block), fault.thread % WARP
    said = f"{who} is lane {lane} of its warp, which its mask {fault.number:#x} does not name"
    return f"divergent warp: {said}{kernel.quote(fault.line)}"


def _ahead(fault: Any, kernel: Kernel, sizes: Sizes, memories: Sequence[Memory]) -> str:
    who, other = sizes.whole(fault.thread, fault.block), sizes.thread(fault.other_thread)
    what = f"{_does(fault.is_write)} {_element(fault, kernel, memories)}"
    said = f"{who} {what}, to which {other} has begun a copy that it has not waited for"
    return f"data race: {said}{kernel.quote(kernel.line(fault.code))}"


def _division(fault: Any, kernel: Kernel, sizes: Sizes, memories: Sequence[Memory]) -> str:
    who = sizes.whole(fault.thread, fault.block)
    what = "the least number" if fault.number else "a number"
    said = f"{who} divides {what} of type {_type(fault)} by {fault.number}"
    return f"undefined: {said}{kernel.quote(fault.line)}"


def _shift(fault: Any, kernel: Kernel, sizes: Sizes, memories: Sequence[Memory]) -> str:
    who = sizes.whole(fault.thread, fault.block)
    said = f"{who} shifts a number of type {_type(fault)} by {fault.number} places"
    return f"undefined: {said}{kernel.quote(fault.line)}"


def _no_memory(fault: Any, kernel: Kernel, sizes: Sizes, memories: Sequence[Memory]) -> str:
    return "no addresses or memory are left for its buffers and threads"


def _type(fault: Any) -> str:
    from rulewright.runtime.clib import foreign

    return str(foreign()[0].string(fault.type).decode(errors="replace").strip("'"))


# as in requests.c, behind what ended well
_WORDS = (
    _outside, _nowhere, _race, _uninitialised, _divergent, _bounds, _misaligned, _no_memory,
    _lanes, _absent, _matrices, _unnamed, _ahead, _division, _shift,
)  # fmt: skip
