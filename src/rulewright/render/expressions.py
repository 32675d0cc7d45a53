"""Expressions of a kernel as source text, and the names of their values."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from rulewright.errors import StageError
from rulewright.ir.dtypes import DType
from rulewright.ir.ops import Op, Ops
from rulewright.ir.uop import UOp
from rulewright.render.ahead import asked_ahead
from rulewright.render.target import Spelling, Target, own_dtype
from rulewright.render.template import Text
from rulewright.render.usage import Usage, copied_ahead, is_joined, pointed_into, streamed, strip

_LONGEST = 72  # characters of an expression that may stand inside another
_LONGEST_STORED = 96
_SHIFTS = Ops.group("Shift")
_NO_DIGITS = _SHIFTS | {Ops.WHERE, Ops.CAST, Ops.BITCAST}


class ExpressionWriter:
    """Texts of what a kernel computes. `dtypes` and `helpers` say what they need."""

    def __init__(self, uops: Sequence[UOp], target: Target, name: str) -> None:
        self.uops, self.target, self.name = uops, target, target.kernel_name(name)
        self.usage = Usage(uops, target)
        self.texts: dict[UOp, Text] = {}
        self.count: Counter[str] = Counter()
        self.lines: list[str] = []
        self.depth = 0
        self.dtypes: dict[DType, None] = {}
        self.helpers: dict[str, None] = {}
        self.registers: dict[UOp, Text] = {}  # of tensor cores that hold sums, by their numbers
        self.loaded: dict[str, int] = {}  # those that hold what is at a place in memory
        written = (strip(u.src[0]) for u in uops if u.op is Ops.STORE)
        self.written = {self.memory(place) for place in written}
        self.streamed = streamed(uops, target)
        self.asked_ahead = asked_ahead(uops, target)
        self.ahead = copied_ahead(uops, target, self.usage)
        shared = [n.size for n in uops if n.op is Ops.RANGE and n.arg[1] == "thread"]
        self.shared = shared[0] if len(set(shared)) == 1 else max(shared, default=0)

    def _text(self, text: str, /, **values: Text | str) -> Text:
        return self.target.text(text).fill(values)

    def _emit(self, text: Text, step: int = 0) -> None:
        """Add lines, of nothing none; `step` 1 opens a block after them, -1 closes one before."""
        self.depth += min(step, 0)
        lines = text.text.split("\n") if text.text else []
        self.lines += ["  " * self.depth + line for line in lines]
        self.depth += max(step, 0)

    def _type(self, dtype: DType) -> str:
        self.dtypes[dtype] = None
        return self.target.type_name(dtype)

    def _fresh(self, prefix: str) -> str:
        self.count[prefix] += 1
        return f"{prefix}{self.count[prefix] - 1}"

    memory = staticmethod(pointed_into)

    def _operand(self, node: UOp, plain: bool = False) -> Text:
        node = strip(node)
        if node.op is Ops.CONST:
            if node.dtype.count > 1:
                self.dtypes[node.dtype] = None
            number = self.target.literal(node.dtype, node.arg, plain)
            if self.target.is_negated(node.dtype, node.arg):
                self._spelled(Ops.NEG, node.dtype.scalar, node.dtype.scalar)
            return self._masked(node.dtype, number)
        if node.op is Ops.LANES:
            self._type(node.dtype)
            lanes = ", ".join(map(str, range(node.arg)))
            return self._text("stack", type=self.target.type_name(node.dtype), lanes=lanes)
        text = self.texts.get(node)
        if text is None:
            raise StageError(
                f"target {self.target.name}, kernel {self.name}: {node.op.name} is used before "
                "its place in the program"
            )
        return text

    def _expression(self, node: UOp) -> Text:
        if node.op is Ops.STACK:
            if len(set(node.src)) == 1 and self.target.has_text("splat"):
                x = self._operand(node.src[0])
                text = self._text("splat", x=x, type=self._type(node.dtype))
            else:
                lanes = ", ".join(self._operand(s).text for s in node.src)
                text = self._text("stack", type=self._type(node.dtype), lanes=lanes)
            return self._masked(node.dtype, text)
        if node.op is Ops.LANE:
            return self._lane(node)
        return self._elementwise(node)

    def _lane(self, node: UOp) -> Text:
        if len(node.arg) != 1:
            return self._shuffle(node)
        names = self.target.row["texts"]["lane_names"].split()
        lane = names[node.arg[0]] if names else str(node.arg[0])
        name = "lane_of_mask" if self._is_mask(strip(node.src[0]).dtype) else "lane"
        return self._text(name, x=self._operand(node.src[0]), lane=lane)

    def _shuffle(self, node: UOp) -> Text:
        """Several lanes of two vectors. Raises StageError for what is not that."""
        whole = strip(node.src[0])
        wide = node.dtype.count > whole.src[0].dtype.count
        if (
            not is_joined(whole)
            or len(whole.src) != 2
            or (whole.src[0].dtype != node.dtype and not wide)
        ):
            raise StageError(f"target {self.target.name}: LANE of several lanes, expected one")
        kind, name = self._type(node.dtype), "shuffle_wide" if wide else "shuffle"
        is_mask = self._is_mask(node.dtype)
        name += "_mask" if wide and is_mask else ""
        self.helpers[self.target.row["texts"][f"{name}_helper"]] = None
        a, b = map(self._operand, whole.src)
        if is_mask and a != b:
            b = self._text("like_mask", x=b, like=a)
        lanes = ", ".join(map(str, node.arg))
        return self._text(name, type=kind, a=a, b=b, lanes=lanes)

    def _spelled(self, op: Op, own: DType, of: DType) -> Spelling:
        """How an op is written; what that needs is noted. Raises StageError if nothing says it."""
        spelling = self.target.spelling(op, own, of)
        if spelling is None:
            lowered = ", ".join(self.target.lower) or "a ruleset of `lower`, which names none,"
            raise StageError(
                f"target {self.target.name}, kernel {self.name}: no spelling for {op.name} "
                f"of {own.name} (operand {of.name}); {lowered} should have lowered it, or a line "
                f'`spell {op.name}: {own.base} = "…"` say how it is written'
            )
        self.dtypes[own] = self.dtypes[of] = None
        if spelling.helper is not None:
            self.helpers[spelling.helper] = None
        return spelling

    def _elementwise(self, node: UOp) -> Text:
        spelling = self._spelled(node.op, own_dtype(node), strip(node.src[0]).dtype)
        values: dict[str, Text | str] = dict(spelling.names)
        op, texts = node.op, self.texts
        plain = op not in _NO_DIGITS and any([strip(s).op is not Ops.CONST for s in node.src])
        for (name, _, _), source in zip(op.params, node.src, strict=True):
            known = texts.get(source)
            if known is None:
                known = self._operand(source, plain or (op in _SHIFTS and name == "b"))
            values[name] = known
        return spelling.template.fill(values)

    def _value(self, node: UOp, text: Text) -> None:
        """Keep the text for the place where it is used, or put it in a variable."""
        if not self.usage.uses[node]:
            return
        longest = _LONGEST if self.usage.user[node].op is not Ops.STORE else _LONGEST_STORED
        if node in self.usage.inline and len(text.text) <= longest:
            self.texts[node] = text
            return
        name = self._fresh(self._prefix(node))
        define = "define_mask" if self._is_mask(node.dtype) else "define"
        self._emit(self._text(define, type=self._type(node.dtype), var=name, value=text.text))
        self.texts[node] = Text(name)

    def _prefix(self, node: UOp) -> str:
        if node in self.usage.indices:
            return "idx"
        return {Ops.LOAD: "val", Ops.STACK: "vec", Ops.CAST: "cast"}.get(node.op, "alu")

    def _is_mask(self, dtype: DType) -> bool:
        """Whether values of a dtype are conditions of lanes, of another form than in memory."""
        return dtype.count > 1 and dtype.base == "bool" and self.target.has_text("mask")

    def _masked(self, dtype: DType, text: Text) -> Text:
        """What is read or written down as bytes as the condition of lanes that it stands for."""
        if not self._is_mask(dtype):
            return text
        return self._text("mask", x=text, type=self._type(dtype))
