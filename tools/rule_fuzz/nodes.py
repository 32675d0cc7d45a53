"""Nodes of all kinds for the operands that a pattern leaves open.

It shares nothing with the prover's own generators: what those overlook is looked for here.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod
from random import Random
from typing import Any

from rulewright.ir.dtypes import DType, dtype, dtypes
from rulewright.ir.ops import Op, Ops
from rulewright.ir.uop import UOp
from rulewright.verify.values.samples import special

Shape = tuple[int, ...]
DIMS = (0, 1, 1, 2, 2, 3, 4, 5)
DTYPES = (
    "f32", "i32", "i32", "bool", "u8", "i8", "i64", "f16", "u64", "bf16", "f64", "u16",
    "fp8e4m3", "index",
)  # fmt: skip
DEVICES = (None, None, None, "C", "OPENCL", "CUDA")
_SMALL = (0, 1, 2, 3, 4, 5, 7, 8, 12, 16, 31, 32, 64, 100, -1, -2, -3, -8)
_MEMORY = (Ops.PARAM, Ops.PARAM, Ops.PARAM, Ops.BUFFER, Ops.SCRATCH)
_COMBINE = (Ops.ADD, Ops.ADD, Ops.MUL, Ops.MAX, Ops.MIN)
_SAME = (Ops.DETACH, Ops.CONTIGUOUS)


class Dead(Exception):
    """What was chosen so far leads to no graph."""


class Nodes:
    """Makes operands. `numbers`, `texts` and `ops` are those that a rule names."""

    def __init__(
        self, rng: Random, numbers: Sequence[float], texts: Sequence[str], ops: Sequence[Op]
    ) -> None:
        self.rng, self.numbers, self.texts, self.ops = rng, list(numbers), list(texts), list(ops)
        self.serial = 0
        self.loops: list[UOp] = []  # that are open here
        self.leaves: list[UOp] = []
        self.sizes: dict[str, int] = {}
        self.lanes = 1
        self.device = rng.choice((*DEVICES, *texts))
        self.plain = rng.random() < 0.3  # parameters for all operands

    # ---- choices ----

    def chance(self, share: float) -> bool:
        """True for that share of all times."""
        return self.rng.random() < share

    def pick(self, items: Sequence[Any]) -> Any:
        """One of some items. Raises Dead where there is none."""
        if not items:
            raise Dead
        return self.rng.choice(items)

    def number(self) -> int:
        """A number of its own."""
        self.serial += 1
        return self.serial

    def some_dtype(self, allowed: Sequence[str] = ()) -> DType:
        """One of some dtypes; the common ones more often."""
        names = [n for n in DTYPES if not allowed or n in allowed]
        return dtype(self.pick(names or [n for n in allowed if n != "void"]))

    def dim(self) -> int:
        """The size of an axis, now and then one that the rule names."""
        near = [int(n) for n in self.numbers if 0 <= n <= 40]
        return self.pick(near) if near and self.chance(0.3) else self.pick(DIMS)

    def shape(self, rank: int | None = None) -> Shape:
        """Sizes of axes."""
        if rank is None:
            rank = self.pick((0, 1, 1, 2, 2, 3, 4, 5))
        sizes = tuple(self.dim() for _ in range(rank))
        if prod(sizes) > 4000:
            raise Dead
        return sizes

    # ---- leaves ----

    def const(self, kind: DType) -> UOp:
        """A constant: small, special, or a number that the rule names."""
        if kind.is_bool:
            return UOp.const(kind, self.chance(0.5))
        choice = self.rng.random()
        if self.numbers and choice < 0.35:
            value: Any = self.pick(self.numbers)
        elif choice < 0.6:
            value = self.pick(_SMALL)
        elif choice < 0.75:
            value = self.rng.randint(-300, 300)
        else:
            value = self.pick(special(kind.scalar).tolist())
        if not kind.is_float:
            if value != value or abs(value) == float("inf"):
                value = 0
            value = int(value)
            if kind.kind != "Index":
                value = max(int(kind.min), min(int(kind.max), value))
        return UOp.const(kind, value)

    def param(self, kind: DType, shape: Shape = (), memory: bool = False) -> UOp:
        """Memory; for a vector one a lane."""
        if kind.count > 1:
            return UOp(Ops.STACK, kind, tuple(self.param(kind.scalar) for _ in range(kind.count)))
        op = self.pick(_MEMORY) if memory or self.chance(0.3) else Ops.PARAM
        return UOp(op, kind, (), (self.number(), shape, self.device))

    def variable(self, kind: DType) -> UOp:
        """A symbolic integer, bound or not, as a dtype."""
        ends = sorted(int(self.pick((*_SMALL, *self.numbers, -40, 200)) or 0) for _ in range(2))
        low, high = max(ends[0], int(kind.min)), min(ends[1], int(kind.max))
        if low > high:
            raise Dead
        var = UOp.variable(f"v{self.number()}", low, high)
        return (var if self.chance(0.7) else var.bind(self.rng.randint(low, high))).cast(kind)

    def leaf(self, kind: DType, shape: Shape = ()) -> UOp:
        """Anything of this dtype and shape."""
        alike = [n for n in self.leaves if n.dtype is kind and n.shape == shape]
        if alike and self.chance(0.25):
            return self.pick(alike)
        if self.chance(0.1):  # what an operand is computed from is on one device
            self.device = self.pick((*DEVICES, *self.texts))
        node = self._leaf(kind, shape, 0)
        self.leaves.append(node)
        return node

    def _leaf(self, kind: DType, shape: Shape, depth: int) -> UOp:
        if self.plain or depth > 1:
            return self.param(kind, shape)
        if kind.count > 1:
            return self.pick((self.param, self.const))(kind)
        makers: list[Callable[[DType, Shape, int], UOp]] = [
            self._plain,
            self._plain,
            self._computed,
        ]
        makers += [self._named] * (3 if self.ops else 0)
        makers += [self._moved, self._marked] if kind is not dtypes.index else []
        makers += [self._small] * 2 if shape == () else []
        try:
            return self.pick(makers)(kind, shape, depth)
        except Dead:
            return self.param(kind, shape)

    def _plain(self, kind: DType, shape: Shape, depth: int) -> UOp:
        return self.param(kind, shape)

    def _small(self, kind: DType, shape: Shape, depth: int) -> UOp:
        """A scalar: a constant, a variable, a loop, an element, what a loop reduces."""
        choice = self.rng.random()
        if choice < 0.35:
            return self.const(kind)
        if choice < 0.55 and not kind.is_float and not kind.is_bool:
            return self.variable(kind)
        if choice < 0.7 and kind is dtypes.index:
            gate, inner = self.param(dtypes.bool), self.index(9)
            masked = gate.where(inner, UOp(Ops.INVALID, kind))
            return masked if self.chance(0.5) else masked % UOp.index_const(self.pick((1, 2, 4)))
        if choice < 0.8 and self.loops and kind is not dtypes.bool:
            return self.pick(self.loops).cast(kind)
        if choice < 0.9:
            return self.element(kind)
        size = self.pick((1, 2) if kind is dtypes.index else (0, 1, 2, 3))
        loop = UOp.range(size, self.number(), "reduce")
        body = self.param(kind, (max(size, 1),)).index(loop)
        return UOp(Ops.REDUCE, kind, (body, loop), Ops.MAX)

    def element(self, kind: DType) -> UOp:
        """An element of memory."""
        size = max(1, self.dim())
        index = self.index(size)
        return UOp(Ops.INDEX, kind, (self.param(kind, (size,), memory=True), index))

    def _operands(self, op: Op, kind: DType, shape: Shape, depth: int) -> UOp:
        row = op.row
        params = {name: tuple(names) for name, names in row["tparams"]}
        result = row["result"]
        own: dict[str, DType] = {}
        if result in params:
            if kind.base not in params[result]:
                raise Dead
            own[result] = kind
        elif kind.base != result:
            raise Dead
        sources = []
        for _, declared, _ in op.params:
            if declared in params and declared not in own:
                own[declared] = self.some_dtype(params[declared]).vec(kind.count)
            wanted = own.get(declared) or (
                dtypes.bool if declared == "bool" else self.some_dtype()
            ).vec(kind.count)
            if op is Ops.BITCAST and wanted.bits != kind.bits:
                raise Dead
            if op is Ops.CAST and kind is dtypes.index and wanted.is_float:
                raise Dead
            sources.append(self._leaf(wanted, shape, depth + 1))
        return UOp(op, kind, tuple(sources))

    def _computed(self, kind: DType, shape: Shape, depth: int) -> UOp:
        return self._operands(self.pick([o for o in Ops if o.elementwise]), kind, shape, depth)

    def _named(self, kind: DType, shape: Shape, depth: int) -> UOp:
        """Of an op that the rule names."""
        op = self.pick(self.ops)
        if op.elementwise:
            return self._operands(op, kind, shape, depth)
        if "Movement" in op.groups and kind is not dtypes.index:
            return self.moved(op, kind, shape, lambda k, s: self._leaf(k, s, depth + 1))
        if (op in _SAME or op is Ops.COPY) and kind is not dtypes.index:
            arg = self.pick(("C", "OPENCL")) if op is Ops.COPY else None
            return UOp(op, kind, (self._leaf(kind, shape, depth + 1),), arg)
        if op is Ops.AFTER:
            return self._after(kind, shape, depth)
        if op in _MEMORY:
            return UOp(op, kind, (), (self.number(), shape, self.device))
        if shape == () and op is Ops.INDEX:
            return self.element(kind)
        if shape == () and op is Ops.LOAD:
            return UOp(op, kind, (self.element(kind),))
        if shape == () and op is Ops.CONST:
            return self.const(kind)
        if op in (Ops.VAR, Ops.RANGE, Ops.BIND) and kind is dtypes.index and shape == ():
            return self.loop() if op is Ops.RANGE else self.variable(kind)
        if op is Ops.REDUCE_AXIS:
            at = self.rng.randint(0, len(shape))
            inner = self.param(kind, (*shape[:at], self.pick((0, 1, 2)), *shape[at:]))
            return UOp(op, kind, (inner,), (self.pick(_COMBINE), (at,)))
        raise Dead

    def _marked(self, kind: DType, shape: Shape, depth: int) -> UOp:
        op = self.pick(_SAME)
        literals = (None, *[int(n) for n in self.numbers if n == int(n)], *self.texts)
        arg = self.pick(literals) if op is Ops.CONTIGUOUS else None
        return UOp(op, kind, (self._leaf(kind, shape, depth + 1),), arg)

    def _after(self, kind: DType, shape: Shape, depth: int) -> UOp:
        memory = self.param(kind, shape, memory=True)
        if shape and 0 not in shape and self.chance(0.5):
            at = [UOp.index_const(self.rng.randrange(size)) for size in shape]
            effect = memory.index(*at).store(self.param(kind))
        else:
            effect = memory.store(self.param(kind, shape))
        return UOp(Ops.AFTER, kind, (memory, effect))

    # ---- views ----

    def _moved(self, kind: DType, shape: Shape, depth: int) -> UOp:
        op = self.pick(list(Ops.group("Movement")))
        return self.moved(op, kind, shape, lambda k, s: self._leaf(k, s, depth + 1))

    def moved(self, op: Op, kind: DType, shape: Shape, make: Callable[[DType, Shape], UOp]) -> UOp:
        """A view of this shape of what `make` makes."""
        if op is Ops.FLIP:
            return UOp(op, kind, (make(kind, shape),), tuple(self.chance(0.5) for _ in shape))
        if op is Ops.PERMUTE:
            order = list(range(len(shape)))
            self.rng.shuffle(order)
            source = tuple(shape[order.index(i)] for i in range(len(shape)))
            return UOp(op, kind, (make(kind, source),), tuple(order))
        if op is Ops.EXPAND:
            source = tuple(1 if self.chance(0.5) else size for size in shape)
            return UOp(op, kind, (make(kind, source),), shape)
        if op is Ops.PAD:
            low = [self.rng.randint(0, size) for size in shape]
            high = [self.rng.randint(0, n - a) for n, a in zip(shape, low, strict=True)]
            source = tuple(n - a - b for n, a, b in zip(shape, low, high, strict=True))
            return UOp(op, kind, (make(kind, source),), tuple(zip(low, high, strict=True)))
        if op is Ops.SHRINK:
            low = [self.rng.randint(0, 2) for _ in shape]
            source = tuple(n + a + self.rng.randint(0, 2) for n, a in zip(shape, low, strict=True))
            bounds = tuple((a, a + n) for n, a in zip(shape, low, strict=True))
            return UOp(op, kind, (make(kind, source),), bounds)
        return UOp(Ops.RESHAPE, kind, (make(kind, self.other(shape)),), shape)

    def other(self, shape: Shape) -> Shape:
        """Another shape of as many elements."""
        total = prod(shape)
        if total == 0:
            return (*self.shape(self.rng.randint(0, 2)), 0)
        parts = [] if total == 1 and self.chance(0.5) else [total]
        for _ in range(self.rng.randint(0, 3)):
            size = parts.pop() if parts else 1
            small = self.pick([d for d in range(1, size + 1) if size % d == 0])
            parts += [small, size // small]
            self.rng.shuffle(parts)
        return tuple(parts)

    # ---- loops, indices, effects ----

    def loop(self, size: UOp | None = None, kind: str = "") -> UOp:
        """A loop of its own."""
        if size is None:
            size = UOp.index_const(self.dim())
            if self.chance(0.15):
                low, high = sorted((self.dim(), self.dim()))
                size = UOp.variable(f"v{self.number()}", low, high)
        return UOp(Ops.RANGE, dtypes.index, (size,), (self.number(), kind or "reduce"))

    def index(self, limit: int) -> UOp:
        """An index below a limit, or INVALID."""
        choice = self.rng.random()
        fitting = [r for r in self.loops if r.vmax < limit]
        if fitting and choice < 0.5:
            return self.pick(fitting)
        if limit < 1 or choice > 0.93:
            return UOp(Ops.INVALID, dtypes.index)
        if choice < 0.6:
            return UOp.index_const(self.rng.randrange(limit))
        if choice < 0.8:
            return UOp.variable(f"v{self.number()}", 0, limit - 1)
        if choice < 0.86:
            inner = UOp.variable(f"v{self.number()}", 0, limit - 1)
            return self.param(dtypes.bool).where(inner, UOp(Ops.INVALID, dtypes.index))
        return UOp.range(limit, self.number(), self.pick(("loop", "reduce")))

    def effect(self) -> UOp:
        """A store into memory of its own, or a barrier."""
        kind = self.some_dtype()
        if self.chance(0.1):
            return UOp(Ops.BARRIER, dtypes.void)
        return self.element(kind).store(self.leaf(kind))
