"""A stack machine: words to byte code, and byte code to numbers.

An instruction is a byte that says what to do and three that say with what: a cell, a constant or
a place in the code. Values are numpy scalars, so that integers wrap and floats are rounded.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

PUSH, READ, WRITE, FETCH, PUT, JUMP, UNLESS, BEGIN, NEXT, ARRAY, BIND, NUMBER, CAST, BITS = range(
    14
)
_WIDTH = 3  # bytes of an operand


class WordError(Exception):
    """A word that means nothing, or a block that is not closed."""


def _quotient(a: Any, b: Any) -> Any:
    """Toward zero."""
    x, y = int(a), int(b)
    return type(a)(abs(x) // abs(y) * (1 if (x < 0) == (y < 0) else -1))


def _rest(a: Any, b: Any) -> Any:
    """What `_quotient` leaves, with the sign of `a`."""
    x, y = int(a), int(b)
    return type(a)(abs(x) % abs(y) * (1 if x >= 0 else -1))


def _erf(x: Any) -> Any:
    return type(x)(math.erf(x))


_WORDS: dict[str, tuple[int, Callable[..., Any]]] = {
    "add": (2, operator.add), "sub": (2, operator.sub), "mul": (2, operator.mul),
    "div": (2, operator.truediv), "quotient": (2, _quotient), "rest": (2, _rest),
    "pow": (2, np.power), "fmod": (2, np.fmod), "max": (2, np.maximum), "min": (2, np.minimum),
    "and": (2, operator.and_), "or": (2, operator.or_), "xor": (2, operator.xor),
    "shl": (2, operator.lshift), "shr": (2, operator.rshift), "less": (2, operator.lt),
    "atmost": (2, operator.le), "equal": (2, operator.eq), "differ": (2, operator.ne),
    "neg": (1, operator.neg), "not": (1, operator.invert), "recip": (1, np.reciprocal),
    "sqrt": (1, np.sqrt), "trunc": (1, np.trunc), "exp": (1, np.exp), "exp2": (1, np.exp2),
    "log": (1, np.log), "log2": (1, np.log2), "sin": (1, np.sin), "cos": (1, np.cos),
    "atan": (1, np.arctan), "tanh": (1, np.tanh), "erf": (1, _erf),
}  # fmt: skip
_NAMES = list(_WORDS)
_FIRST = 32  # the number of the first word; those below are the machine's own


@dataclass
class Code:
    """Byte code, its constants and how many cells it needs."""

    code: bytearray = field(default_factory=bytearray)
    constants: list[Any] = field(default_factory=list)
    cells: dict[str, int] = field(default_factory=dict)

    def add(self, what: int, operand: int = 0) -> int:
        """Append an instruction; its place."""
        self.code += bytes([what]) + operand.to_bytes(_WIDTH, "little")
        return len(self.code) - 1 - _WIDTH

    def patch(self, place: int) -> None:
        """Let a jump that was added before lead here."""
        self.code[place + 1 : place + 1 + _WIDTH] = len(self.code).to_bytes(_WIDTH, "little")

    def constant(self, value: Any) -> int:
        """The number of a constant."""
        self.constants.append(value)
        return len(self.constants) - 1

    def cell(self, name: str) -> int:
        """The number of a cell, a new one for a new name."""
        return self.cells.setdefault(name, len(self.cells))


def _number(word: str) -> Any:
    """TYPE:NUMBER. Raises WordError for what is none."""
    kind, colon, digits = word.partition(":")
    if not colon:
        raise WordError(f"unknown word {word!r}")
    made = getattr(np, "bool_" if kind == "bool" else kind)
    return made(float(digits) if kind.startswith("float") else int(digits, 0))


def assemble(source: str) -> Code:
    """The byte code of one kernel. Raises WordError for a word that means nothing."""
    made = Code()
    open_blocks: list[Callable[[], None]] = []
    for line in source.splitlines():
        words = line.split()
        if words:
            _statement(made, words, open_blocks)
    if open_blocks:
        raise WordError("a block is not closed")
    return made


def _statement(made: Code, words: list[str], blocks: list[Callable[[], None]]) -> None:
    first, last = words[0], words[-1]
    if first == "kernel":
        blocks.append(lambda: None)
    elif first == "end":
        blocks.pop()()
    elif first == "memory":
        made.add(BIND, made.constant((int(words[2]), np.dtype(words[1]))))
        made.add(WRITE, made.cell(last))
    elif first == "number":
        made.add(NUMBER, int(words[1]))
        made.add(WRITE, made.cell(last))
    elif first == "array":
        made.add(ARRAY, made.constant((int(words[2]), words[1])))
        made.add(WRITE, made.cell(last))
    elif last == "if":
        _expression(made, words[:-1])
        skip = made.add(UNLESS)
        blocks.append(lambda: made.patch(skip))
    elif "loop" in words:
        _expression(made, words[:-2])
        _loop(made, last, blocks)
    else:
        middle = words.index("to")
        _expression(made, words[:middle])
        _expression(made, words[middle + 1 : -1])
        made.add(PUT) if last == "at" else made.add(WRITE, made.cell(last))


def _loop(made: Code, name: str, blocks: list[Callable[[], None]]) -> None:
    """The number of rounds is on the stack; the cell of `name` counts them."""
    cell, end = made.cell(name), made.cell(f"{name} end")
    made.add(WRITE, end)
    made.add(PUSH, made.constant(np.int64(-1)))
    made.add(WRITE, cell)
    start = made.add(NEXT, cell)  # which leaves whether there is a round
    leave = made.add(UNLESS)

    def close() -> None:
        made.add(JUMP, start)
        made.patch(leave)

    blocks.append(close)


def _expression(made: Code, words: list[str]) -> None:
    waiting: list[int] = []  # jumps of `when` and `else`
    rest = iter(words)
    for word in rest:
        if word in made.cells:
            made.add(READ, made.cells[word])
        elif word in _WORDS:
            made.add(_FIRST + _NAMES.index(word))
        elif word == "at":
            made.add(FETCH)
        elif word in ("cast", "bits"):
            made.add(CAST if word == "cast" else BITS, made.constant(np.dtype(next(rest))))
        elif word == "when":
            waiting.append(made.add(UNLESS))
        elif word == "else":
            over = made.add(JUMP)
            made.patch(waiting.pop())
            waiting.append(over)
        elif word == "then":
            made.patch(waiting.pop())
        else:
            made.add(PUSH, made.constant(_number(word)))


def _cast(value: Any, kind: np.dtype[Any]) -> Any:
    """Floats to integers: toward zero, the nearest bound out of range, 0 for what is no number."""
    if kind.kind == "b":
        return value != 0
    if kind.kind in "iu" and value.dtype.kind == "f":
        low, high = int(np.iinfo(kind).min), int(np.iinfo(kind).max)
        if not np.isfinite(value):
            return kind.type(0 if np.isnan(value) else high if value > 0 else low)
        return kind.type(min(max(int(value), low), high))
    return value.astype(kind)


class _Run:
    """One run of a program: its stack, its cells, and where it is."""

    def __init__(self, program: Code, memories: Sequence[np.ndarray], numbers: Sequence[int]):
        self.code, self.constants = program.code, program.constants
        self.memories, self.numbers = memories, numbers
        self.cells: list[Any] = [None] * len(program.cells)
        self.stack: list[Any] = []
        self.at = 0

    def to_the_end(self) -> None:
        """Do what the code says, instruction by instruction."""
        while self.at < len(self.code):
            what, start = self.code[self.at], self.at + 1
            self.at = start + _WIDTH
            if what >= _FIRST:
                self.word(*_WORDS[_NAMES[what - _FIRST]])
            else:
                _DO[what](self, int.from_bytes(self.code[start : self.at], "little"))

    def word(self, count: int, function: Callable[..., Any]) -> None:
        """A function of what is on top of the stack."""
        operands = self.stack[-count:]
        del self.stack[-count:]
        self.stack.append(function(*operands))

    def write(self, cell: int) -> None:
        """A value into a cell."""
        self.cells[cell] = self.stack.pop()

    def fetch(self, _: int) -> None:
        """An element of a memory."""
        memory = self.stack.pop()
        self.stack.append(memory[self.stack.pop()])

    def put(self, _: int) -> None:
        """A value into an element of a memory."""
        memory, place = self.stack.pop(), self.stack.pop()
        memory[place] = self.stack.pop()

    def jump(self, place: int) -> None:
        """Go on elsewhere."""
        self.at = place

    def unless(self, place: int) -> None:
        """Go on elsewhere if what is on top is false."""
        if not self.stack.pop():
            self.at = place

    def next(self, cell: int) -> None:
        """Count a round; whether there is one. Behind a counter is the cell of its end."""
        self.cells[cell] = self.cells[cell] + np.int64(1)
        self.stack.append(self.cells[cell] < self.cells[cell + 1])

    def bind(self, constant: int) -> None:
        """A memory that the program was given, as elements of a type."""
        slot, kind = self.constants[constant]
        self.stack.append(self.memories[slot].view(kind))

    def cast(self, constant: int) -> None:
        """A value in another type."""
        self.stack.append(_cast(self.stack.pop(), self.constants[constant]))


_DO: dict[int, Callable[[_Run, int], None]] = {
    PUSH: lambda run, i: run.stack.append(run.constants[i]),
    READ: lambda run, i: run.stack.append(run.cells[i]),
    NUMBER: lambda run, i: run.stack.append(np.int64(run.numbers[i])),
    ARRAY: lambda run, i: run.stack.append(np.zeros(*run.constants[i])),
    BITS: lambda run, i: run.stack.append(run.stack.pop().view(run.constants[i])),
    CAST: _Run.cast, WRITE: _Run.write, FETCH: _Run.fetch, PUT: _Run.put, BIND: _Run.bind,
    JUMP: _Run.jump, UNLESS: _Run.unless, NEXT: _Run.next,
}  # fmt: skip


def execute(program: Code, memories: Sequence[np.ndarray], numbers: Sequence[int]) -> None:
    """Run byte code over memories, which it may write, and numbers."""
    with np.errstate(all="ignore"):
        _Run(program, memories, numbers).to_the_end()
