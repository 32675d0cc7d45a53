"""Run the prover on many rules that are false: `python tools/fuzz_rules.py --count 2000`.

Right rules are changed at random (`rule_fuzz/rules.py`). Of each that matches graphs which are made
here (`rule_fuzz/patterns.py`) and is wrong at one of them, by the interpreter and by what the rule
promises, the prover is asked. What it calls proved all the same is printed, with the smallest wrong
graph. Exit status 1 if there is one. The same rules for the same `--seed`.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from random import Random
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).parent))

import numpy as np

from rule_fuzz.rules import FAMILIES, Faults, parsed
from rule_fuzz.search import Search
from rulewright.checks.rules import check_rule
from rulewright.errors import RulewrightError
from rulewright.lang import tree as t
from rulewright.lang.build import load_table, parsed_spec
from rulewright.lang.matcher_facts import Facts
from rulewright.lang.symbols import Symbols, collect
from rulewright.verify.prove import Settings, prove_rule
from rulewright.verify.prove.trial import matcher

ATTEMPTS = 80
SETTINGS = Settings(timeout=1.0, budget=20.0)
UNSAID = ("example", "reject", "unused")
PROVED = ("proved", "exhaustive")


class Finding(NamedTuple):
    """A false rule, a graph at which it is wrong, and what the prover calls it."""

    number: int
    family: str
    rule: str
    graph: str
    status: str
    note: str

    @property
    def is_false_proof(self) -> bool:
        """Whether the prover believes a rule that is false."""
        return self.status.startswith(PROVED)


def findings(
    seed: int, count: int, family: str = "", until: float = float("inf"), attempts: int = ATTEMPTS
) -> Iterator[Finding]:
    """The false ones of so many rules, with what the prover says of each."""
    facts = Facts(load_table())
    faults = Faults(facts, Random(seed), family).rules()
    for number in range(count):
        if time.monotonic() > until:
            return
        name, text = next(faults)
        with np.errstate(all="ignore"):
            finding = judged(number, name, text, facts, Random(seed * 1_000_003 + number), attempts)
        if finding is not None:
            yield finding


@cache
def _symbols() -> Symbols:
    return collect(parsed_spec())[0]


def is_rule(rule: t.Rule) -> bool:
    """Whether `check` finds nothing in a rule but that it has no examples and is of no use."""
    return all(d.code in UNSAID for d in check_rule(rule, _symbols()))


def judged(
    number: int, family: str, text: str, facts: Facts, rng: Random, attempts: int
) -> Finding | None:
    """What the prover says of a rule that is wrong somewhere; None of one that seems right."""
    try:
        rule = parsed(text)
        if not is_rule(rule):
            return None
        search = Search(rule, facts, matcher(rule, load_table()), rng)
        first = search.first(attempts)
        if first is None:
            return None
        proof = prove_rule(rule, load_table(), "", SETTINGS)
    except RulewrightError:
        return None  # no rule
    except Exception as error:
        return Finding(number, family, text, "", "crashed", f"{type(error).__name__}: {error}")
    graph = ""
    if proof.status.startswith(PROVED):
        smallest = search.first(20 * attempts, smallest_of=10)
        graph = min(first, smallest or first).text
    return Finding(number, family, text, graph, proof.status, proof.note)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=1000, help="how many rules are made")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument(
        "--time", type=float, default=float("inf"), help="seconds after which to stop"
    )
    parser.add_argument("--family", choices=FAMILIES, default="")
    parser.add_argument("--attempts", type=int, default=ATTEMPTS, help="graphs a rule")
    parser.add_argument("--show", default="", metavar="STATUS", help="print such rules too")
    options = parser.parse_args()
    begun = time.monotonic()
    statuses: Counter[str] = Counter()
    false = 0
    until = begun + options.time
    for found in findings(options.seed, options.count, options.family, until, options.attempts):
        statuses[found.status] += 1
        shown = options.show and found.status.startswith(options.show)
        if found.is_false_proof or found.status == "crashed" or shown:
            false += found.is_false_proof
            print(f"# {found.number}, {found.family}: {found.status} {found.note}")
            print(found.rule, found.graph, "", sep="\n", flush=True)
    print(f"{sum(statuses.values())} false rules in {time.monotonic() - begun:.0f} s:",
          ", ".join(f"{n} {s}" for s, n in statuses.most_common()))  # fmt: skip
    return int(false > 0)


if __name__ == "__main__":
    sys.exit(main())
