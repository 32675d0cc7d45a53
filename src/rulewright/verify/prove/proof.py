"""What is known of a rule, and of a rule at certain dtypes.

* proved: z3 says so, or all values there are were tried; and the matcher that ships did nothing
  else, on leaves of all kinds. proved at rank n: for all sizes of tensors of up to n axes.
* exhaustive: C computed both sides at all 2^32 inputs, once; what it found is on record.
* bounded: nothing that was tried is wrong, and all that was to be tried was.
* refuted: there is a counterexample. unknown: z3 gave up, or no graph of the pattern was made, and
  nothing is wrong at the rule's examples.
* timed out: the last resort ended a question or the making of graphs. crashed: the prover failed.
* vacuous: nothing matches. trusted: the rule says why it is believed; it was run so often.
* declared: no tactic can make a graph that the rule matches.
* unchecked: its file fails `check`, and a quick look does not show the rule wrong.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any

TIME = "time ran out"
"""How a note begins that says so."""

ALONE = "no graph of its pattern was made: its examples alone were run"

FAILED = ("refuted", "vacuous", "crashed", "unchecked")
"""What no rule may be."""

METHODS = (
    "exhaustive", "smt", "fp", "exhaustive values", "all inputs", "samples", "structures",
    "sizes", "interp", "examples", "calculus", "derivative",
)  # fmt: skip
"""The tactics: few bits, z3, all values of short dtypes, chosen and random ones, leaves, all sizes
of axes, graphs, the examples of a rule where no graph of its pattern is made."""


@dataclass
class Outcome:
    """What is known of one instance. `width` is its widest machine integer; 0: none, or index.

    `short` is the number of bits for which all combinations were tried and none was wrong;
    `graphs` counts those that were generated and run.
    """

    dtypes: str
    status: str
    method: str = ""
    width: int = 0
    short: int = 0
    note: str = ""
    counterexample: str = ""
    graphs: int = 0


@dataclass
class Proof:
    """What is known of a rule. `seconds` are of processor time."""

    rule: str
    set: str
    file: str
    line: int
    method: str
    status: str
    width: str = ""
    instances: list[dict[str, Any]] = field(default_factory=list)
    seconds: float = 0.0
    counterexample: str = ""
    note: str = ""
    graphs: int = 0

    def to_json(self) -> dict[str, Any]:
        """Plain data for `--format json`."""
        return asdict(self)

    @property
    def label(self) -> str:
        """The status; of a trusted rule with how many graphs it was run on."""
        return f"trusted ({self.graphs} samples)" if self.status == "trusted" else self.status


def conclude(proof: Proof, outcomes: list[Outcome]) -> None:
    """Note in `proof` what the outcomes of all instances say of the rule."""
    for outcome in outcomes:
        if outcome.status == "bounded" and outcome.method == "examples":
            outcome.status, outcome.note = "unknown", ALONE
    proof.instances = [{k: v for k, v in asdict(o).items() if v} for o in outcomes]
    ran = [o for o in outcomes if o.status not in ("vacuous", "declared")]
    proof.graphs = sum(o.graphs for o in outcomes)
    proof.note = _note(outcomes) or (f"{proof.graphs} graphs" if proof.graphs else "")
    if not ran:
        proof.note = next((o.note for o in outcomes if o.note), "nothing matches")
        proof.status = "declared" if any(o.status == "declared" for o in outcomes) else "vacuous"
        return
    methods = {m for o in ran for m in o.method.split(", ") if m}
    proof.method = ", ".join(m for m in METHODS if m in methods)
    failed = [o for o in ran if o.status == "refuted"]
    if failed:
        proof.status, proof.counterexample = "refuted", failed[0].counterexample
        proof.note = f"at {failed[0].dtypes}" if failed[0].dtypes else ""
        proof.width = str(failed[0].width or "")
        return
    proof.status = _status(outcomes)
    proof.width = _width(ran)
    proof.note = _reached(outcomes) or proof.note


def _reached(outcomes: list[Outcome]) -> str:
    """Where some floats are proved and others are not: which they are."""
    met = [o for o in outcomes if o.status != "vacuous"]
    proved = [o for o in met if o.status == "proved" and o.method.startswith(("fp", "exh"))]
    left = [o for o in met if o.status != "proved"]
    if not proved or not left or any(o.status != "bounded" for o in left):
        return ""
    if not all(o.method.endswith("samples") for o in left):
        return ""
    few = [", ".join(_value(o) for o in part[:_SHOWN]) for part in (proved, left)]
    more = ["…" if len(part) > _SHOWN else "" for part in (proved, left)]
    return f"proved at {few[0]}{more[0]}; sampled at {few[1]}{more[1]}"


_SHOWN = 6


def _value(outcome: Outcome) -> str:
    """The dtype of an instance that has one parameter, else all of them."""
    _, _, value = outcome.dtypes.partition("=")
    return value if "=" not in value else outcome.dtypes


def _note(outcomes: list[Outcome]) -> str:
    noted = [o for o in outcomes if o.note and o.status != "vacuous"]
    if not noted:
        return ""
    worst = min(noted, key=lambda o: _ORDER.index(o.status))
    alike = [o for o in noted if o.status == worst.status and o.method == worst.method]
    return f"{_value(worst)}: {worst.note}" if len({o.note for o in alike}) > 1 else worst.note


_ORDER = (
    "refuted", "declared", "unknown", "bounded", "exhaustive", "proved at rank 3",
    "proved", "vacuous",
)  # fmt: skip


def _status(outcomes: list[Outcome]) -> str:
    """The least of all instances that can match."""
    statuses = {o.status for o in outcomes} - {"vacuous"}
    if any(o.status == "unknown" and o.note.startswith(TIME) for o in outcomes):
        return "timed out"
    if "declared" in statuses:  # some were checked, others not at all
        return "unknown" if "unknown" in statuses else "bounded"
    return next(status for status in _ORDER if status in statuses)


def _width(ran: list[Outcome]) -> str:
    """The widest integers up to which all instances with integers are proved."""
    integers = [o for o in ran if "smt" in o.method]
    proved = [o.width for o in integers if o.status == "proved"]
    left = [o.width for o in integers if o.status != "proved"]
    if not left:
        return str(max(proved) or "index") if proved else ""
    reached = [w for w in proved if w < min(left)]
    if any(reached):
        return str(max(reached))
    return str(min(o.short for o in integers if o.status != "proved") or "")
