"""Targets: typed access to the tables of `spec/80-targets`."""

from __future__ import annotations

import math
import struct
from collections.abc import Mapping
from functools import cache, cached_property
from typing import Any

from rulewright.errors import DeviceError, DTypeError, StageError
from rulewright.ir.dtypes import DType
from rulewright.ir.ops import Op, Ops
from rulewright.ir.uop import UOp
from rulewright.lang.build import load_table
from rulewright.render.template import ATOM, UNARY, Levels, Template, Text

_SMALL = 1 << 31  # whole numbers below have type int where nothing else is said
_UNNAMED = ("Clike",)  # tables that only serve to be extended


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


class Target:
    """One target. Get it from `target(name)`; equal for equal names."""

    def __init__(self, row: dict[str, Any]) -> None:
        self.row = row
        self.name: str = row["name"]
        self.lower: tuple[str, ...] = tuple(row["lower"])
        self.features = frozenset(row["features"])
        self._templates: dict[tuple[Op, str, str], Template | None] = {}
        self._texts: dict[str, Template] = {}

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
    def levels(self) -> Levels:
        """Operators by precedence."""
        return Levels(self.row["texts"]["precedence"])

    # ---- dtypes and numbers ----

    def type_name(self, dtype: DType) -> str:
        """A dtype's name in the language. Raises DTypeError if the target has no such type."""
        table = "types" if dtype.count == 1 else "vectors"
        text = self.row[table].get(dtype.base)
        if text is None:
            raise DTypeError(
                f"target {self.name} has no type {dtype.name}; it has "
                f"{', '.join(n for n in self.row[table] if n != 'index')}; "
                "cast to one of these, or use another device"
            )
        return str(text).replace("{count}", str(dtype.count))

    def literal(self, dtype: DType, value: Any, plain: bool = False) -> Text:
        """A constant. `plain`: it stands beside an operand that already has its type.

        A vector has `value` in every lane.
        """
        if dtype.count > 1:
            one = self.literal(dtype.scalar, value).text
            lanes = ", ".join([one] * dtype.count)
            return self.text("stack").fill({"type": self.type_name(dtype), "lanes": lanes})
        form, digits = self._digits(dtype, value)
        table: Mapping[str, str] = self.row["literals"]
        if "{bits}" in table.get(dtype.base, ""):
            return Text(table[dtype.base].replace("{bits}", _bits(dtype, value)))
        names = [f"{dtype.base}_{form}" if form else dtype.base]
        if plain and not form and -_SMALL < value < _SMALL:
            names.insert(0, f"{dtype.base}_plain")
        found = next((table[name] for name in names if name in table), None)
        if found is None:
            raise DTypeError(f"target {self.name} has no literal {names[-1]}")
        text = found.replace("{value}", digits)
        if form == "inf" and value < 0:
            text = "-" + text
        return Text(text, UNARY if text[0] in "-(" else ATOM)

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
        found = self._texts.get(name)
        if found is None:
            if name not in self.row["texts"]:
                raise StageError(f"target {self.name} cannot express `{name}`: no such text")
            found = self._texts[name] = Template(self.row["texts"][name], self.levels)
        return found

    def has_text(self, name: str) -> bool:
        """Whether the table has a text of that name."""
        return name in self.row["texts"]

    def _find(self, table: str, op: Op, dtype: DType, of: DType) -> str | None:
        for row in self.row[table]:
            if row["op"] != op.name or dtype.base not in row["dtypes"]:
                continue
            if row["of"] is None or of.base in row["of"]:
                return str(row["text"])
        return None

    def spelling(self, op: Op, dtype: DType, of: DType) -> Template | None:
        """How an op is written, or None if it is not native.

        `dtype` is the op's own type parameter, `of` the dtype of its first operand.
        """
        key = (op, dtype.base, of.base)
        if key not in self._templates:
            text = self._find("spell", op, dtype, of)
            self._templates[key] = None if text is None else Template(text, self.levels)
        return self._templates[key]

    def helper(self, op: Op, dtype: DType, of: DType) -> str | None:
        """Definitions that the spelling needs, with its names still to be filled in."""
        return self._find("helper", op, dtype, of)

    def native(self, node: UOp) -> bool:
        """Whether an elementwise node is spelled as it stands."""
        return self.spelling(node.op, own_dtype(node), node.src[0].dtype) is not None


def own_dtype(node: UOp) -> DType:
    """What an elementwise op's type parameter stands for: of a comparison, its operands' dtype."""
    generic = node.op.row["result"] in {name for name, _ in node.op.row["tparams"]}
    return node.dtype if generic or node.op is Ops.CAST else node.src[0].dtype


@cache
def target(name: str) -> Target:
    """The target called `name`: "C", "OPENCL", "CUDA", "METAL" or one of the user's.

    Raises DeviceError for an unknown name.
    """
    rows = load_table()["targets"]
    if name not in rows or name in _UNNAMED:
        known = ", ".join(n for n in rows if n not in _UNNAMED)
        raise DeviceError(f"no target {name!r} in spec/80-targets; there are {known}")
    return Target(rows[name])
