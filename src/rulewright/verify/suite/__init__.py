"""Cases of conformance beside the table of methods: edges of numbers, and whole programs.

A `Sweep` is one elementwise call over numbers that are chosen to be hard, a `SuiteProgram` a few
lines of code beside the same in numpy, for dtypes and sizes. Each module holds the rows of one or
two kinds.
"""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module

from rulewright.verify.suite.program import SuiteProgram
from rulewright.verify.suite.sweep import Sweep

KINDS = {
    "ulps": "functions",
    "integers": "integers",
    "specials": "specials",
    "sizes": "sizes",
    "indices": "indices",
    "buffers": "buffers",
    "symbolic": "symbolic",
    "random": "streams",
    "copies": "copies",
    "jit": "jitted",
    "launches": "launches",
    "cores": "matrices",
}
"""The kinds of cases, and the module that holds the rows of each."""


def all_cases() -> Iterator[tuple[str, SuiteProgram | Sweep]]:
    """Every row under its name, KIND/NAME."""
    for kind, module in KINDS.items():
        for row in import_module(f"{__name__}.{module}").ROWS:
            yield f"{kind}/{row.name}", row
