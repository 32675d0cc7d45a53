"""A small model of what programs mean: memory, and names that show elements of it.

A line of a program is run by itself, on tensors that hold nothing but numbers, by the interpreter
(in shadow mode, so that bounds of errors travel from line to line). Which results share memory
with their operand is PyTorch's: views do, everything else is new. So nothing that tensors do
about laziness, views or writes is trusted here.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Callable
from functools import lru_cache
from types import CodeType
from typing import Any, NamedTuple

import numpy as np

from documentation.views import ITSELF, VIEWS as SHARING
from rulewright import Context, Tensor, Variable, jit
from rulewright.interp import Shadowed
from rulewright.interp.evaluator import Evaluator
from rulewright.interp.shadow import lift
from rulewright.interp.values import Value
from rulewright.ir.dtypes import DType, dtypes
from rulewright.ir.ops import Ops
from rulewright.ir.placement import parts_of, placement
from rulewright.runtime.memories import buffer_of

UNSAID = ITSELF | {"short", "char", "byte", "type", "bitcast", "rearrange", "einsum", "meshgrid"}
"""Those which share it or not as it happens: neither is written to afterwards."""

VIEWS = (SHARING - UNSAID - {"__getitem__"}) | {"T", "mT"}
"""Methods and attributes that show the memory of their tensor, in PyTorch."""

RESHAPES = frozenset({"reshape", "reshape_as", "ravel", "flatten"})
"""Views only of what steps evenly through memory; copies of the rest."""

SEVERAL = frozenset({"split", "chunk", "tensor_split", "unbind"})
WIDE = frozenset({"expand", "expand_as", "broadcast_to", "unfold"})
"""Those whose results are not written: elements of theirs may share a place."""


# A line is run again and again: once as it is written, for each binding, each call of a step and
# each difference. Nodes of trees are never changed, and equal to nothing but themselves.
_KNOWN = 8192  # lines: more than programs that run side by side have
parsed = lru_cache(_KNOWN)(ast.parse)
text_of = lru_cache(_KNOWN)(ast.unparse)


@lru_cache(_KNOWN)
def compiled(code: str, mode: str) -> CodeType:
    return compile(parsed(code, mode=mode), "<string>", mode)


def forget_lines() -> None:
    """Let go of lines that will not run again: thousands of nodes for the collector to look at."""
    for known in (parsed, text_of, compiled, _link):
        known.cache_clear()


class Storage:
    """Flat arrays: the numbers, the same in f64, and the errors that are allowed."""

    def __init__(self, parts: tuple[np.ndarray, ...]) -> None:
        self.parts = [np.array(part).reshape(-1) for part in parts]
        self.is_frozen = False


class Held(NamedTuple):
    """What a name stands for: elements of a storage, by their positions."""

    storage: Storage
    at: np.ndarray
    dtype: DType
    is_wide: bool = False  # an expanded view, which must not be written, of whatever size

    @property
    def shape(self) -> tuple[int, ...]:
        return self.at.shape

    def numel(self) -> int:
        return self.at.size

    def shown(self) -> Shadowed:
        return Shadowed(*(part[self.at] for part in self.storage.parts))

    @property
    def is_writable(self) -> bool:
        """Whether it is said what a write does: not where elements lie on each other."""
        is_plain = not self.is_wide and np.unique(self.at).size == self.at.size
        return is_plain and not self.storage.is_frozen


class Memory:
    """Runs lines; knows what each name shows. Without shadows, only the numbers themselves."""

    def __init__(self, numbers: dict[str, int] | None = None, shadow: bool = True) -> None:
        self.shadow = shadow
        self.held: dict[str, Held] = {}
        self.used: list[str] = []  # the names that the last line used
        self.size = 0  # nodes of its graph
        self.last: tuple[Any, ...] = ("",)  # what `part` evaluated
        self.plain = {"np": np, "Tensor": Tensor, "dtypes": dtypes, "Variable": Variable,
                      "jit": jit, **(numbers or {})}  # fmt: skip

    def run(self, line: str) -> None:
        """Run a line that gives a name to a value, or writes; nothing is computed otherwise."""
        tree = parsed(line).body[0]
        with Context(DEVICE="INTERP"):
            if isinstance(tree, ast.Import | ast.ImportFrom):
                return
            if isinstance(tree, ast.Assign) and isinstance(tree.targets[0], ast.Name):
                self.name(tree.targets[0].id, tree.value, line.split(" = ", 1)[1])
            elif target := _written(tree):
                self.write(line, target)
        self.last = ("",)

    def name(self, name: str, value: ast.expr, code: str) -> None:
        if name in self.plain:  # a number that stands for a variable
            return
        tensors, bound, found = self.last[1:] if self.last[0] == code else self.evaluated(code)
        self.size = len(found.uop.toposort())
        _, methods = root_of(value)
        is_wide = methods <= VIEWS and bool(methods & WIDE)
        held = _new(valued(found, bound, self.shadow), found.dtype, is_wide)
        view = self.view(value, tensors)
        if methods <= VIEWS | UNSAID and not methods <= VIEWS and _may_share(held, self, methods):
            for storage in [held.storage, *(self.held[n].storage for n in self.used)]:
                storage.is_frozen = True
        held = view or held
        self.held[name] = held

    def view(self, value: ast.expr, tensors: dict[str, Tensor]) -> Held | None:
        """What a chain of views shows; None for anything that is new."""
        if isinstance(value, ast.Name):
            return self.held.get(value.id)
        if isinstance(value, ast.Subscript) and isinstance(value.value, ast.Tuple | ast.List):
            return self.view(_element(value), tensors)
        found = _link(value)
        source = self.view(found.below, tensors) if found and found.methods <= VIEWS else None
        if not found or not source:
            return None
        positions = {**self.plain, **tensors, BELOW: Tensor(source.at, device="INTERP")}
        at = valued(eval(compiled(found.code, "eval"), positions), {}, shadow=False).exact
        if found.methods & RESHAPES and source.is_wide:
            source.storage.is_frozen = True  # nobody says which strides elements of one place have
        elif found.methods & RESHAPES and not _steps_evenly(source.at, at.shape):
            return None
        is_wide = source.is_wide or bool(found.methods & WIDE)
        return Held(source.storage, at, source.dtype, is_wide)

    def part(self, code: str, pick: Callable[[list[Any]], Any]) -> str:
        """The code of a tensor, one part if there are several; nothing if it gives no tensor."""
        with Context(DEVICE="INTERP"):
            tensors, bound, value = self.evaluated(code)
        while isinstance(value, tuple | list) and value:
            at = pick(list(range(len(value))))
            code, value = f"({code})[{at}]", value[at]
        self.last = code, tensors, bound, value
        return code if isinstance(value, Tensor) else ""

    def evaluated(self, code: str) -> tuple[dict[str, Tensor], dict[Any, Value], Any]:
        """The value of code, with the tensors that it was given and what they hold."""
        tensors, bound = self.tensors(parsed(code, mode="eval"))
        return tensors, bound, eval(compiled(code, "eval"), {**self.plain, **tensors})

    def write(self, line: str, target: str) -> None:
        tensors, bound = self.tensors(parsed(line))
        space = {**self.plain, **tensors}
        exec(compiled(line, "exec"), space)
        self.size = len(space[target].uop.toposort())
        parts, held = valued(space[target], bound, self.shadow), self.held[target]
        for whole, part in zip(held.storage.parts, parts, strict=True):
            whole[held.at] = part

    def tensors(self, tree: ast.AST) -> tuple[dict[str, Tensor], dict[Any, Value]]:
        """A tensor of its own for each name that a line uses, and what the interpreter binds."""
        tensors, bound = {}, {}
        names = {n.id for n in ast.walk(tree) if isinstance(n, ast.Name)}
        self.used = sorted(names & set(self.held))
        for name in self.used:
            shown = self.held[name].shown()
            tensor = Tensor(shown.exact, device="INTERP")
            tensors[name] = tensor
            nodes = [n for n in tensor.uop.toposort() if n.op is Ops.BUFFER]
            parts = _settled(shown) if self.shadow else shown[:1]
            for node in nodes:
                bound[node] = Value(tuple(np.reshape(part, node.arg[1]) for part in parts))
        return tensors, bound


def valued(tensor: Tensor, bound: dict[Any, Value], shadow: bool = True) -> Shadowed:
    """What the interpreter says of a tensor's graph."""
    graph = tensor.uop
    memory = {n: bound.get(n) or _in_memory(n) for n in graph.toposort() if n.op is Ops.BUFFER}
    evaluator = Evaluator(memory, {}, shadow=shadow)
    evaluator.run(graph)
    return Shadowed(*lift(evaluator.known(graph).parts))


def _in_memory(node: Any) -> Value:
    parts = [buffer_of(part).as_numpy().reshape(part.arg[1]) for part in parts_of(node)]
    where = placement(node.arg[2])
    is_cut = where is not None and where.axis is not None
    return Value((np.concatenate(parts, where.axis) if is_cut else parts[0],))


def _settled(shown: Shadowed) -> tuple[np.ndarray, ...]:
    is_exact = shown.exact.dtype.kind in "biu" and not shown.tolerance.any()
    return shown[:1] if is_exact else tuple(shown)


def _may_share(held: Held, memory: Memory, methods: set[str]) -> bool:
    kinds = {memory.held[name].dtype for name in memory.used}
    return bool(methods & {"bitcast", "einsum"}) or held.dtype in kinds


def _new(parts: Shadowed, dtype: DType, is_wide: bool) -> Held:
    shape = parts.exact.shape
    return Held(Storage(parts), np.arange(math.prod(shape)).reshape(shape), dtype, is_wide)


def _written(tree: ast.stmt) -> str | None:
    """The name that a line writes into."""
    target: Any = None
    if isinstance(tree, ast.AugAssign):
        target = tree.target
    elif isinstance(tree, ast.Assign):
        target = tree.targets[0]
    elif isinstance(tree, ast.Expr) and isinstance(tree.value, ast.Call):
        function = tree.value.func
        name = getattr(function, "attr", "")
        target = function.value if name == "assign" or name.endswith("_") else None
    while isinstance(target, ast.Subscript):
        target = target.value
    return target.id if isinstance(target, ast.Name) else None


class Link(NamedTuple):
    """The end of a chain of methods and keys, and what is below."""

    value: ast.expr
    below: ast.expr
    methods: set[str]

    @property
    def code(self) -> str:
        """The code of the end, over BELOW."""
        return text_of(self.value).replace(text_of(self.below), BELOW, 1)


BELOW = "below"


@lru_cache(maxsize=512)
def _link(value: ast.expr) -> Link | None:
    """The last link of a chain; a key into several results is one with what gives them."""
    methods: set[str] = set()
    holder: Any = value
    if isinstance(value, ast.Subscript):
        if isinstance(value.value, ast.Call) and getattr(value.value.func, "attr", "") in SEVERAL:
            holder = value.value
        else:
            keys = value.slice.elts if isinstance(value.slice, ast.Tuple) else [value.slice]
            methods = set() if all(map(_is_basic, keys)) else {"take"}  # positions: a new tensor
            return Link(value, value.value, methods)
    if isinstance(holder, ast.Call):
        holder = holder.func
    if not isinstance(holder, ast.Attribute):
        return None
    return Link(value, holder.value, {holder.attr})


def _element(value: ast.Subscript) -> ast.expr:
    inner = value.value.elts[value.slice.value]  # type: ignore[attr-defined]  # (a, b)[0]
    return inner.value if isinstance(inner, ast.Starred) else inner


def root_of(value: ast.expr) -> tuple[str, set[str]]:
    """The name at the bottom of a chain of methods and keys, and what the chain goes through."""
    methods: set[str] = set()
    while not isinstance(value, ast.Name):
        if isinstance(value, ast.Subscript) and isinstance(value.value, ast.Tuple | ast.List):
            value = _element(value)
            continue
        link = _link(value)
        if link is None:
            return "", methods
        methods |= link.methods
        value = link.below
    return value.id, methods


def _is_basic(key: ast.expr) -> bool:
    if isinstance(key, ast.UnaryOp):
        key = key.operand
    if isinstance(key, ast.Constant):
        return key.value is None or key.value is ... or type(key.value) is int
    if isinstance(key, ast.Call):  # numpy's integers
        return ast.unparse(key).startswith("np.int")
    if isinstance(key, ast.BinOp):
        return _is_basic(key.left) and _is_basic(key.right)
    return isinstance(key, ast.Slice) or (isinstance(key, ast.Name) and key.id == "n")


def _steps_evenly(at: np.ndarray, shape: tuple[int, ...]) -> bool:
    """Whether elements at these positions can be seen in another shape without a copy."""
    if at.size == 0:
        return True
    first = at[(0,) * at.ndim]
    steps = [int(at.take(1, axis=i).flat[0] - first) if size > 1 else 0
             for i, size in enumerate(at.shape)]  # fmt: skip
    low = int(at.min())
    room = np.empty(int(at.max()) - low + 1, np.int8)
    seen = np.lib.stride_tricks.as_strided(room[int(first) - low :], at.shape, steps)
    return np.shares_memory(seen, seen.reshape(shape))
