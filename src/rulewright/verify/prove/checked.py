"""What `check` says of files before their rules are proved: what fails it is not called proved."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from hashlib import blake2b
from pathlib import Path

from rulewright.checks import check
from rulewright.lang import tree as t
from rulewright.lang.diagnostics import Diagnostic
from rulewright.verify.prove.files import STORE, clause_problems, compiler_key
from rulewright.verify.prove.proof import Proof

_CLEAN = b"clean"
_SHOWN = ("refuted", "crashed")  # whatever is wrong with the file


def problems(
    paths: Sequence[Path], files: Sequence[t.SourceFile], keep: bool = True
) -> list[Diagnostic]:
    """What `rulewright check` reports of some files, which are parsed already.

    With `keep`, files that were found clean are not checked again until they, the spec or the
    compiler change.
    """
    digest = blake2b(digest_size=20)
    for file in files:
        digest.update(f"{len(file.text)} {file.text}".encode())
    key = f"check {compiler_key()} {digest.hexdigest()}"
    if keep and STORE.get(key) == _CLEAN:
        return clause_problems(paths)
    found = check(paths)
    if not found and not any(_foreign(item) for file in files for item in file.all(t.Extern)):
        STORE.put(key, _CLEAN)
    return found or clause_problems(paths)


def _foreign(item: t.Extern) -> bool:
    """Whether an extern is in a module of which nothing is known here."""
    return not item.target.value.startswith("rulewright.")


def unchecked(proofs: Sequence[Proof], found: Sequence[Diagnostic]) -> list[Proof]:
    """The proofs; of files with problems those alone that say more than that."""
    first = {d.file: d for d in reversed(found)}
    return [
        replace(p, status="unchecked", note=f"`check`: {first[p.file].message}", counterexample="")
        if p.file in first and p.status not in _SHOWN
        else p
        for p in proofs
    ]
