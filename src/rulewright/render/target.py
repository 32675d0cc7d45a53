"""Targets: typed access to the tables of `spec/80-targets`."""

from __future__ import annotations

import math
import re
import struct
from collections.abc import Mapping
from functools import cache, cached_property
from typing import Any, NamedTuple

from rulewright.errors import DeviceError, DTypeError, NoTypeError, StageError, listed
from rulewright.ir.dtypes import DType, dtypes
from rulewright.ir.ops import Op, Ops
from rulewright.ir.uop import UOp
from rulewright.lang.beside import on_load
from rulewright.lang.build import load_table
from rulewright.lang.layouts import read_layout
from rulewright.lang.spellings import operators
from rulewright.render.template import ATOM, UNARY, Levels, Template, Text

_SMALL = 1 << 31  # whole numbers below have type int where nothing else is said
_WHOLE = "kernel"  # the text without which a table only serves to be extended
_NO_SOURCE = ("source_suffix", "architecture_suffix", "fragment_8", "fragment_16")
"""Texts that no source holds."""
_WORD = re.compile("[A-Za-z_][A-Za-z0-9_]*")
_ODD = re.compile("[^A-Za-z0-9_]")
_SLOT = re.compile(r"\{\w+\}")
_MACRO = "_macro"
_SPELLINGS = ("spell", "spell_lanes", "helper", "helper_lanes")


def _digits(value: float, bits: int) -> str:
    """The shortest decimal that reads back as `value`, which a float of `bits` bits holds."""
    if abs(value) < _SMALL * _SMALL and value == int(value):
        text = f"{value:.1f}"
    elif bits == 64:
        text = repr(value)
    else:
        tries = (f"{value:.{n}g}" for n in range(1, 10))
        text = next(t for t in tries if struct.unpack("f", struct.pack("f", float(t)))[0] == value)
    return text if any(c in text for c in ".e") else text + ".0"


def _bits(dtype: DType, value: float) -> str:
    """The bits of a small float, as a hexadecimal number."""
    import numpy

    with numpy.errstate(all="ignore"):
        number = numpy.array(value).astype(dtype.np).view(f"u{dtype.itemsize}")
    return f"0x{int(number):0{dtype.itemsize * 2}x}"


def _identifier(dtype: DType) -> str:
    """A dtype's name as a part of names in source."""
    return dtype.base if dtype.count == 1 else f"{dtype.base}x{dtype.count}"


class Spelling(NamedTuple):
    """How an op on given dtypes is written."""

    template: Template
    names: Mapping[str, str]  # the slots that stand for dtypes and their bounds, as far as used
    helper: str | None  # definitions that it needs


class Target:
    """One target. Get it from `target(name)`; equal for equal names."""

    def __init__(self, row: dict[str, Any]) -> None:
        self.row = row
        self.name: str = row["name"]
        self.lower: tuple[str, ...] = tuple(row["lower"])
        self.features = frozenset(row["features"])
        self._spellings: dict[tuple[Op, DType, DType], Spelling | None] = {}
        self._texts: dict[str, Template] = {}
        self._type_names: dict[DType, str] = {}
        self._literals: dict[tuple[DType, str, bool], Text] = {}

    def __repr__(self) -> str:
        return f"target({self.name!r})"

    def limit(self, name: str) -> int | None:
        """A limit such as "local_memory" (bytes), or None where the target states none."""
        value = self.row["limits"].get(name)
        return None if value is None else int(value)

    def has(self, feature: str) -> bool:
        """Whether the target has a feature such as "f64" or "workgroups"."""
        return feature in self.features

    def has_vectors(self, dtype: DType) -> bool:
        """Whether memory can be read and written as vectors of a scalar dtype."""
        return dtype.base in self.row["vectors"]

    @cached_property
    def has_vectors_of_bits(self) -> bool:
        """Whether there are vectors of each dtype of integers that has a type."""
        names = {of.name for of in dtypes.set("Wrapping")}
        return self.row["types"].keys() & names <= self.row["vectors"].keys()

    @cached_property
    def _packed(self) -> frozenset[str]:
        return frozenset(self.row["texts"].get("packed", "").split())

    def packs(self, dtype: DType) -> bool:
        """Whether elements of a dtype have no place of their own in memory, but share words."""
        return dtype.base in self._packed

    @cached_property
    def most_lanes(self) -> int:
        """How many lanes of a vector can be named one by one."""
        return len(self.row["texts"].get("lane_names", "").split())

    def joins(self, dtype: DType, count: int) -> bool:
        """Whether so many neighbours of a scalar dtype can be read and written as a vector."""
        return self.has_vectors(dtype) and count <= min(self.most_lanes, self._widest(dtype))

    def moves(self, dtype: DType, count: int) -> bool:
        """The same, or as words of as many bytes."""
        words = self.has_text(f"words_{count * dtype.itemsize}") and count <= self._widest(dtype)
        return words or self.joins(dtype, count)

    def _widest(self, dtype: DType) -> int:
        """How many elements have no more bits than are read at once; very many without a limit."""
        return (self.limit("load_bits") or _SMALL) // dtype.bits

    def has_words(self, dtype: DType) -> bool:
        """Whether vectors of a dtype are no such type here, but words that hold their bytes."""
        if dtype.count == 1 or not self.has_text(f"words_{dtype.itemsize}"):
            return False
        return not self.has_vectors(dtype.scalar) or dtype.count > self.most_lanes

    def core_registers(self, dtype: DType) -> tuple[int, int]:
        """How many registers of its own a tensor core has that adds to vectors of this dtype: for
        sums, and for what is multiplied."""
        for row in self.row["cores"]:
            if row["dtype"] == dtype.base and read_layout(row["c"]).items == dtype.count:
                return int(row.get("registers", 0)), int(row.get("operands", 0))
        return 0, 0

    def fragment_load(self, layout: str, count: int) -> str:
        """The name of the text that reads so many small matrices, as their layout has them: as they
        lie, or turned."""
        texts = self.row["texts"]
        turned = "" if layout in (texts.get("fragment_8"), texts.get("fragment_16")) else "_turned"
        return f"load_fragment_{count}{turned}"

    @cached_property
    def levels(self) -> Levels:
        """Operators by precedence."""
        return Levels(self.row["texts"]["precedence"])

    # ---- dtypes and numbers ----

    def type_name(self, dtype: DType) -> str:
        """A dtype's name in the language. Raises NoTypeError if the target has no such type."""
        name = self._type_names.get(dtype)
        if name is None:
            name = self._type_names[dtype] = self._type_name(dtype)
        return name

    def _type_name(self, dtype: DType) -> str:
        if self.has_words(dtype):
            return str(self.row["texts"][f"words_{dtype.itemsize}"])
        table = "types" if dtype.count == 1 else "vectors"
        text = self.row[table].get(dtype.base)
        if text is None:
            error = NoTypeError(
                f"target {self.name} has no type {dtype.name}; it has "
                f"{', '.join(n for n in self.row[table] if n != 'index')}; "
                "cast to one of these, or use another device"
            )
            error.lacks = dtype.name
            raise error
        return str(text).replace("{count}", str(dtype.count))

    def literal(self, dtype: DType, value: Any, plain: bool = False) -> Text:
        """A constant. `plain`: it stands beside an operand that already has its type.

        A vector has `value` in every lane.
        """
        key = (dtype, repr(value), plain)
        text = self._literals.get(key)
        if text is None:
            text = self._literals[key] = self._literal(dtype, value, plain)
        return text

    def _literal(self, dtype: DType, value: Any, plain: bool) -> Text:
        if self.has_words(dtype) and value == 0:
            return self.text("words_zero").fill({"type": self.type_name(dtype)})
        if dtype.count > 1:
            one = self.literal(dtype.scalar, value)
            if self.has_text("splat"):
                return self.text("splat").fill({"type": self.type_name(dtype), "x": one})
            lanes = ", ".join([one.text] * dtype.count)
            return self.text("stack").fill({"type": self.type_name(dtype), "lanes": lanes})
        form, digits = self._digits(dtype, value)
        table: Mapping[str, str] = self.row["literals"]
        if "{bits}" in table.get(dtype.base, ""):
            return Text(table[dtype.base].replace("{bits}", _bits(dtype, value)))
        names = [f"{dtype.base}_{form}" if form else dtype.base]
        if plain and not form and -_SMALL < value < _SMALL:
            names.insert(0, f"{dtype.base}_plain")
        spelling = next((table[name] for name in names if name in table), None)
        if spelling is None:
            raise DTypeError(f"target {self.name} has no literal {names[-1]}")
        text = spelling.replace("{value}", digits)
        number = Text(text, UNARY if text[0] in "-(" else ATOM)
        return self._negated(dtype, number) if self.is_negated(dtype, value) else number

    def is_negated(self, dtype: DType, value: Any) -> bool:
        """Whether a number is written by `spell NEG`: one that has neither digits nor its bits."""
        return bool(value == -math.inf) and "{bits}" not in self.row["literals"].get(dtype.base, "")

    def _negated(self, dtype: DType, number: Text) -> Text:
        """A number without digits with the other sign, as the target spells that."""
        negation = self.spelling(Ops.NEG, dtype, dtype)
        if negation is None:
            raise DTypeError(
                f"target {self.name} has no negative {number.text}: `spell NEG: {dtype.name}` says "
                "how it is written"
            )
        return negation.template.fill({**negation.names, "x": number})

    def _digits(self, dtype: DType, value: Any) -> tuple[str, str]:
        """Which special form a number needs, if any, and its digits."""
        if not dtype.is_float:
            has_min = f"{dtype.base}_min" in self.row["literals"]
            form = "min" if has_min and value == dtype.min else ""
            return form, str(int(value))
        if math.isnan(value):
            return "nan", ""
        if math.isinf(value):
            return "inf", ""
        return "", _digits(value, max(dtype.bits, 32))

    # ---- spellings ----

    def text(self, name: str) -> Template:
        """A text of the table as a template. Raises StageError if the target has none."""
        template = self._texts.get(name)
        if template is None:
            if name not in self.row["texts"]:
                raise StageError(
                    f"target {self.name} cannot express `{name}`: no such text; give it one, "
                    f'`text {name} = "…"`, as other targets have (spec/80-targets/clike.uop says '
                    "what each is)"
                )
            template = self._texts[name] = Template(self.row["texts"][name], self.levels)
        return template

    def has_text(self, name: str) -> bool:
        """Whether the table has a text of that name."""
        return name in self.row["texts"]

    @cached_property
    def _words(self) -> frozenset[str]:
        """Words of the language: those that the table says, and all that it writes itself."""
        row = self.row
        parts = [*row["types"].values(), *row["vectors"].values(), *row["literals"].values()]
        parts += [text for name, text in row["texts"].items() if name not in _NO_SOURCE]
        parts += [item["text"] for kind in _SPELLINGS for item in row[kind]]
        words = _WORD.findall(_SLOT.sub(" ", " ".join(map(str, parts))))
        return frozenset(word.removeprefix("__builtin_") for word in words)

    @cached_property
    def macros(self) -> Mapping[str, str]:
        """Words that texts may use, each with the definition that a kernel with it needs."""
        texts = self.row["texts"]
        return {name.removesuffix(_MACRO): texts[name] for name in texts if name.endswith(_MACRO)}

    def kernel_name(self, name: str) -> str:
        """What a kernel of this name is called in source: an identifier that is no word there.

        The same for what it gives.
        """
        plain = _ODD.sub("_", name)
        if not plain or not plain[0].isalpha():  # what begins with `_` is not everyone's to use
            plain = f"kernel_{plain}"
        return f"{plain}_k" if plain in self._words else plain

    def _find(self, op: Op, dtype: DType, of: DType) -> Mapping[str, Any] | None:
        """The first row that spells an op on these dtypes."""
        one = dtype.count > of.count  # operand for all lanes
        for row in self.row["spell_lanes" if dtype.count > 1 else "spell"]:
            if row["op"] != op.name or dtype.base not in row["dtypes"]:
                continue
            if row["one"] != one:
                continue
            if row["of"] is None or of.base in row["of"]:
                return row
        return None

    def spelling(self, op: Op, dtype: DType, of: DType) -> Spelling | None:
        """How an op is written, or None if it is not native.

        `dtype` is the op's own type parameter, `of` the dtype of its first operand. Raises
        DTypeError if the target lacks one of the two.
        """
        key = (op, dtype, of)
        if key not in self._spellings:
            row = self._find(op, dtype, of)
            self._spellings[key] = None if row is None else self._spell(row, dtype, of)
        return self._spellings[key]

    def _spell(self, row: Mapping[str, Any], dtype: DType, of: DType) -> Spelling:
        names = {"type": self.type_name(dtype), "name": _identifier(dtype)}
        names["bytes"] = str(dtype.itemsize)
        names |= {"of": self.type_name(of), "of_name": _identifier(of)}
        if dtype.is_int and of.is_float:
            names["min"] = self.literal(dtype, dtype.min).text
            names["max"] = self.literal(dtype, dtype.max).text
            names["below"] = self.literal(of, float(dtype.min)).text
            names["above"] = self.literal(of, float(dtype.max + 1)).text
        helper = self._helper(row, dtype, of)
        for slot, value in names.items():
            helper = helper and helper.replace(f"{{{slot}}}", value)
        template = Template(row["text"], self.levels)
        for word in operators(row["text"]):
            if word not in self.levels.of:
                raise StageError(
                    f"target {self.name}: `{word}` of `{row['text']}` has no place in `text "
                    "precedence`, which says where brackets are put; give it one"
                )
        used = {slot: value for slot, value in names.items() if slot in template.uses}
        return Spelling(template, used, helper)

    def _helper(self, spelling: Mapping[str, Any], dtype: DType, of: DType) -> str | None:
        """The helper for these dtypes, among those for no other ones than a spelling is for."""
        for row in self.row["helper_lanes" if dtype.count > 1 else "helper"]:
            fits = dtype.base in row["dtypes"] and (row["of"] is None or of.base in row["of"])
            if fits and _is_part(row, spelling):
                return str(row["text"])
        return None

    def native(self, node: UOp) -> bool:
        """Whether an elementwise node is spelled as it stands."""
        return self._find(node.op, own_dtype(node), node.src[0].dtype) is not None


def _is_part(row: Mapping[str, Any], whole: Mapping[str, Any]) -> bool:
    """Whether one row is about the op of another one, and about no other dtypes."""
    alike = row["op"] == whole["op"] and row["one"] == whole["one"]
    alike = alike and (row["of"] is None) == (whole["of"] is None)
    return alike and all(set(row[key] or ()) <= set(whole[key] or ()) for key in ("dtypes", "of"))


def _forget() -> None:
    target.cache_clear()


on_load.append(_forget)


@cache
def _is_generic(op: Op) -> bool:
    """Whether an op's result has the type that its row is about."""
    return op is Ops.CAST or op.result in op.tparams


def own_dtype(node: UOp) -> DType:
    """What an elementwise op's type parameter stands for: of a comparison, its operands' dtype."""
    return node.dtype if _is_generic(node.op) else node.src[0].dtype


@cache
def target(name: str) -> Target:
    """The target called `name`: "C", "OPENCL", "CUDA", "METAL" or one of the user's.

    Raises DeviceError for an unknown name, and for a target that only serves to be extended.
    """
    rows = load_table()["targets"]
    whole = [n for n, row in rows.items() if _WHOLE in row["texts"]]
    if name not in whole:
        why = f"no target {name!r} in spec/80-targets or loaded beside it"
        if name in rows:
            why = f"target {name!r} has no `text {_WHOLE}`, so nothing can be written for it"
        raise DeviceError(f"{why}; {listed('there are', whole, name)}")
    return Target(rows[name])
