"""Rulewright in small: a tensor compiler in one file, to be read from top to bottom in an hour.

Lazy tensors become a graph, rules written as text rewrite it, a schedule cuts it into kernels,
views become index arithmetic that rules simplify, kernels become C. Meaning is said apart from all
of that, in numpy: an interpreter runs the same graph, and rules are tried against it.

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
from collections.abc import Callable, Sequence
from typing import Any, ClassVar

import numpy as np


# ---- 1. The graph --------------------------------------------------------------------------------
# A node is an op, its operands, and what else the op needs to know. Equal nodes are one object: so
# a walk can keep what it found in a dictionary, and what is used twice is computed once.
class Node:
    """An op applied to operands. `shape` is what it makes; numbers, and indices, have none."""

    known: ClassVar[dict[tuple[Any, ...], Node]] = {}

    def __new__(cls, op: str, *src: Node, arg: Any = ()) -> Node:
        """The one node of these."""
        key = op, src, arg, repr(arg)  # 0.0 is not -0.0, and 1 is not 1.0
        if key not in cls.known:
            node = cls.known[key] = object.__new__(cls)
            node.op, node.src, node.arg = op, src, arg
            node.shape = shape_of(node)
        return cls.known[key]

    def __repr__(self) -> str:
        words = [repr(s) for s in self.src] + ([] if self.arg == () else [str(self.arg)])
        return f"{self.op}({', '.join(words)})"

    def nodes(self, found: dict[Node, None] | None = None) -> dict[Node, None]:
        """This and all below it, operands first, each once."""
        found = {} if found is None else found
        if self not in found:
            for operand in self.src:
                operand.nodes(found)
            found[self] = None
        return found

    def most(self) -> float:
        """The largest that an index may be, as far as that is known; none is negative."""
        if self.op in ("const", "loop"):
            return self.arg if self.op == "const" else self.arg[1] - 1
        known = self.op in ("add", "mult")
        return OPS[self.op][0](*(s.most() for s in self.src)) if known else math.inf


def number(x: float) -> Node:
    """A constant; whole numbers are indices."""
    return Node("const", arg=x if isinstance(x, int) else float(x))


def shape_of(node: Node) -> tuple[int, ...]:
    """The shape of what a node makes."""
    if node.op in ("input", "reshape", "expand"):
        return tuple(node.arg[1] if node.op == "input" else node.arg)
    if node.op == "permute":
        return tuple(node.src[0].shape[axis] for axis in node.arg)
    if node.op in REDUCTIONS:
        return tuple(1 if i in node.arg else n for i, n in enumerate(node.src[0].shape))
    return max((s.shape for s in node.src), key=len, default=())  # numbers go with any shape


# ---- 2. Meaning ----------------------------------------------------------------------------------
# What an op is, once. The interpreter is slow and obvious; all that follows must agree with it.
OPS: dict[str, tuple[Callable[..., Any], str]] = {  # what it means, and how C writes it
    "add": (lambda a, b: a + b, "({} + {})"),
    "sub": (lambda a, b: a - b, "({} - {})"),
    "mult": (lambda a, b: a * b, "({} * {})"),
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
        if not node.src:
            value[node] = ARRAYS[node.arg[0]] if node.op == "input" else np.float32(node.arg)
        elif node.op in VIEWS:
            value[node] = VIEWS[node.op](src[0], node.arg)
        elif node.op in REDUCTIONS:
            value[node] = REDUCTIONS[node.op][2](src[0], axis=node.arg, keepdims=True)
        else:
            value[node] = OPS[node.op][0](*src)
    return np.broadcast_to(value[root], root.shape)


# ---- 3. Rules ------------------------------------------------------------------------------------
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
x * 1 => x
x // 1 => x
x % 1 => 0
(x * c + y) // c => x when y.most() < c
(x * c + y) % c => y when y.most() < c
x // c => 0 when x.most() < c
x % c => x when x.most() < c
"""


class Rule:
    """One line. Python's own parser reads it; what a letter stands for is found as it matches."""

    def __init__(self, line: str) -> None:
        text, _, self.guard = line.partition(" when ")
        sides = (ast.parse(side, mode="eval") for side in text.split(" => "))
        self.left, self.right = (pattern(side.body) for side in sides)

    def match(self, node: Node) -> Node | None:
        """What takes the place of a node; None if this rule is not about it."""
        found: dict[str, Node] = {}
        if not self.fits(self.left, node, found):
            return None
        values = {k: n.arg if k == "c" else n for k, n in found.items()}
        holds = not self.guard or eval(self.guard, {"frexp": math.frexp}, values)
        return self.built(self.right, found) if holds else None

    def fits(self, form: Node, node: Node, found: dict[str, Node]) -> bool:
        """Whether a node has the form of a pattern; notes what the letters stand for."""
        if form.op == "letter":
            return (node.op == "const" or form.arg != "c") and found.setdefault(
                form.arg, node
            ) is node
        if not form.src or node.op != form.op:
            return node is form
        return all(self.fits(w, s, found) for w, s in zip(form.src, node.src, strict=True))

    def built(self, form: Node, found: dict[str, Node]) -> Node:
        """A pattern with nodes in the place of its letters."""
        if form.op == "letter":
            return found[form.arg]
        return Node(form.op, *(self.built(s, found) for s in form.src), arg=form.arg)


def pattern(written: Any) -> Node:
    """An expression as a graph, in which letters are nodes too."""
    if isinstance(written, ast.Name):
        return Node("letter", arg=written.id)
    if isinstance(written, ast.BinOp):
        op = type(written.op).__name__.lower()  # "add", "mult", "floordiv" …
        return Node(op, pattern(written.left), pattern(written.right))
    if isinstance(written, ast.Call):
        return Node(written.func.id, *map(pattern, written.args))
    return number(ast.literal_eval(written))


FLOATS, INDICES = ([Rule(x) for x in t.strip().splitlines()] for t in (FLOAT_RULES, INDEX_RULES))


def rewrite(root: Node, rules: Sequence[Rule]) -> Node:
    """A graph in which no rule matches any more; operations on numbers alone are carried out."""
    done: dict[Node, Node] = {}
    for node in root.nodes():
        new = Node(node.op, *(done[s] for s in node.src), arg=node.arg)
        if new.op in OPS and all(s.op == "const" for s in new.src):
            given = [s.arg if isinstance(s.arg, int) else np.float32(s.arg) for s in new.src]
            with np.errstate(all="ignore"):
                new = number(OPS[new.op][0](*given))
        after = next((found for rule in rules if (found := rule.match(new)) is not None), None)
        done[node] = new if after is None else rewrite(after, rules)
    return done[root]


def try_rule(line: str) -> str | None:
    """A counterexample to a rule of floats, among special numbers; None if there is none."""
    special = [0.0, -0.0, 1.0, -1.0, 2.5, -0.5, 3e38, 1e-45, math.inf, -math.inf, math.nan]
    rule = Rule(line)
    names = [n.arg for n in rule.left.nodes() if n.op == "letter"]
    for numbers in itertools.product(special, repeat=len(names)):
        given = dict(zip(names, numbers, strict=True))
        leaves = {k: number(x) if k == "c" else Tensor([x]).node for k, x in given.items()}
        before = rule.built(rule.left, leaves)
        with np.errstate(all="ignore"):
            old, new = (str(interpret(n).item(0)) for n in (before, rule.match(before) or before))
        if old != new:
            return f"{line}: for {given} the left side is {old}, the right side {new}"
    return None


# ---- 4. Tensors ----------------------------------------------------------------------------------
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
            return lambda other: self.both("max", other)
        if op not in (*VIEWS, *REDUCTIONS, "exp", "neg"):
            raise AttributeError(f"a tensor has no method {op!r}")
        return lambda *arg: Tensor(Node(op, self.node, arg=arg))

    def both(self, op: str, other: Any) -> Tensor:
        """An op of this and another tensor, or a number, in the shape that both broadcast to."""
        nodes = [self.node, other.node if isinstance(other, Tensor) else number(float(other))]
        shape = np.broadcast_shapes(*(n.shape for n in nodes))
        for i, node in enumerate(nodes):
            if node.shape != shape and node.op != "const":
                ones = (1,) * (len(shape) - len(node.shape)) + node.shape
                nodes[i] = Node("expand", Node("reshape", node, arg=ones), arg=shape)
        return Tensor(Node(op, *nodes))

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


for _name, _op in {"add": "add", "sub": "sub", "mul": "mult", "truediv": "div"}.items():
    setattr(Tensor, f"__{_name}__", lambda a, b, op=_op: a.both(op, b))


# ---- 5. From shapes to loops ---------------------------------------------------------------------
# Each reduction, and the result, is a kernel: loops around the value of one element. What is asked
# of a view is asked of what is below it, at another index, which rules tidy: so views cost nothing.
class Kernel:
    """`name[place] = value` in loops, over what is in memory before it."""

    def __init__(self, name: str, root: Node, memory: dict[Node, str]) -> None:
        self.name, self.memory, self.count = name, dict(memory), itertools.count()
        self.loops = [self.loop(n) for n in root.shape]
        self.place, index = flat(self.loops, root.shape), list(self.loops)
        self.combine = root.op if root.op in REDUCTIONS else ""
        if self.combine:
            root, (axis,) = root.src[0], root.arg
            self.steps = index[axis] = self.loop(root.shape[axis])
        self.value = self.at(root, index)

    def loop(self, size: int) -> Node:
        """A loop of its own; of one iteration, the number 0."""
        return Node("loop", arg=(next(self.count), size)) if size != 1 else number(0)

    def at(self, node: Node, index: list[Node]) -> Node:
        """The element of a shaped node at an index."""
        if node in self.memory:
            return Node("load", flat(index, node.shape), arg=self.memory[node])
        if node.op == "permute":
            index = [index[node.arg.index(i)] for i in range(len(index))]
        elif node.op == "expand":
            sizes = node.src[0].shape
            index = [number(0) if n == 1 else i for i, n in zip(index, sizes, strict=True)]
        elif node.op == "reshape":
            position, sizes = flat(index, node.shape), node.src[0].shape
            index = []
            for axis, size in enumerate(sizes):
                rows = Node("floordiv", position, number(math.prod(sizes[axis + 1 :])))
                index.append(rewrite(Node("mod", rows, number(size)), INDICES))
        parts = [self.at(s, index) for s in node.src]
        return parts[0] if node.op in VIEWS else Node(node.op, *parts, arg=node.arg)


def flat(index: Sequence[Node], shape: Sequence[int]) -> Node:
    """The number of an element in memory, row by row."""
    position = number(0)
    for i, size in zip(index, shape, strict=True):
        position = Node("add", Node("mult", position, number(size)), i)
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
    lines = [f"void {kernel.name}_kernel({', '.join(f'float *{m}' for m in memories)}) {{"]
    lines += map(opened, kernel.loops)
    value = text(kernel.value)
    if kernel.combine:
        start, op, _ = REDUCTIONS[kernel.combine]
        lines += [f"float total = {text(number(start))};", opened(kernel.steps)]
        lines += [f"total = {OPS[op][1].format('total', value)};", "}"]
        value = "total"
    lines += [f"{kernel.name}[{text(kernel.place)}] = {value};", "}" * len(kernel.loops) + "}"]
    return "\n".join(lines)


def opened(loop: Node) -> str:
    """The line that opens a loop; nothing is to be repeated where the index is a number."""
    i = text(loop)
    return f"for (long {i} = 0; {i} < {loop.arg[1]}; {i}++) {{" if loop.op == "loop" else "{"


def text(node: Node) -> str:
    """An expression in C."""
    if node.op == "const":
        plain = f"{node.arg}" if isinstance(node.arg, int) else f"{node.arg}f"
        return {"inff": "INFINITY", "-inff": "(-INFINITY)", "nanf": "NAN"}.get(plain, plain)
    if node.op == "loop":
        return f"i{node.arg[0]}"
    if node.op == "load":
        return f"{node.arg}[{text(node.src[0])}]"
    return OPS[node.op][1].format(*map(text, node.src))


# ---- 7. All together -----------------------------------------------------------------------------
def steps(root: Node) -> dict[str, Any]:
    """What each step of the way to C gives."""
    tidy = rewrite(root, FLOATS)
    kernels = schedule(tidy)
    sizes = {name: math.prod(n.shape) for k in kernels for n, name in k.memory.items()}
    sizes |= {"out": math.prod(root.shape)}
    source = HEAD + "\n\n".join(function(k, list(sizes)) for k in kernels)
    return dict(graph=root, rewritten=tidy, kernels=kernels, memory=sizes, source=source)


def run(root: Node) -> np.ndarray:
    """Compile a graph with the C compiler, and run it."""
    made = steps(root)
    arrays = [ARRAYS[int(name[2:])] if name[:2] == "in" else np.zeros(size, np.float32)
              for name, size in made["memory"].items()]  # fmt: skip
    with tempfile.NamedTemporaryFile(suffix=".so") as file:
        words = shlex.split(os.environ.get("CC", "cc") + " -O2 -shared -fPIC -x c - -lm -o")
        subprocess.run([*words, file.name], input=made["source"].encode(), check=True)
        library = ctypes.CDLL(file.name)
    for kernel in made["kernels"]:
        pointers = [a.ctypes.data_as(ctypes.c_void_p) for a in arrays]
        getattr(library, f"{kernel.name}_kernel")(*pointers)
    return arrays[-1].reshape(root.shape)


if __name__ == "__main__":
    for line in FLOAT_RULES.strip().splitlines():
        print(f"{line:66} {try_rule(line) or 'holds for all special numbers'}")
    value = (Tensor([[1.0, 2.0, 3.0], [1.0, 1.0, 1.0]]) / 1.0).softmax()
    for name, found in steps(value.node).items():
        print(f"\n---- {name}\n{found}")
    print(f"\n{value.numpy()}\nand as the interpreter says:\n{interpret(value.node)}")
