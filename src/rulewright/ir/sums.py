"""Sums and conjunctions of any length: what the algebra cannot say term by term.

A sum is a chain of ADDs; its terms are products by a constant, and at most one constant. Index
arithmetic is unbounded, so splitting and regrouping terms is exact.
"""

from __future__ import annotations

from functools import reduce
from math import gcd

from rulewright.ir.dtypes import dtypes
from rulewright.ir.known import remembered
from rulewright.ir.ops import Op, Ops
from rulewright.ir.rewrite import rewrite
from rulewright.ir.rulesets import overlay_key, ruleset
from rulewright.ir.uop import UOp

Term = tuple[UOp | None, int]
"""A factor and its coefficient; no factor: the constant."""


_ADD, _MUL, _CONST = Ops.ADD, Ops.MUL, Ops.CONST
_FLOORDIV = Ops.FLOORDIV
_FLOORMOD = Ops.FLOORMOD


def terms(node: UOp) -> list[UOp]:
    """The operands of a chain of sums, from left to right."""
    operands, stack = [], [node]
    while stack:
        node = stack.pop()
        if node.op is Ops.ADD:
            stack += node.src[::-1]
        else:
            operands.append(node)
    return operands


def split(node: UOp) -> Term:
    """A term as factor and coefficient."""
    if node.op is Ops.CONST:
        return None, node.arg
    if node.op is Ops.MUL and node.src[1].op is Ops.CONST:
        return node.src[0], node.src[1].arg
    return node, 1


def _binary(op: Op, node: UOp, value: UOp | int) -> UOp:
    """An op on indices, whose second operand may be a number."""
    other = UOp(_CONST, dtypes.index, (), value) if isinstance(value, int) else value
    return UOp(op, dtypes.bool if op is Ops.CMPLT else dtypes.index, (node, other))


def _chain(nodes: list[UOp]) -> UOp:
    """The sum of nodes, from left to right."""
    return reduce(lambda a, b: UOp(_ADD, dtypes.index, (a, b)), nodes)


def total(parts: list[Term]) -> UOp:
    """The sum of terms, constants added up and last; 0 for none."""
    constant = sum(k for factor, k in parts if factor is None)
    nodes = [f if k == 1 else _binary(_MUL, f, k) for f, k in parts if f is not None and k != 0]
    if constant or not nodes:
        nodes.append(UOp(_CONST, dtypes.index, (), constant))
    return _chain(nodes)


def _divisible(parts: list[Term], divisor: int) -> tuple[list[Term], list[Term]]:
    """The part of a sum that `divisor` divides, already divided, and the rest of it."""
    whole: list[Term] = []
    rest: list[Term] = []
    for factor, k in parts:
        splits = factor is None or k % divisor == 0 or k > divisor
        if splits:
            whole.append((factor, k // divisor))
        if k % divisor:
            rest.append((factor, k % divisor if splits else k))
    return [(f, k) for f, k in whole if k], rest


def _range(parts: list[Term]) -> tuple[int, int]:
    """Bounds of the sum of terms."""
    low = high = 0
    for factor, k in parts:
        if factor is None:
            low, high = low + k, high + k
        else:
            ends = k * int(factor.vmin), k * int(factor.vmax)
            low, high = low + min(ends), high + max(ends)
    return low, high


def _common(parts: list[Term], divisor: int) -> tuple[int, list[Term], list[Term]] | None:
    """The largest factor of `divisor` that divides all terms but a remainder below it.

    Gives the factor, the divided terms and the remainder.
    """
    factors = {gcd(k, divisor) for factor, k in parts if factor is not None}
    for common in sorted(factors - {1}, reverse=True):
        whole, rest = _divisible(parts, common)
        low, high = _range(rest)
        if whole and low >= 0 and high < common:
            return common, whole, rest
    return None


def divide_sum(node: UOp, divisor: int) -> UOp | None:
    """`node // divisor` for a divisor above 1, with multiples of it taken out."""
    parts = [split(t) for t in terms(node)]
    whole, rest = _divisible(parts, divisor)
    if whole:
        if rest:
            whole.append((_binary(_FLOORDIV, total(rest), divisor), 1))
        return total(whole)
    common = _common(parts, divisor)
    if common is None:
        return None
    factor, divided, _ = common
    return _binary(_FLOORDIV, total(divided), divisor // factor)


def modulo_sum(node: UOp, divisor: int) -> UOp | None:
    """`node % divisor` for a divisor above 1, without multiples of it."""
    parts = [split(t) for t in terms(node)]
    whole, rest = _divisible(parts, divisor)
    if whole:
        return _binary(_FLOORMOD, total(rest), divisor)
    common = _common(parts, divisor)
    if common is None:
        return None
    factor, divided, small = common
    digits = _binary(_FLOORMOD, total(divided), divisor // factor)
    return _binary(_ADD, _binary(_MUL, digits, factor), total(small))


def below_sum(node: UOp, bound: int) -> UOp | None:
    """`node < bound` with a common factor divided out.

    g * q + r < bound, 0 <= r < g: where g divides the bound, r does not count; else it does not
    if r stays on one side of the bound's own remainder.
    """
    parts = [split(t) for t in terms(node)]
    for common in sorted({abs(k) for f, k in parts if f is not None} - {0, 1}, reverse=True):
        low, high = _range([(f, k % common if f is None else k) for f, k in parts if k % common])
        if low < 0 or high >= common:
            continue
        over = bound % common
        if over == 0 or low >= over or high < over:
            limit = bound // common + (high < over)
            return _binary(Ops.CMPLT, total(_divisible(parts, common)[0]), limit)
    return None


def _stem(node: UOp) -> UOp:
    """What a term is a multiple, a digit or a quotient of: only terms of one stem can join."""
    op = node.op
    if op is _MUL and node.src[1].op is _CONST:
        node = node.src[0]
        op = node.op
    if op is _FLOORMOD and node.src[1].op is _CONST:
        node = node.src[0]
        op = node.op
    return node.src[0] if op is _FLOORDIV and node.src[1].op is _CONST else node


def pair_up(node: UOp, last: UOp) -> UOp | None:
    """The sum `node + last` with `last` joined to a term that the rules `pairs` join it with.

    Sums lean left: the terms are the right operands down the left side, and the first.
    """
    stem, rest = _stem(last), node
    while rest.op is _ADD:
        if _stem(rest.src[1]) is stem:
            break
        rest = rest.src[0]
    else:
        if _stem(rest) is not stem:
            return None
    return _join(terms(node), last, stem)


def _join(parts: list[UOp], last: UOp, stem: UOp) -> UOp | None:
    join = ruleset("pairs").match()[_ADD]
    for i, part in enumerate(parts):
        joined = join(_binary(_ADD, part, last), None) if _stem(part) is stem else None
        if joined is not None:
            return _chain([*parts[:i], joined, *parts[i + 1 :]])
    return None


def _subject(condition: UOp) -> UOp:
    """What a condition is about: the left side of its comparison, or itself."""
    test = condition.src[0] if condition.op is Ops.NOT else condition
    return test.src[0] if test.op in (Ops.CMPLT, Ops.CMPEQ) else test


def conjuncts(condition: UOp) -> list[UOp]:
    """The conditions that an AND of any depth joins, each once, in order."""
    conditions: list[UOp] = []
    seen: set[UOp] = set()
    stack = [condition]
    while stack:
        part = stack.pop()
        if part in seen:
            continue
        seen.add(part)
        if part.op is Ops.AND:
            stack += part.src[::-1]
        else:
            conditions.append(part)
    return conditions


def pair_condition(node: UOp, last: UOp) -> UOp | None:
    """The conjunction `node & last` with `last` joined to a condition on the same thing."""
    subject, parts = _subject(last), conjuncts(node)
    alike = [i for i, part in enumerate(parts) if _subject(part) is subject]
    if not alike:
        return None
    rules = [ruleset(name).match()[Ops.AND] for name in ("boolean", "compare")]
    for i in alike:
        pair = UOp(Ops.AND, last.dtype, (parts[i], last))
        joined = next((j for rule in rules if (j := rule(pair, None)) is not None), None)
        if joined is not None:
            conditions = [*parts[:i], joined, *parts[i + 1 :]]
            return reduce(lambda a, b: UOp(Ops.AND, last.dtype, (a, b)), conditions)
    return None


def _bounds(condition: UOp) -> dict[UOp, tuple[int, int]]:
    """Inclusive bounds that a conjunction of comparisons with constants puts on expressions."""
    known: dict[UOp, tuple[int, int]] = {}
    seen: set[UOp] = set()
    stack = [condition]
    while stack:
        node = stack.pop()
        if node in seen:
            continue
        seen.add(node)
        if node.op is Ops.AND:
            stack += node.src
            continue
        negated = node.op is Ops.NOT
        test = node.src[0] if negated else node
        if negated and test.op is Ops.OR:  # not (a or b): neither
            stack += [UOp(Ops.NOT, node.dtype, (s,)) for s in test.src]
            continue
        if test.op is not Ops.CMPLT or test.src[1].op is not Ops.CONST:
            continue
        subject, bound = test.src[0], test.src[1].arg
        if subject.dtype is not dtypes.index or subject.op is Ops.CONST:
            continue
        low, high = known.get(subject, (int(subject.vmin), int(subject.vmax)))
        known[subject] = (max(low, bound), high) if negated else (low, min(high, bound - 1))
    return known


@remembered(4096)
def index_where(condition: UOp, index: UOp) -> UOp | None:
    """`index` simplified where `condition` holds; None if that brings nothing.

    Each bounded expression is for a moment a variable with the narrower bounds. What is read from
    memory stays as it is: it is read wherever the condition holds or not, and needs its own gate.
    So do loops: how often they go is no matter of the condition.
    """
    bounds, result = _bounds(condition), index
    parts = _parts(result) if bounds else {}
    for number, (subject, (low, high)) in enumerate(bounds.items()):
        narrower = low <= high and (low, high) != subject.interval
        if not narrower or subject is result or subject not in parts:
            continue
        if low < high and _is_plain(result):
            continue
        # no user's variable has a space in its name
        stand_in = UOp(Ops.VAR, dtypes.index, (), (f"given {number}", low, high))
        kept = {n: n for n in parts if n.op in _CLOSED}
        narrowed = result.substitute({**kept, subject: stand_in})
        simple = rewrite(narrowed, "symbolic")
        if simple is narrowed:
            continue
        result = rewrite(simple.substitute({stand_in: subject}), "symbolic")
        parts = _parts(result)
    return None if result is index else result


_CLOSED = (*Ops.group("Read"), Ops.RANGE)
_PLAIN = Ops.group("Affine")


def _is_plain(index: UOp) -> bool:
    """Whether all that an index is made of is such that no rule of the spec asks for its bounds."""
    return not overlay_key() and all([n.op in _PLAIN for n in index.toposort()])


def _parts(index: UOp) -> dict[UOp, None]:
    """The nodes of an index, in order, without what memory is asked for and the sizes of loops."""
    return dict.fromkeys(index.toposort(lambda node: node.op not in _CLOSED))
