"""One kernel as source text: a walk over the program's list of uops."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from math import prod

from rulewright.errors import StageError
from rulewright.ir.dtypes import DType, dtypes
from rulewright.ir.ops import Op, Ops
from rulewright.ir.uop import UOp
from rulewright.render.streams import streamed
from rulewright.render.target import Target, own_dtype
from rulewright.render.template import Text
from rulewright.render.usage import NEVER_LISTED, Usage, is_joined, strip

_LONGEST = 72  # characters of an expression that may stand inside another
_LONGEST_STORED = 96
_WIDEST = 100  # columns of a signature on one line
_SPACES = {Ops.PARAM: "global", Ops.DEFINE_LOCAL: "local", Ops.DEFINE_REG: "register"}
_RANGE_NAMES = {"reduce": "r", "thread": "t", "simd": "v", "unroll": "u"}
_NO_DIGITS = frozenset({Ops.SHL, Ops.SHR, Ops.WHERE, Ops.CAST, Ops.BITCAST})
_SHIFTS = frozenset({Ops.SHL, Ops.SHR})
_AXES = "xyz"
_POSITION = re.compile("[gl][012]")
_PLAIN = re.compile("[A-Za-z][A-Za-z0-9_]*")  # what every target takes as a name


def everything(uops: Sequence[UOp]) -> list[UOp]:
    """The listed uops and the constants, parameters and variables that they use, in order."""
    seen = dict.fromkeys(uops)
    for node in uops:
        for source in node.src:
            if source not in seen and (leaf := strip(source)).op in NEVER_LISTED:
                seen[leaf] = None
    return list(seen)


def arguments(uops: Sequence[UOp]) -> tuple[tuple[UOp, ...], tuple[UOp, ...]]:
    """The PARAMs of a program by slot and its VARs by name: the order of what it is called with."""
    found = everything(uops)
    memories = [u for u in found if u.op is Ops.PARAM]
    memories.sort(key=lambda u: (u.arg[0], u.dtype.name))
    numbers = sorted([u for u in found if u.op is Ops.VAR], key=lambda u: u.arg[0])
    return tuple(memories), tuple(numbers)


def parameters(uops: Sequence[UOp]) -> tuple[UOp, ...]:
    """The PARAMs of a program by slot: the order of its buffers."""
    return arguments(uops)[0]


def variables(uops: Sequence[UOp]) -> tuple[UOp, ...]:
    """The VARs of a program by name: the order of its integer arguments."""
    return arguments(uops)[1]


class KernelWriter:
    """Writes one kernel. `write()` gives its lines; `dtypes` and `helpers` what it needs."""

    def __init__(self, uops: Sequence[UOp], target: Target, name: str) -> None:
        self.uops, self.target, self.name = uops, target, target.kernel_name(name)
        self.usage = Usage(uops, target)
        self.texts: dict[UOp, Text] = {}
        self.count: Counter[str] = Counter()
        self.lines: list[str] = []
        self.depth = 0
        self.dtypes: dict[DType, None] = {}
        self.helpers: dict[str, None] = {}
        written = (strip(u.src[0]) for u in uops if u.op is Ops.STORE)
        self.written = {self.memory(place) for place in written}
        self.streamed = streamed(uops, target)
        shared = [n.size for n in uops if n.op is Ops.RANGE and n.arg[1] == "thread"]
        self.shared = shared[0] if len(set(shared)) == 1 else max(shared, default=0)

    def write(self) -> list[str]:
        """The kernel's lines. Raises StageError for what the target cannot express."""
        self._arguments()
        for node in self.uops:
            method = _METHODS.get(node.op)
            if method is not None:
                method(self, node)
            elif is_joined(node):
                continue
            elif node.op.elementwise or node.op in (Ops.STACK, Ops.LANE):
                self._value(node, self._expression(node))
            elif node.op not in (*NEVER_LISTED, Ops.AFTER, Ops.SINK, Ops.LINEAR):
                raise StageError(
                    f"target {self.target.name}, kernel {self.name}: a program cannot hold "
                    f"{node.op.name}; lowering should have removed it"
                )
        self._emit(self._text("block_end"), -1)
        return self.lines

    # ---- helpers ----

    def _text(self, text: str, /, **values: Text | str) -> Text:
        return self.target.text(text).fill(values)

    def _emit(self, text: Text, step: int = 0) -> None:
        """Add lines; `step` 1 opens a block after them, -1 closes one before."""
        self.depth += min(step, 0)
        self.lines += ["  " * self.depth + line for line in text.text.split("\n")]
        self.depth += max(step, 0)

    def _type(self, dtype: DType) -> str:
        self.dtypes[dtype] = None
        return self.target.type_name(dtype)

    def _fresh(self, prefix: str) -> str:
        self.count[prefix] += 1
        return f"{prefix}{self.count[prefix] - 1}"

    @staticmethod
    def memory(place: UOp) -> UOp:
        """The buffer that an INDEX points into."""
        return strip(strip(place).src[0])

    # ---- arguments ----

    def _arguments(self) -> None:
        given: list[str] = []
        lines: list[Text] = []
        memories, numbers = arguments(self.uops)
        offset = len(memories)
        for position, node in enumerate((*memories, *numbers)):
            kind = "variable" if node.op is Ops.VAR else "parameter"
            suffix = "" if kind == "variable" or node in self.written else "_read"
            name = self._argument_name(node, position)
            self.texts[node] = Text(name)
            values = {"type": self._type(node.dtype), "var": name, "index": str(position)}
            if self.target.has_text(f"{kind}_line"):
                values["index"] = str(position - (offset if kind == "variable" else 0))
                lines.append(self._text(f"{kind}_line{suffix}", **values))
            else:
                given.append(self._text(f"{kind}{suffix}", **values).text)
        self._signature(given)
        for line in lines:
            self._emit(line)

    @staticmethod
    def _argument_name(node: UOp, position: int) -> str:
        """An identifier of its own: nothing else ends in `_`, or begins with `var`."""
        if node.op is Ops.PARAM:
            return f"data{int(node.arg[0])}"
        name: str = node.arg[0]
        return f"{name}_" if _PLAIN.fullmatch(name) else f"var{position}"

    def _signature(self, given: list[str]) -> None:
        special = {u.arg: u for u in self.uops if u.op is Ops.SPECIAL}
        for kind in "gl":
            if any(n[:1] == kind for n in special) and self.target.has_text(f"position_{kind}"):
                given.append(self._text(f"position_{kind}").text)
        local = [special[f"l{i}"].src[0].arg if f"l{i}" in special else 1 for i in range(3)]
        sized = prod(local) > 1 and self.target.has_text("kernel_sized")
        values = {
            "kernel": self.name,
            "parameters": ", ".join(given),
            "local": ", ".join(map(str, local)),
            "threads": str(prod(local)),
        }
        text = self._text("kernel_sized" if sized else "kernel", **values)
        if max(map(len, text.text.split("\n"))) > _WIDEST:
            values["parameters"] = "\n    " + ",\n    ".join(given)
            text = self._text("kernel_sized" if sized else "kernel", **values)
        self._emit(text, 1)

    # ---- expressions ----

    def _operand(self, node: UOp, plain: bool = False) -> Text:
        node = strip(node)
        if node.op is Ops.CONST:
            return self._masked(node.dtype, self.target.literal(node.dtype, node.arg, plain))
        if node.op is Ops.LANES:
            self._type(node.dtype)
            lanes = ", ".join(map(str, range(node.arg)))
            return self._text("stack", type=self.target.type_name(node.dtype), lanes=lanes)
        found = self.texts.get(node)
        if found is None:
            raise StageError(
                f"target {self.target.name}, kernel {self.name}: {node.op.name} is used before "
                "its place in the program"
            )
        return found

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
        if not is_joined(whole) or len(whole.src) != 2 or whole.src[0].dtype != node.dtype:
            raise StageError(f"target {self.target.name}: LANE of several lanes, expected one")
        self._type(node.dtype)
        self.helpers[self.target.row["texts"]["shuffle_helper"]] = None
        a, b = map(self._operand, whole.src)
        if self._is_mask(node.dtype) and a != b:
            b = self._text("like_mask", x=b, like=a)
        return self._text("shuffle", a=a, b=b, lanes=", ".join(map(str, node.arg)))

    def _elementwise(self, node: UOp) -> Text:
        own, of = own_dtype(node), strip(node.src[0]).dtype
        spelling = self.target.spelling(node.op, own, of)
        if spelling is None:
            lowered = ", ".join(self.target.lower) or "no ruleset"
            raise StageError(
                f"target {self.target.name}, kernel {self.name}: no spelling for {node.op.name} "
                f"of {own.name} (operand {of.name}); {lowered} should have lowered it"
            )
        self.dtypes[own] = self.dtypes[of] = None
        if spelling.helper is not None:
            self.helpers[spelling.helper] = None
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

    # ---- memory ----

    def _put_define_reg(self, node: UOp) -> None:
        number, size = node.arg
        name = f"acc{number}"
        text = "register_one" if size == 1 else "register"
        self._emit(self._text(text, type=self._type(node.dtype), var=name, size=str(size)))
        self.texts[node] = Text(name)

    def _put_define_local(self, node: UOp) -> None:
        number, size = node.arg
        name = f"local{number}"
        values = {"type": self._type(node.dtype), "var": name, "size": str(size)}
        self._emit(self._text("local", **values))
        self.texts[node] = Text(name)

    def _put_index(self, node: UOp) -> None:
        """Nothing by itself: the text of an element is written by its loads and stores."""

    def _access(self, kind: str, place: UOp, dtype: DType, **values: Text | str) -> Text:
        """A load or store of the element or elements at `place`."""
        place = strip(place)
        memory = self.memory(place)
        base = self._operand(memory)
        if memory.op is Ops.DEFINE_REG and memory.arg[1] == 1:
            element = base
        elif dtype.count > memory.dtype.count:
            if kind == "store" and memory in self.streamed:
                kind = "stream"
                of = {"type": self._type(dtype), "bytes": str(dtype.itemsize)}
                self.helpers[self._text("stream_helper", **of).text] = None
            values["space"] = self.target.row["texts"].get(f"space_{_SPACES[memory.op]}", "")
            return self._text(
                f"{kind}_vector",
                base=base,
                index=self._operand(place.src[1], plain=True),
                type=self._type(dtype),
                count=str(dtype.count),
                **values,
            )
        else:
            element = self._text("load", base=base, index=self._operand(place.src[1], plain=True))
        return element if kind == "load" else self._text("store", place=element, **values)

    def _put_load(self, node: UOp) -> None:
        text = self._masked(node.dtype, self._access("load", node.src[0], node.dtype))
        if len(node.src) > 1:
            other, gate = (self._operand(s) for s in node.src[1:])
            computed = strip(node.src[1]).op not in (Ops.CONST, Ops.STACK, Ops.LOAD)
            lanes = computed and node.dtype.count > 1 and self.target.has_text("load_gated_lanes")
            name = "load_gated_lanes" if lanes else "load_gated"
            kind = self._type(node.dtype)
            text = self._text(name, load=text, other=other, gate=gate, type=kind)
        self._value(node, text)

    def _put_store(self, node: UOp) -> None:
        value = strip(node.src[1])
        plain = self._operand(value, plain=True)
        if self._is_mask(value.dtype):
            plain = self._text("bytes_of_mask", x=plain, type=self._type(value.dtype))
        text = self._access("store", node.src[0], value.dtype, value=plain.text)
        if len(node.src) > 2:
            text = self._text("store_gated", store=text.text, gate=self._operand(node.src[2]).text)
        self._emit(text)

    # ---- control ----

    def _put_range(self, node: UOp) -> None:
        kind = node.arg[1]
        name = f"{_RANGE_NAMES.get(kind, 'i')}{node.arg[0]}"
        self.texts[node] = Text(name)
        text = f"loop_{kind}" if self.target.has_text(f"loop_{kind}") else "loop"
        values: dict[str, Text | str] = {"type": self._type(node.dtype), "var": name}
        values["size"] = self._operand(node.src[0], plain=True)
        if kind == "thread" and node.size != self.shared:
            text, values["whole"] = "loop_thread_part", str(self.shared)
        self._emit(self._text(text, **values), 1)

    def _put_end(self, node: UOp) -> None:
        self._emit(self._text("block_end"), -1)

    _put_endif = _put_end

    def _put_if(self, node: UOp) -> None:
        self._emit(self._text("if", condition=self._operand(node.src[0]).text), 1)

    def _put_barrier(self, node: UOp) -> None:
        self._emit(self._text("barrier"))

    def _put_special(self, node: UOp) -> None:
        if not _POSITION.fullmatch(node.arg):
            raise StageError(
                f"target {self.target.name}, kernel {self.name}: SPECIAL is one of g0, g1, g2 and "
                f"l0, l1, l2, found {node.arg!r}"
            )
        kind, axis = node.arg[0], int(node.arg[1:])
        value = self._text(f"index_{kind}", axis=str(axis), axis_name=_AXES[axis])
        name = f"{kind}idx{axis}"
        dtype = dtypes.i32 if node.dtype is dtypes.index else node.dtype
        self._emit(self._text("define", type=self._type(dtype), var=name, value=value.text))
        self.texts[node] = Text(name)


_METHODS: dict[Op, Callable[[KernelWriter, UOp], None]] = {
    op: method
    for op in Ops
    if (method := getattr(KernelWriter, f"_put_{op.name.lower()}", None)) is not None
}
