"""Laws of whole numbers that z3's arithmetic does not find by itself, of terms that it was given.

Each is a theorem, so that adding it proves nothing that does not hold.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

Term = Any

_MOST_PRODUCTS = 12  # of which all pairs are looked at


class Floor(NamedTuple):
    """A quotient and a remainder of unbounded integers: a = b quotient + rest."""

    quotient: Term
    rest: Term
    a: Term
    b: Term


def lemmas(
    z3: Any,
    floors: Sequence[Floor],
    wrapped: Sequence[tuple[Term, Term]],
    common: Sequence[tuple[Any, ...]] = (),
) -> Iterator[Term]:
    """Of some divisions, of numbers with what they are before they wrap, and of common divisors,
    each with both numbers that it divides and how often.
    """
    yield from _twice(z3, floors)
    yield from _between(z3, floors)
    products = _products(z3, floors, wrapped)
    yield from _multiples(z3, floors, products)
    yield from _exact(z3, floors, common)
    yield from _scaled(z3, floors, [g for g, *_ in common])
    yield from _monotone(z3, [(x, y) for _, x, y in products[:_MOST_PRODUCTS]])


def _twice(z3: Any, floors: Sequence[Floor]) -> Iterator[Term]:
    """Dividing twice is dividing once by the product.

    From x = a q + r and q = b s + t follows x = a b s + (a t + r), with 0 <= a t + r < a b for
    positive a and b. Quotient and remainder are unique: x // (a b) = s, x % (a b) = a t + r.
    """
    for q, r, x, a in floors:
        for s, t, y, b in floors:
            for whole, rest, z, c in floors:
                if _is(z3, y, q) and z.eq(x) and not c.eq(a):
                    holds = z3.And(whole == s, rest == a * t + r)
                    premise = z3.And(a > 0, b > 0, c == a * b, y == q)
                    yield z3.Implies(premise, holds)


def _is(z3: Any, term: Term, quotient: Term) -> bool:
    """Whether a term is a quotient, or a signed one that may have wrapped."""
    return bool(
        term.eq(quotient) or (z3.is_app_of(term, z3.Z3_OP_ITE) and term.arg(2).eq(quotient))
    )


def _between(z3: Any, floors: Sequence[Floor]) -> Iterator[Term]:
    """A larger number has no smaller quotient by a positive number."""
    for one in floors:
        for other in floors:
            if one is not other and one.b.eq(other.b):
                premise = z3.And(one.b > 0, one.a <= other.a)
                yield z3.Implies(premise, one.quotient <= other.quotient)


def _products(
    z3: Any, floors: Sequence[Floor], wrapped: Sequence[tuple[Term, Term]]
) -> list[tuple[Term, Term, Term]]:
    """Products of two terms that are not numbers, each with what it is once it has wrapped."""
    products = []
    for value, raw in [*wrapped, *((f.a, f.a) for f in floors)]:
        if z3.is_mul(raw) and raw.num_args() == 2:
            x, y = raw.arg(0), raw.arg(1)
            if not z3.is_int_value(x) and not z3.is_int_value(y):
                products.append((value, x, y))
    return products


def _multiples(
    z3: Any, floors: Sequence[Floor], products: Sequence[tuple[Term, Term, Term]]
) -> Iterator[Term]:
    """If b divides y without a rest, it divides x y, and the quotient is x (y // b)."""
    for q, r, a, b in floors:
        for value, x, y in products:
            if not a.eq(value):
                continue
            for s, t, c, d in floors:
                for factor, other in ((x, y), (y, x)):
                    if c.eq(factor) and d.eq(b):
                        premise = z3.And(b != 0, a == x * y, t == 0)
                        yield z3.Implies(premise, z3.And(r == 0, q == other * s))


def _exact(z3: Any, floors: Sequence[Floor], common: Sequence[tuple[Any, ...]]) -> Iterator[Term]:
    """A divisor divides without a rest."""
    for q, r, a, b in floors:
        for divisor, *divided in common:
            for number, times in divided:
                if b.eq(divisor) and a.eq(number):
                    yield z3.Implies(b > 0, z3.And(r == 0, q == times))


def _scaled(z3: Any, floors: Sequence[Floor], divisors: Sequence[Term]) -> Iterator[Term]:
    """(g u) // (g v) is u // v, and the rest g times as much, where u and g u are products."""
    for q, r, a, b in floors:
        for s, t, u, v in floors:
            for x, c in _factors(z3, a):
                for y, e in _factors(z3, u):
                    for g in divisors if x.eq(y) else ():
                        products = (a == x * c, u == y * e, c == g * e, b == g * v)
                        premise = z3.And(g > 0, v > 0, *products)
                        yield z3.Implies(premise, z3.And(q == s, r == g * t))


def _factors(z3: Any, term: Term) -> list[tuple[Term, Term]]:
    if not z3.is_mul(term) or term.num_args() != 2:
        return []
    x, y = term.arg(0), term.arg(1)
    return [(x, y), (y, x)]


def _monotone(z3: Any, products: Sequence[tuple[Term, Term]]) -> Iterator[Term]:
    """Products by one factor are in the order of the others, or in the opposite one."""
    pairs = [(x, y) for pair in products for x, y in (pair, pair[::-1])]
    for x, c in pairs:
        for y, d in pairs:
            if c.eq(d) and not x.eq(y):
                yield z3.Implies(z3.And(c >= 0, x <= y), x * c <= y * c)
                yield z3.Implies(z3.And(c <= 0, x <= y), x * c >= y * c)
