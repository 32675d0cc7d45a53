"""Expressions of certificates: what counts as the same is the same for all values."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest

from rulewright.interp.meaning import compute
from rulewright.ir.dtypes import dtype, dtypes
from rulewright.ir.ops import Op, Ops
from rulewright.verify.certify.terms import Forms, Refinement, TermTable

BINARY = (Ops.ADD, Ops.SUB, Ops.MUL, Ops.MAX, Ops.MIN, Ops.AND, Ops.OR, Ops.XOR)
LAWS = ({}, {"sums": True}, {"sums": True, "products": True})


def leaves(terms: TermTable, kind, count: int = 3) -> list[int]:
    return terms.held("PARAM0", kind, count).tolist()


def value_of(terms: TermTable, root: int, columns: list[np.ndarray]) -> np.ndarray:
    """What a term is worth for columns of values of the leaves."""
    done: dict[int, np.ndarray] = {}
    stack = [root]
    while stack:
        at = stack[-1]
        node = terms.nodes[at]
        missing = [s for s in node.src if s not in done]
        if missing:
            stack.extend(missing)
            continue
        stack.pop()
        kind = dtype(node.dtype)
        if node.op == "held":
            done[at] = columns[node.arg[1]]
        elif node.op == "const":
            done[at] = np.full(len(columns[0]), terms.value(at), kind.np)
        else:
            counts = node.arg if isinstance(node.arg, tuple) else [1] * len(node.src)
            parts = [done[s] for s, n in zip(node.src, counts, strict=True) for _ in range(n % 256)]
            done[at] = parts[0]
            for part in parts[1:]:
                done[at] = compute(node.op, kind, None, [done[at], part], kind)
    return done[root]


def expression(terms: TermTable, random: Random, kind, size: int, pool: list[int]) -> int:
    """A random expression."""
    if size == 0:
        return random.choice(pool)
    op = random.choice(BINARY)
    left = random.randrange(size)
    operands = (
        expression(terms, random, kind, left, pool),
        expression(terms, random, kind, size - 1 - left, pool),
    )
    return terms.node(op, kind, None, operands)


@pytest.mark.parametrize("seed", range(8))
def test_integers_of_one_form_are_equal(seed):
    random, terms, kind = Random(seed), TermTable(), dtypes.i8
    pool = [*leaves(terms, kind, 2), *(terms.const(kind, c) for c in (0, 1, -1, 2, 3))]
    every = np.arange(-128, 128).astype(np.int8)
    columns = [a.reshape(-1) for a in np.meshgrid(every, every)]
    forms, found = Forms(terms), {}
    for _ in range(120):
        term = expression(terms, random, kind, random.randint(1, 4), pool)
        found.setdefault(forms.of(term), []).append(value_of(terms, term, columns))
    same = [group for group in found.values() if len(group) > 1]
    assert len(same) > 3
    for group in same:
        assert all(np.array_equal(group[0], other) for other in group[1:])


def test_integers_are_a_ring():
    terms, kind = TermTable(), dtypes.u8
    x, y, _ = leaves(terms, kind)
    three = terms.const(kind, 3)

    def of(op: Op, *src: int) -> int:
        return terms.node(op, kind, None, src)

    forms = Forms(terms)
    one = of(Ops.SUB, of(Ops.MUL, of(Ops.ADD, x, y), three), of(Ops.ADD, y, of(Ops.ADD, y, y)))
    assert forms.of(of(Ops.MULACC, x, three, y)) == forms.of(of(Ops.ADD, y, of(Ops.MUL, x, three)))
    assert forms.of(of(Ops.SUB, x, x)) == terms.const(kind, 0)
    assert forms.of(one) != forms.of(of(Ops.MUL, x, three))  # a product of a sum stays one


@pytest.mark.parametrize("law", LAWS, ids=("exact", "sums", "products"))
def test_order_of_floats_counts_until_it_is_allowed(law):
    terms, kind = TermTable(), dtypes.f32
    x, y, z = leaves(terms, kind)

    def same(op: Op) -> bool:
        a = terms.node(op, kind, None, (terms.node(op, kind, None, (x, y)), z))
        b = terms.node(op, kind, None, (x, terms.node(op, kind, None, (y, z))))
        forms = Forms(terms, **law)
        return forms.of(a) == forms.of(b)

    assert same(Ops.MAX) and same(Ops.MIN)
    assert same(Ops.ADD) == bool(law.get("sums"))
    assert same(Ops.MUL) == bool(law.get("products"))


def test_minus_is_said_in_one_way():
    terms, kind = TermTable(), dtypes.f32
    x, y, _ = leaves(terms, kind)
    minus = terms.node(Ops.NEG, kind, None, (y,))
    assert terms.node(Ops.SUB, kind, None, (x, y)) == terms.node(Ops.ADD, kind, None, (x, minus))
    assert terms.node(Ops.NEG, kind, None, (minus,)) == y
    assert terms.node(Ops.SUB, kind, None, (x, y)) != terms.node(Ops.SUB, kind, None, (y, x))


def test_sixty_levels_of_sharing_are_looked_through_once():
    terms, kind = TermTable(), dtypes.f32
    x, y, _ = leaves(terms, kind)
    for _ in range(60):
        x, y = (
            terms.node(Ops.ADD, kind, None, (x, y)),
            terms.node(Ops.ADD, kind, None, (y, terms.node(Ops.MUL, kind, None, (x, x)))),
        )
    assert Forms(terms, sums=True).of(x) != Forms(terms, sums=True).of(y)


def test_ten_thousand_summands_need_no_recursion():
    terms, kind = TermTable(), dtypes.f32
    many = leaves(terms, kind, 10_000)
    left = right = terms.const(kind, 0.0)
    for one, other in zip(many, reversed(many), strict=True):
        left = terms.node(Ops.ADD, kind, None, (left, one))
        right = terms.node(Ops.ADD, kind, None, (right, other))
    forms = Forms(terms, sums=True)
    assert left != right and forms.of(left) == forms.of(right)


def reduction(terms: TermTable, kind, *parts: int) -> int:
    return int(terms.fold(Ops.ADD, kind, np.array([parts]))[0])


def test_a_sum_may_begin_at_zero_or_at_an_operand():
    terms, kind = TermTable(), dtypes.f32
    x, y, _ = leaves(terms, kind)
    whole = reduction(terms, kind, x, y)
    bare = terms.node(Ops.ADD, kind, None, (y, x))
    begun = terms.node(Ops.ADD, kind, None, (bare, terms.const(kind, 0.0)))
    holds = Refinement(terms, sums=True).holds
    assert holds(whole, bare) and holds(whole, begun) and holds(whole, whole)
    assert not holds(bare, whole) and not holds(begun, whole)  # one that was settled stays so


def test_a_zero_that_was_written_stays():
    terms, kind = TermTable(), dtypes.f32
    x = leaves(terms, kind, 1)[0]
    plus = terms.node(Ops.ADD, kind, None, (x, terms.const(kind, 0.0)))  # 0.0 where x is -0.0
    minus = terms.node(Ops.ADD, kind, None, (x, terms.const(kind, -0.0)))  # always x
    holds = Refinement(terms, sums=True, products=True).holds
    assert not holds(plus, x) and not holds(x, plus)
    assert holds(minus, x) and holds(x, minus)
    quotients = [terms.node(Ops.FDIV, kind, None, p) for p in ((plus, x), (x, plus), (x, x))]
    assert not any(holds(a, b) for a in quotients for b in quotients if a != b)


def test_inside_other_ops_each_sum_is_its_own():
    terms, kind = TermTable(), dtypes.f32
    x, y, z = leaves(terms, kind)
    zero = terms.const(kind, 0.0)
    inner = terms.node(Ops.EXP, kind, None, (reduction(terms, kind, x, y),))
    before = reduction(terms, kind, inner, z)
    made = terms.node(Ops.EXP, kind, None, (terms.node(Ops.ADD, kind, None, (x, y)),))
    after = terms.node(Ops.ADD, kind, None, (terms.node(Ops.ADD, kind, None, (zero, z)), made))
    assert Refinement(terms, sums=True).holds(before, after)
    assert not Refinement(terms, sums=True).holds(after, before)
