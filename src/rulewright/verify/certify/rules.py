"""What the prover says of rules that fired in a step."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path

from rulewright.errors import ValidationError
from rulewright.ir.rulesets import ruleset
from rulewright.lang import tree as t
from rulewright.lang.parse import parse_file
from rulewright.paths import spec_dir
from rulewright.verify.prove.files import prove_parsed


def with_status(names: Iterable[str], sets: Sequence[str]) -> tuple[str, ...]:
    """Rules of sets, each with what the prover says of it: "proved", "bounded" and so on.

    Raises ValidationError for a rule that it refutes.
    """
    places = {
        name: place
        for one in sets
        for module in ruleset(one).modules()
        for name, place in module.RULES.items()
    }
    found = []
    for name in names:
        path, line = places[name]
        proof = prove_parsed(_parsed(path), name)
        status = proof.status if proof is not None else "unknown"
        if status == "refuted":
            raise ValidationError(
                "it fired, and it is refuted: `rulewright prove` prints the counterexample",
                rule=name,
                place=f"{path}:{line}",
            )
        found.append(f"{name} ({status})")
    return tuple(found)


def _parsed(path: str) -> t.SourceFile:
    where = Path(path)
    return _read(where if where.is_absolute() else spec_dir().parent / where)


@cache
def _read(path: Path) -> t.SourceFile:
    return parse_file(path)
