"""Sines and cosines of f64 at the angles in which each digit of 2/pi decides.

Proofs try a choice of ops, as `[SIN COS]` is, on graphs with few numbers, which seldom are such
angles. `tests/unit/test_render_c_functions.py` compares the rules there with finer numbers.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any

import numpy as np

from rulewright.checks.examples import matcher_of
from rulewright.interp import evaluate
from rulewright.ir.dtypes import dtypes
from rulewright.ir.ops import Ops
from rulewright.ir.uop import UOp
from rulewright.lang import tree as t
from rulewright.lang.build import load_table
from rulewright.verify.values.samples import near_quarter_turns

APART = 2
"""Units of the last place that two right results may differ by."""


def is_wrong_at_angles(rule: t.Rule, original: t.Rule) -> bool:
    """Whether a mutant of a rule that writes out circular functions of f64 gives others."""
    heads = [n for n in t.walk(rule.pattern) if isinstance(n, t.OpSet)]
    names = {str(name) for head in heads for name in head.names}
    if not names or not names <= {"SIN", "COS"}:
        return False
    wanted = _values(original)
    return any(_apart(got, want) for got, want in zip(_results(rule), wanted, strict=True))


@cache
def _values(rule: t.Rule) -> list[Any]:
    return [*_results(rule)]


def _results(rule: t.Rule) -> Iterator[Any]:
    """What a rule makes of sines and cosines; None where it does not apply, or has no value."""
    angles = near_quarter_turns(dtypes.f64)[::31]
    x = UOp(Ops.PARAM, dtypes.f64, (), (0, (len(angles),), None))
    match = matcher_of([rule], load_table())
    for op in (Ops.SIN, Ops.COS):
        try:
            with np.errstate(all="ignore"):
                after = match[op](x.alu(op), None)
                yield after if after is None else evaluate(after, {x: angles})
        except Exception:  # a faulty rule may do anything
            yield None


def _apart(got: Any, want: Any) -> bool:
    if got is None or want is None:
        return got is not want
    far = np.abs(got - want) > APART * np.spacing(np.abs(want))
    return bool((far | (np.isnan(got) != np.isnan(want))).any())
