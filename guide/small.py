"""Rulewright in small: a tensor compiler in one file, to be read from top to bottom in an hour.

What the large one does is here once, in the plainest form that still runs: lazy tensors become a
graph, rules written as text rewrite it, a schedule cuts it into kernels, views become index
arithmetic that rules simplify, kernels become C. Meaning is said apart from all of that, in numpy:
an interpreter runs the same graph, and rules are tried against it.

    python guide/small.py        softmax of a few numbers, with each step printed

Left out: dtypes but float32, gradients, other devices, vectors, tiles, threads, proofs by z3.
"""

from __future__ import annotations

import ast
import ctypes
import itertools
import math
import os
import shlex
import subprocess
import tempfile
from collections.abc import Callable, Iterator, Sequence
from math import prod
from pathlib import Path
from typing import Any

import numpy as np

# ---- 1. The graph --------------------------------------------------------------------------------
#
# A node is an op, its operands, and what else the op needs to know. Equal nodes are one object: so
# a walk can keep what it found in a dictionary, and what is used twice is computed once.

_known: dict[tuple[Any, ...], Node] = {}


class Node:
    """An op applied to operands. `shape` is what it makes; numbers, and indices, have none."""

    def __new__(cls, op: str, *src: Node, arg: Any = None) -> Node:
        """The one node of these."""
        key = op, src, arg, repr(arg)  # 0.0 is not -0.0, and 1 is not 1.0
        if key not in _known:
            node = _known[key] = object.__new__(cls)
            node.op, node.src, node.arg = op, src, arg
            node.shape = shape_of(node)
        return _known[key]

    def __repr__(self) -> str:
        words = [repr(s) for s in self.src] + ([] if self.arg is None else [str(self.arg)])
        return f"{self.op}({', '.join(words)})"

    def nodes(self) -> list[Node]:
        """This and all below it, operands first, each once."""
        found: dict[Node, None] = {}
        stack = [(self, False)]
        while stack:
            node, ready = stack.pop()
            if ready:
                found[node] = None
            elif node not in found:
                stack += [(node, True), *((s, False) for s in node.src)]
        return list(found)

    def bounds(self) -> tuple[float, float]:
        """Between which numbers an index lies; anything where that is not known."""
        if self.op in ("const", "loop"):
            return (self.arg, self.arg) if self.op == "const" else (0, self.arg[1] - 1)
        if self.op in ("add", "mul"):
            a, b = (s.bounds() for s in self.src)
            ends = [OPS[self.op][0](x, y) for x in a for y in b]
            return min(ends), max(ends)
        return -math.inf, math.inf


def number(x: float) -> Node:
    """A constant; whole numbers are indices."""
    return Node("const", arg=x)


def shape_of(node: Node) -> tuple[int, ...]:
    """The shape of what a node makes."""
    if node.op == "input":
        return tuple(node.arg[1])
    if node.op in ("reshape", "expand"):
        return tuple(node.arg)
    if node.op == "permute":
        return tuple(node.src[0].shape[axis] for axis in node.arg)
    if node.op in REDUCTIONS:
        return tuple(1 if i == node.arg else n for i, n in enumerate(node.src[0].shape))
    return max((s.shape for s in node.src), key=len, default=())  # numbers go with any shape


# ---- 2. Meaning ----------------------------------------------------------------------------------
#
# What an op is, once. The interpreter is slow and obvious; all that follows must agree with it.

OPS: dict[str, tuple[Callable[..., Any], str]] = {  # what it means, and how C writes it
    "add": (lambda a, b: a + b, "({} + {})"),
    "sub": (lambda a, b: a - b, "({} - {})"),
    "mul": (lambda a, b: a * b, "({} * {})"),
    "div": (lambda a, b: a / b, "({} / {})"),
    "max": (np.maximum, "largest({}, {})"),  # NaN if either is
    "neg": (lambda a: -a, "(-{})"),
    "exp": (np.exp, "expf({})"),
    "floordiv": (lambda a, b: a // b, "({} / {})"),  # of indices, which are never negative
    "mod": (lambda a, b: a % b, "({} % {})"),
}
VIEWS = {"reshape": np.reshape, "permute": np.transpose, "expand": np.broadcast_to}
REDUCTIONS = {"sum": (0.0, "add", np.sum), "largest": (-math.inf, "max", np.max)}
ARRAYS: list[np.ndarray] = []  # what inputs stand for, by number


def interpret(root: Node) -> np.ndarray:
    """The value of a graph of shaped nodes."""
    value: dict[Node, Any] = {}
    for node in root.nodes():
        src = [value[s] for s in node.src]
        if node.op == "input":
            value[node] = ARRAYS[node.arg[0]]
        elif node.op == "const":
            value[node] = np.float32(node.arg)
        elif node.op in VIEWS:
            value[node] = VIEWS[node.op](src[0], node.arg)
        elif node.op in REDUCTIONS:
            value[node] = REDUCTIONS[node.op][2](src[0], axis=node.arg, keepdims=True)
        else:
            value[node] = OPS[node.op][0](*src)
    return np.broadcast_to(value[root], root.shape)


# ---- 3. Rules ------------------------------------------------------------------------------------
#
# A rule is a line of text: a pattern, what takes its place, and when. Letters match anything, `c`
# only numbers; a letter that stands twice matches one node. `x * 0.0 => 0.0` is not here: it is
# wrong for -0.0, infinities and NaN, and `try_rule` says so to whoever adds it.

FLOAT_RULES = """
x + -0.0 => x
x - 0.0 => x
x * 1.0 => x
x / 1.0 => x
neg(neg(x)) => x
neg(x) * neg(y) => x * y
x + neg(y) => x - y
max(x, x) => x
x / c => x * (1.0 / c) when frexp(c)[0] == 0.5 and abs(c) < 1e30
"""
INDEX_RULES = """
0 + x => x
x + 0 => x
x * 0 => 0
0 * x => 0
x * 1 => x
x // 1 => x
x % 1 => 0
(x * c + y) // c => x when 0 <= y.bounds()[0] and y.bounds()[1] < c
(x * c + y) % c => y when 0 <= y.bounds()[0] and y.bounds()[1] < c
x // c => 0 when 0 <= x.bounds()[0] and x.bounds()[1] < c
x % c => x when 0 <= x.bounds()[0] and x.bounds()[1] < c
"""
_WRITTEN = {"Add": "add", "Sub": "sub", "Mult": "mul", "Div": "div", "FloorDiv": "floordiv",
            "Mod": "mod"}  # fmt: skip


class Rule:
    """One line. Python's own parser reads it."""

    def __init__(self, line: str) -> None:
        text, _, self.guard = line.partition(" when ")
        self.left, self.right = (ast.parse(t.strip(), mode="eval").body for t in text.split("=>"))

    def match(self, node: Node) -> Node | None:
        """What takes the place of a node; None if this rule is not about it."""
        found: dict[str, Node] = {}
        if not self.fits(self.left, node, found):
            return None
        values = {k: n.arg if k == "c" else n for k, n in found.items()}
        if self.guard and not eval(self.guard, {"frexp": math.frexp}, values):
            return None
        return self.built(self.right, found)

    def fits(self, pattern: ast.expr, node: Node, found: dict[str, Node]) -> bool:
        """Whether a node has the form of a pattern; notes what the letters stand for."""
        if isinstance(pattern, ast.Name):
            is_number = node.op == "const"
            return (is_number or pattern.id != "c") and found.setdefault(pattern.id, node) is node
        if isinstance(pattern, ast.Constant | ast.UnaryOp):
            return node is number(ast.literal_eval(pattern))
        op, *parts = _call(pattern)
        alike = node.op == op and len(parts) == len(node.src)
        return alike and all(self.fits(p, s, found) for p, s in zip(parts, node.src, strict=True))

    def built(self, pattern: ast.expr, found: dict[str, Node]) -> Node:
        """The node that a pattern stands for."""
        if isinstance(pattern, ast.Name):
            return found[pattern.id]
        if isinstance(pattern, ast.Constant | ast.UnaryOp):
            return number(ast.literal_eval(pattern))
        op, *parts = _call(pattern)
        return Node(op, *(self.built(part, found) for part in parts))


def _call(pattern: Any) -> list[Any]:
    """The op of a pattern, and those of its operands."""
    if isinstance(pattern, ast.BinOp):
        return [_WRITTEN[type(pattern.op).__name__], pattern.left, pattern.right]
    return [pattern.func.id, *pattern.args]


FLOATS, INDICES = ([Rule(x) for x in t.strip().splitlines()] for t in (FLOAT_RULES, INDEX_RULES))


def rewrite(root: Node, rules: Sequence[Rule]) -> Node:
    """A graph in which no rule matches any more; operations on numbers alone are carried out."""
    done: dict[Node, Node] = {}
    for node in root.nodes():
        new = Node(node.op, *(done[s] for s in node.src), arg=node.arg)
        if new.op in OPS and all(s.op == "const" for s in new.src):
            given = [s.arg if isinstance(s.arg, int) else np.float32(s.arg) for s in new.src]
            with np.errstate(all="ignore"):
                value = OPS[new.op][0](*given)
            new = number(value if isinstance(value, int) else float(value))
        after = next((found for rule in rules if (found := rule.match(new)) is not None), None)
        done[node] = new if after is None else rewrite(after, rules)
    return done[root]


SPECIAL = [0.0, -0.0, 1.0, -1.0, 2.5, -0.5, 3e38, 1e-45, math.inf, -math.inf, math.nan]


def try_rule(line: str) -> str | None:
    """A counterexample to a rule of floats, among special numbers; None if there is none."""
    rule = Rule(line)
    names = sorted({n.id for n in ast.walk(rule.left) if isinstance(n, ast.Name)} - {*OPS})
    for numbers in itertools.product(SPECIAL, repeat=len(names)):
        given = dict(zip(names, numbers, strict=True))
        leaves = {k: number(x) if k == "c" else Tensor([x]).node for k, x in given.items()}
        before = rule.built(rule.left, leaves)
        after = rule.match(before)
        if after is not None:
            with np.errstate(all="ignore"):
                old, new = (interpret(n).reshape(-1)[:1] for n in (before, after))
            alike = old.tobytes() == new.tobytes() or (np.isnan(old) & np.isnan(new)).all()
            if not alike:
                return f"{line}: for {given} the left side is {old[0]}, the right side {new[0]}"
    return None


# ---- 4. Tensors ----------------------------------------------------------------------------------
#
# A tensor is a node. Nothing is computed until it is asked for.


class Tensor:
    """An array that is not computed yet: `+ - * /`, `maximum`, `exp`, views and reductions."""

    def __init__(self, data: Any) -> None:
        self.node = data
        if not isinstance(data, Node):
            ARRAYS.append(np.ascontiguousarray(data, np.float32))
            self.node = Node("input", arg=(len(ARRAYS) - 1, ARRAYS[-1].shape))

    def __getattr__(self, op: str) -> Callable[..., Tensor]:
        """`x.exp()`, `x.reshape(2, 3)`, `x.permute(1, 0)`, `x.sum(1)`, `x.maximum(y)` …"""
        if op == "maximum":
            return lambda other: _both("max", self, other)
        if op not in (*VIEWS, *REDUCTIONS, "exp", "neg"):
            raise AttributeError(f"a tensor has no method {op!r}")
        plain = None if op in OPS else 0 if op in REDUCTIONS else slice(None)
        return lambda *arg: Tensor(Node(op, self.node, arg=None if plain is None else arg[plain]))

    def softmax(self) -> Tensor:
        """Along the last axis."""
        last = len(self.node.shape) - 1
        weights = (self - self.largest(last)).exp()
        return weights / weights.sum(last)

    def __matmul__(self, other: Tensor) -> Tensor:
        """Rows times columns: products over three axes, added up along one."""
        (m, k), (_, n) = self.node.shape, other.node.shape
        return (self.reshape(m, k, 1) * other.reshape(1, k, n)).sum(1).reshape(m, n)

    def numpy(self) -> np.ndarray:
        """The value, computed now."""
        return run(self.node)


def _both(op: str, a: Tensor, b: Any) -> Tensor:
    nodes = a.node, b.node if isinstance(b, Tensor) else number(float(b))
    shape = np.broadcast_shapes(*(n.shape for n in nodes))
    return Tensor(Node(op, *(_spread(node, shape) for node in nodes)))


for _name, _op in {"add": "add", "sub": "sub", "mul": "mul", "truediv": "div"}.items():
    setattr(Tensor, f"__{_name}__", lambda a, b, op=_op: _both(op, a, b))


def _spread(node: Node, shape: tuple[int, ...]) -> Node:
    if node.shape == shape or node.op == "const":
        return node
    ones = (1,) * (len(shape) - len(node.shape)) + node.shape
    return Node("expand", Node("reshape", node, arg=ones), arg=shape)


# ---- 5. From shapes to loops ---------------------------------------------------------------------
#
# Each reduction, and the result, is a kernel that fills memory. A kernel is loops around the value
# of one element. What is asked of a view is asked of what is below it, at another index: so views
# cost nothing, and rules tidy the index.


class Kernel:
    """`name[place] = value` in loops, over what is in memory before it."""

    def __init__(self, name: str, root: Node, memory: dict[Node, str]) -> None:
        self.name, self.memory, self.count = name, dict(memory), itertools.count()
        self.loops = [self.loop(n) for n in root.shape]
        self.place, self.steps = flat(self.loops, root.shape), number(0)
        if root.op not in REDUCTIONS:
            self.value, self.combine = self.at(root, self.loops), ""
            return
        self.steps, self.combine = self.loop(root.src[0].shape[root.arg]), root.op
        index = [self.steps if i == root.arg else loop for i, loop in enumerate(self.loops)]
        self.value = self.at(root.src[0], index)

    def loop(self, size: int) -> Node:
        """A loop of its own; of one round, the number 0."""
        return Node("loop", arg=(next(self.count), size)) if size != 1 else number(0)

    def at(self, node: Node, index: list[Node]) -> Node:
        """The element of a shaped node at an index."""
        if node in self.memory:
            return Node("load", flat(index, node.shape), arg=self.memory[node])
        if node.op == "const":
            return node
        if node.op == "permute":
            index = [index[node.arg.index(i)] for i in range(len(index))]
        elif node.op == "expand":
            sizes = node.src[0].shape
            index = [number(0) if n == 1 else i for i, n in zip(index, sizes, strict=True)]
        elif node.op == "reshape":
            position, sizes = flat(index, node.shape), node.src[0].shape
            parts = [Node("floordiv", position, number(prod(sizes[i + 1 :])))
                     for i in range(len(sizes))]  # fmt: skip
            index = [rewrite(Node("mod", part, number(n)), INDICES)
                     for part, n in zip(parts, sizes, strict=True)]  # fmt: skip
        return Node(node.op, *(self.at(s, index) for s in node.src)) if node.op in OPS else (
            self.at(node.src[0], index))  # fmt: skip


def flat(index: Sequence[Node], shape: Sequence[int]) -> Node:
    """The number of an element in memory, row by row."""
    position = number(0)
    for i, size in zip(index, shape, strict=True):
        position = Node("add", Node("mul", position, number(size)), i)
    return rewrite(position, INDICES)


def schedule(root: Node) -> list[Kernel]:
    """The kernels of a graph, in order."""
    memory = {n: f"in{n.arg[0]}" for n in root.nodes() if n.op == "input"}
    kernels: list[Kernel] = []
    for node in root.nodes():
        if node is root or node.op in REDUCTIONS:
            kernels.append(Kernel("out" if node is root else f"part{len(kernels)}", node, memory))
            memory[node] = kernels[-1].name
    return kernels


# ---- 6. C ----------------------------------------------------------------------------------------

HEAD = """#include <math.h>
static float largest(float a, float b) { return a > b || a != a ? a : b; }
"""


def function(kernel: Kernel, memories: Sequence[str]) -> str:
    """A kernel in C."""
    loops, value = [n for n in kernel.loops if n.op == "loop"], text(kernel.value)
    lines = [f"void {kernel.name}_kernel({', '.join(f'float *{m}' for m in memories)}) {{"]
    lines += map(opened, loops)
    if kernel.combine:
        start, op, _ = REDUCTIONS[kernel.combine]
        steps = opened(kernel.steps) if kernel.steps.op == "loop" else "{"
        lines += [f"float total = {text(number(start))};", steps]
        lines += [f"total = {OPS[op][1].format('total', value)};", "}"]
        value = "total"
    return "\n".join(
        [*lines, f"{kernel.name}[{text(kernel.place)}] = {value};", "}" * len(loops) + "}"]
    )


def opened(loop: Node) -> str:
    """The line that opens a loop."""
    i, size = loop.arg
    return f"for (long i{i} = 0; i{i} < {size}; i{i}++) {{"


def text(node: Node) -> str:
    """An expression in C."""
    if node.op == "const":
        if isinstance(node.arg, int) or not math.isfinite(node.arg):
            return {"inf": "INFINITY", "-inf": "(-INFINITY)", "nan": "NAN"}.get(
                str(node.arg), str(node.arg)
            )
        return f"{node.arg!r}f"
    if node.op == "loop":
        return f"i{node.arg[0]}"
    if node.op == "load":
        return f"{node.arg}[{text(node.src[0])}]"
    return OPS[node.op][1].format(*map(text, node.src))


# ---- 7. All together -----------------------------------------------------------------------------


def steps(root: Node) -> Iterator[tuple[str, Any]]:
    """Each step of the way to C, and what it gives."""
    yield "graph", root
    root = rewrite(root, FLOATS)
    yield "rewritten", root
    kernels = schedule(root)
    yield "kernels", kernels
    sizes = {name: prod(n.shape) for k in kernels for n, name in k.memory.items()}
    yield "memory", sizes | {"out": prod(root.shape)}
    yield "source", HEAD + "\n\n".join(function(k, [*sizes, "out"]) for k in kernels)


def run(root: Node) -> np.ndarray:
    """Compile a graph with the C compiler, and run it."""
    made = dict(steps(root))
    arrays = [ARRAYS[int(name[2:])] if name[:2] == "in" else np.zeros(size, np.float32)
              for name, size in made["memory"].items()]  # fmt: skip
    with tempfile.TemporaryDirectory() as folder:
        path = str(Path(folder) / "kernels.so")
        command = [
            *shlex.split(os.environ.get("CC", "cc")),
            "-O2",
            "-shared",
            "-fPIC",
            "-x",
            "c",
            "-",
            "-o",
            path,
            "-lm",
        ]
        subprocess.run(command, input=made["source"].encode(), check=True)
        library = ctypes.CDLL(path)
    for kernel in made["kernels"]:
        pointers = [a.ctypes.data_as(ctypes.c_void_p) for a in arrays]
        getattr(library, f"{kernel.name}_kernel")(*pointers)
    return arrays[-1].reshape(root.shape)


if __name__ == "__main__":
    for line in FLOAT_RULES.strip().splitlines():
        print(f"{line:66} {try_rule(line) or 'holds for all special numbers'}")
    value = (Tensor([[1.0, 2.0, 3.0], [1.0, 1.0, 1.0]]) / 1.0).softmax()
    for name, found in steps(value.node):
        print(f"\n---- {name}\n{found}")
    print(f"\n{value.numpy()}\nand as the interpreter says:\n{interpret(value.node)}")
