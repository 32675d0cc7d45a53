"""Certificates as data: the stages of a program, and what was shown about each step."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from rulewright.errors import RulewrightError, UsageError
from rulewright.ir.text import print_graph, read_graph
from rulewright.ir.uop import UOp
from rulewright.verify.certify.steps import ORDER, Claim

FORMAT = 1
ASSUMED = (
    "the meaning of ops, as the spec says it and numpy computes it",
    "the writing of source from the last stage, the C compiler and the processor",
    "the evaluation of graphs on expressions",
)
"""What no step of a certificate shows."""


@dataclass(frozen=True)
class CertifiedStep:
    """One entry of the pipeline: the graph before and after it, the rule sets it ran, the claim."""

    entry: str
    before: UOp
    after: UOp
    sets: tuple[str, ...]
    claim: Claim


@dataclass(frozen=True)
class Chain:
    """Steps one after another: those of the schedule or a function that it calls, which have no
    target, or of one of its kernels.
    """

    target: str
    steps: tuple[CertifiedStep, ...]
    name: str = ""
    source: str = ""


@dataclass(frozen=True)
class Certificate:
    """What was shown about the compilation of one program.

    `memory` gives each SCRATCH of the schedule its arena and byte offset, `arenas` their device,
    lane and bytes. `spec` names the content of the spec that was in force.
    """

    spec: str
    chains: tuple[Chain, ...]
    memory: tuple[tuple[int, int, int], ...] = ()
    arenas: tuple[tuple[str, str, int], ...] = ()
    assumed: tuple[str, ...] = field(default=ASSUMED)

    def steps(self) -> Iterator[tuple[Chain, CertifiedStep]]:
        """All steps, with the chain that they stand in."""
        for chain in self.chains:
            for step in chain.steps:
                yield chain, step

    def counts(self) -> dict[str, int]:
        """How many steps there are of each status, the strongest first."""
        statuses = Counter(step.claim.status for _, step in self.steps())
        return {status: statuses[status] for status in ORDER if statuses[status]}

    def to_json(self) -> str:
        """The certificate as text; graphs that several steps share stand there once."""
        graphs: dict[UOp, int] = {}
        chains = [
            {
                "target": chain.target,
                "name": chain.name,
                "source": chain.source,
                "steps": [_step_data(step, graphs) for step in chain.steps],
            }
            for chain in self.chains
        ]
        data = {
            "format": FORMAT,
            "spec": self.spec,
            "assumed": self.assumed,
            "counts": self.counts(),
            "memory": self.memory,
            "arenas": self.arenas,
            "chains": chains,
            "graphs": [print_graph(graph) for graph in graphs],
        }
        return json.dumps(data, indent=1) + "\n"

    @classmethod
    def from_json(cls, text: str, path: str = "<certificate>") -> Certificate:
        """The certificate of a text. Raises UsageError for text that is none."""
        try:
            data = json.loads(text)
            if not isinstance(data, dict):
                raise ValueError(f"a JSON {type(data).__name__}, no object")
            if data["format"] != FORMAT:
                raise UsageError(f"{path}: expected format {FORMAT}, found {data['format']!r}")
            graphs = [read_graph(str(g), f"{path}:graph {i}") for i, g in enumerate(data["graphs"])]
            chains = tuple(
                Chain(
                    str(row["target"]),
                    tuple(_step(step, graphs) for step in row["steps"]),
                    str(row["name"]),
                    str(row["source"]),
                )
                for row in data["chains"]
            )
            return cls(
                str(data["spec"]),
                chains,
                tuple((int(a), int(b), int(c)) for a, b, c in data["memory"]),
                tuple((str(a), str(b), int(c)) for a, b, c in data["arenas"]),
                tuple(map(str, data["assumed"])),
            )
        except UsageError:
            raise
        except (KeyError, TypeError, ValueError, RecursionError, RulewrightError) as error:
            expected = "expected a certificate, as VERIFY=prove writes it"
            raise UsageError(f"{path}: {expected}, found {_why_not(error)}") from error


def _why_not(error: Exception) -> str:
    """What a text is that is no certificate, by what came of reading it."""
    if isinstance(error, json.JSONDecodeError):
        return f"no JSON: {error}"
    if isinstance(error, KeyError):
        return f"no {error.args[0]!r} where one belongs"
    return str(error) if isinstance(error, ValueError) else f"other values in it: {error}"


def _step_data(step: CertifiedStep, graphs: dict[UOp, int]) -> dict[str, Any]:
    before, after = (graphs.setdefault(g, len(graphs)) for g in (step.before, step.after))
    return {
        "entry": step.entry,
        "before": before,
        "after": after,
        "sets": step.sets,
        **step.claim._asdict(),
    }


def _step(row: dict[str, Any], graphs: Sequence[UOp]) -> CertifiedStep:
    if row["status"] not in ORDER:
        raise ValueError(f"status {row['status']!r}, expected one of {', '.join(ORDER)}")
    claim = Claim(row["status"], str(row["note"]), tuple(map(str, row["rules"])))
    before, after = (graphs[_place(row[key], graphs)] for key in ("before", "after"))
    return CertifiedStep(str(row["entry"]), before, after, tuple(map(str, row["sets"])), claim)


def _place(number: Any, graphs: Sequence[UOp]) -> int:
    if not isinstance(number, int) or not 0 <= number < len(graphs):
        raise ValueError(f"graph {number!r}, expected one of 0 … {len(graphs) - 1}")
    return number
