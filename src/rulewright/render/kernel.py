"""One kernel as source text: a walk over the program's list of uops."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from math import prod

from rulewright.errors import StageError
from rulewright.ir.dtypes import dtypes
from rulewright.ir.ops import Op, Ops
from rulewright.ir.uop import UOp
from rulewright.render.memory import MemoryWriter
from rulewright.render.seldom import Seldom, seldom
from rulewright.render.template import Text
from rulewright.render.usage import NEVER_LISTED, is_joined, plain_loops, strip

_WIDEST = 100  # columns of a signature on one line
_RANGE_NAMES = {"reduce": "r", "thread": "t", "simd": "v", "unroll": "u"}
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
    nodes = everything(uops)
    memories = [u for u in nodes if u.op is Ops.PARAM]
    memories.sort(key=lambda u: (u.arg[0], u.dtype.name))
    numbers = sorted([u for u in nodes if u.op is Ops.VAR], key=lambda u: u.arg[0])
    return tuple(memories), tuple(numbers)


def parameters(uops: Sequence[UOp]) -> tuple[UOp, ...]:
    """The PARAMs of a program by slot: the order of its buffers."""
    return arguments(uops)[0]


def variables(uops: Sequence[UOp]) -> tuple[UOp, ...]:
    """The VARs of a program by name: the order of its integer arguments."""
    return arguments(uops)[1]


class KernelWriter(MemoryWriter):
    """Writes one kernel. `write()` gives its lines; `dtypes` and `helpers` what it needs."""

    def write(self) -> list[str]:
        """The kernel's lines. Raises StageError for what the target cannot express."""
        self.before = []
        self._arguments()
        self.plain_loops = plain_loops(self.uops)
        self.seldom = seldom(self.uops, self.usage, self.target)
        parts = [part for parts in self.seldom.values() for part in parts]
        apart = {step for part in parts for step in part.steps}
        self.parts = self._parts()
        for node in self.uops:
            if node not in apart:
                self._put(node)
        if self.registers:
            self._emit(self._text("core_end"))
        self._emit(self._text("block_end"), -1)
        return [*self.before, "", *self.lines] if self.before else self.lines

    def _put(self, node: UOp) -> None:
        """The lines of a node, behind those of what it takes seldom."""
        for part in self.seldom.get(node, ()):
            self._put_seldom(part)
        method = _METHODS.get(node.op)
        if method is not None:
            method(self, node)
        elif is_joined(node):
            return
        elif node.op.elementwise or node.op in (Ops.STACK, Ops.LANE):
            self._value(node, self._expression(node))
        elif node.op not in (*NEVER_LISTED, Ops.AFTER, Ops.SINK, Ops.LINEAR):
            raise StageError(
                f"target {self.target.name}, kernel {self.name}: a program cannot hold "
                f"{node.op.name}; lowering should have removed it"
            )

    def _put_seldom(self, part: Seldom) -> None:
        """A block for the lanes that need it, which leaves its results in variables."""
        names = {node: self._fresh("far") for node in part.results}
        for node, name in names.items():
            self._emit(self._text("seldom_result", type=self._type(node.dtype), var=name))
        mask = self._operand(part.condition)
        self._emit(self._text("seldom" if part.side else "seldom_not", mask=mask), 1)
        for step in part.steps:
            self._put(step)
            if step in names:
                self._emit(self._text("store", place=names[step], value=self.texts[step]))
        self._emit(self._text("block_end"), -1)
        self.texts |= {node: Text(name) for node, name in names.items()}

    # ---- arguments ----

    def _arguments(self) -> None:
        declared: list[str] = []
        lines: list[Text] = []
        memories, numbers = arguments(self.uops)
        self._check_arguments(len(memories), len(numbers))
        offset = len(memories)
        names: set[str] = set()
        for position, node in enumerate((*memories, *numbers)):
            kind = "variable" if node.op is Ops.VAR else "parameter"
            suffix = "" if kind == "variable" or node in self.written else "_read"
            name = self._argument_name(node, position, names)
            self.texts[node] = Text(name)
            values = {"type": self._type(node.dtype), "var": name, "index": str(position)}
            if self.target.packs(node.dtype) and kind == "parameter":
                values["type"] = self._text(f"word{suffix}").text
            if self.target.has_text(f"{kind}_before"):
                self.before.append(self._text(f"{kind}_before", **values).text)
            elif self.target.has_text(f"{kind}_line"):
                values["index"] = str(position - (offset if kind == "variable" else 0))
                lines.append(self._text(f"{kind}_line{suffix}", **values))
            else:
                declared.append(self._text(f"{kind}{suffix}", **values).text)
        self._signature(declared)
        for line in lines:
            self._emit(line)

    def _check_arguments(self, memories: int, numbers: int) -> None:
        """Raise StageError for more than the target takes: one op of several memories may be."""
        most = self.target.limit("buffers")
        if most is not None and memories + numbers > most:
            also = f" and {numbers} variables" if numbers else ""
            raise StageError(
                f"target {self.target.name}, kernel {self.name}: it has {memories} memories{also}, "
                f"of which the target takes {most}; use a device that takes more"
            )

    @staticmethod
    def _argument_name(node: UOp, position: int, names: set[str]) -> str:
        """An identifier of its own: nothing else ends in `_`, or begins with `var`.

        A variable may be there twice, with other bounds: `names` are those that are taken.
        """
        if node.op is Ops.PARAM:
            return f"data{int(node.arg[0])}"
        name: str = node.arg[0]
        is_first = name not in names
        names.add(name)
        return f"{name}_" if is_first and _PLAIN.fullmatch(name) else f"var{position}"

    def _signature(self, declared: list[str]) -> None:
        special = {u.arg: u for u in self.uops if u.op is Ops.SPECIAL}
        for kind in "gl":
            if any(n[:1] == kind for n in special) and self.target.has_text(f"position_{kind}"):
                declared.append(self._text(f"position_{kind}").text)
        texts = (f"position_{op.name}" for op in dict.fromkeys(u.op for u in self.uops))
        declared += [self._text(text).text for text in texts if self.target.has_text(text)]
        local = [special[f"l{i}"].src[0].arg if f"l{i}" in special else 1 for i in range(3)]
        sized = prod(local) > 1 and self.target.has_text("kernel_sized")
        values = {
            "kernel": self.name,
            "parameters": ", ".join(declared),
            "local": ", ".join(map(str, local)),
            "threads": str(prod(local)),
        }
        text = self._text("kernel_sized" if sized else "kernel", **values)
        if max(map(len, text.text.split("\n"))) > _WIDEST:
            values["parameters"] = "\n    " + ",\n    ".join(declared)
            text = self._text("kernel_sized" if sized else "kernel", **values)
        self._emit(text, 1)

    # ---- control ----

    def _put_range(self, node: UOp) -> None:
        self.loaded.clear()
        kind = node.arg[1]
        name = f"{_RANGE_NAMES.get(kind, 'i')}{node.arg[0]}"
        self.texts[node] = Text(name)
        is_plain = node in self.plain_loops or not self.target.has_text(f"loop_{kind}")
        text = "loop" if is_plain else f"loop_{kind}"
        values: dict[str, Text | str] = {"type": self._type(node.dtype), "var": name}
        values["size"] = self._operand(node.src[0], plain=True)
        if kind == "thread" and node.size != self.shared:
            text, values["whole"] = "loop_thread_part", str(self.shared)
        self._emit(self._text(text, **values), 1)
        for panel in self.asked_ahead.panels.get(node, ()):
            for place in panel.places(self.texts):
                self._fetch(panel.memory, Text(place), panel.first)

    def _put_end(self, node: UOp) -> None:
        loop = node.src[-1]
        self._close("loop_end", var=self.texts[loop], type=self._type(loop.dtype))

    def _put_endif(self, _node: UOp) -> None:
        self._close("if_end")

    def _close(self, name: str, **values: Text | str) -> None:
        """The end of a block, by a text of its own if the target has one."""
        self.loaded.clear()
        self._emit(self._text(name if self.target.has_text(name) else "block_end", **values), -1)

    def _put_if(self, node: UOp) -> None:
        self.loaded.clear()
        self._emit(self._text("if", condition=self._operand(node.src[0]).text), 1)

    def _put_barrier(self, node: UOp) -> None:
        if self.ahead:
            left = sum(s.op is Ops.COPIES for s in node.src)
            self._emit(self._text("copies_done", left=str(left)))
        self._emit(self._text("barrier"))

    def _put_copies(self, node: UOp) -> None:
        """Nothing where all copies are stores as others."""
        if self.ahead:
            self._emit(self._text("copies_begun"))

    def _put_special(self, node: UOp) -> None:
        if not _POSITION.fullmatch(node.arg):
            raise StageError(
                f"target {self.target.name}, kernel {self.name}: SPECIAL is one of g0, g1, g2 and "
                f"l0, l1, l2, found {node.arg!r}"
            )
        kind, axis = node.arg[0], int(node.arg[1:])
        name = f"{kind}idx{axis}"
        dtype = dtypes.i32 if node.dtype is dtypes.index else node.dtype
        values = {"axis": str(axis), "axis_name": _AXES[axis], "type": self._type(dtype)}
        value = self._text(f"index_{kind}", **values)
        self._emit(self._text("define", type=self._type(dtype), var=name, value=value.text))
        self.texts[node] = Text(name)


_METHODS: dict[Op, Callable[[KernelWriter, UOp], None]] = {
    op: method
    for op in Ops
    if (method := getattr(KernelWriter, f"_put_{op.name.lower()}", None)) is not None
}
