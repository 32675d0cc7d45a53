"""Rules of quotients, remainders and shifts at full width: proved by laws, or by cases."""

from __future__ import annotations

import itertools
import random
import re

import pytest

from rulewright.lang.parse import parse_text
from rulewright.verify.prove import Settings, prove_rule, rules_of
from rulewright.verify.prove.ask import solve
from rulewright.verify.prove.integers import kinds_of
from rulewright.verify.prove.smt import SmtDomain, UnreadDivision
from rulewright.verify.prove.typed import TypedRule

z3 = pytest.importorskip("z3")

FITS = "min(x.vmin * c, x.vmax * c) >= T.min and max(x.vmin * c, x.vmax * c) <= T.max"
# each with its neighbour, which is wrong
PAIRS = {
    "remainder of a multiple": (
        f"<T: Int> MUL!(x:T, $c) % $d => {{0}}:T when d > 0 and x.valid and c % d == 0 and {FITS}",
        "<T: i64> MUL!(x:T, $c) % $d => {0}:T when d > 0 and c % d == 0 and x.vmin >= 0 and c >= 0",
    ),
    "remainder between two multiples": (
        "<T: Int> x:T % $c => x + {x.vmin // c * c * -1} when c > 0 and x.vmin // c == x.vmax // c",
        "<T: i64> x:T % $c => x + {x.vmin // c * c * -1}"
        " when c > 0 and x.vmin // c + 1 == x.vmax // c",
    ),
    "common factor": (
        "MUL!(x:index, $c) % $d => ((x * {c // gcd(c, d)}) % {d // gcd(c, d)}) * {gcd(c, d)}"
        " when d > 0 and gcd(c, d) > 1",
        "MUL!(x:index, $c) % $d => (x * {c // gcd(c, d)}) % {d // gcd(c, d)}"
        " when d > 0 and gcd(c, d) > 1",
    ),
    "divisor that is not zero": (
        "<T: Unsigned> CMOD(a:T, b) => WHERE(b == 0, a, CMOD(a, MAX(b, 1)))",
        "<T: u64> CMOD(a:T, b) => WHERE(b == 0, {0}:T, CMOD(a, MAX(b, 1)))",
    ),
    "sign of the divisor": (
        "<T: Signed> a:T % b => rest + WHERE((rest != 0) & ((rest ^ b) < 0), b, {0}:T)"
        " let rest = CMOD(a, b)",
        "<T: i64> a:T % b => rest + WHERE((rest != 0) & ((rest ^ a) < 0), b, {0}:T)"
        " let rest = CMOD(a, b)",
    ),
    "two shifts": (
        "<T: u64> (x:T << $c) << $d => x << {c + d} when c >= 0 and d >= 0 and c + d < T.bits",
        "<T: u64> (x:T << $c) >> $d => x << {c - d} when c >= d and d >= 0 and c < T.bits",
    ),
    "power of two": (
        "<T: i64> x:T // $c => x >> {ilog2(c)} when c > 1 and c & (c - 1) == 0",
        "<T: i64> x:T // $c => x >> {ilog2(c)} when c > 1 and c & 1 == 0",
    ),
}


def _rule(text):
    params = re.match(r"<[^>]*>", text)
    head = params.group() if params else ""
    text = f"ruleset mine {{ rule it{head} {text.removeprefix(head)} prove smt }}"
    return next(rules_of([parse_text(text)]))[1]


@pytest.mark.parametrize("name", PAIRS)
@pytest.mark.timeout(90)  # all widths, one value of a constant after the other
def test_a_sound_rule_is_proved_at_every_width(name):
    proof = prove_rule(_rule(PAIRS[name][0]))
    assert proof.status == "proved"
    assert {i["status"] for i in proof.instances} <= {"proved", "vacuous"}


@pytest.mark.parametrize("name", PAIRS)
@pytest.mark.timeout(60)
def test_its_neighbour_is_refuted(name):
    proof = prove_rule(_rule(PAIRS[name][1]), settings=Settings(10.0))
    assert proof.status == "refuted" and "graph before" in proof.counterexample


def test_what_divides_is_not_read_and_so_its_counterexamples_are_none():
    rule = TypedRule(_rule("<T: u32> CMOD(a:T, 1) => {0}:T"), _facts())
    (choice,) = rule.instances()
    right = solve(rule, kinds_of(choice.whole), 2.0, theory=UnreadDivision)
    assert right.status == "proved"  # a rest is less than the divisor
    rule = TypedRule(_rule("<T: u32> CMOD(a:T, 2) => a & 1"), _facts())
    (choice,) = rule.instances()
    assert solve(rule, kinds_of(choice.whole), 2.0, theory=UnreadDivision).status == "refuted"
    assert prove_rule(rule.rule).status == "proved"


def _facts():
    from rulewright.lang.build import load_table
    from rulewright.lang.matcher_facts import Facts

    return Facts(load_table())


def test_each_law_is_a_theorem():
    """All laws of some divisions, at small numbers and at random larger ones."""
    symbols = SmtDomain()
    names = "xyabcg"
    x, y, a, b, c, g = (z3.Int(n, symbols.context) for n in names)
    asked = [(x, a), (y, b), (x, a * b), (x * c, a), (c, a), (y, a), (x * c, b), (x * a, c), (c, g)]
    floors = [(symbols._quotient(True, p, q), p, q) for p, q in asked]
    twice = symbols._quotient(True, floors[0][0][0], b)
    divisor = symbols._common_divisor(c, a)
    laws = symbols.lemmas()
    assert len(laws) > 30
    draw = random.Random(1)
    numbers = [v for v in itertools.product((-2, -1, 0, 1, 2), repeat=6) if v[-1] > 0][::37]
    numbers += [(*(draw.randint(-40, 40) for _ in names[:-1]), 1) for _ in range(100)]
    tried, all_laws, facts = 0, z3.And(*laws), z3.And(*symbols.facts)
    for values in numbers:
        given = dict(zip(names, values, strict=True))
        pairs = [(z3.Int(n, symbols.context), v) for n, v in given.items()]
        known = _with_quotients(symbols, pairs, [*floors, (twice, floors[0][0][0], b)])
        if known is None or not _divides(given["g"], given["c"], given["a"]):
            continue
        known += [(divisor, given["g"])]
        # a divisor that was asked for is any common one, so there are its own unknowns too
        solver = z3.Solver(ctx=symbols.context)
        solver.add(facts, *(name == value for name, value in known))
        assert solver.check() == z3.sat, given
        solver.add(z3.Not(all_laws))
        assert solver.check() == z3.unsat, given
        tried += 1
    assert tried > 100


def _divides(g, *numbers):
    return g > 0 and all(n % g == 0 for n in numbers)


def _terms(symbols, known):
    return [(name, z3.IntVal(value, symbols.context)) for name, value in known]


def _with_quotients(symbols, pairs, floors):
    """The numbers with each quotient and rest, by Python's division; None at a divisor of 0."""
    known = list(pairs)
    for (quotient, rest), top, bottom in floors:
        n, d = (
            z3.simplify(z3.substitute(t, *_terms(symbols, known))).as_long() for t in (top, bottom)
        )
        if d == 0:
            return None
        known += [(quotient, n // d), (rest, n % d)]
    return known
