"""Random small tensor programs: the C device against the interpreter.

The reference is the interpreter on the tensor graph itself, so schedule, lowering, rendering and
the device are what is tested. Integers and bools must agree bit by bit, floats within the
tolerance that shadow mode derives. A failing program is printed as code that can be pasted.
"""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, note, settings
from hypothesis import strategies as st

from rulewright import Tensor
from rulewright.interp import Shadowed, evaluate
from rulewright.ir.dtypes import dtypes
from rulewright.ir.ops import Ops
from rulewright.runtime.memories import buffer_of

DTYPES = ["f32", "f32", "f32", "i32", "i64", "u8", "i8", "u32", "bool", "f16", "bf16", "f64"]
SIZES = st.sampled_from([0, 1, 1, 2, 3, 4, 5, 7, 8, 13])
MOST_ELEMENTS = 5000

FLOAT_UNARY = ["exp()", "abs().sqrt()", "relu()", "sin()", "tanh()", "sigmoid()", "reciprocal()",
               "abs().log()", "softmax(-1)", "floor()", "gelu()", "log_softmax(-1)"]  # fmt: skip
NUMBER_BINARY = ["{a} + {b}", "{a} - {b}", "{a} * {b}", "{a}.maximum({b})", "{a}.minimum({b})",
                 "({a} < {b}).where({a}, {b})", "({a} == {b}).cast({a}.dtype)"]  # fmt: skip
INTEGER_BINARY = ["{a} // {b}", "{a} % {b}", "{a} & {b}", "{a} | {b}", "{a} ^ {b}"]
BOOL_BINARY = ["{a} & {b}", "{a} | {b}", "{a} ^ {b}", "{a}.where({b}, {a})"]


class Writer:
    """Draws a program line by line, running each to know shapes and dtypes."""

    def __init__(self, draw) -> None:
        self.draw = draw
        self.names: dict[str, object] = {"Tensor": Tensor, "np": np, "dtypes": dtypes}
        self.lines = ["import numpy as np", "from rulewright import Tensor, dtypes"]
        self.tensors: list[str] = []

    def pick(self, options):
        return self.draw(st.sampled_from(list(options)))

    def add(self, code: str) -> None:
        name = f"t{len(self.tensors)}"
        line = f"{name} = {code}"
        exec(line, self.names)
        if self.names[name].numel() > MOST_ELEMENTS:
            return
        self.lines.append(line)
        self.tensors.append(name)

    def tensor(self, name: str) -> Tensor:
        return self.names[name]

    def input(self) -> None:
        shape = tuple(self.draw(st.lists(SIZES, min_size=1, max_size=3)))
        kind = self.pick(DTYPES)
        seed = self.draw(st.integers(0, 99))
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
        fitting = [n for n in fitting if _broadcast(self.tensor(n).shape, t.shape)]
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
            self.add(f"{name}.permute{tuple(self.draw(st.permutations(range(rank))))}")
        elif kind == "expand" and rank < 4:
            sizes = [self.pick([2, 3]) if s == 1 else s for s in t.shape]
            self.add(f"{name}.unsqueeze(0).expand{(self.pick([1, 2, 3]), *sizes)}")
        elif kind == "pad" and rank:
            pads = tuple((self.pick([0, 1]), self.pick([0, 2])) for _ in t.shape)
            self.add(f"{name}.pad({pads})")
        elif kind == "shrink" and rank:
            ends = [self.draw(st.integers(0, s)) for s in t.shape]
            bounds = tuple((self.draw(st.integers(0, e)), e) for e in ends)
            self.add(f"{name}.shrink({bounds})")
        elif kind == "flip" and rank:
            self.add(f"{name}.flip({self.draw(st.integers(0, rank - 1))})")
        elif kind == "slice" and rank and t.shape[0] > 1:
            self.add(f"{name}[::{self.pick([-1, 2, -2])}]")

    def _split(self, count: int) -> tuple[int, ...]:
        divisors = [d for d in range(1, min(count, 40) + 1) if count % d == 0]
        first = self.pick(divisors) if divisors else 0
        return (first, count // first) if count else (self.pick([0, 3]), 0)

    def reduce(self, name: str, t: Tensor) -> None:
        if not t.shape:
            return
        axis = self.draw(st.integers(0, len(t.shape) - 1))
        if t.dtype.is_bool:
            self.add(f"{name}.{self.pick(['any', 'all'])}({axis})")
            return
        kinds = ["sum", "cumsum"] + ["mean"] * t.dtype.is_float
        kinds += ["max", "min"] if t.shape[axis] else []
        self.add(f"{name}.{self.pick(kinds)}({axis})")

    def other(self, name: str, t: Tensor) -> None:
        kind = self.pick(["cast", "cast", "contiguous", "matmul", "cat", "detach"])
        if kind == "cast":
            self.add(f"{name}.cast('{self.pick(DTYPES)}')")
        elif kind == "matmul" and len(t.shape) >= 2 and not t.dtype.is_bool:
            self.add(f"{name} @ {name}.transpose(-1, -2)")
        elif kind == "cat" and t.shape:
            self.add(f"{name}.cat({name}, dim={len(t.shape) - 1})")
        else:
            self.add(f"{name}.{'contiguous' if kind == 'contiguous' else 'detach'}()")


def _broadcast(a: tuple[int, ...], b: tuple[int, ...]) -> bool:
    try:
        shape = np.broadcast_shapes(a, b)
    except ValueError:
        return False
    return math.prod(shape) <= MOST_ELEMENTS


def reference(tensor: Tensor) -> Shadowed:
    """What the interpreter says of a tensor's graph."""
    graph = tensor.uop
    held = {n: buffer_of(n).as_numpy() for n in graph.toposort() if n.op is Ops.BUFFER}
    found = evaluate(graph, held, shadow=True)
    assert isinstance(found, Shadowed)
    return found


def check(name: str, found: np.ndarray, wanted: Shadowed) -> None:
    assert found.shape == wanted.exact.shape, name
    assert found.dtype == wanted.exact.dtype, name
    agrees = wanted.agrees(found)
    if agrees.all():
        return
    at = tuple(np.argwhere(~agrees)[0])
    raise AssertionError(
        f"{name}{list(map(int, at))}: C gives {found[at]!r}, the interpreter {wanted.exact[at]!r} "
        f"(in f64 {wanted.shadow[at]!r}, tolerance {wanted.tolerance[at]!r}); "
        f"{int((~agrees).sum())} of {agrees.size} differ"
    )


@settings(max_examples=60)
@given(st.data())
def test_random_programs_agree_with_the_interpreter(data):
    writer = Writer(data.draw)
    for _ in range(data.draw(st.integers(1, 2))):
        writer.input()
    for _ in range(data.draw(st.integers(1, 8))):
        writer.step()
    note("\n".join([*writer.lines, f"print({writer.tensors[-1]}.numpy())"]))
    outputs = writer.tensors[-2:]
    wanted = [reference(writer.tensor(n)) for n in outputs]
    Tensor.realize(*(writer.tensor(n) for n in outputs))
    for name, value in zip(outputs, wanted, strict=True):
        check(name, writer.tensor(name).numpy(), value)


@pytest.mark.parametrize("kind", ["f32", "f16", "bf16", "i32", "bool"])
@pytest.mark.parametrize("shape", [(0,), (1,), (3, 0, 2), (13, 1), (2, 3, 5)])
def test_odd_shapes_of_each_dtype(kind, shape):
    array = np.random.default_rng(1).integers(0, 5, shape).astype(dtypes.__getattr__(kind).np)
    t = Tensor(array)
    results = [t.flip(0), t.cast("f32").sum(0), t.cat(t, dim=0), t.cast("i32").cumsum(0)]
    if 0 not in shape:
        results += [t.cast("i32").max(0), t.cast("f32").softmax(-1)]
    wanted = [reference(r) for r in results]
    for result, value in zip(results, wanted, strict=True):
        check(kind, result.numpy(), value)
