"""Outcomes as rows of a table and as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from rulewright.bench.libraries import OURS
from rulewright.bench.measure import Measurement, Timed, tolerance
from rulewright.bench.roofline import Roofline

HEADERS = (
    "workload", "library", "median", "spread", "best", "GFLOP/s", "GB/s", "of roofline",
    "ours is", "by best",
)  # fmt: skip

LEAST_SHARE = 1e-3  # of the roofline, for rates to be shown


def time_text(seconds: float) -> str:
    """A time in the unit in which it reads best."""
    for unit, factor in (("s", 1.0), ("ms", 1e3), ("µs", 1e6)):
        if seconds * factor >= 1:
            return f"{seconds * factor:.3g} {unit}"
    return f"{seconds * 1e9:.3g} ns" if seconds else "0 s"


def ratio_text(ratio: float) -> str:
    """A ratio with two digits or more that say something."""
    return f"{ratio:.2f}x" if ratio >= 0.1 else f"{ratio:.2g}x"


def rows(outcome: Measurement, top: Roofline) -> list[tuple[str, ...]]:
    """A row a library, under HEADERS. In ours the last column names the fastest peer."""
    return [_row(outcome, timed, top, first=not i) for i, timed in enumerate(outcome.timed)]


def _row(outcome: Measurement, timed: Timed, top: Roofline, first: bool) -> tuple[str, ...]:
    start = outcome.case.name if first else "", timed.library
    if not timed.rounds:
        return *start, timed.problem, "", "", "", "", "", "", ""
    return (
        *start,
        time_text(timed.median),
        f"±{50 * timed.spread:.0f} %",
        time_text(timed.best),
        *_rates(outcome, timed, outcome.share(timed.library, top)),
        *_against(outcome, timed),
    )


def _rates(outcome: Measurement, timed: Timed, share: float | None) -> tuple[str, str, str]:
    """GFLOP/s, GB/s and the share of the roofline; nothing where the work is too little to tell."""
    if share is not None and share < LEAST_SHARE:
        return "", "", ""
    rates = (work / timed.median * 1e-9 for work in (outcome.case.flops, outcome.moved))
    flops, moved = (f"{rate:.3g}" for rate in rates)
    return flops, moved, "" if share is None else f"{100 * share:.3g} %"


def _against(outcome: Measurement, timed: Timed) -> tuple[str, str]:
    other = outcome.best_peer if timed.library == OURS else timed.library
    ratio, by_best = (f(other) if other else None for f in (outcome.ratio, outcome.ratio_of_best))
    if ratio is None or by_best is None:
        return "", ""
    named = f" ({other})" if timed.library == OURS else ""
    return ratio_text(ratio) + named, ratio_text(by_best)


def to_json(outcome: Measurement, top: Roofline) -> dict[str, Any]:
    """An outcome as JSON takes it; times in seconds, shares and ratios as plain numbers."""
    case = outcome.case
    best = outcome.best_peer
    return {
        "workload": case.name,
        "dtype": case.dtype,
        "flops": case.flops,
        "bytes": outcome.moved,
        "tolerance": tolerance(case),
        "roofline_seconds": top.seconds(case.flops, outcome.moved, case.dtype),
        "best_peer": best,
        "ratio_to_best_peer": outcome.ratio(best) if best else None,
        "ratio_of_best_calls": outcome.ratio_of_best(best) if best else None,
        "libraries": [_library(outcome, timed, top) for timed in outcome.timed],
    }


def _library(outcome: Measurement, timed: Timed, top: Roofline) -> dict[str, Any]:
    if not timed.rounds:
        return {"library": timed.library, "problem": timed.problem}
    return {
        "library": timed.library,
        "median": timed.median,
        "spread": timed.spread,
        "best": timed.best,
        "rounds": len(timed.rounds),
        "calls": len(timed.seconds),
        "gflops": outcome.case.flops / timed.median * 1e-9,
        "gbytes": outcome.moved / timed.median * 1e-9,
        "share_of_roofline": outcome.share(timed.library, top),
        "ratio_to_ours": outcome.ratio(timed.library),
    }


def document(
    outcomes: Sequence[Measurement], top: Roofline, machine: dict[str, Any]
) -> dict[str, Any]:
    """All that a run found, as JSON takes it."""
    return {
        "machine": machine,
        "roofline": asdict(top),
        "workloads": [to_json(outcome, top) for outcome in outcomes],
    }
