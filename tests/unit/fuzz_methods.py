"""Random programs out of the table of methods, beside the steps that every fuzzed program has.

A program is written while the model of `fuzz_memory` runs it, line by line: what the model refuses
is not kept, and what it says at the end is what tensors must hold.
"""

from __future__ import annotations

import math
import random
import re
from typing import Any, NamedTuple

from fuzz_calls import CALLS, SMOOTH, Call
from fuzz_memory import Held, Memory
from fuzz_programs import DTYPES, Writer

from rulewright.errors import RulewrightError
from rulewright.ir.dtypes import dtypes
from rulewright.verify.methods.row import NAMES, Shape

SIZES = (1, 0, 1, 2, 2, 3, 3, 4, 5, 5, 7, 7, 8, 13)
"""Sizes of axes; primes and 1 often, 0 seldom: little happens in what is empty."""

SYMBOLIC = (6, 7, 8, 1, 3)
"""Sizes of axes that variables cut."""

BOUND = 'n = Variable("n", 1, 6).bind({})'
NODES = 500
"""A program whose graph is larger says little about the step that made it so."""


class Program(NamedTuple):
    """Lines of code, the names of the tensors that are compared, and what kind of program it is.

    The first `setup` lines make state; a jitted step is made of the rest. All tensors are on
    `devices`, if there are any.
    """

    lines: list[str]
    outputs: list[str]
    kind: str = "values"
    setup: int = 0
    seed: int = 0
    devices: tuple[str, ...] = ()


class MethodWriter(Writer):
    """Writes programs of calls of the table, of views, of writes and of Writer's own steps."""

    def __init__(self, rng: random.Random, kind: str = "values") -> None:
        is_symbolic = kind == "symbolic"
        super().__init__(rng.choice, SYMBOLIC if is_symbolic else SIZES, 2000)
        self.kind, self.rng = kind, rng
        self.lines = ["import numpy as np", "from rulewright import Tensor, Variable, dtypes"]
        self.memory = Memory({"n": 3} if is_symbolic else {})
        self.weight: dict[str, int] = {}
        self.program = Program([], [])
        self.state: list[str] = []  # inputs that a jitted step finds around it
        self.crashes: list[tuple[Program, Exception]] = []
        self.kinds = ["f64"] if kind == "gradient" else DTYPES
        self.calls = SMOOTH if kind == "gradient" else CALLS
        if is_symbolic:
            self.lines.append(BOUND.format(3))

    # ---- lines -------------------------------------------------------------------------------

    def tensor(self, name: str) -> Held:
        return self.memory.held[name]

    def add(self, code: str) -> bool:
        """Give the next name to a value, or to one part of several; False if that cannot be."""
        name = f"t{len(self.tensors)}"
        if self.kind == "gradient" and "detach" in code:
            return False
        try:
            code = self.memory.part(code, self.pick)
            if not code or not self.kept(f"{name} = {code}"):
                return False
        except RulewrightError:
            return False
        except Exception as error:
            return self.crashed(f"{name} = {code}", error)
        held = self.tensor(name)
        wrong_kind = self.kind == "gradient" and held.dtype.is_float and held.dtype.bits != 64
        weight = 4 + self.memory.size + sum(self.weight[n] for n in self.memory.used)
        if held.numel() > self.most or weight > NODES or wrong_kind:
            del self.memory.held[name]
            return False
        self.lines.append(f"{name} = {code}")
        self.weight[name] = weight
        self.tensors.append(name)
        return True

    def kept(self, line: str) -> bool:
        """Run a line in the model; False if it refuses."""
        try:
            self.memory.run(line)
        except RulewrightError:
            return False
        except Exception as error:
            return self.crashed(line, error)
        return True

    def crashed(self, line: str, error: Exception) -> bool:
        """A line is no program, but its error should be one of ours."""
        self.crashes.append((Program([*self.lines, line], []), error))
        return False

    # ---- tensors out of nothing ----------------------------------------------------------------

    def input(self) -> None:
        shape = tuple(self.pick(self.sizes) for _ in range(self.pick([1, 1, 2, 2, 3])))
        while math.prod(shape) > self.most:
            shape = shape[1:]
        if self.kind == "symbolic":
            shape = (self.pick([6, 7, 8]), *shape[1:])
        self.add(self.source(shape, self.pick(self.kinds)))

    def source(self, shape: Shape, kind: str) -> str:
        """A tensor of a shape: in memory, constant, an arange, computed, a view of one of these."""
        return self.placed(self.whole(shape, kind), shape)

    def placed(self, code: str, shape: Shape) -> str:
        """The code of a new tensor where the program has its tensors."""
        return code

    def whole(self, shape: Shape, kind: str) -> str:
        form = self.pick(["memory", "memory", "memory", "full", "arange", "lazy", "turned", "wide"])
        if form == "full":
            value = {"ones": "1", "zeros": "0"}.get(kind) or self.pick(["1", "0", "2", "3"])
            value = self.pick(["True", "False"]) if kind == "bool" else value
            return f"Tensor.full({shape}, {value}, dtype='{kind}')"
        if form == "arange" and kind != "bool":
            return f"Tensor.arange({math.prod(shape)}, dtype='{kind}').reshape({shape})"
        if form == "lazy":
            return f"({self.random(shape, kind)} {'^ True' if kind == 'bool' else '* 1'})"
        if form == "turned" and shape:
            axes = tuple(range(len(shape)))[::-1]
            return f"{self.random(shape[::-1], kind)}.permute({axes}).flip({self.pick(axes)})"
        if form == "wide" and shape:
            small = tuple(1 if self.pick([True, False]) else size for size in shape)
            return f"{self.random(small, kind)}.expand({shape})"
        return self.random(shape, kind)

    def random(self, shape: Shape, kind: str) -> str:
        """Random numbers in memory."""
        dtype = dtypes.__getattr__(kind)
        draw = f"np.random.default_rng({self.pick(range(100))})"
        if dtype.is_float:
            return f"Tensor({draw}.normal(size={shape}), dtype='{kind}')"
        low, high = (0, 2) if dtype.is_bool else (0, 100) if dtype.min == 0 else (-50, 50)
        return f"Tensor({draw}.integers({low}, {high}, {shape}), dtype='{kind}')"

    # ---- steps ---------------------------------------------------------------------------------

    def step(self) -> None:
        steps = [self.method] * 4 + [super().step, self.view, self.part, self.write, self.write]
        more = {"symbolic": [self.cut] * 3, "jit": [self.write] * 3 + [self.view] * 2}
        steps += more.get(self.kind, [self.realized])
        self.pick(steps)()

    def realized(self) -> None:
        names = self.rng.sample(self.tensors, min(len(self.tensors), self.pick([1, 1, 2])))
        self.lines.append(f"Tensor.realize({', '.join(names)})")
        self.weight.update(dict.fromkeys(names, 4))

    def method(self) -> None:
        """A call of the table: of tensors as they are, or if they do not fit, made to fit."""
        call = self.pick(self.calls[self.pick(self.calls)])
        shapes = self.pick(call.row.shapes)
        if sum(map(math.prod, shapes)) > self.most:
            return
        for operand in (self.found, self.made):
            names = {NAMES[i]: operand(call, i, shape) for i, shape in enumerate(shapes)}
            if all(names.values()) and self.add(call.over(names)):
                return

    def found(self, call: Call, at: int, shape: Shape) -> str | None:
        """A tensor of the right dtype and of a rank that the row knows, if there is one."""
        if call.word(at).startswith("index:"):
            return self.made(call, at, shape)
        kinds, ranks = self.fitting_kinds(call, at), call.ranks(at)
        fitting = [n for n in self.tensors if self.tensor(n).dtype.name in kinds]
        if self.pick(range(6)):  # else of any rank, which is mostly refused
            fitting = [n for n in fitting if len(self.tensor(n).shape) in ranks]
        return self.pick(fitting) if fitting else None

    def fitting_kinds(self, call: Call, at: int) -> list[str]:
        kinds = call.kinds(at)
        is_float = any(dtypes.__getattr__(kind).is_float for kind in kinds)
        return ["f64"] if is_float and self.kind == "gradient" else kinds

    def made(self, call: Call, at: int, shape: Shape) -> str | None:
        """A new tensor of just the shape, often out of an earlier one."""
        word, kind = call.word(at), self.pick(self.fitting_kinds(call, at))
        if word.startswith("index:"):
            return self.positions(shape, int(word[6:]), kind)
        if self.pick([True, False, False]):
            return self.tensors[-1] if self.add(self.source(shape, kind)) else None
        name = self.pick(self.tensors)
        if self.tensor(name).dtype.name != kind:
            if not self.add(f"{name}.cast('{kind}')"):
                return None
            name = self.tensors[-1]
        t = self.tensor(name)
        if t.shape != shape:
            missing = math.prod(shape) - t.numel()
            if not self.add(f"{name}.flatten().pad((0, {missing})).reshape({shape})"):
                return None
            name = self.tensors[-1]
        return name

    def positions(self, shape: Shape, size: int, kind: str) -> str | None:
        """Numbers below a size: drawn, counted up, or all the same."""
        draw = f"np.random.default_rng({self.pick(range(10))})"
        code = self.pick([
            f"Tensor({draw}.integers(0, {size}, {shape}), dtype='{kind}')",
            f"(Tensor.arange({math.prod(shape)}, dtype='{kind}').reshape({shape}) % {size})",
            f"Tensor.full({shape}, {self.pick(range(size))}, dtype='{kind}')",
        ])  # fmt: skip
        return self.tensors[-1] if self.add(self.placed(code, shape)) else None

    def part(self) -> None:
        """A part of a tensor, by any key."""
        name = self.pick(self.tensors)
        if self.tensor(name).shape:
            self.add(f"{name}[{self.key(self.tensor(name).shape)}]")

    def view(self) -> None:
        """Another look at the memory of a tensor."""
        name = self.pick(self.tensors)
        self.add(self.pick([*(f"{{}}.{look}" for look in LOOKS), *FOLDED]).format(name))

    def cut(self) -> None:
        """A part as long as a variable says."""
        fitting = [n for n in self.tensors if self.tensor(n).shape[:1] >= (6,)]
        if fitting:
            self.add(f"{self.pick(fitting)}[{self.pick([':n', 'n:', 'n - 1', '1:n'])}]")

    def key(self, shape: Shape) -> str:
        """Something to index with: positions, slices, lists, new axes."""
        parts = []
        for size in shape[: self.pick(range(1, len(shape) + 1))]:
            forms = [":", "::2", "::-1", "None, :", "1:", ":1"]
            forms += [f"{size // 2}:", f":{size // 2}"] * (size > 1)
            if size:
                at = self.pick(range(-size, size))
                places = self.placed(f"Tensor([{size // 2}, {at}])", (2,))
                forms += [f"{at}", f"[{at}, 0]", places, f"{at}:"]
            parts.append(self.pick(forms))
        return ", ".join(parts)

    def write(self) -> None:
        """Write into a tensor or a part of it; often into a copy, since views cannot all be."""
        fitting = [n for n in self.tensors if self.tensor(n).is_writable]
        if not fitting or self.pick([True, False, False, False]):
            if not self.add(f"{self.pick(self.tensors)}.clone()"):
                return
            fitting = self.tensors[-1:]
        state = [n for n in fitting if n in self.state]
        fitting = state if state and self.pick([True, False]) else fitting
        name, other = self.pick(fitting), self.pick(self.tensors)
        value = self.pick(["1", "2", other, other, f"{name}.flip()", f"{other}.sum()"])
        form = self.pick(["{} *= {}", "{} += {}", "{}.assign({})", "{}[...] = {}"])
        text = form.format(name, value)
        if self.tensor(name).shape and self.pick([True, True, False]):
            key = self.key(self.tensor(name).shape)
            value = self.pick([value, f"{name}[{key}]", f"{name}[{key}] * 2", f"{other}[{key}]"])
            text = self.pick([f"{name}[{key}] = {value}", f"{name}[{key}] *= {value}",
                              f"{name}[{key}] += {value}"])  # fmt: skip
        elif self.pick([True, True, False]):
            number = self.pick(["0", "1", "2"])
            text = self.pick([*MASKED, *IN_PLACE]).format(name, number, value)
        if self.kept(text):
            self.lines.append(text)
            self.weigh(name)

    def weigh(self, name: str) -> None:
        """After a write all that shares the memory carries what was written."""
        weight = 4 + self.memory.size + sum(self.weight[n] for n in self.memory.used)
        for other in self.tensors:
            if self.tensor(other).storage is self.tensor(name).storage:
                self.weight[other] = weight

    def require_gradients(self) -> None:
        """Of all inputs, which must not be written to: what their gradient is then is unsaid."""
        for name in self.tensors:
            at = next(i for i, line in enumerate(self.lines) if line.startswith(f"{name} = "))
            code = self.lines[at].split(" = ", 1)[1]
            code = f"({code}).clone()" if ".expand(" in code else f"({code})"
            self.lines[at] = f"{name} = {code}.requires_grad_()"
            self.tensor(name).storage.is_frozen = True

    def assign(self, name: str, t: Any) -> None:
        self.write()

    # ---- programs ------------------------------------------------------------------------------

    def write_all(self) -> None:
        """One to three inputs, 1 to 12 steps, and which of the tensors are compared."""
        for _ in range(self.pick([1, 2, 3])):
            self.input()
        setup, self.state = len(self.lines), self.tensors[1:]
        if self.kind == "gradient":
            self.require_gradients()
        for _ in range(self.pick(range(1, 13))):
            if self.tensors:
                self.step()
        if self.kind == "jit":
            setup = self.hoisted(setup)
        newest = self.tensors[-2:]
        more = self.rng.sample(self.tensors, min(len(self.tensors), self.pick([0, 0, 1, 2])))
        outputs = list(dict.fromkeys([*newest, *more]))
        self.program = Program(self.lines, outputs, self.kind, setup)

    def hoisted(self, setup: int) -> int:
        """Let tensors of host memory be state of the step; where the step now begins."""
        body = self.lines[setup:]
        made = [line for line in body if HOST.match(line)]
        self.lines[setup:] = [*made, *(line for line in body if line not in made)]
        return setup + len(made)


HOST = re.compile(r"t\d+ = \(?Tensor\(np\.")
"""A tensor of host memory, which a jitted step may not copy: it is made before."""

LOOKS = (
    "T", "mT", "reshape(-1)", "flatten()", "unsqueeze(0)", "unsqueeze(-1)", "squeeze()", "detach()",
    "transpose(0, -1)", "diagonal()", "unfold(0, 2, 1)", "unfold(0, 2, 2)", "flip()", "flip(0)",
    "permute(1, 0)", "expand(2, -1)", "narrow(0, 0, 1)", "select(0, 0)", "split(2)",
    "chunk(2)", "unbind()", "repeat(1)", "tile(1)", "repeat_interleave(1)", "contiguous()",
    "T.flatten()", "T.reshape(-1)", "clone()", "roll(0)", "pad((0, 0))", "diag()",
)  # fmt: skip
"""Views, and what is none though it may look like one."""

MASKED = ("{0}[{0} > {1}] = {1}", "{0}[{0} < {2}] = {1}", "{0}[{2} == {1}] = {1}")
"""Writes where a mask holds, which has no axes if the tensor has none."""

IN_PLACE = (
    "{0}.add_({2})", "{0}.mul_({1})", "{0}.copy_({2})", "{0}.clamp_({1}, 3)", "{0}.neg_()",
    "{0}.masked_fill_({0} > {1}, {1})", "{0}.zero_()",
)  # fmt: skip

FOLDED = ("{} * 1", "{} + 0", "{} ** 1", "{} / 1", "{} - 0", "{}.tril()", "{}.abs()")
"""Values that may fold to what they are computed from, and are new nevertheless."""


def written(seed: int, kind: str) -> MethodWriter:
    """The writer of the program of a seed, which has written it."""
    return write_of(MethodWriter(random.Random(f"{kind} {seed}"), kind), seed)


def write_of(writer: MethodWriter, seed: int) -> MethodWriter:
    """A writer that has written its program."""
    writer.write_all()
    writer.program = writer.program._replace(seed=seed)
    return writer
