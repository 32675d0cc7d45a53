"""Memory in a kernel's source: what is defined, loads and stores, and those of tensor cores."""

from __future__ import annotations

from rulewright.errors import StageError
from rulewright.ir.dtypes import DType
from rulewright.ir.ops import Ops
from rulewright.ir.uop import UOp
from rulewright.lang.layouts import read_memory_layout
from rulewright.render.expressions import ExpressionWriter
from rulewright.render.template import Text
from rulewright.render.usage import strip

_SPACES = {Ops.PARAM: "global", Ops.DEFINE_LOCAL: "local", Ops.DEFINE_REG: "register"}
_WIDEST_ACCESS = 16  # bytes
_BY_PLACE = (Ops.MMA, Ops.MMA_SHARED, Ops.FRAGMENT)  # which read operands in memory themselves


def _aligned(size: int) -> int:
    """A number of bytes, up to what every access is a multiple of."""
    return -(-size // _WIDEST_ACCESS) * _WIDEST_ACCESS


class MemoryWriter(ExpressionWriter):
    """Writes what a kernel defines, reads and writes."""

    before: list[str]  # declarations that stand before the kernel
    parts: dict[UOp, int]  # see `_parts`
    core_numbers: dict[UOp, int]  # see `_numbers_of_cores`

    def _put_define_reg(self, node: UOp) -> None:
        number, size = node.arg
        if self._is_of_cores(node):
            self._take_register(node)
            return
        name = f"acc{number}"
        text = "register_one" if size == 1 else "register"
        self._emit(self._text(text, type=self._type(node.dtype), var=name, size=str(size)))
        self.texts[node] = Text(name)

    def _is_of_cores(self, memory: UOp) -> bool:
        """Whether a memory is a register that tensor cores add to."""
        if memory.op is not Ops.DEFINE_REG or memory.dtype.count == 1:
            return False
        return self.target.core_registers(memory.dtype)[0] > 0

    def _take_register(self, node: UOp) -> None:
        """A register that a tensor core adds to; a StageError for one too many."""
        if not self.registers:
            self.helpers[self._text("core_helper").text] = None
            self._emit(self._text("core_begin"))
            self.core_numbers = self._numbers_of_cores()
        most, number = self.target.core_registers(node.dtype)[0], self.core_numbers.get(node, 0)
        if number >= most:
            raise StageError(
                f"target {self.target.name}, kernel {self.name}: a tensor core adds to {most} "
                "registers, and more are needed"
            )
        self.registers[node] = self.texts[node] = Text(str(number))

    def _numbers_of_cores(self) -> dict[UOp, int]:
        """Registers that tensor cores add to: each gets the first number that no other one has from
        where it is set first to where it is read last."""
        spans: dict[UOp, list[int]] = {}
        for at, node in enumerate(self.uops):
            if node.op is not Ops.STORE:
                continue
            value = strip(node.src[1])
            for place in (node.src[0], *(value.src[:1] if value.op is Ops.LOAD else ())):
                memory = self.memory(place)
                if self._is_of_cores(memory):
                    spans.setdefault(memory, [at, at])[1] = at
        numbers: dict[UOp, int] = {}
        for memory, (first, _) in spans.items():
            taken = {n for other, n in numbers.items() if spans[other][1] >= first}
            numbers[memory] = next(n for n in range(len(spans)) if n not in taken)
        return numbers

    def _parts(self) -> dict[UOp, int]:
        """Where the memories of a workgroup begin in the piece that holds all of them; none if each
        is defined by itself, as far as the target can."""
        offsets, end = {}, 0
        for node in self.uops:
            if node.op is Ops.DEFINE_LOCAL:
                offsets[node] = end
                end = _aligned(end + node.arg[1] * node.dtype.itemsize)
        most = self.target.limit("static_memory")
        if most is None or end <= most:
            return {}
        self._emit(self._text("shared", size=str(end)))
        return offsets

    def _put_define_local(self, node: UOp) -> None:
        number, size = node.arg
        name = f"local{number}"
        values = {"type": self._type(node.dtype), "var": name, "size": str(size)}
        if node in self.parts:
            values["offset"] = str(self.parts[node])
            self._emit(self._text("local_part", **values))
        elif self.target.has_text("local_before"):
            self.before.append(self._text("local_before", **values).text)
        else:
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
            name = "assign" if self.target.has_text("assign") else "store"
            return base if kind == "load" else self._text(name, place=base, **values)
        elif memory.op is Ops.PARAM and self.target.packs(memory.dtype):
            return self._packed(kind, memory, self._position(place), **values)
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
        own: dict[str, Text | str] = {"base": base, "index": self._position(place)}
        scalar = memory.dtype.scalar
        own |= {"type": self._type(memory.dtype), "name": scalar.name}
        own["bytes"] = str(scalar.itemsize)
        element = self._text("load", **own)
        return element if kind == "load" else self._text("store", place=element, **own, **values)

    def _position(self, place: UOp) -> Text:
        """The number of an element, as what memory is indexed by."""
        return self._operand(place.src[1], plain=True)

    def _packed(self, kind: str, memory: UOp, index: Text, **values: Text | str) -> Text:
        """A load or store of an element that is some bits of a word of memory."""
        bits, base = 8 * memory.dtype.itemsize, self._operand(memory)
        place = self._text(f"packed_place_{bits}", base=base, index=index)
        if kind == "store":
            return self._text(f"store_packed_{bits}", place=place, index=index, **values)
        name = "load_word" if memory in self.written else "load_word_read"
        word = self._text(name, place=place)
        own = f"load_packed_{memory.dtype.base}"
        name = own if self.target.has_text(own) else f"load_packed_{bits}"
        return self._text(name, word=word, index=index)

    def _put_mma(self, node: UOp) -> None:
        """Nothing by itself: the store of the result writes the whole, by places of registers."""

    def _product(self, node: UOp, total: UOp) -> Text:
        """A product of small matrices that is added to registers."""
        if node.op is Ops.MMA_SHARED:
            self.helpers[self._text("mma_shared_helper").text.removeprefix("\n")] = None
        spelling = self._spelled(node.op, node.dtype.scalar, node.src[0].dtype.scalar)
        values: dict[str, Text | str] = dict(spelling.names)
        for name, place in zip("abc", (*(s.src[0] for s in node.src[:2]), total), strict=True):
            values[name] = self._held(place, node.dtype)
        if node.op is Ops.MMA_SHARED:
            for name, source, text in zip("ab", node.src, node.arg, strict=False):
                values |= _distances(name, text, source.dtype.scalar.itemsize)
        return spelling.template.fill(values)

    _put_mma_shared = _put_mma

    def _put_fragment(self, node: UOp) -> None:
        """Nothing by itself: the store reads the matrices, by places of rows and registers."""

    def _load_fragment(self, node: UOp, place: UOp) -> Text:
        """Small matrices that are read from rows in memory to a place of registers."""
        layout, count = node.arg
        name = self.target.fragment_load(layout, count)
        self.helpers[self._text(f"{name}_helper").text.removeprefix("\n")] = None
        self.dtypes[node.dtype.scalar] = None
        rows = strip(node.src[0]).src[0]
        return self._text(name, to=self._address(place), **{"from": self._address(rows)})

    def _put_shuffle(self, node: UOp) -> None:
        """A variable of its own: all lanes come where it stands, whoever uses it."""
        spelling = self._spelled(node.op, node.dtype, node.src[0].dtype)
        values = {"x": self._operand(node.src[0]), "distance": Text(str(node.arg))}
        self._value(node, spelling.template.fill({**spelling.names, **values}))

    def _held(self, place: UOp, dtype: DType) -> Text:
        """A matrix of a product that is summed in vectors of a dtype: its place in memory, or the
        register in which it is, or is put now."""
        register = self.registers.get(self.memory(place))
        if register is not None:
            return register
        address, (first, count) = self._address(place), self.target.core_registers(dtype)
        if not count:
            return address
        if address.text not in self.loaded:
            taken = list(self.loaded.values())
            free = [k for k in range(first, first + count) if k not in taken]
            number = free[0] if free else self.loaded.pop(next(iter(self.loaded)))
            self._emit(self._text("core_load", register=str(number), place=address))
        else:
            number = self.loaded.pop(address.text)
        self.loaded[address.text] = number  # the one that was used last
        return Text(str(number))

    def _address(self, place: UOp) -> Text:
        """Where an element lies in memory."""
        base, index = self.memory(place), self._operand(strip(place).src[1], plain=True)
        element = self._operand(base)
        if base.op is not Ops.DEFINE_REG or base.arg[1] > 1:
            element = self._text("load", base=element, index=index)
        return self._text("address", place=element)

    def _put_load(self, node: UOp) -> None:
        if len(node.src) > 1 and node.src[2].dtype.count > 1:
            other = self._operand(node.src[1], plain=True)
            if self._is_mask(node.dtype):
                other = self._text("bytes_of_mask", x=other, type=self._type(node.dtype))
            lanes_read = self._some_lanes("load", node, node.dtype, other=other)
            self._value(node, self._masked(node.dtype, lanes_read))
            return
        user = self.usage.user.get(node)
        by_place = user is not None and (user.op in _BY_PLACE or user in self.ahead)
        if by_place:
            return
        if node.dtype.count > 1 and self.target.core_registers(node.dtype)[0]:
            return
        if node in self.asked_ahead.reads:
            place, step = strip(node.src[0]), self.asked_ahead.reads[node]
            how = "prefetch_far" if node in self.asked_ahead.far else "prefetch"
            self._fetch(self.memory(place), self._operand(place.src[1]), step, how)
        text = self._masked(node.dtype, self._access("load", node.src[0], node.dtype))
        if len(node.src) > 1:
            other, gate = (self._operand(s) for s in node.src[1:])
            computed = strip(node.src[1]).op not in (Ops.CONST, Ops.STACK, Ops.LOAD)
            lanes = computed and node.dtype.count > 1 and self.target.has_text("load_gated_lanes")
            name = "load_gated_lanes" if lanes else "load_gated"
            kind = self._type(node.dtype)
            text = self._text(name, load=text, other=other, gate=gate, type=kind)
        self._value(node, text)

    def _fetch(self, memory: UOp, index: Text, step: int, how: str = "prefetch") -> None:
        """Ask for what is so many elements behind a place, before it is read."""
        base = self._operand(memory)
        self._emit(self._text(how, base=base, index=index, step=str(step)))

    def _some_lanes(self, kind: str, node: UOp, dtype: DType, **values: Text) -> Text:
        """A load or store of the lanes of a vector that its gate, a mask, takes."""
        place = strip(node.src[0])
        of = {"type": self._type(dtype), "of": self._type(dtype.scalar)}
        helper = f"{kind}_masked_helper_{8 * dtype.scalar.itemsize}"
        self.helpers[self._text(helper, bytes=str(dtype.itemsize), **of).text] = None
        return self._text(
            f"{kind}_masked",
            base=self._operand(self.memory(place)),
            index=self._operand(place.src[1], plain=True),
            gate=self._operand(node.src[2], plain=True),
            type=of["type"],
            **values,
        )

    def _put_store(self, node: UOp) -> None:
        value = strip(node.src[1])
        if node in self.ahead:
            return self._copy_ahead(node, value)
        if value.op is Ops.FRAGMENT:
            return self._emit(self._load_fragment(value, node.src[0]))
        if value.op in (Ops.MMA, Ops.MMA_SHARED):
            text = self._product(value, node.src[0])
            return self._emit(self._text("effect", text=text))
        if self.registers and self._put_register(node, value):
            return
        self.loaded.clear()
        packed = self.target.packs(value.dtype)  # stands beside words, not beside its own type
        plain = self._operand(value, plain=not packed)
        if self._is_mask(value.dtype):
            plain = self._text("bytes_of_mask", x=plain, type=self._type(value.dtype))
        if len(node.src) > 2 and node.src[2].dtype.count > 1:
            self._emit(self._some_lanes("store", node, value.dtype, value=plain))
            return
        text = self._access("store", node.src[0], value.dtype, value=plain.text)
        if len(node.src) > 2:
            lines = text.text.replace("\n", "\n  ")
            text = self._text("store_gated", store=lines, gate=self._operand(node.src[2]).text)
        self._emit(text)

    def _copy_ahead(self, node: UOp, value: UOp) -> None:
        """A copy that is begun here and is done at the next barrier."""
        self.helpers[self._text("copy_ahead_helper").text] = None
        values: dict[str, Text | str] = {
            "to": self._address(node.src[0]),
            "from": self._address(value.src[0]),
            "bytes": str(value.dtype.itemsize),
        }
        kind, gates = "copy_ahead", [strip(gate) for gate in node.src[2:]]
        if len(value.src) > 2 and strip(value.src[2]) not in gates:
            kind, values["gate"] = "copy_ahead_gated", self._operand(value.src[2])
        text = self._text(kind, **values)
        if len(node.src) > 2:
            text = self._text("store_gated", store=text.text, gate=self._operand(node.src[2]).text)
        self._emit(text)

    def _put_register(self, node: UOp, value: UOp) -> bool:
        """A store in a register of a tensor core, or of one in memory; whether it is one."""
        register = self.registers.get(self.memory(node.src[0]))
        if register is not None and value.op is Ops.CONST and value.arg == 0:
            self._emit(self._text("core_zero", register=register))
        elif register is not None and value.op is Ops.LOAD:
            place = self._address(value.src[0])
            self._emit(self._text("core_load", register=register, place=place))
        elif value.op is Ops.LOAD and (of := self.registers.get(self.memory(value.src[0]))):
            self.loaded.clear()
            place = self._address(node.src[0])
            self._emit(self._text("core_store", register=of, place=place))
        elif register is not None:
            raise StageError(
                f"target {self.target.name}, kernel {self.name}: a register of a tensor core is "
                f"set to 0 or read, found {value.op.name}"
            )
        else:
            return False
        return True


def _distances(name: str, text: str, itemsize: int) -> dict[str, str]:
    """How a matrix lies that a product reads from memory, in units of 16 bytes and 8 of them.

    Whether its rows or columns lie beside each other, not what is summed; bytes from so many of
    them to the next as a unit has, or 8; and the same along what is summed.
    """
    near, far, outer = read_memory_layout(text).digits
    bytes_apart = {outer.axis: outer.distance * itemsize, far.axis: 8 * far.distance * itemsize}
    [rows] = {near.axis, far.axis} - {"k"}
    turned = str(int(near.axis != "k"))
    return {
        f"{name}_turned": turned,
        f"{name}_rows": str(bytes_apart[rows]),
        f"{name}_depth": str(bytes_apart["k"]),
    }
