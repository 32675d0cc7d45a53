"""The budget of trusted rules: `spec/trusted.txt` has each with its reason, and only shrinks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from rulewright.paths import spec_dir
from rulewright.verify.prove.proof import Proof

SHARE = 0.02
"""Of all rules, the part that may be trusted."""


def budget_file() -> Path:
    """Where the list stands."""
    return spec_dir() / "trusted.txt"


def listed() -> dict[str, str]:
    """`set.rule` to its reason, in the order of the file."""
    lines = budget_file().read_text(encoding="utf-8").splitlines()
    pairs = [line.partition(": ") for line in lines if line and not line.startswith("#")]
    return {name: reason for name, _, reason in pairs}


def over_budget(proofs: Sequence[Proof], whole: bool) -> Iterator[str]:
    """What the proofs of the spec, or of some of its rules, have that the budget does not allow."""
    allowed = listed()
    folder = spec_dir().resolve()
    own = [p for p in proofs if Path(p.file).resolve().is_relative_to(folder)]
    trusted = {f"{p.set}.{p.rule}": p.note for p in own if p.status == "trusted"}
    for name, reason in trusted.items():
        if allowed.get(name) != reason:
            yield f"{name} is trusted and not in {budget_file().name} with the reason it gives"
    if not whole:
        return
    for name in allowed.keys() - trusted.keys():
        yield f"{name} is in {budget_file().name} and is not trusted: take it off"
    if len(trusted) > SHARE * len(proofs):
        yield f"{len(trusted)} of {len(proofs)} rules are trusted, more than {SHARE:.0%}"
