"""Variants of a case that compute with integers that a target has no type of.

They are not wrong: positions and sums of integers are 64 bits wide. A float that a target lacks
has to be asked for, so to compute with one is wrong.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from rulewright.errors import NoTypeError
from rulewright.ir.dtypes import dtypes


def lacks_integers(error: Exception) -> bool:
    """Whether an error says that a target has no type of an integer."""
    lacks = error.lacks if isinstance(error, NoTypeError) else ""
    return any(kind.name == lacks and not kind.is_float for kind in dtypes.all())


def of_those_it_has(checks: Iterable[Callable[[], list[str]]]) -> list[str]:
    """What is wrong with variants, but for those that compute with integers that the target lacks.

    Raises NoTypeError if all do.
    """
    problems: list[str] = []
    ran, lacking = False, None
    for check in checks:
        try:
            problems += check()
            ran = True
        except NoTypeError as error:
            if not lacks_integers(error):
                raise
            lacking = error
    if lacking is not None and not ran:
        raise lacking
    return problems
