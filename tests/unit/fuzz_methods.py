"""Random programs out of the table of methods, beside the steps that every fuzzed program has."""

from __future__ import annotations

import ast
import math
from collections.abc import Callable
from importlib import import_module
from typing import Any, NamedTuple

from fuzz_programs import Writer
from hypothesis import strategies as st

from rulewright import Tensor
from rulewright.errors import RulewrightError
from rulewright.verify import methods
from rulewright.verify.methods.operands import NAMES, kind_named
from rulewright.verify.methods.row import Method, Shape

GROUPS = ("movement", "indexing", "elementwise", "activations", "reductions", "products", "nets",
          "losses", "linalg", "kinds")  # fmt: skip
"""Groups of the table whose calls are values of their operands alone."""

EAGER = {"nonzero", "masked_select", "unique", "to"}
"""Methods that run something to know their shape, or that leave the device."""

SIZES = (1, 0, 1, 2, 2, 3, 3, 4, 5, 5, 7, 7, 8, 13)
"""Sizes of axes; primes and 1 often, 0 seldom: little happens in what is empty."""

NODES = 700
"""A program whose graph is larger says little about the step that made it so."""


class Call(NamedTuple):
    """One call of a row: its code over x, y, z, w, and the row, which says what fits."""

    code: str
    row: Method


class _Renamed(ast.NodeTransformer):
    def __init__(self, names: dict[str, str]) -> None:
        self.names = names

    def visit_Name(self, node: ast.Name) -> ast.Name:
        return ast.Name(self.names.get(node.id, node.id), node.ctx)


def _calls() -> dict[str, list[Call]]:
    """For each method the parts of its rows that have a reference and operands, each once."""
    found: dict[tuple[str, int], Call] = {}
    for group in GROUPS:
        for row in import_module(f"{methods.__name__}.{group}").ROWS:
            if row.name in EAGER or not row.equals or not row.shapes[0]:
                continue
            body = ast.parse(row.call, mode="eval").body
            several = isinstance(body, ast.Tuple | ast.List)
            for part in body.elts if several else [body]:
                part = part.value if isinstance(part, ast.Starred) else part
                found[ast.unparse(part), len(row.shapes[0])] = Call(ast.unparse(part), row)
    named: dict[str, list[Call]] = {}
    for call in found.values():
        named.setdefault(call.row.name, []).append(call)
    return named


CALLS = _calls()


class Program(NamedTuple):
    """Lines of code, and the names of the tensors that are compared."""

    lines: list[str]
    outputs: list[str]

    def code(self) -> str:
        """A function that can be pasted; `rulewright bisect FILE.py:program` takes it."""
        body = [*self.lines, f"return {', '.join(self.outputs)},"]
        return "\n    ".join(["def program():", *body])

    def results(self) -> list[Tensor]:
        """The outputs, computed by nobody yet."""
        space: dict[str, Any] = {}
        exec(self.code(), space)
        return list(space["program"]())

    def smallest(self, is_wrong: Callable[[Program], bool]) -> Program:
        """Without the outputs and the lines that are not needed to make it wrong."""
        found = self
        for name in self.outputs:
            less = Program(found.lines, [n for n in found.outputs if n != name])
            found = less if less.outputs and is_wrong(less) else found
        for line in reversed(self.lines):
            less = Program([kept for kept in found.lines if kept != line], found.outputs)
            found = less if is_wrong(less) else found
        return found


class MethodWriter(Writer):
    """Writes programs of calls of the table and of Writer's own steps, in turn."""

    def program(self) -> Program:
        """What was written, of which the newest two tensors are wanted: they can be fused."""
        return Program(self.lines, self.tensors[-2:])

    def step(self) -> None:
        self.pick([self.method, self.method, self.method, super().step, self.part, self.write])()

    def method(self) -> None:
        """A call of the table: of tensors as they are, or if they do not fit, made to fit."""
        call = self.pick(CALLS[self.pick(CALLS)])
        shapes = self.pick(call.row.shapes)
        if sum(map(math.prod, shapes)) > self.most:
            return
        for operand in (self.found, self.made):
            names = {NAMES[i]: operand(call.row, i, shape) for i, shape in enumerate(shapes)}
            if all(names.values()) and self.called(call.code, names):
                return

    def called(self, call: str, names: dict[str, str | None]) -> bool:
        """Write a call, or one part of what it gives; False if the operands do not fit."""
        code = ast.unparse(_Renamed(names).visit(ast.parse(call, mode="eval")))
        try:
            value = eval(code, self.names)
        except RulewrightError:
            return False
        if isinstance(value, tuple | list) and value:
            code = f"({code})[{self.pick(range(len(value)))}]"
            value = eval(code, self.names)
        if isinstance(value, Tensor) and _small(value, self.most):
            self.add(code)
        return True

    def found(self, row: Method, at: int, shape: Shape) -> str | None:
        """A tensor of the right dtype and of a rank that the row knows, if there is one."""
        if _word(row, at).startswith("index:"):
            return self.made(row, at, shape)
        kinds, ranks = _kinds(row, at), {len(shapes[at]) for shapes in row.shapes}
        fitting = [n for n in self.tensors if self.tensor(n).dtype.name in kinds]
        fitting = [n for n in fitting if len(self.tensor(n).shape) in ranks]
        return self.pick(fitting) if fitting else None

    def made(self, row: Method, at: int, shape: Shape) -> str:
        """A new tensor of just the shape, out of an earlier one unless it holds positions."""
        word, kinds = _word(row, at), _kinds(row, at)
        if word.startswith("index:"):
            random = f"np.random.default_rng({self.draw(st.integers(0, 9))})"
            kind = self.pick(kinds)
            self.add(f"Tensor({random}.integers(0, {word[6:]}, {shape}), dtype='{kind}')")
            return self.tensors[-1]
        name = self.pick(self.tensors)
        if self.tensor(name).dtype.name not in kinds:
            self.add(f"{name}.cast('{self.pick(kinds)}')")
            name = self.tensors[-1]
        t = self.tensor(name)
        if t.shape != shape:
            missing = math.prod(shape) - t.numel()
            self.add(f"{name}.flatten().pad((0, {missing})).reshape({shape})")
        return self.tensors[-1]

    def part(self) -> None:
        """A part of a tensor, by any key."""
        name = self.pick(self.tensors)
        if self.tensor(name).shape:
            self.add(f"{name}[{self.key(self.tensor(name).shape)}]")

    def key(self, shape: Shape) -> str:
        """Something to index with: positions, slices, lists, new axes."""
        parts = []
        for size in shape[: self.pick(range(1, len(shape) + 1))]:
            forms = [":", "::2", "::-1", "None, :"]
            forms += [f"{size // 2}:", f":{size // 2}"] * (size > 1)
            if size:
                at = self.pick(range(-size, size))
                forms += [f"{at}", f"[{at}, 0]", f"Tensor([{size // 2}, {at}])"]
            parts.append(self.pick(forms))
        return ", ".join(parts)

    def write(self) -> None:
        """Write into a copy, into a part of it, or into a view of it."""
        name = self.pick(self.tensors)
        if not self.tensor(name).shape:
            return
        self.add(f"{name}.clone()")
        copy = self.tensors[-1]
        key = self.key(self.tensor(copy).shape)
        value = self.pick(["1", f"{copy}[{key}]", f"{name}[{key}]", f"{copy}[:1]"])
        form = self.pick([f"{copy}[{key}] = {value}", f"{copy}[{key}] *= {copy}[{key}]", "view"])
        if form == "view":
            self.add(f"{copy}[{self.pick(['::2', '::-1', '1:', ':'])}]")
            form = f"{self.tensors[-1]} *= {self.tensors[-1]}"
        try:
            exec(form, self.names)
        except RulewrightError:
            return
        self.lines.append(form)


def _word(row: Method, at: int) -> str:
    return row.domain if isinstance(row.domain, str) else row.domain[at]


def _kinds(row: Method, at: int) -> list[str]:
    kinds = row.dtypes if at == 0 or not row.others else (row.others[at - 1],)
    return [kind_named(kind).name for kind in kinds]


def _small(value: Tensor, most: int) -> bool:
    numbers = all(isinstance(size, int) for size in value.shape)
    return numbers and value.numel() <= most and len(value.uop.toposort()) <= NODES


@st.composite
def programs(draw: st.DrawFn) -> Program:
    """Programs of one or two inputs and 1 to 12 steps."""
    writer = MethodWriter(draw, SIZES, 2000)
    for _ in range(draw(st.integers(1, 2))):
        writer.input()
    for _ in range(draw(st.integers(1, 12))):
        writer.step()
    return writer.program()
