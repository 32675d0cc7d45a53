"""The roofline drawn, and what each library reached under it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rulewright.bench.libraries import OURS
from rulewright.bench.measure import Measurement
from rulewright.bench.roofline import Roofline
from rulewright.errors import MissingExtraError

SUFFIXES = (".svg", ".png")
_INCHES = (9.0, 6.0)
_DOTS = 150  # an inch, in PNG
_LEAST_SHARE = 0.01  # of the roofline, for the best library of a workload that is shown
_MARKERS = "o^sDvP"


def draw(path: Path, outcomes: Sequence[Measurement], top: Roofline, title: str) -> None:
    """Write a chart to an SVG or PNG file.

    Across: operations a byte; up: GFLOP/s, both by powers of ten. Above is the roofline of each
    dtype that was timed; sizes of one kind are joined by a line. Raises MissingExtraError without
    matplotlib, OSError where the file cannot be written.
    """
    try:
        import matplotlib
        from matplotlib.figure import Figure
    except ImportError as error:
        raise missing(error) from error
    figure = Figure(figsize=_INCHES, layout="constrained")
    axes = figure.add_subplot()
    shown = [o for o in outcomes if belongs(o, top)]
    _roofs(axes, shown, top)
    libraries = dict.fromkeys(t.library for o in shown for t in o.timed if t.rounds)
    for number, name in enumerate(libraries):
        _points(axes, shown, name, number)
    _names(axes, shown)
    axes.set(xscale="log", yscale="log", xlabel="operations a byte", ylabel="GFLOP/s", title=title)
    axes.grid(alpha=0.2)
    axes.legend(fontsize=8)
    # The same numbers make the same file: no date, no random names.
    with matplotlib.rc_context({"svg.hashsalt": "rulewright"}):
        figure.savefig(path, dpi=_DOTS, metadata={"Date": None} if path.suffix == ".svg" else None)


def missing(why: object) -> MissingExtraError:
    """What is raised without matplotlib."""
    return MissingExtraError(
        f"charts need matplotlib ({why}); install it with `pip install 'rulewright[bench]'`"
    )


def belongs(outcome: Measurement, top: Roofline) -> bool:
    """Whether a roofline says something of it: calls, imports and cold starts are far below."""
    shares = [outcome.share(t.library, top) or 0.0 for t in outcome.timed]
    return outcome.case.timer is None and max(shares, default=0.0) >= _LEAST_SHARE


def intensity(outcome: Measurement) -> float:
    """Operations a byte of its inputs and results."""
    return outcome.case.flops / max(outcome.moved, 1)


def gflops(outcome: Measurement, seconds: float) -> float:
    """Operations a second, in thousands of millions."""
    return outcome.case.flops / seconds * 1e-9


def _names(axes: Any, outcomes: Sequence[Measurement]) -> None:
    """Each workload's name beside ours, above and below in turns, for neighbours lie close."""
    named = sorted((intensity(o), o.case.name, o) for o in outcomes if o.of(OURS))
    for number, (x, name, outcome) in enumerate(named):
        ours = outcome.of(OURS)
        assert ours is not None
        offset, angle = ((4, 4), 25) if number % 2 else ((4, -6), -25)
        axes.annotate(name, (x, gflops(outcome, ours.median)), offset, rotation=angle, fontsize=7,
                      textcoords="offset points", va="bottom" if number % 2 else "top")  # fmt: skip


def _roofs(axes: Any, outcomes: Sequence[Measurement], top: Roofline) -> None:
    """From a byte for a hundred operations, or less, up to the peak and beyond."""
    intensities = [intensity(o) for o in outcomes]
    for dtype in sorted({"f64" if o.case.dtype == "f64" else "f32" for o in outcomes} or {"f32"}):
        corner = top.peak(dtype) / top.gbytes
        across = [
            min([0.1, *intensities]),
            corner,
            max([10 * corner, *(2 * x for x in intensities)]),
        ]
        up = [min(top.peak(dtype), top.gbytes * x) for x in across]
        label = f"roofline {dtype}: {top.peak(dtype):.0f} GFLOP/s, {top.gbytes:.0f} GB/s"
        axes.plot(across, up, color="black", lw=1.5, ls="-" if dtype == "f32" else "--",
                  label=label)  # fmt: skip


def _points(axes: Any, outcomes: Sequence[Measurement], name: str, number: int) -> None:
    kinds: dict[str, list[tuple[float, float]]] = {}
    for outcome in outcomes:
        timed = outcome.of(name)
        if timed is not None:
            place = intensity(outcome), gflops(outcome, timed.median)
            kinds.setdefault(outcome.case.name.rpartition("/")[0], []).append(place)
    style = {"color": f"C{number}", "marker": _MARKERS[number % len(_MARKERS)], "ms": 5, "lw": 0.8}
    for i, places in enumerate(kinds.values()):
        xs, ys = zip(*places, strict=True)
        axes.plot(xs, ys, label=name if not i else None, **style)
