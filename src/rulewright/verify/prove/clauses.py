"""Whether each `smt` clause of `spec/20-ops.uop` says what the op's `meaning` says.

Both are run as arrays: on all pairs of 8-bit values; of longer dtypes on special and random values,
and around the numbers that the two name. And at special values of every dtype in z3's theories.
Where a clause leaves its result open, one of the results has to be that of `meaning`.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from typing import Any

import numpy as np

from rulewright.interp.meaning import compute
from rulewright.ir.dtypes import DType, dtype
from rulewright.ir.ops import Op, Ops
from rulewright.verify.prove.exhaustive import AllValues
from rulewright.verify.prove.floating import Floats, Number, ieee
from rulewright.verify.prove.integers import kinds_of
from rulewright.verify.prove.smt import available
from rulewright.verify.prove.terms import Domain, Kind, Term, Unsupported, apply_op
from rulewright.verify.validate.meanings import instances
from rulewright.verify.values.comparison import agree
from rulewright.verify.values.samples import (
    Random,
    bits_type,
    every,
    generator,
    named,
    random,
    special,
)

Array = np.ndarray[Any, Any]

_ROOM = 1 << 24
_THIRD = 10  # values of a third operand of 8 bits
_COLUMNS = {1: 1 << 15, 2: 128, 3: 16}  # random values of longer operands, by how many there are
_NUMBER = re.compile(r"(?<![\w.])\d+(?:\.\d+)?(?:e[+-]?\d+)?")
_POINTS = 16  # operands of one op and dtype that z3 computes
_CASTS = (
    "bool", "u8", "i8", "i32", "u64", "fp8e5m2", "f16", "bf16", "f32", "f64", "fp8e4m3",
    "fp8e4m3fnuz", "fp8e5m2fnuz",
)  # fmt: skip


def wrong_clauses() -> Iterator[tuple[str, str]]:
    """The name of an op, and dtypes and values at which its clause and `meaning` differ."""
    domain = Floats() if available() else None
    for op in Ops:
        yield from wrong_clause(op, domain)
    if domain is not None:
        for source, target in itertools.product(map(dtype, _CASTS), repeat=2):
            yield from _symbols(domain, Ops.CAST, target, [source])


def wrong_clause(op: Op, domain: Floats | None = None) -> Iterator[tuple[str, str]]:
    """The same of one op; nothing for one without the clause. To make a `domain` takes longer than
    to ask it, so that one serves for many ops."""
    if op.smt:
        if domain is None and available():
            domain = Floats()
        for result, kinds in instances(op):
            yield from _arrays(op, result, kinds)
            if domain is not None:
                yield from _symbols(domain, op, result, kinds)


def _kind(kind: DType) -> Kind:
    return kinds_of({0: kind.base})[0]


def _operands(domain: Domain, kinds: list[DType]) -> list[Term]:
    """Symbols x0, x1, … of these dtypes."""
    named = [(f"x{place}", _kind(kind)) for place, kind in enumerate(kinds)]
    return [Term(domain, kind, domain.symbol(name, kind)) for name, kind in named]


def _line(op: Op, kinds: list[DType], values: list[Any]) -> tuple[str, str]:
    shown = ", ".join(f"{v}:{kind.name}" for v, kind in zip(values, kinds, strict=True))
    return op.name, f"the `smt` clause of {op} is not its `meaning` at {shown}"


def _arrays(op: Op, result: DType, kinds: list[DType]) -> Iterator[tuple[str, str]]:
    """Over all pairs of short values, and some third ones; of longer ones over columns."""
    some: dict[str, Array] = {}
    if any(kind.bits > 8 for kind in kinds):
        rng = generator(f"{op} {result.name} at large")
        some = {f"x{i}": _column(op, kind, len(kinds), rng) for i, kind in enumerate(kinds)}
    elif len(kinds) > 2:
        last = f"x{len(kinds) - 1}"
        some[last] = generator(op.name).choice(np.asarray(every(kinds[-1])), _THIRD)
    domain = AllValues(_ROOM, some)
    operands = _operands(domain, kinds)
    try:
        by_clause = apply_op(op.name, _kind(result), operands).raw
    except Unsupported:  # numpy rounds no product and sum at once
        return
    wanted = compute(op, result, None, [o.raw for o in operands], kinds[-1])
    wrong = (~agree(wanted, by_clause)).all(axis=domain.places(domain.asked), keepdims=True)
    if wrong.any():
        at = np.unravel_index(int(wrong.argmax()), wrong.shape)
        values = [np.broadcast_to(o.raw, wrong.shape)[at] for o in operands]
        yield _line(op, kinds, values)


def _column(op: Op, kind: DType, count: int, rng: Random) -> Array:
    """Values of one of `count` operands: special, random, and around the numbers of the clauses."""
    texts = f"{op.row['meaning']} {op.smt}"
    numbers = sorted({float(text) for text in _NUMBER.findall(texts)})
    near: Array = np.zeros(0, kind.np)
    if kind.is_float:
        near = named(numbers, kind)
    elif not kind.is_bool:
        whole = {kind.const(int(n) + d) for n in numbers for d in (-1, 0, 1) if n < 1 << 64}
        near = np.array(sorted(whole | {kind.const(-int(n)) for n in whole}), kind.np)
    return np.concatenate([near, special(kind), random(kind, _COLUMNS[count], rng)])


def _symbols(
    domain: Floats, op: Op, result: DType, kinds: list[DType]
) -> Iterator[tuple[str, str]]:
    """At special values, computed by z3."""
    known = [ieee(_kind(k)) or not k.is_float for k in (*kinds, result)]
    if not all(known[:-1]) or not (known[-1] or op is Ops.CAST):
        return
    rng = generator(f"{op} {result.name}")
    columns = [rng.choice(special(kind), _POINTS) for kind in kinds]
    wanted = np.broadcast_to(compute(op, result, None, columns, kinds[-1]), (_POINTS,))
    domain.begin()
    operands = _operands(domain, kinds)
    unknown = [domain.unknowns[f"x{i}"][1] for i in range(len(kinds))]
    term = apply_op(op.name, _kind(result), operands)
    raw = term.raw.value if ieee(_kind(result)) else term.raw
    raw = raw.bits() if isinstance(raw, Number) else raw
    for at in range(_POINTS):
        values = [column[at] for column in columns]
        numbers = [_constant(domain, kind, v) for kind, v in zip(kinds, values, strict=True)]
        substituted = domain.z3.substitute(raw, *zip(unknown, numbers, strict=True))
        ways = [_number(domain, result, way) for way in domain.ways(substituted)]
        if all(f is not None and not agree(wanted[at : at + 1], f).any() for f in ways):
            yield _line(op, kinds, values)
            return


def _constant(domain: Floats, kind: DType, value: Any) -> Any:
    """A value as z3 has it; a float as its bits."""
    if kind.is_bool:
        return domain.z3.BoolVal(bool(value), domain.context)
    number = int(np.asarray(value).view(bits_type(kind)))
    return domain.z3.BitVecVal(number, kind.bits, domain.context)


def _number(domain: Floats, kind: DType, raw: Any) -> Array | None:
    """A z3 constant as an array of one element; None for a term of which nothing is known."""
    z3 = domain.z3
    if z3.is_fp(raw) and z3.is_true(z3.simplify(z3.fpIsNaN(raw, domain.context))):
        return np.array([np.nan]).astype(kind.np)
    raw = z3.simplify(z3.fpToIEEEBV(raw, domain.context) if z3.is_fp(raw) else raw)
    if kind.is_bool:
        return np.array([z3.is_true(raw)])
    if not z3.is_bv_value(raw):
        return None
    return np.array([raw.as_long()], np.uint64).astype(bits_type(kind)).view(kind.np)
