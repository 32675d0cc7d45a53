"""What the prover says of rules that fired in a step."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from rulewright.errors import ValidationError
from rulewright.ir.rulesets import ruleset
from rulewright.lang.build import parsed_spec
from rulewright.lang.parse import parse_file
from rulewright.verify.prove.files import kept_proofs, prove_parsed


def refuse_refuted(names: Iterable[str], sets: Sequence[str]) -> tuple[str, ...]:
    """The names of rules of sets, in which no rule of a user is one that the prover refutes.

    Raises ValidationError for such a rule. Those of the spec are the prover's own concern.
    """
    found = tuple(names)
    places = {
        name: place
        for one in sets
        for module in ruleset(one).modules()[:-1]  # the last one is the spec's
        for name, place in module.RULES.items()
    }
    for name in found:
        if name not in places:
            continue
        path, line = places[name]
        proof = prove_parsed(parse_file(Path(path)), name)
        if proof is not None and proof.status == "refuted":
            raise ValidationError(
                "it fired, and it is refuted: `rulewright prove` prints the counterexample",
                rule=name,
                place=f"{path}:{line}",
            )
    return found


def known_statuses(names: Iterable[str]) -> dict[str, str]:
    """What was proved here of rules of the spec, by name; nothing is proved now."""
    wanted = set(names)
    proofs = kept_proofs(parsed_spec(), wanted) if wanted else ()
    return {str(rule.name): proof.status for rule, proof in proofs if proof is not None}
