"""The pipeline of `spec/90-pipeline.uop`: runs entries one after another, checking as told.

Its phases are known by name here and above: passes look at the graph at the end of one, and ask
nothing about the entries in it.
"""

from __future__ import annotations

import importlib
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

from rulewright.errors import UsageError, ValidationError, listed
from rulewright.ir.origins import Origins
from rulewright.ir.rewrite import rewrite
from rulewright.ir.stages import check_stage
from rulewright.ir.uop import UOp
from rulewright.ir.watch import checks
from rulewright.lang.build import load_table
from rulewright.options import options
from rulewright.profile import span


@dataclass(frozen=True)
class Entry:
    """One step: its name, the rule set or pass it runs, the stages it takes and gives."""

    name: str
    action: str  # "rules", "pass" or "lower"
    what: str
    source: str
    result: str
    doc: str
    phase: str = ""

    def run(self, graph: Any, ctx: Any = None) -> Any:
        """What this step makes of a graph.

        With VERIFY, raises StageError if that is not legal, ValidationError if a check finds it
        wrong.
        """
        try:
            with span("pass", self.name):
                result = self._run(graph, ctx)
            if options().VERIFY and isinstance(result, UOp):
                check_stage(result, self.result, after=self.name)
                checks().check_entry(self, graph, result)
        except ValidationError as error:
            error.entry = error.entry or self.name
            raise
        return result

    def _run(self, graph: Any, ctx: Any) -> Any:
        if self.action == "rules":
            memo: dict[UOp, UOp] = {}
            result = self._rewritten(graph, self.what, ctx, memo)
            if isinstance(ctx, Origins):
                ctx.carry(memo)
            return result
        if self.action == "lower":  # the rule sets of the target that is compiled for
            for rules in getattr(ctx.target, self.what):
                graph = self._rewritten(graph, rules, ctx)
            return graph
        function = _function(self.what)
        return function(graph) if ctx is None else function(graph, ctx)

    def _rewritten(
        self, graph: UOp, rules: str, ctx: Any, memo: dict[UOp, UOp] | None = None
    ) -> UOp:
        """The graph rewritten; DEBUG=6 prints how often each rule fired."""
        if options().DEBUG < 6:
            return rewrite(graph, rules, ctx, memo=memo)
        fired: Counter[str] = Counter()
        result = rewrite(graph, rules, ctx, lambda rule, *_: fired.update([rule]), memo=memo)
        counts = ", ".join(f"{rule} x{n}" for rule, n in sorted(fired.items()))
        print(f"rules    {self.name:12} {rules:16} {counts or 'none fired'}", file=sys.stderr)
        return result


@cache
def _function(place: str) -> Callable[..., Any]:
    module, _, name = place.partition(":")
    function: Callable[..., Any] = getattr(importlib.import_module(module), name)
    return function


@cache
def entries(pipeline: str = "default") -> tuple[Entry, ...]:
    """All steps of a pipeline, in order."""
    rows = load_table()["pipeline"][pipeline]["entries"]
    return tuple(
        Entry(r["name"], r["action"], r["what"], r["from"], r["to"], r["doc"], r["phase"])
        for r in rows
    )


@cache
def phases(first: str, last: str = "") -> tuple[Entry, ...]:
    """The steps of the phases from `first` to `last`, both included; of `first` alone without it.

    Raises UsageError for unknown names.
    """
    order = [entry.phase for entry in entries()]
    for name in (first, last or first):
        if name not in order:
            known = ", ".join(dict.fromkeys(order))
            raise UsageError(f"the pipeline has no phase {name!r}; phases are {known}")
    end = len(order) - order[::-1].index(last or first)
    return entries()[order.index(first) : end]


def scheduling() -> tuple[Entry, ...]:
    """The steps from a function to its list of kernels."""
    return phases("resolve", "arrange")


def lowering() -> tuple[Entry, ...]:
    """The steps from a kernel to a program."""
    return phases("simplify", "write")


def entry_named(name: str) -> Entry:
    """The step of a name. Raises UsageError if the pipeline has none."""
    for entry in entries():
        if entry.name == name:
            return entry
    known = [entry.name for entry in entries()]
    raise UsageError(f"no pipeline entry {name!r}; {listed('entries are', known, name)}")


def stops_in(steps: tuple[Entry, ...]) -> bool:
    """Whether the option STOP_AFTER names one of these steps."""
    stop = options().STOP_AFTER
    return bool(stop) and any(entry.name == stop for entry in steps)


def run_entries(graph: Any, steps: tuple[Entry, ...], ctx: Any = None) -> Iterator[tuple[str, Any]]:
    """Run steps, yielding each one's name and result; stops behind the option STOP_AFTER.

    Raises UsageError if that option names no entry of the pipeline.
    """
    stop = options().STOP_AFTER
    if stop:
        entry_named(stop)
    for entry in steps:
        graph = entry.run(graph, ctx)
        yield entry.name, graph
        if entry.name == stop:
            return
