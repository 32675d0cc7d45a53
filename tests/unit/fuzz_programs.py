"""Random tensor programs: written line by line, so that a failure can be pasted."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from itertools import permutations
from typing import Any

import numpy as np
from hypothesis import strategies as st

from rulewright import Tensor
from rulewright.ir.dtypes import dtypes

DTYPES = ["f32", "f32", "f32", "i32", "i64", "u8", "i8", "u32", "bool", "f16", "bf16", "f64",
          "fp8e4m3", "fp8e5m2", "u16", "i16", "u64", "fp8e4m3fnuz", "fp8e5m2fnuz"]  # fmt: skip
ODD = (0, 1, 1, 2, 3, 4, 5, 7, 8, 13)
"""Sizes that find mistakes at edges."""

LARGE = (1, 4, 16, 31, 32, 64, 65, 128)
"""Sizes at which loops are split, vectorised and spread over threads."""

FLOAT_UNARY = ["exp()", "abs().sqrt()", "relu()", "sin()", "tanh()", "sigmoid()", "reciprocal()",
               "abs().log()", "softmax(-1)", "floor()", "gelu()", "log_softmax(-1)"]  # fmt: skip
NUMBER_BINARY = ["{a} + {b}", "{a} - {b}", "{a} * {b}", "{a}.maximum({b})", "{a}.minimum({b})",
                 "({a} < {b}).where({a}, {b})", "({a} == {b}).cast({a}.dtype)"]  # fmt: skip
INTEGER_BINARY = ["{a} // {b}", "{a} % {b}", "{a} & {b}", "{a} | {b}", "{a} ^ {b}"]
BOOL_BINARY = ["{a} & {b}", "{a} | {b}", "{a} ^ {b}", "{a}.where({b}, {a})"]


Pick = Callable[[list[Any]], Any]
"""Chooses one of some options."""


def drawn(draw: st.DrawFn) -> Pick:
    """Choices that hypothesis makes."""
    return lambda options: draw(st.sampled_from(options))


class Writer:
    """Draws a program line by line, running each to know shapes and dtypes."""

    def __init__(self, pick: Pick, sizes: tuple[int, ...] = ODD, most: int = 5000) -> None:
        self.choose, self.sizes, self.most = pick, sizes, most
        self.names: dict[str, object] = {"Tensor": Tensor, "np": np, "dtypes": dtypes}
        self.lines = ["import numpy as np", "from rulewright import Tensor, dtypes"]
        self.tensors: list[str] = []

    def pick(self, options: Iterable[Any]) -> Any:
        return self.choose(list(options))

    def add(self, code: str) -> None:
        name = f"t{len(self.tensors)}"
        line = f"{name} = {code}"
        exec(line, self.names)
        if self.names[name].numel() > self.most:
            return
        self.lines.append(line)
        self.tensors.append(name)

    def tensor(self, name: str) -> Tensor:
        return self.names[name]

    def input(self) -> None:
        shape = tuple(self.pick(self.sizes) for _ in range(self.pick([1, 2, 3])))
        while math.prod(shape) > self.most:
            shape = shape[1:]
        kind = self.pick(DTYPES)
        seed = self.pick(range(100))
        scale = {"bool": "2", "u8": "200", "u32": "4000000000"}.get(kind)
        random = f"np.random.default_rng({seed})"
        if dtypes.__getattr__(kind).is_float:
            array = f"{random}.normal(size={shape})"
        elif scale:
            array = f"{random}.integers(0, {scale}, {shape})"
        else:
            array = f"{random}.integers(-100, 100, {shape})"
        self.add(f"Tensor({array}.astype(dtypes.{kind}.np))")

    def step(self) -> None:
        name = self.pick(self.tensors)
        t = self.tensor(name)
        kinds = [self.unary, self.binary, self.move, self.move, self.reduce, self.other]
        self.pick(kinds)(name, t)

    def unary(self, name: str, t: Tensor) -> None:
        if t.dtype.is_float and t.shape and t.shape[-1]:  # nothing has no maximum, so no softmax
            self.add(f"{name}.{self.pick(FLOAT_UNARY)}")
        elif t.dtype.is_bool:
            self.add(f"~{name}")
        else:
            self.add(f"-{name}")

    def binary(self, name: str, t: Tensor) -> None:
        fitting = [n for n in self.tensors if self.tensor(n).dtype is t.dtype]
        fitting = [n for n in fitting if _broadcast(self.tensor(n).shape, t.shape, self.most)]
        forms = list(NUMBER_BINARY)
        if t.dtype.is_bool:
            forms = BOOL_BINARY
        elif t.dtype.is_int:
            forms += INTEGER_BINARY
        else:
            forms.append("{a} / {b}")
        self.add(self.pick(forms).format(a=name, b=self.pick(fitting)))

    def move(self, name: str, t: Tensor) -> None:
        rank = len(t.shape)
        kind = self.pick(["reshape", "permute", "expand", "pad", "shrink", "flip", "slice"])
        if kind == "reshape":
            self.add(f"{name}.reshape{self._split(t.numel())}")
        elif kind == "permute" and rank > 1:
            self.add(f"{name}.permute{self.pick(permutations(range(rank)))}")
        elif kind == "expand" and rank < 4:
            sizes = [self.pick([2, 3]) if s == 1 else s for s in t.shape]
            self.add(f"{name}.unsqueeze(0).expand{(self.pick([1, 2, 3]), *sizes)}")
        elif kind == "pad" and rank:
            pads = tuple((self.pick([0, 1]), self.pick([0, 2])) for _ in t.shape)
            self.add(f"{name}.pad({pads})")
        elif kind == "shrink" and rank:
            ends = [self.pick(range(s + 1)) for s in t.shape]
            bounds = tuple((self.pick(range(e + 1)), e) for e in ends)
            self.add(f"{name}.shrink({bounds})")
        elif kind == "flip" and rank:
            self.add(f"{name}.flip({self.pick(range(rank))})")
        elif kind == "slice" and rank and t.shape[0] > 1:
            self.add(f"{name}[::{self.pick([-1, 2, -2])}]")

    def _split(self, count: int) -> tuple[int, ...]:
        divisors = [d for d in range(1, min(count, 40) + 1) if count % d == 0]
        first = self.pick(divisors) if divisors else 0
        return (first, count // first) if count else (self.pick([0, 3]), 0)

    def reduce(self, name: str, t: Tensor) -> None:
        if not t.shape:
            return
        axis = self.pick(range(len(t.shape)))
        if t.dtype.is_bool:
            self.add(f"{name}.{self.pick(['any', 'all'])}({axis})")
            return
        kinds = ["sum", "cumsum", "prod"] + ["mean", "var"] * t.dtype.is_float
        kinds += ["max", "min", "argmax", "argmin"] if t.shape[axis] else []
        if len(t.shape) > 1 and self.pick([True, False]):
            self.add(f"{name}.sum({(axis, (axis + 1) % len(t.shape))})")
            return
        self.add(f"{name}.{self.pick(kinds)}({axis})")

    def other(self, name: str, t: Tensor) -> None:
        kind = self.pick(["cast", "cast", "contiguous", "matmul", "cat", "detach", "gather",
                          "assign", "roll", "tril", "one_hot"])  # fmt: skip
        if kind == "cast":
            self.add(f"{name}.cast('{self.pick(DTYPES)}')")
        elif kind == "matmul" and len(t.shape) >= 2 and not t.dtype.is_bool:
            self.add(f"{name} @ {name}.transpose(-1, -2)")
        elif kind == "gather" and t.shape and t.shape[0]:
            rows = [self.pick(range(t.shape[0])) for _ in range(self.pick([1, 2, 3, 4]))]
            self.add(f"{name}[Tensor({rows})]")
        elif kind == "assign" and t.shape and t.shape[0]:
            self.assign(name, t)
        elif kind == "roll" and t.shape:
            self.add(f"{name}.roll({self.pick([1, -2])}, 0)")
        elif kind == "tril" and len(t.shape) >= 2:
            self.add(f"{name}.{self.pick(['tril', 'triu'])}({self.pick([0, 1, -1])})")
        elif kind == "one_hot" and t.dtype.is_int and len(t.shape) < 4:
            self.add(f"{name}.one_hot(5)")
        elif kind == "cat" and t.shape:
            self.add(f"{name}.cat({name}, dim={len(t.shape) - 1})")
        else:
            self.add(f"{name}.{'contiguous' if kind == 'contiguous' else 'detach'}()")

    def assign(self, name: str, t: Tensor) -> None:
        """A copy of a tensor, part of which is overwritten."""
        before = len(self.tensors)
        self.add(f"{name}.contiguous().realize().clone()")
        if len(self.tensors) == before:
            return
        copy = self.tensors[-1]
        begin = self.pick(range(t.shape[0]))
        value = self.pick(["1", f"{copy}[{begin}:].flip(0)", f"{name}[{begin}:]"])
        line = f"{copy}[{begin}:] = {value}"
        exec(line, self.names)
        self.lines.append(line)


def _broadcast(a: tuple[int, ...], b: tuple[int, ...], most: int) -> bool:
    try:
        shape = np.broadcast_shapes(a, b)
    except ValueError:
        return False
    return math.prod(shape) <= most
