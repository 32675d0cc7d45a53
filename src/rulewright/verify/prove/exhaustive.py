"""The first tactic: all values of few bits, as arrays with one axis a symbol.

A machine integer is shortened to a few bits, so what is found there holds for that width and
hints at the others; an index stays unbounded and is tried at small values only. It can say that a
rule is wrong; that it is right, only of the very widths that it looked at.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from rulewright.verify.prove.instance import Instance
from rulewright.verify.prove.terms import BOOL, LONGEST_SHIFT, Kind, NeverMatches, Term, Unsupported
from rulewright.verify.prove.typed import TypedPart, TypedRule

Array = np.ndarray[Any, Any]

MAX_SYMBOLS = 5
AXES = MAX_SYMBOLS + 4  # conditions of structure take one each
SAMPLES = 100_000
_SPREAD = (-129, -128, -127, -8, -4, -3, -2, -1, 0, 1, 2, 3, 4, 6, 7, 8, 12, 16, 64, 127, 128, 255)


class Arrays:
    """A domain whose values are arrays of Python or numpy integers, and of truth values.

    `values` gives a symbol's values, or None for all those of its kind. `samples` is a number of
    random draws that replaces all combinations.
    """

    def __init__(self, values: Mapping[str, int] | None = None, samples: int = 0) -> None:
        self.values, self.samples = values, samples
        self.invalid = values is not None and any(n.endswith(".invalid") for n in values)
        self.axes: dict[str, tuple[Kind, Array]] = {}
        self.random = np.random.Generator(np.random.PCG64(1))

    def symbol(self, name: str, kind: Kind) -> Array:
        """All values of a kind, along an axis of their own."""
        if name not in self.axes:
            self.axes[name] = (kind, self._symbol(name, kind))
        return self.axes[name][1]

    def _symbol(self, name: str, kind: Kind) -> Array:
        if self.values is not None:  # exact, whatever the width
            value = np.empty((1,) * AXES, bool if kind == BOOL else object)
            value.fill(bool(self.values[name]) if kind == BOOL else self.values[name])
            return value
        every = _all_values(kind)
        if self.samples:
            return self.random.choice(every, self.samples)
        place = len(self.axes)
        if place >= AXES:
            raise Unsupported("too many variables")
        return every.reshape([-1 if i == place else 1 for i in range(AXES)])

    def const(self, kind: Kind, value: int) -> Array:
        """A known value, as an array without axes of length other than one."""
        if kind == BOOL:
            return np.array(bool(value))
        small = self.values is None and -(1 << 63) <= value < 1 << 63
        return np.array(value, np.int64 if small else object)

    def unary(self, op: str, kind: Kind, a: Array) -> tuple[Kind, Array]:
        """`neg`, `not`, or `ilog2` of a guard."""
        if op == "ilog2":
            return kind, np.vectorize(lambda v: int(v).bit_length() - 1, otypes=[a.dtype])(a)
        if kind == BOOL:
            return kind, ~a
        return kind, _wrap(kind, -a if op == "neg" else -a - 1)

    def binary(self, op: str, a: Term, b: Term) -> tuple[Kind, Array]:
        """See the functions below; comparisons give truth values."""
        if op in ("lt", "le", "eq"):
            compare = {"lt": np.less, "le": np.less_equal, "eq": np.equal}[op]
            return BOOL, np.asarray(compare(a.raw, b.raw)).astype(bool)
        if op == "gcd":
            return a.kind, np.vectorize(math.gcd, otypes=[a.raw.dtype])(a.raw, b.raw)
        return a.kind, _wrap(a.kind, _BINARY[op](a.raw, b.raw))

    def choose(self, condition: Array, a: Term, b: Term) -> tuple[Kind, Array]:
        """Elementwise choice."""
        return a.kind, np.where(condition, a.raw, b.raw)

    def cast(self, a: Term, kind: Kind) -> Array:
        """Integers wrap."""
        return _wrap(kind, a.raw)


def _all_values(kind: Kind) -> Array:
    if kind.sort == "bool":
        return np.array([False, True])
    if kind.sort == "exact":
        return np.arange(-8, 8)
    if kind.bits > 5:  # too many for all: the ends, and what is small
        return np.array(sorted({kind.wrapped(v) for v in (*_SPREAD, kind.lo, kind.hi)}))
    return np.arange(kind.lo, kind.hi + 1)


def _wrap(kind: Kind, raw: Any) -> Any:
    if kind.sort != "bits":
        return raw
    half = (1 << kind.bits) >> 1 if kind.signed else 0
    return ((raw + half) & ((1 << kind.bits) - 1)) - half


def _divisor(b: Any) -> Any:
    """What can be divided by: of 0 no result is looked at."""
    return np.where(b == 0, 1, b)


def _toward_zero(a: Any, b: Any) -> Any:
    quotient = abs(a) // abs(_divisor(b))
    return np.where((a < 0) != (b < 0), -quotient, quotient)


def _count(b: Any) -> Any:
    """What can be shifted by: of other counts no result is looked at."""
    return np.where((b >= 0) & (b <= LONGEST_SHIFT), b, 0)


_BINARY: dict[str, Any] = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "and": lambda a, b: a & b,
    "or": lambda a, b: a | b,
    "xor": lambda a, b: a ^ b,
    "floordiv": lambda a, b: a // _divisor(b),
    "floormod": lambda a, b: a % _divisor(b),
    "cdiv": _toward_zero,
    "cmod": lambda a, b: a - _toward_zero(a, b) * b,
    "shl": lambda a, b: a << _count(b),
    "shr": lambda a, b: a >> _count(b),
}


def symbol_count(rule: TypedRule) -> int:
    """How many unknowns a rule has: variables, constants, wildcards and bounds."""
    from rulewright.lang import tree as t

    names = set()
    wild = 0
    stack = [rule.pattern]
    while stack:
        part = stack.pop()
        wild += part.what == "wild"
        if part.what in ("var", "const"):
            names.add(part.value)
        stack += part.parts
    bounds = {
        (n.expr.name, n.name)
        for n in t.walk(rule.rule)
        if isinstance(n, t.Field) and isinstance(n.expr, t.Var) and n.name in ("vmin", "vmax")
    }
    return len(names) + wild + len(bounds)


class Enumeration:
    """What enumeration found: how many combinations matched, and values of a wrong one."""

    def __init__(self, matched: int, complete: bool, wrong: dict[str, int] | None) -> None:
        self.matched, self.complete, self.wrong = matched, complete, wrong


def enumerate_values(rule: TypedRule, kinds: Mapping[int, Kind]) -> Enumeration:
    """Try all combinations of values, or many where there are too many variables.

    Raises Unsupported and NeverMatches as `Instance` does.
    """
    complete = symbol_count(rule) <= MAX_SYMBOLS and all(
        k.sort != "exact" and k.bits <= 5 for k in kinds.values()
    )
    arrays = Arrays(samples=0 if symbol_count(rule) <= MAX_SYMBOLS else SAMPLES)
    with np.errstate(all="ignore"):
        instance = Instance(rule, kinds, arrays)
        matches, differs = instance.matches.raw, instance.wrong.raw
    shape = np.broadcast_shapes(differs.shape, *(a.shape for _, a in arrays.axes.values()))
    count = int(np.broadcast_to(matches, shape).sum())
    return Enumeration(count, complete, _first(arrays, np.broadcast_to(differs, shape)))


def _first(arrays: Arrays, differs: Array) -> dict[str, int] | None:
    """The first combination at which something holds, as the value of each symbol."""
    if not differs.any():
        return None
    place = np.unravel_index(int(differs.argmax()), differs.shape)
    return {
        name: int(np.broadcast_to(values, differs.shape)[place])
        for name, (_, values) in arrays.axes.items()
    }


_NEVER = "INVALID():index"


def _spelled(term: Term) -> str:
    if term.lost is not None and bool(_value(term.lost)):
        return "INVALID"
    return str(bool(_value(term)) if term.kind == BOOL else int(_value(term)))


class Assignment:
    """A combination of values, computed exactly: whether it shows that the rule is wrong.

    `lines` is both graphs as text, each intermediate value as a comment.
    """

    def __init__(
        self, rule: TypedRule, kinds: Mapping[int, Kind], values: Mapping[str, int]
    ) -> None:
        self.values = dict(values)
        self.names: dict[str, str] = {}
        self.slots: dict[str, int] = {}
        self.shown: list[tuple[str, str, str]] = []  # name, text, value
        self.refers: list[str] = []
        self.wild = 0
        try:
            self.instance = Instance(rule, kinds, Arrays(values), self._note)
        except (KeyError, NeverMatches):
            self.confirmed = False
            return
        self.confirmed = not self.instance.imagined and bool(_value(self.instance.wrong))

    def _note(self, part: TypedPart, operands: list[Term], term: Term) -> None:
        taken = self.refers[len(self.refers) - len(operands) :] if operands else []
        del self.refers[len(self.refers) - len(operands) :]
        if part.what == "bind":
            self.refers += taken
            self.names[part.value] = taken[0]
            return
        key = str(part.value) if part.what in ("var", "const") else ""
        if part.what == "wild":
            self.wild += 1
            key = f"_{self.wild}"
        if key and key in self.names:
            self.refers.append(self.names[key])
            return
        text = self._text(part, key, taken, term)
        name = f"v{len(self.shown)}"
        self.shown.append((name, text, _spelled(term)))
        if key:
            self.names[key] = name
        self.refers.append(name)

    def _text(self, part: TypedPart, key: str, taken: list[str], term: Term) -> str:
        value, kind = int(_value(term)), term.kind
        if part.what == "op":
            return f"{part.value}({', '.join(taken)}):{kind.name}"
        if part.what in ("const", "literal", "fold"):
            spelled = str(bool(value)).lower() if kind == BOOL else str(value)
            return f"{spelled}:{kind.name}"
        if part.what == "invalid" or self.values.get(f"{key}.invalid"):
            return _NEVER
        slot = self.slots.setdefault(key, len(self.slots))
        if kind.name == "index":
            low, high = self.values.get(f"{key}.vmin", value), self.values.get(f"{key}.vmax", value)
            return f'VAR["x{slot}", {low}, {high}]'
        return f"PARAM[{slot}, (), none]():{kind.name}"

    def graphs(self) -> str:
        """Both graphs, which read back with `rulewright run` and the like."""
        after, before = self.refers[-1], self.refers[-2]
        fails = any(_value(error) for error in self.instance.raises)
        lines = ["# the guard ends in an error of Python"] if fails else []
        if any(text == _NEVER for _, text, _ in self.shown):
            lines.append("# an index may be INVALID: `when x.valid` says that x is not")
        for title, result in (("before", before), ("after", after)):
            wanted = self._needed(result)
            body = [
                f"  {name} = {text}  # {value}"
                for name, text, value in self.shown
                if name in wanted
            ]
            lines += [f"graph {title} {{", *body, f"  return {result}", "}"]
        return "\n".join(lines)

    def _needed(self, result: str) -> set[str]:
        wanted = {result}
        for name, text, _ in reversed(self.shown):
            if name in wanted and "(" in text:
                inside = text[text.index("(") + 1 : text.rindex(")")]
                wanted |= {item for item in inside.split(", ") if item.startswith("v")}
        return wanted


def _value(term: Term) -> Any:
    return np.asarray(term.raw).reshape(-1)[0]
