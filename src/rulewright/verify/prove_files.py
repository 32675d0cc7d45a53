"""Proofs of whole files, kept on disk by what they depend on."""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from hashlib import blake2b
from pathlib import Path
from typing import Any

from rulewright.diskcache import DiskCache
from rulewright.lang import tree as t
from rulewright.lang.matcher_facts import Facts
from rulewright.verify.prove import Proof, prove_rule, rules_of
from rulewright.verify.prove_smt import version

_store = DiskCache("prove")


def prove_files(
    paths: Sequence[Path], wanted: Collection[str] = (), timeout: float = 2.0, keep: bool = True
) -> list[Proof]:
    """A proof of every rule of some files, or of those whose name is `wanted`, in their order.

    `timeout` in seconds a question to z3; with `keep`, proofs are read from and written to the
    cache. Raises RuleError for a file with errors of syntax.
    """
    from rulewright.lang.build import load_table
    from rulewright.lang.parse import parse_text

    table = load_table()
    facts = Facts(table)
    base = _base_key(table, timeout)
    proofs = []
    for path in paths:
        file = parse_text(path.read_text(encoding="utf-8"), str(path))
        for name, rule in rules_of([file]):
            if not wanted or rule.name in wanted:
                proofs.append(_prove(name, rule, file, facts, timeout, base if keep else ""))
    return proofs


def _prove(
    name: str, rule: t.Rule, file: t.SourceFile, facts: Facts, timeout: float, base: str
) -> Proof:
    lines = file.text.splitlines()[rule.span.line - 1 : rule.span.end_line]
    text = "\n".join(lines)
    key = f"{base} {name} {text}"
    kept = _store.get(key) if base else None
    if kept is None:
        proof = prove_rule(name, rule, facts, timeout)
        if base:
            _store.put(key, json.dumps(proof.to_json()).encode())
        return proof
    data: dict[str, Any] = json.loads(kept)
    span = rule.name.span
    return Proof(**{**data, "file": span.file, "line": span.line})


def _base_key(table: dict[str, Any], timeout: float) -> str:
    """What every proof depends on: meanings, dtypes, this package's source, z3 and its time."""
    digest = blake2b(digest_size=20)
    rows = [(r["name"], r["tparams"], r["params"], r["result"], r["smt"]) for r in table["ops"]]
    digest.update(repr((rows, table["dtypes"], table["dtype_sets"])).encode())
    for path in sorted(Path(__file__).parent.glob("prove*.py")):
        digest.update(path.read_bytes())
    return f"{digest.hexdigest()} z3 {version()} {timeout}"
